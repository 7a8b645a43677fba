//! Quantised weights in a layout for vector instructions, and their products with quantised
//! activations.
//!
//! A ggml block holds 32 weights of one row. Here eight rows are interleaved, four weights of each
//! in turn, so that a 32-byte register holds four weights of eight rows, one broadcast of four
//! activations serves all of them, and the eight sums need no horizontal addition. Activations are
//! quantised as llama.cpp does: int8 per block of 32, the largest becoming 127 (Q8_0; with the
//! block's sum, which the minimum of Q4_1 needs, Q8_1), scale and sum in half precision. Four-bit
//! products are added in llama.cpp's order with AVX2: of each block's 32 products, every four
//! adjacent ones go into one of eight sums; then those eight are added, and the sum of the minima.
//! Another order changes the last bits, which is enough to move some activations of the next
//! product by a whole step, and changes the most probable token at 4 % of the positions.

use pulp::{NullaryFnOnce, u8x32};

use super::lanes;

/// Weights that share a scale.
pub(super) const BLOCK: usize = 32;
/// Rows interleaved.
pub(super) const ROWS: usize = 8;
/// Tokens that share the unpacking of weights; their sums and the weights fill the registers.
const TILE: usize = 4;

/// Rows of activations in int8.
#[derive(Debug, Clone, Default)]
pub(super) struct Quantised {
    columns: usize,
    values: Vec<i8>,
    scales: Vec<f32>,
    /// Scale times the sum of the block's values.
    sums: Vec<f32>,
}

impl Quantised {
    /// Quantises rows of `columns`, a multiple of 32; replaces the old content.
    pub(super) fn fill(&mut self, rows: &[f32], columns: usize) {
        let blocks = rows.len() / BLOCK;
        self.columns = columns;
        self.values.resize(rows.len(), 0);
        self.scales.resize(blocks, 0.0);
        self.sums.resize(blocks, 0.0);
        lanes::run(Quantise { rows, to: self });
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    #[inline(always)]
    fn row(&self, at: usize) -> Row<'_> {
        let blocks = self.columns / BLOCK;
        Row {
            values: &self.values.as_chunks().0[at * blocks..][..blocks],
            scales: &self.scales[at * blocks..][..blocks],
            sums: &self.sums[at * blocks..][..blocks],
        }
    }
}

struct Quantise<'a> {
    rows: &'a [f32],
    to: &'a mut Quantised,
}

impl NullaryFnOnce for Quantise<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (blocks, _) = self.rows.as_chunks::<BLOCK>();
        let (values, _) = self.to.values.as_chunks_mut::<BLOCK>();
        for (at, (block, values)) in blocks.iter().zip(values).enumerate() {
            let largest = lanes::largest(block);
            let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
            let mut sum = 0_i32;
            for (value, x) in values.iter_mut().zip(block) {
                let rounded = lanes::round(x * inverse);
                *value = rounded as i8;
                // NaN and infinity become a large value
                sum = sum.wrapping_add(rounded);
            }
            let scale = largest / 127.0;
            self.to.scales[at] = lanes::to_half(scale);
            self.to.sums[at] = lanes::to_half(scale * sum as f32);
        }
    }
}

/// One row of activations.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) values: &'a [[i8; BLOCK]],
    pub(super) scales: &'a [f32],
    pub(super) sums: &'a [f32],
}

impl Row<'_> {
    /// The first `count` blocks, which are all; this tells the compiler their number.
    #[inline(always)]
    pub(super) fn first(self, count: usize) -> Self {
        Self {
            values: &self.values[..count],
            scales: &self.scales[..count],
            sums: &self.sums[..count],
        }
    }
}

/// The width of a weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// Four bits, 0 to 15, with a minimum per block: Q4_0 and Q4_1.
    Bits4,
    /// Eight bits with a sign: Q8_0.
    Bits8,
}

/// A matrix of quantised weights, `rows x columns`.
#[derive(Debug)]
pub(super) struct Packed {
    pub(super) rows: usize,
    pub(super) columns: usize,
    width: Width,
    /// By group of eight rows, then by block of 32 columns.
    values: Vec<u8x32>,
    /// Eight per block of a group, one for each row.
    scales: Vec<[f32; ROWS]>,
    /// The same; empty for weights with a sign.
    minima: Vec<[f32; ROWS]>,
}

/// One ggml block, decoded.
pub(super) struct Block {
    /// The weights' numbers: sixteen bytes of two weights each, or 32 of one.
    pub(super) values: [u8; BLOCK],
    pub(super) scale: f32,
    pub(super) minimum: f32,
}

impl Packed {
    /// Packs `rows x columns` weights; `block` gives the block of a row and a block's column.
    pub(super) fn new(
        rows: usize,
        columns: usize,
        width: Width,
        block: impl Fn(usize, usize) -> Block,
    ) -> Self {
        let (groups, blocks) = (rows.div_ceil(ROWS), columns / BLOCK);
        let vectors = width.vectors();
        let mut values = vec![[0_u8; BLOCK]; groups * blocks * vectors];
        let mut scales = vec![[0.0; ROWS]; groups * blocks];
        let has_minima = width == Width::Bits4;
        let mut minima = vec![[0.0; ROWS]; if has_minima { groups * blocks } else { 0 }];
        for row in 0..rows {
            let (group, lane) = (row / ROWS, row % ROWS);
            for column in 0..blocks {
                let from = block(row, column);
                let at = group * blocks + column;
                for (vector, four) in from.values.as_chunks::<4>().0[..vectors].iter().enumerate() {
                    values[at * vectors + vector][lane * 4..][..4].copy_from_slice(four);
                }
                scales[at][lane] = from.scale;
                if has_minima {
                    minima[at][lane] = from.minimum;
                }
            }
        }
        Self {
            rows,
            columns,
            width,
            values: bytemuck::cast_vec(values),
            scales,
            minima,
        }
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.values.len() * BLOCK + (self.scales.len() + self.minima.len()) * ROWS * 4
    }

    /// The number of groups of rows.
    pub(super) fn groups(&self) -> usize {
        self.rows.div_ceil(ROWS)
    }

    /// Writes row `row` as floats into `to`.
    pub(super) fn row(&self, row: usize, to: &mut [f32]) {
        let (group, lane) = (row / ROWS, row % ROWS);
        let (blocks, vectors) = (self.columns / BLOCK, self.width.vectors());
        for (column, to) in to.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
            let at = group * blocks + column;
            for (i, to) in to.iter_mut().enumerate() {
                let (vector, byte) = (i / 4 % vectors, lane * 4 + i % 4);
                let bytes: [u8; BLOCK] = bytemuck::cast(self.values[at * vectors + vector]);
                let value = match self.width {
                    Width::Bits8 => f32::from(bytes[byte] as i8),
                    Width::Bits4 if i < BLOCK / 2 => f32::from(bytes[byte] & 15),
                    Width::Bits4 => f32::from(bytes[byte] >> 4),
                };
                *to = value * self.scales[at][lane]
                    + self.minima.get(at).map_or(0.0, |minima| minima[lane]);
            }
        }
    }

    /// The products of `tokens` of the activations with `groups` of the rows. The product of row
    /// `r` and token `t`, both counted from the first requested, goes to `out[t * stride + r]`.
    pub(super) fn multiply(
        &self,
        groups: std::ops::Range<usize>,
        activations: &Quantised,
        tokens: std::ops::Range<usize>,
        out: &mut [f32],
        stride: usize,
    ) {
        debug_assert_eq!(self.columns, activations.columns);
        let product = Product {
            weights: self,
            groups,
            activations,
            tokens,
            out,
            stride,
        };
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = crate::kernel::v3() {
            return simd.vectorize(Vectorised(simd, product));
        }
        product.run(Plain);
    }
}

impl Width {
    /// Registers that hold one block of eight rows.
    fn vectors(self) -> usize {
        match self {
            Self::Bits4 => BLOCK / 8,
            Self::Bits8 => BLOCK / 4,
        }
    }
}

/// Arguments of `Packed::multiply`.
pub(super) struct Product<'a> {
    pub(super) weights: &'a Packed,
    pub(super) groups: std::ops::Range<usize>,
    pub(super) activations: &'a Quantised,
    pub(super) tokens: std::ops::Range<usize>,
    pub(super) out: &'a mut [f32],
    pub(super) stride: usize,
}

#[cfg(target_arch = "x86_64")]
struct Vectorised<'a>(pulp::x86::V3, Product<'a>);

#[cfg(target_arch = "x86_64")]
impl NullaryFnOnce for Vectorised<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.1.run(self.0);
    }
}

impl Product<'_> {
    #[inline(always)]
    pub(super) fn run(mut self, kernel: impl Kernel) {
        for group in self.groups.clone() {
            let mut token = self.tokens.start;
            while token + TILE <= self.tokens.end {
                self.tile::<TILE>(kernel, group, token);
                token += TILE;
            }
            while token < self.tokens.end {
                self.tile::<1>(kernel, group, token);
                token += 1;
            }
        }
    }

    #[inline(always)]
    fn tile<const T: usize>(&mut self, kernel: impl Kernel, group: usize, token: usize) {
        let weights = self.weights;
        let blocks = weights.columns / BLOCK;
        let rows: [Row<'_>; T] = std::array::from_fn(|t| self.activations.row(token + t));
        let part = Part {
            values: &weights.values[group * blocks * weights.width.vectors()..],
            scales: &weights.scales[group * blocks..][..blocks],
            minima: match weights.width {
                Width::Bits4 => &weights.minima[group * blocks..][..blocks],
                Width::Bits8 => &[],
            },
        };
        let sums = match weights.width {
            Width::Bits4 => kernel.bits4(part, rows),
            Width::Bits8 => kernel.bits8(part, rows),
        };
        let first = (group - self.groups.start) * ROWS;
        let count = ROWS.min(weights.rows - group * ROWS);
        for (t, sums) in sums.iter().enumerate() {
            let at = (token + t - self.tokens.start) * self.stride + first;
            self.out[at..at + count].copy_from_slice(&sums[..count]);
        }
    }
}

/// Eight rows of weights.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) values: &'a [u8x32],
    pub(super) scales: &'a [[f32; ROWS]],
    pub(super) minima: &'a [[f32; ROWS]],
}

/// The products of eight rows of weights with some rows of activations.
pub(super) trait Kernel: Copy {
    fn bits4<const T: usize>(self, part: Part<'_>, rows: [Row<'_>; T]) -> [[f32; ROWS]; T];
    fn bits8<const T: usize>(self, part: Part<'_>, rows: [Row<'_>; T]) -> [[f32; ROWS]; T];
}

/// The same sums without vector instructions.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Kernel for Plain {
    fn bits4<const T: usize>(self, part: Part<'_>, rows: [Row<'_>; T]) -> [[f32; ROWS]; T] {
        rows.map(|row| std::array::from_fn(|lane| product4(part, row, lane)))
    }

    fn bits8<const T: usize>(self, part: Part<'_>, rows: [Row<'_>; T]) -> [[f32; ROWS]; T] {
        rows.map(|row| std::array::from_fn(|lane| product8(part, row, lane)))
    }
}

fn product4(part: Part<'_>, row: Row<'_>, lane: usize) -> f32 {
    let (mut sums, mut shift) = ([0.0_f32; 8], 0.0_f32);
    for (at, (scales, minima)) in part.scales.iter().zip(part.minima).enumerate() {
        let scale = scales[lane] * row.scales[at];
        shift = minima[lane].mul_add(row.sums[at], shift);
        for (k, sum) in sums.iter_mut().enumerate() {
            let bytes: [u8; BLOCK] = bytemuck::cast(part.values[at * BLOCK / 8 + k % 4]);
            let product = |i: usize| {
                let byte = bytes[lane * 4 + i];
                let weight = if k < 4 { byte & 15 } else { byte >> 4 };
                i32::from(weight) * i32::from(row.values[at][k * 4 + i])
            };
            let whole: i32 = (0..4).map(product).sum();
            *sum = (whole as f32).mul_add(scale, *sum);
        }
    }
    lanes::sum(&sums) + shift
}

fn product8(part: Part<'_>, row: Row<'_>, lane: usize) -> f32 {
    let mut sum = 0.0_f32;
    for (at, scales) in part.scales.iter().enumerate() {
        let mut whole = 0_i32;
        for (k, four) in row.values[at].as_chunks::<4>().0.iter().enumerate() {
            let bytes: [u8; BLOCK] = bytemuck::cast(part.values[at * BLOCK / 4 + k]);
            let weights = &bytes[lane * 4..][..4];
            let products = weights.iter().zip(four);
            whole += products
                .map(|(&w, &x)| i32::from(w as i8) * i32::from(x))
                .sum::<i32>();
        }
        sum = (whole as f32).mul_add(scales[lane] * row.scales[at], sum);
    }
    sum
}
