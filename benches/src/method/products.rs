//! Dot products of many vectors at once, with the processor's vector instructions.
//!
//! The instructions are chosen once for all products. The order of additions is the same for all of
//! them, so results are bit-identical.

use pulp::{Arch, Simd, WithSimd};
use std::sync::LazyLock;

/// Floats added in parallel: four registers hide the latency of addition.
const LANES: usize = 32;

static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);

/// Products of each of `rows`, concatenated, with each of `queries`: first all of the first row.
/// Queries have the rows' length, `dimension`.
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
        // a single query is shared by the rows; otherwise a row is shared by the queries
        let (shared, others) = match self.queries.len() == self.dimension {
            true => (self.queries, self.rows),
            false => (self.rows, self.queries),
        };
        for row in shared.chunks_exact(self.dimension) {
            let mut pairs = others.chunks_exact(2 * self.dimension);
            for pair in &mut pairs {
                let (a, b) = pair.split_at(self.dimension);
                let (a, b) = two(row, a, b);
                self.out.push(a);
                self.out.push(b);
            }
            if !pairs.remainder().is_empty() {
                self.out.push(two(row, pairs.remainder(), &[]).0);
            }
        }
    }
}

/// Two products that share an operand, in a form that compilers vectorise. With an empty vector
/// only the other product is computed.
#[inline(always)]
fn two(one: &[f32], a: &[f32], b: &[f32]) -> (f32, f32) {
    let b = if b.is_empty() { a } else { b };
    let (mut of_a, mut of_b) = ([0.0_f32; LANES], [0.0_f32; LANES]);
    let (chunks, tail) = one.as_chunks::<LANES>();
    let (a_chunks, a_tail) = a.as_chunks::<LANES>();
    let (b_chunks, b_tail) = b.as_chunks::<LANES>();
    for ((x, a), b) in chunks.iter().zip(a_chunks).zip(b_chunks) {
        for lane in 0..LANES {
            of_a[lane] += x[lane] * a[lane];
            of_b[lane] += x[lane] * b[lane];
        }
    }
    let (mut a, mut b) = (added(&of_a), added(&of_b));
    for ((x, of_a), of_b) in tail.iter().zip(a_tail).zip(b_tail) {
        a += x * of_a;
        b += x * of_b;
    }
    (a, b)
}

/// The sum of the lanes. A separate function: inlined into the loop above, its narrow additions
/// would make the compiler choose that width for the whole loop.
#[inline(never)]
fn added(sums: &[f32; LANES]) -> f32 {
    // halves are added in parallel; a sequential sum would wait for each addition
    let mut eight = [0.0_f32; 8];
    for lane in 0..8 {
        eight[lane] = (sums[lane] + sums[lane + 8]) + (sums[lane + 16] + sums[lane + 24]);
    }
    let mut four = [0.0_f32; 4];
    for lane in 0..4 {
        four[lane] = eight[lane] + eight[lane + 4];
    }
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
