//! Vectors in one contiguous matrix, and an exhaustive search over it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter::repeat;
use std::ops::Range;
use weir_core::vectors::dot;

/// Rows of one dimension, numbered from 0 in insertion order.
pub(crate) struct Matrix {
    dimension: usize,
    floats: Vec<f32>,
}

impl Matrix {
    pub(crate) fn new(dimension: usize) -> Self {
        Self {
            dimension,
            floats: Vec::new(),
        }
    }

    /// Appends a row; a vector of another length is truncated or padded with 0.
    pub(crate) fn push(&mut self, vector: &[f32]) {
        let padded = vector.iter().copied().chain(repeat(0.0));
        self.floats.extend(padded.take(self.dimension));
    }

    pub(crate) fn row(&self, number: usize) -> &[f32] {
        &self.floats[number * self.dimension..(number + 1) * self.dimension]
    }

    /// Cosine of a query with each row, in row order.
    pub(crate) fn cosines(&self, query: &[f32]) -> Vec<f32> {
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

/// The bits of a score as a number that orders as `f32::total_cmp`, and back.
fn ordered(bits: i32) -> i32 {
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

/// Numbers with their scores, best first; ties by smaller number.
pub(crate) struct BestFirst(BinaryHeap<(i32, Reverse<usize>)>);

impl BestFirst {
    pub(crate) fn of(scored: impl IntoIterator<Item = (usize, f32)>) -> Self {
        let key = |(n, score): (usize, f32)| (ordered(score.to_bits() as i32), Reverse(n));
        Self(scored.into_iter().map(key).collect())
    }
}

impl Iterator for BestFirst {
    type Item = (usize, f32);

    fn next(&mut self) -> Option<(usize, f32)> {
        let (score, Reverse(number)) = self.0.pop()?;
        Some((number, f32::from_bits(ordered(score) as u32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_fixtures::Rng;

    #[test]
    fn nearest_comes_best_first_and_equals_in_their_order() {
        let mut matrix = Matrix::new(1);
        for x in [0.5, 0.9, 0.5, -1.0, 0.9, -0.5] {
            matrix.push(&[x]);
        }
        let order: Vec<usize> = matrix.nearest(&[1.0]).map(|(n, _)| n).collect();
        assert_eq!(order, [1, 4, 0, 2, 5, 3]);
    }

    #[test]
    fn the_nearest_earlier_rows_are_those_of_a_plain_scan() {
        let mut rng = Rng::new(5);
        let mut matrix = Matrix::new(4);
        for _ in 0..90 {
            matrix.push(&[(); 4].map(|()| rng.range(-1.0, 1.0) as f32));
        }
        let found = matrix.nearest_earlier(7..90, 3);
        assert_eq!(found.len(), 83);
        for (at, links) in found.iter().enumerate() {
            let row = at + 7;
            let plain = matrix.nearest(matrix.row(row)).filter(|(n, _)| *n < row);
            assert_eq!(*links, plain.take(3).collect::<Vec<_>>(), "row {row}");
        }
    }
}
