//! Upper bounds, computed in bytes, for the products of a few rows with very many rows, so that
//! only a few products must be computed exactly.
//!
//! Weights are bytes with a scale for each row, and activations have 127 steps with a scale for
//! each token. A bound is the product of the rounded values plus the largest possible rounding
//! error, so no product above a threshold is missed.

#[cfg(not(target_arch = "x86_64"))]
use super::bounds::Plain;
use super::bounds::{Group, Job, ROWS, Token, WIDTH};
use pulp::{Simd, WithSimd, u8x64};

/// Steps on each side of zero: two products of seven and eight bits fit into a 16-bit sum.
const STEPS: f32 = 63.0;
/// Offset that makes an activation unsigned.
const OFFSET: i32 = 64;
/// A matrix of weights, `rows x columns`, and a bias for each row.
pub(crate) struct Screen {
    rows: usize,
    columns: usize,
    /// Grouped by rows, then by four columns.
    values: Vec<u8x64>,
    groups: Vec<Group>,
}

/// Scratch memory of [`Screen::bounds`].
#[derive(Debug, Default)]
pub(crate) struct ScreenBuffers {
    /// Tokens one after another.
    values: Vec<u8>,
    tokens: Vec<Token>,
}

/// One row as bytes.
pub(crate) struct ByteRow<'a> {
    pub(crate) values: &'a [i8],
    pub(crate) scale: f32,
    /// Whether the bytes are the exact weights, or rounded.
    pub(crate) exact: bool,
}

/// Rounds a row of weights to bytes; returns the scale.
pub(crate) fn to_bytes(row: &[f32], bytes: &mut [i8]) -> f32 {
    let most = row.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    let scale = if most > 0.0 { most / 127.0 } else { 1.0 };
    for (byte, x) in bytes.iter_mut().zip(row) {
        *byte = (x / scale).round() as i8;
    }
    scale
}

impl Screen {
    /// Packs rows of `columns`, a multiple of four, with their biases; `row` returns each.
    pub(crate) fn new<'a>(
        columns: usize,
        biases: &[f32],
        mut row: impl FnMut(usize) -> ByteRow<'a>,
    ) -> Self {
        let (rows, fours) = (biases.len(), columns / 4);
        let zero = Group {
            scales: [0.0; ROWS],
            shifts: [0.0; ROWS],
            slack: [0.0; ROWS],
            rounded: [0.0; ROWS],
            biases: [f32::MIN; ROWS],
        };
        let mut groups = vec![zero; rows.div_ceil(ROWS)];
        let mut values = vec![[0_u8; WIDTH]; groups.len() * fours];
        for (at, bias) in biases.iter().enumerate() {
            let ByteRow {
                values: bytes,
                scale,
                exact,
            } = row(at);
            let (group, lane) = (at / ROWS, at % ROWS);
            let sum = |of: fn(i8) -> i32| bytes.iter().map(|byte| of(*byte)).sum::<i32>() as f32;
            let to = &mut groups[group];
            to.scales[lane] = scale;
            to.shifts[lane] = OFFSET as f32 * sum(i32::from);
            to.slack[lane] = scale * 0.5 * sum(|byte| i32::from(byte).abs());
            to.rounded[lane] = if exact { 0.0 } else { scale * 0.5 };
            to.biases[lane] = *bias;
            for (k, four) in bytes.as_chunks::<4>().0.iter().enumerate() {
                values[group * fours + k][lane * 4..][..4].copy_from_slice(&four.map(|x| x as u8));
            }
        }
        Self {
            rows,
            columns,
            values: bytemuck::cast_vec(values),
            groups,
        }
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.values.len() * WIDTH + self.groups.len() * size_of::<Group>()
    }

    /// For each row, an upper bound of its products with the rows of `activations`, including its
    /// bias.
    pub(crate) fn bounds(
        &self,
        activations: &[f32],
        buffers: &mut ScreenBuffers,
        bounds: &mut Vec<f32>,
    ) {
        buffers.fill(activations, self.columns);
        bounds.clear();
        bounds.resize(self.groups.len() * ROWS, f32::MIN);
        let job = self.job(buffers, bounds);
        #[cfg(target_arch = "x86_64")]
        super::screen_x86::run(job);
        #[cfg(not(target_arch = "x86_64"))]
        job.run(Plain);
        bounds.truncate(self.rows);
    }

    fn job<'a>(&'a self, buffers: &'a ScreenBuffers, bounds: &'a mut [f32]) -> Job<'a> {
        Job {
            groups: &self.groups,
            weights: &self.values,
            tokens: &buffers.tokens,
            values: &buffers.values,
            columns: self.columns,
            bounds,
        }
    }
}

impl ScreenBuffers {
    fn fill(&mut self, activations: &[f32], columns: usize) {
        self.values.clear();
        self.tokens.clear();
        for row in activations.chunks_exact(columns) {
            let most = row.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            let step = if most > 0.0 { most / STEPS } else { 1.0 };
            self.tokens.push(Token {
                step,
                magnitude: row.iter().map(|x| x.abs()).sum(),
            });
            let byte = |x: &f32| ((x / step).round() as i32 + OFFSET) as u8;
            self.values.extend(row.iter().map(byte));
        }
    }
}

/// For each of `rows`, `columns` long, its largest product with any row of `activations`.
pub(crate) fn largest_products(
    rows: &[f32],
    activations: &[f32],
    columns: usize,
    products: &mut Vec<f32>,
) {
    products.clear();
    super::arch().dispatch(Largest {
        rows,
        activations,
        columns,
        products,
    });
}

struct Largest<'a> {
    rows: &'a [f32],
    activations: &'a [f32],
    columns: usize,
    products: &'a mut Vec<f32>,
}

impl WithSimd for Largest<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for row in self.rows.chunks_exact(self.columns) {
            let mut most = f32::MIN;
            for token in self.activations.chunks_exact(self.columns) {
                most = most.max(dot(row, token));
            }
            self.products.push(most);
        }
    }
}

#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 32];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<32>(), b.as_chunks::<32>());
    for (x, y) in a.iter().zip(b) {
        for lane in 0..32 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::bounds::Plain;
    use proptest::prelude::*;

    fn numbers(count: usize) -> impl Strategy<Value = Vec<f32>> {
        proptest::collection::vec(-2.0_f32..2.0, count)
    }

    proptest! {
        /// A bound is above the product by at most the rounding error, with and without vector
        /// instructions.
        #[test]
        fn bounds_hold_and_are_near(
            (weights, activations, biases) in (1_usize..20, 1_usize..10).prop_flat_map(
                |(rows, tokens)| (numbers(rows * 32), numbers(tokens * 32), numbers(rows)))
        ) {
            let rows = biases.len();
            let mut bytes = vec![0_i8; 32 * rows];
            let mut scales = Vec::new();
            for (row, bytes) in weights.chunks(32).zip(bytes.chunks_mut(32)) {
                scales.push(to_bytes(row, bytes));
            }
            for exact in [false, true] {
                let row = |at: usize| ByteRow {
                    values: &bytes[at * 32..][..32],
                    scale: scales[at],
                    exact,
                };
                let screen = Screen::new(32, &biases, row);
                let (mut buffers, mut bounds) = (ScreenBuffers::default(), Vec::new());
                screen.bounds(&activations, &mut buffers, &mut bounds);
                let mut plain = vec![f32::MIN; rows.next_multiple_of(ROWS)];
                screen.job(&buffers, &mut plain).run(Plain);
                prop_assert_eq!(&bounds[..], &plain[..rows]);
                #[cfg(target_arch = "x86_64")]
                if let Some(simd) = crate::kernel::v3() {
                    plain.fill(f32::MIN);
                    let job = screen.job(&buffers, &mut plain);
                    simd.vectorize(crate::kernel::screen_x86::Vectorised(simd, job));
                    prop_assert_eq!(&bounds[..], &plain[..rows]);
                }
                for at in 0..rows {
                    let weight = |column: usize| match exact {
                        true => f32::from(bytes[at * 32 + column]) * scales[at],
                        false => weights[at * 32 + column],
                    };
                    let product = |token: &[f32]| -> f32 {
                        (0..32).map(|k| weight(k) * token[k]).sum::<f32>() + biases[at]
                    };
                    let most = activations.chunks(32).map(product).fold(f32::MIN, f32::max);
                    prop_assert!(bounds[at] >= most, "{} < {most}", bounds[at]);
                    prop_assert!(bounds[at] <= most + 5.0, "{} > {most}", bounds[at]);
                }
            }
        }
    }
}
