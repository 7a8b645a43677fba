//! Dot products of many vectors at once, with the vector instructions that the processor has.
//!
//! Four products share one operand, so that their additions run side by side. The order of
//! additions is the same with all instructions, so the result is the same to the bit.

use pulp::{Arch, Simd, WithSimd};
use std::sync::LazyLock;

/// Floats that are added side by side in one product.
const LANES: usize = 16;
/// Products at once.
const ABREAST: usize = 4;

static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);

/// Products of each of `rows`, one after the other, with each of `queries`: first all of the first
/// row. Queries have the rows' length, `dimension`.
#[must_use]
pub fn products(rows: &[f32], dimension: usize, queries: &[f32]) -> Vec<f32> {
    if dimension == 0 {
        return Vec::new();
    }
    let many = (rows.len() / dimension) * (queries.len() / dimension);
    let mut out = Vec::with_capacity(many);
    ARCH.dispatch(Products {
        rows,
        dimension,
        queries,
        out: &mut out,
    });
    out
}

struct Products<'a> {
    rows: &'a [f32],
    dimension: usize,
    queries: &'a [f32],
    out: &'a mut Vec<f32>,
}

impl WithSimd for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let one = self.queries.len() == self.dimension;
        if one {
            // with a single query it is the rows that are taken by fours
            by_fours(self.queries, self.rows, self.dimension, self.out);
            return;
        }
        for row in self.rows.chunks_exact(self.dimension) {
            by_fours(row, self.queries, self.dimension, self.out);
        }
    }
}

/// Products of one vector with each of several.
#[inline(always)]
fn by_fours(one: &[f32], several: &[f32], dimension: usize, out: &mut Vec<f32>) {
    let mut fours = several.chunks_exact(ABREAST * dimension);
    for four in &mut fours {
        let (a, rest) = four.split_at(dimension);
        let (b, rest) = rest.split_at(dimension);
        let (c, d) = rest.split_at(dimension);
        out.extend(abreast(one, [a, b, c, d]));
    }
    for other in fours.remainder().chunks_exact(dimension) {
        out.extend(abreast(one, [other]));
    }
}

#[inline(always)]
fn abreast<const N: usize>(one: &[f32], others: [&[f32]; N]) -> [f32; N] {
    let mut sums = [[0.0_f32; LANES]; N];
    let (chunks, tail) = one.as_chunks::<LANES>();
    let others = others.map(|other| other[..one.len()].as_chunks::<LANES>());
    for (at, x) in chunks.iter().enumerate() {
        for (sums, (other, _)) in sums.iter_mut().zip(&others) {
            let y = &other[at];
            for lane in 0..LANES {
                sums[lane] += x[lane] * y[lane];
            }
        }
    }
    let mut totals = [0.0; N];
    for ((total, sums), (_, other)) in totals.iter_mut().zip(&sums).zip(&others) {
        let rest: f32 = tail.iter().zip(*other).map(|(x, y)| x * y).sum();
        *total = halved(sums) + rest;
    }
    totals
}

/// The sum of the lanes, by halves.
#[inline(always)]
fn halved(sums: &[f32; LANES]) -> f32 {
    let eight: [f32; 8] = std::array::from_fn(|at| sums[at] + sums[at + 8]);
    let four: [f32; 4] = std::array::from_fn(|at| eight[at] + eight[at + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_fixtures::Rng;

    #[test]
    fn products_are_those_of_the_definition() {
        let mut rng = Rng::new(2);
        for dimension in [1, 3, 16, 37, 64] {
            let mut some = |many: usize| -> Vec<f32> {
                (0..many * dimension)
                    .map(|_| rng.range(-1.0, 1.0) as f32)
                    .collect()
            };
            for (rows, queries) in [(9, 1), (3, 7), (1, 1), (0, 4), (5, 0)] {
                let (rows, queries) = (some(rows), some(queries));
                let found = products(&rows, dimension, &queries);
                let mut found = found.iter();
                for row in rows.chunks(dimension) {
                    for query in queries.chunks(dimension) {
                        let plain: f32 = row.iter().zip(query).map(|(x, y)| x * y).sum();
                        let product = found.next().expect("one for each pair");
                        assert!((plain - product).abs() < 1e-4, "{plain} {product}");
                    }
                }
                assert_eq!(found.next(), None);
            }
        }
        assert!(products(&[], 0, &[]).is_empty());
    }

    #[test]
    fn one_query_and_many_give_the_same_bits() {
        let mut rng = Rng::new(4);
        let rows: Vec<f32> = (0..50 * 37).map(|_| rng.normal() as f32).collect();
        let many = products(&rows, 37, &rows);
        for (at, query) in rows.chunks(37).enumerate() {
            for (row, product) in products(&rows, 37, query).iter().enumerate() {
                assert_eq!(*product, many[row * 50 + at]);
            }
        }
    }
}
