//! The one-to-one mapping of two sets of speakers with the largest common time.
//!
//! The Hungarian algorithm in the form of shortest augmenting paths with potentials (Jonker and
//! Volgenant 1987), cubic in the number of speakers.

/// Maps each row to a column, each column once at most, so that the sum of `weights[row][column]`
/// is largest; pairs of weight 0 are left out.
///
/// All rows are equally long.
pub(super) fn largest(weights: &[Vec<u64>]) -> Vec<Option<usize>> {
    let columns = weights.first().map_or(0, Vec::len);
    let size = weights.len().max(columns);
    // padded to a square: rows and columns without a partner cost nothing
    let weight = |row: usize, column: usize| -> i64 {
        let weight = weights.get(row).and_then(|it| it.get(column));
        weight.map_or(0, |it| i64::try_from(*it).unwrap_or(i64::MAX))
    };
    let mut matching = Matching {
        row_potential: vec![0; size],
        column_potential: vec![0; size],
        row_of: vec![None; size],
    };
    for row in 0..size {
        matching.add(row, &|row, column| -weight(row, column));
    }
    let mut mapped = vec![None; weights.len()];
    for (column, row) in matching.row_of.iter().enumerate() {
        if let Some(row) = row.filter(|row| weight(*row, column) > 0) {
            mapped[row] = Some(column);
        }
    }
    mapped
}

/// An assignment of least cost of the rows so far. No cost is less than the sum of its row's and
/// its column's potential; assigned pairs cost exactly that.
struct Matching {
    row_potential: Vec<i64>,
    column_potential: Vec<i64>,
    /// The row that each column is assigned to.
    row_of: Vec<Option<usize>>,
}

impl Matching {
    /// Assigns one more row along the cheapest path to a column that is free: each step of the path
    /// takes a column from the row that has it.
    fn add(&mut self, new_row: usize, cost: &dyn Fn(usize, usize) -> i64) {
        let size = self.row_of.len();
        // length of the cheapest path to each column, and the column before it on that path
        let mut length = vec![i64::MAX; size];
        let mut before = vec![None; size];
        let mut reached = vec![false; size];
        let (mut row, mut column, mut so_far) = (new_row, None, 0);
        let last = loop {
            for to in (0..size).filter(|to| !reached[*to]) {
                let rest = cost(row, to) - self.row_potential[row] - self.column_potential[to];
                if so_far + rest < length[to] {
                    length[to] = so_far + rest;
                    before[to] = column;
                }
            }
            let open = (0..size).filter(|to| !reached[*to]);
            let next = open.min_by_key(|to| length[*to]);
            let next = next.expect("a square has a free column for each row");
            reached[next] = true;
            so_far = length[next];
            match self.row_of[next] {
                Some(taken) => (row, column) = (taken, Some(next)),
                None => break next,
            }
        };
        self.row_potential[new_row] += so_far;
        for column in (0..size).filter(|it| reached[*it]) {
            let shorter = so_far - length[column];
            self.column_potential[column] -= shorter;
            if let Some(row) = self.row_of[column] {
                self.row_potential[row] += shorter;
            }
        }
        let mut column = last;
        while let Some(from) = before[column] {
            self.row_of[column] = self.row_of[from];
            column = from;
        }
        self.row_of[column] = Some(new_row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(weights: &[Vec<u64>], mapped: &[Option<usize>]) -> u64 {
        let pairs = weights.iter().zip(mapped);
        pairs
            .filter_map(|(row, column)| Some(row[(*column)?]))
            .sum()
    }

    /// The largest sum of all mappings, by trying them.
    fn tried(weights: &[Vec<u64>], taken: &mut Vec<bool>) -> u64 {
        let Some((first, rest)) = weights.split_first() else {
            return 0;
        };
        let mut best = tried(rest, taken);
        for (column, weight) in first.iter().enumerate() {
            if !taken[column] {
                taken[column] = true;
                best = best.max(weight + tried(rest, taken));
                taken[column] = false;
            }
        }
        best
    }

    proptest! {
        #[test]
        fn no_other_mapping_has_a_larger_sum(
            rows in 0usize..6,
            columns in 0usize..6,
            values in prop::collection::vec(0u64..20, 36),
        ) {
            let row = |at: usize| values[at * 6..at * 6 + columns].to_vec();
            let weights: Vec<Vec<u64>> = (0..rows).map(row).collect();
            let mapped = largest(&weights);
            let columns_used: Vec<usize> = mapped.iter().copied().flatten().collect();
            let apart: std::collections::BTreeSet<_> = columns_used.iter().collect();
            prop_assert_eq!(columns_used.len(), apart.len());
            prop_assert_eq!(sum(&weights, &mapped), tried(&weights, &mut vec![false; columns]));
        }
    }
}
