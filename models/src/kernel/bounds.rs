//! Upper bounds of products, and the kernel that computes them.

use super::product::tiles;
use pulp::u8x64;

/// Interleaved rows of weights: four bytes of each fill the widest register, or two of AVX2.
pub(super) const ROWS: usize = 16;
/// Bytes of four columns of them.
pub(super) const WIDTH: usize = ROWS * 4;
/// Covers the rounding errors of the floats in bounds.
pub(super) const FLOAT_SLACK: f32 = 1e-3;

/// Data of a group of rows besides its weights.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    pub(super) scales: [f32; ROWS],
    /// The contribution of the activations' offset to the products.
    pub(super) shifts: [f32; ROWS],
    /// Half of a row's sum of absolute weights: the largest effect of one activation step.
    pub(super) slack: [f32; ROWS],
    /// Half a step of a row's weights; zero if the bytes are the exact weights.
    pub(super) rounded: [f32; ROWS],
    pub(super) biases: [f32; ROWS],
}

/// Data of a token besides its values.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Token {
    pub(super) step: f32,
    /// Sum of its absolute values.
    pub(super) magnitude: f32,
}

/// Input for bounds.
pub(super) struct Job<'a> {
    pub(super) groups: &'a [Group],
    /// Grouped by rows, then by four columns.
    pub(super) weights: &'a [u8x64],
    pub(super) tokens: &'a [Token],
    /// Tokens one after another, each `columns` long.
    pub(super) values: &'a [u8],
    pub(super) columns: usize,
    /// A group's bounds one after another.
    pub(super) bounds: &'a mut [f32],
}

impl Job<'_> {
    #[inline(always)]
    pub(super) fn run(self, kernel: impl Kernel) {
        let fours = self.columns / 4;
        let (values, _) = self.values.as_chunks::<4>();
        let places = self.bounds.as_chunks_mut::<ROWS>().0.iter_mut();
        let weights = self.weights.chunks_exact(fours);
        for ((group, weights), most) in self.groups.iter().zip(weights).zip(places) {
            let tokens = self.tokens.iter().copied();
            let mut tokens = tokens.zip(values.chunks_exact(fours));
            for height in tiles(self.tokens.len()) {
                let (at, tokens) = ((group, weights), &mut tokens);
                match height {
                    1 => raise::<1>(kernel, at, tokens, most),
                    2 => raise::<2>(kernel, at, tokens, most),
                    3 => raise::<3>(kernel, at, tokens, most),
                    4 => raise::<4>(kernel, at, tokens, most),
                    5 => raise::<5>(kernel, at, tokens, most),
                    _ => raise::<6>(kernel, at, tokens, most),
                }
            }
        }
    }
}

/// Raises bounds by the next `T` of some tokens.
#[inline(always)]
fn raise<'a, const T: usize>(
    kernel: impl Kernel,
    (group, weights): (&Group, &[u8x64]),
    tokens: &mut impl Iterator<Item = (Token, &'a [[u8; 4]])>,
    most: &mut [f32; ROWS],
) {
    let tile = std::array::from_fn(|_| tokens.next().unwrap_or_default());
    kernel.raise::<T>(group, weights, tile, most);
}

/// Raises the bounds of a group of rows to those of their products with some tokens; each token has
/// its values by four columns.
pub(super) trait Kernel: Copy {
    fn raise<const T: usize>(
        self,
        group: &Group,
        weights: &[u8x64],
        tokens: [(Token, &[[u8; 4]]); T],
        most: &mut [f32; ROWS],
    );
}

/// Without vector instructions.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Kernel for Plain {
    fn raise<const T: usize>(
        self,
        group: &Group,
        weights: &[u8x64],
        tokens: [(Token, &[[u8; 4]]); T],
        most: &mut [f32; ROWS],
    ) {
        for (token, values) in tokens {
            let mut whole = [0_i32; ROWS];
            for (weights, four) in weights.iter().zip(values) {
                let weights: [u8; WIDTH] = bytemuck::cast(*weights);
                for (whole, weights) in whole.iter_mut().zip(weights.as_chunks::<4>().0) {
                    let products = weights.iter().zip(four);
                    *whole += products
                        .map(|(w, x)| i32::from(*w as i8) * i32::from(*x))
                        .sum::<i32>();
                }
            }
            for lane in 0..ROWS {
                let product = whole[lane] as f32 - group.shifts[lane];
                let product = product.mul_add(group.scales[lane], group.slack[lane]);
                let rest = token
                    .magnitude
                    .mul_add(group.rounded[lane], group.biases[lane]);
                let bound = product.mul_add(token.step, rest + FLOAT_SLACK);
                most[lane] = most[lane].max(bound);
            }
        }
    }
}
