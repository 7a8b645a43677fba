//! Vectors in one contiguous matrix, and an exhaustive search over it.
//!
//! Row numbers are stable: forgetting the first rows does not renumber the others.

use super::products::products;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Queries compared with a row while it is in the cache.
const QUERIES_AT_ONCE: usize = 64;
/// Rows whose products are stored at once.
const ROWS_AT_ONCE: usize = 256;

/// Rows of one dimension, numbered from 0 in insertion order.
#[derive(Debug, Clone)]
pub struct Matrix {
    dimension: usize,
    /// Number of the first remaining row.
    first: usize,
    /// Rows at the front of `floats` that are forgotten but not removed yet.
    gone: usize,
    len: usize,
    floats: Vec<f32>,
}

impl Matrix {
    /// An empty matrix.
    #[must_use]
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            first: 0,
            gone: 0,
            len: 0,
            floats: Vec::new(),
        }
    }

    /// Appends a row and returns its number; a vector of another length is truncated or padded with
    /// 0.
    pub fn push(&mut self, vector: &[f32]) -> usize {
        let taken = vector.len().min(self.dimension);
        self.floats.extend_from_slice(&vector[..taken]);
        let missing = self.dimension - taken;
        self.floats.extend(std::iter::repeat_n(0.0, missing));
        self.len += 1;
        self.end() - 1
    }

    /// Number of the first row.
    #[must_use]
    pub fn first(&self) -> usize {
        self.first
    }

    /// One more than the number of the last row.
    #[must_use]
    pub fn end(&self) -> usize {
        self.first + self.len()
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A row; empty if it does not exist.
    #[must_use]
    pub fn row(&self, number: usize) -> &[f32] {
        if number < self.first || number >= self.end() {
            return &[];
        }
        let at = (number - self.first + self.gone) * self.dimension;
        &self.floats[at..at + self.dimension]
    }

    /// Forgets all rows before this one.
    pub fn forget_before(&mut self, number: usize) {
        let many = number.saturating_sub(self.first).min(self.len());
        self.first += many;
        self.len -= many;
        self.gone += many;
        // each row moves at most once per halving of the matrix
        if self.gone > self.len() {
            self.floats.drain(..self.gone * self.dimension);
            self.gone = 0;
        }
    }

    /// Cosine of a query with each row, in row order.
    #[must_use]
    pub fn cosines(&self, query: &[f32]) -> Vec<f32> {
        if query.len() != self.dimension {
            return vec![0.0; self.len()];
        }
        products(self.floats(self.first..self.end()), self.dimension, query)
    }

    /// Rows of these numbers, all of which must exist, concatenated.
    fn floats(&self, rows: Range<usize>) -> &[f32] {
        let at = |number: usize| (number - self.first + self.gone) * self.dimension;
        &self.floats[at(rows.start)..at(rows.end)]
    }

    /// All rows, nearest first; sorted lazily.
    #[must_use]
    pub fn nearest(&self, query: &[f32]) -> BestFirst {
        let numbered = self.cosines(query).into_iter().enumerate();
        BestFirst::of(numbered.map(|(at, cosine)| (self.first + at, cosine)))
    }

    /// For each of `rows`, the `limit` nearest rows with a smaller number, nearest first.
    ///
    /// One pass over the matrix serves many queries, so a row is read from memory once for all of
    /// them.
    #[must_use]
    pub fn nearest_earlier(&self, rows: Range<usize>, limit: usize) -> Vec<Vec<(usize, f32)>> {
        let (mut from, end) = (rows.start.max(self.first), rows.end.min(self.end()));
        let mut best = Vec::with_capacity(end.saturating_sub(from));
        while from < end {
            let queries = from..end.min(from + QUERIES_AT_ONCE);
            best.extend(self.nearest_to(queries.clone(), limit));
            from = queries.end;
        }
        best
    }

    fn nearest_to(&self, queries: Range<usize>, limit: usize) -> Vec<Vec<(usize, f32)>> {
        let mut found: Vec<Top> = queries.clone().map(|_| Top::new(limit)).collect();
        let floats = self.floats(queries.clone());
        let mut from = self.first;
        while from < queries.end {
            let earlier = from..queries.end.min(from + ROWS_AT_ONCE);
            let cosines = products(self.floats(earlier.clone()), self.dimension, floats);
            for (row, cosines) in earlier.clone().zip(cosines.chunks(queries.len())) {
                // a query only matches earlier rows
                let behind = (row + 1).saturating_sub(queries.start);
                for (top, cosine) in found.iter_mut().zip(cosines).skip(behind) {
                    top.offer(row, *cosine);
                }
            }
            from = earlier.end;
        }
        found.into_iter().map(Top::best_first).collect()
    }

    /// Bytes of the remaining rows.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.len() * self.dimension * size_of::<f32>()
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
pub struct BestFirst(BinaryHeap<Scored>);

impl BestFirst {
    /// Orders them.
    pub fn of(scored: impl IntoIterator<Item = (usize, f32)>) -> Self {
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

/// The few best of many.
struct Top {
    limit: usize,
    /// Best first.
    found: Vec<Scored>,
}

impl Top {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            found: Vec::with_capacity(limit + 1),
        }
    }

    fn offer(&mut self, number: usize, score: f32) {
        let offered = Scored(number, score);
        let full = self.found.len() >= self.limit;
        if full && self.found.last().is_none_or(|worst| offered <= *worst) {
            return;
        }
        let at = self.found.partition_point(|other| *other > offered);
        self.found.insert(at, offered);
        self.found.truncate(self.limit);
    }

    fn best_first(self) -> Vec<(usize, f32)> {
        self.found.into_iter().map(|Scored(n, s)| (n, s)).collect()
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
    fn rows_keep_their_numbers_when_the_first_are_forgotten() {
        let whole = random(100);
        let mut cut = whole.clone();
        for until in [1, 3, 60, 60, 99] {
            cut.forget_before(until);
            assert_eq!((cut.first(), cut.len()), (until, 100 - until));
            assert_eq!(cut.row(99), whole.row(99));
            assert!(cut.row(until - 1).is_empty() && cut.row(100).is_empty());
            let best = cut.nearest(whole.row(99)).next().map(|(n, _)| n);
            assert!(best.is_some_and(|n| n >= until));
        }
        assert!(cut.floats.len() < 100 * 4, "forgotten rows take no room");
        assert_eq!(cut.push(&[1.0]), 100);
        assert_eq!(cut.row(100), [1.0, 0.0, 0.0, 0.0]);
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
        let mut matrix = random(90);
        matrix.forget_before(7);
        let found = matrix.nearest_earlier(7..90, 3);
        assert_eq!(found.len(), 83);
        for (at, links) in found.iter().enumerate() {
            let row = at + 7;
            let plain = matrix.nearest(matrix.row(row)).filter(|(n, _)| *n < row);
            assert_eq!(*links, plain.take(3).collect::<Vec<_>>(), "row {row}");
        }
    }
}
