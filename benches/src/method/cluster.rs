//! Bisecting k-means over unit vectors, into clusters of a bounded size.
//!
//! Follows "A comparison of document clustering techniques" (Steinbach, Karypis and Kumar, 2000):
//! clusters that are too large are split in two, by cosine and with a bounded number of rounds.

use super::matrix::Matrix;
use weir_core::vectors::{dot, normalise};
use weir_fixtures::Rng;

/// Rounds of assigning and averaging in one split.
const ROUNDS_MAX: usize = 8;

/// Splits rows into clusters of at most `size_max`; each is ascending, and they are ordered by
/// their first rows.
pub(crate) fn clusters(matrix: &Matrix, rows: Vec<usize>, size_max: usize) -> Vec<Vec<usize>> {
    let mut rng = Rng::new(rows.len() as u64);
    let mut open = vec![rows];
    let mut done = Vec::new();
    while let Some(rows) = open.pop() {
        if rows.len() <= size_max.max(1) {
            done.extend((!rows.is_empty()).then_some(rows));
            continue;
        }
        let (left, right) = halves(matrix, &rows, &mut rng);
        open.push(right);
        open.push(left);
    }
    done.sort_by_key(|rows| rows.first().copied());
    done
}

/// Two non-empty parts: by 2-means, or at the middle if all vectors are alike.
fn halves(matrix: &Matrix, rows: &[usize], rng: &mut Rng) -> (Vec<usize>, Vec<usize>) {
    // good first centres: the row farthest from a random row, and the row farthest from that one
    let start = matrix.row(*rng.pick(rows));
    let far = farthest(matrix, rows, start);
    let mut centres =
        [far, farthest(matrix, rows, matrix.row(far))].map(|n| matrix.row(n).to_vec());
    let mut halves = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS_MAX {
        let (right, left) = rows.iter().copied().partition(|row| {
            let row = matrix.row(*row);
            dot(row, &centres[1]) > dot(row, &centres[0])
        });
        if (&left, &right) == (&halves.0, &halves.1) {
            break;
        }
        halves = (left, right);
        centres = [&halves.0, &halves.1].map(|half| mean(half.iter().map(|row| matrix.row(*row))));
    }
    if halves.0.is_empty() || halves.1.is_empty() {
        let (left, right) = rows.split_at(rows.len() / 2);
        return (left.to_vec(), right.to_vec());
    }
    halves
}

fn farthest(matrix: &Matrix, rows: &[usize], from: &[f32]) -> usize {
    let cosine = |row: &usize| dot(matrix.row(*row), from);
    let rows = rows.iter().copied();
    let far = rows.min_by(|a, b| cosine(a).total_cmp(&cosine(b)));
    far.unwrap_or_default()
}

/// The unit-length mean of vectors; empty if there are none.
pub(crate) fn mean<'a>(vectors: impl IntoIterator<Item = &'a [f32]>) -> Vec<f32> {
    let mut sum: Vec<f32> = Vec::new();
    for vector in vectors {
        sum.resize(vector.len(), 0.0);
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
    }
    normalise(&mut sum);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directions(degrees: &[f32]) -> Matrix {
        let mut matrix = Matrix::new(2);
        for degrees in degrees {
            let angle = degrees.to_radians();
            matrix.push(&[angle.cos(), angle.sin()]);
        }
        matrix
    }

    #[test]
    fn two_bundles_of_directions_are_two_clusters() {
        let matrix = directions(&[0.0, 91.0, 3.0, 88.0, 5.0, 90.0]);
        let found = clusters(&matrix, (0..6).collect(), 3);
        assert_eq!(found, [vec![0, 2, 4], vec![1, 3, 5]]);
    }

    #[test]
    fn every_row_is_in_one_cluster_and_none_is_too_large() {
        let alike = directions(&[45.0; 50]);
        let spread = directions(&(0..50).map(|n| (n * 37 % 360) as f32).collect::<Vec<_>>());
        for matrix in [alike, spread] {
            for size_max in [1, 2, 7, 49, 50, 99] {
                let found = clusters(&matrix, (0..50).collect(), size_max);
                let fits = |rows: &Vec<usize>| (1..=size_max).contains(&rows.len());
                assert!(found.iter().all(fits));
                let mut all = found.concat();
                all.sort_unstable();
                assert_eq!(all, (0..50).collect::<Vec<_>>());
            }
        }
        assert!(clusters(&Matrix::new(2), Vec::new(), 4).is_empty());
    }

    #[test]
    fn a_mean_has_unit_length() {
        let matrix = directions(&[0.0, 90.0]);
        let middle = mean([matrix.row(0), matrix.row(1)]);
        assert!(middle.iter().all(|x| (x - 0.5_f32.sqrt()).abs() < 1e-6));
        assert_eq!(mean([]), Vec::<f32>::new());
    }
}
