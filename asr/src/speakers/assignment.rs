//! The cheapest assignment of a few rows to columns, each column used once at most.
//!
//! A window has at most three local speakers, so trying all assignments is exact and short: with 32
//! global speakers at most 33 to the power of 3 sums. The Hungarian algorithm would find the same.

/// Assigns each row a column, or none at the cost `none_cost`, so that the sum of costs is least.
///
/// `costs[row][column]`; a column that is `f32::INFINITY` is not taken, nor one that costs more
/// than `none_cost`. Of equally cheap assignments the one with lower columns in earlier rows wins.
pub(super) fn cheapest(costs: &[Vec<f32>], none_cost: f32) -> Vec<Option<usize>> {
    let mut search = Search {
        costs,
        none_cost,
        chosen: vec![None; costs.len()],
        best: vec![None; costs.len()],
        best_sum: f32::INFINITY,
    };
    search.row(0, 0.0);
    search.best
}

struct Search<'a> {
    costs: &'a [Vec<f32>],
    none_cost: f32,
    chosen: Vec<Option<usize>>,
    best: Vec<Option<usize>>,
    best_sum: f32,
}

impl Search<'_> {
    fn row(&mut self, row: usize, sum: f32) {
        if sum >= self.best_sum {
            return; // costs are not negative
        }
        let Some(costs) = self.costs.get(row) else {
            self.best_sum = sum;
            self.best.clone_from(&self.chosen);
            return;
        };
        for (column, cost) in costs.iter().enumerate() {
            if *cost <= self.none_cost && !self.chosen[..row].contains(&Some(column)) {
                self.chosen[row] = Some(column);
                self.row(row + 1, sum + cost);
            }
        }
        self.chosen[row] = None;
        self.row(row + 1, sum + self.none_cost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nearer_row_does_not_push_the_sum_up() {
        // taken row by row, the first would take column 0 and leave 0.9 to the second
        let costs = [vec![0.1, 0.2], vec![0.1, 0.9]];
        assert_eq!(cheapest(&costs, 1.0), [Some(1), Some(0)]);
    }

    #[test]
    fn what_is_too_far_gets_no_column() {
        let costs = [vec![0.5, 0.8], vec![0.4, 0.9]];
        assert_eq!(cheapest(&costs, 0.7), [None, Some(0)]);
        assert_eq!(cheapest(&costs, 0.3), [None, None]);
        assert_eq!(cheapest(&[vec![], vec![]], 0.3), [None, None]);
        assert_eq!(cheapest(&[], 0.3), []);
        let taken = [vec![f32::INFINITY, 0.2]];
        assert_eq!(cheapest(&taken, 1.0), [Some(1)]);
    }

    #[test]
    fn of_equal_sums_the_first_is_taken() {
        let costs = [vec![0.5, 0.5], vec![0.5, 0.5], vec![0.5, 0.5]];
        assert_eq!(cheapest(&costs, 0.6), [Some(0), Some(1), None]);
    }
}
