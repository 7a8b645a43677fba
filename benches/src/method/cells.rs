//! Approximate nearest earlier rows of a long matrix.
//!
//! An inverted file as in "Product quantization for nearest neighbor search" (Jégou, Douze and
//! Schmid, 2011), without the quantisation: a row belongs to the cell of its nearest anchor, and
//! its neighbours are searched in that cell. Up to [`EXACT_MAX`] rows the search is exact.

use super::matrix::Matrix;
use super::products::products;
use std::ops::Range;

/// Rows up to which all pairs are compared.
pub const EXACT_MAX: usize = 16_384;
/// Cells.
const CELLS: usize = 256;

/// The cell of each row of one growing matrix; rows are numbered from 0 and never forgotten.
#[derive(Debug, Clone, Default)]
pub struct Cells {
    anchors: Vec<f32>,
    members: Vec<Vec<usize>>,
    /// Rows that have a cell.
    placed: usize,
}

impl Cells {
    /// For each of the last rows, from `new.start` on, at most `limit` of the nearest rows with a
    /// smaller number, nearest first.
    pub fn nearest_earlier(
        &mut self,
        matrix: &Matrix,
        new: Range<usize>,
        limit: usize,
    ) -> Vec<(usize, Vec<(usize, f32)>)> {
        if matrix.len() <= EXACT_MAX {
            return new
                .clone()
                .zip(matrix.nearest_earlier(new, limit))
                .collect();
        }
        self.place(matrix);
        let mut found = Vec::new();
        for rows in &self.members {
            let first_new = rows.partition_point(|row| *row < new.start);
            if first_new == rows.len() {
                continue;
            }
            let mut cell = Matrix::new(matrix.row(0).len());
            for row in rows {
                cell.push(matrix.row(*row));
            }
            let near = cell.nearest_earlier(first_new..rows.len(), limit);
            for (row, near) in rows[first_new..].iter().zip(near) {
                let numbered = near.into_iter().map(|(at, cosine)| (rows[at], cosine));
                found.push((*row, numbered.collect()));
            }
        }
        found.sort_by_key(|(row, _)| *row);
        found
    }

    /// Assigns a cell to each row without one; anchors are evenly spread rows, chosen at first use.
    fn place(&mut self, matrix: &Matrix) {
        if self.members.is_empty() {
            let spread = (0..CELLS).map(|n| matrix.row(n * matrix.len() / CELLS));
            self.anchors = spread.flatten().copied().collect();
            self.members = vec![Vec::new(); CELLS];
        }
        for row in self.placed..matrix.end() {
            let vector = matrix.row(row);
            let cosines = products(vector, vector.len(), &self.anchors);
            let places = cosines.iter().enumerate();
            let nearest = places.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
            self.members[nearest.map_or(0, |(cell, _)| cell)].push(row);
        }
        self.placed = matrix.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_fixtures::Rng;

    /// Pairs of almost equal rows, in many directions.
    fn pairs(rows: usize) -> Matrix {
        let mut rng = Rng::new(8);
        let mut matrix = Matrix::new(8);
        for _ in 0..rows / 2 {
            let mut row: Vec<f32> = (0..8).map(|_| rng.normal() as f32).collect();
            weir_core::vectors::normalise(&mut row);
            matrix.push(&row);
            row[0] += 1e-4;
            matrix.push(&row);
        }
        matrix
    }

    #[test]
    fn few_rows_are_searched_exactly() {
        let matrix = pairs(100);
        let found = Cells::default().nearest_earlier(&matrix, 40..100, 2);
        let exact: Vec<_> = (40..100).zip(matrix.nearest_earlier(40..100, 2)).collect();
        assert_eq!(found, exact);
    }

    #[test]
    fn twins_are_found_among_many_rows_however_they_come() {
        let matrix = pairs(EXACT_MAX + 2_000);
        let mut cells = Cells::default();
        let (last, all) = (matrix.len() - 1_000, matrix.len());
        let at_once = cells.nearest_earlier(&matrix, 0..all, 1);
        let again = cells.nearest_earlier(&matrix, last..all, 1);
        assert_eq!(at_once.len(), all);
        assert_eq!(again, at_once[last..]);
        let twins = at_once.iter().filter(|(row, near)| {
            row % 2 == 1 && near.first().is_some_and(|(other, _)| other + 1 == *row)
        });
        // only pairs on the border of two cells are missed
        assert!(twins.count() * 100 >= all / 2 * 99);
    }
}
