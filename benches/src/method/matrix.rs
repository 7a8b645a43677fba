//! Vectors in one contiguous matrix, and an exhaustive search over it.

use std::collections::BinaryHeap;
use std::ops::Range;
use weir_core::vectors::dot;

/// Rows of one dimension, numbered from 0 in insertion order.
#[derive(Debug, Clone)]
pub(crate) struct Matrix {
    dimension: usize,
    len: usize,
    floats: Vec<f32>,
}

impl Matrix {
    /// An empty matrix.
    pub(crate) fn new(dimension: usize) -> Self {
        Self {
            dimension,
            len: 0,
            floats: Vec::new(),
        }
    }

    /// Appends a row and returns its number; a vector of another length is truncated or padded with
    /// 0.
    pub(crate) fn push(&mut self, vector: &[f32]) -> usize {
        let taken = vector.len().min(self.dimension);
        self.floats.extend_from_slice(&vector[..taken]);
        let missing = self.dimension - taken;
        self.floats.extend(std::iter::repeat_n(0.0, missing));
        self.len += 1;
        self.len - 1
    }

    /// A row.
    pub(crate) fn row(&self, number: usize) -> &[f32] {
        &self.floats[number * self.dimension..(number + 1) * self.dimension]
    }

    /// Cosine of a query with each row, in row order.
    pub(crate) fn cosines(&self, query: &[f32]) -> Vec<f32> {
        if query.len() != self.dimension {
            return vec![0.0; self.len];
        }
        let rows = self.floats.chunks(self.dimension.max(1));
        rows.map(|row| dot(row, query)).collect()
    }

    /// All rows, nearest first; sorted lazily.
    pub(crate) fn nearest(&self, query: &[f32]) -> BestFirst {
        BestFirst::of(self.cosines(query).into_iter().enumerate())
    }

    /// For each of `rows`, the `limit` nearest rows with a smaller number, nearest first.
    pub(crate) fn nearest_earlier(
        &self,
        rows: Range<usize>,
        limit: usize,
    ) -> Vec<Vec<(usize, f32)>> {
        let near = |row: usize| {
            let cosine = |earlier| (earlier, dot(self.row(earlier), self.row(row)));
            BestFirst::of((0..row).map(cosine)).take(limit).collect()
        };
        rows.map(near).collect()
    }
}

/// A number with its score; the highest score is best, ties go to the earlier one.
#[derive(Debug, Clone, Copy)]
struct Scored(usize, f32);

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.1.total_cmp(&other.1).then(other.0.cmp(&self.0))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Scored {}

/// Numbers with their scores, best first; ties by smaller number.
#[derive(Debug, Clone, Default)]
pub(crate) struct BestFirst(BinaryHeap<Scored>);

impl BestFirst {
    /// Orders them.
    pub(crate) fn of(scored: impl IntoIterator<Item = (usize, f32)>) -> Self {
        let scored = scored.into_iter();
        Self(scored.map(|(n, score)| Scored(n, score)).collect())
    }
}

impl Iterator for BestFirst {
    type Item = (usize, f32);

    fn next(&mut self) -> Option<(usize, f32)> {
        self.0.pop().map(|Scored(number, score)| (number, score))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_fixtures::Rng;

    fn random(rows: usize) -> Matrix {
        let mut rng = Rng::new(5);
        let mut matrix = Matrix::new(4);
        for _ in 0..rows {
            let row: Vec<f32> = (0..4).map(|_| rng.range(-1.0, 1.0) as f32).collect();
            matrix.push(&row);
        }
        matrix
    }

    #[test]
    fn nearest_comes_best_first_and_equals_in_their_order() {
        let mut matrix = Matrix::new(1);
        for x in [0.5, 0.9, 0.5, -1.0, 0.9] {
            matrix.push(&[x]);
        }
        let order: Vec<usize> = matrix.nearest(&[1.0]).map(|(n, _)| n).collect();
        assert_eq!(order, [1, 4, 0, 2, 3]);
    }

    #[test]
    fn the_nearest_earlier_rows_are_those_of_a_plain_scan() {
        let matrix = random(90);
        let found = matrix.nearest_earlier(7..90, 3);
        assert_eq!(found.len(), 83);
        for (at, links) in found.iter().enumerate() {
            let row = at + 7;
            let plain = matrix.nearest(matrix.row(row)).filter(|(n, _)| *n < row);
            assert_eq!(*links, plain.take(3).collect::<Vec<_>>(), "row {row}");
        }
    }
}
