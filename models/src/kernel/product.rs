//! Matrix products for any number of rows: `left [rows, in] * right [in, out]`.
//!
//! The scheme is that of Goto and van de Geijn (2008): a tile of the result stays in registers
//! while a panel of the right operand, which stays in the L1 cache, meets six left rows at a time.
//! The right operand was packed beforehand. Rows are distributed evenly over tiles, since a short
//! text has few: sixteen are split into 6, 5, 5 and not 6, 6, 4.

use super::packed::{PANEL_VECTORS, Packed};
use super::rows::Activation;
use super::{View, arch};
use pulp::{Simd, WithSimd};

/// Most rows of a tile: twelve sums, two columns and one factor fill AVX2's registers.
const TILE_ROWS: usize = 6;
/// Left rows packed at once; with 384 columns they fill half of the L2 cache.
const ROWS_MAX: usize = 144;

/// Initial value of a product.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Onto<'a> {
    /// Nothing: the product alone.
    Zero,
    /// A bias, one value a column.
    Bias(&'a [f32]),
    /// The previous content of the result plus a bias: the residual connection of a transformer.
    Residual(&'a [f32]),
}

/// Writes `left * right` into `result`, rows `stride` apart, starting from `onto`, and then applies
/// `activation`. `packed` is scratch memory for left rows.
pub(crate) fn product(
    left: View<'_>,
    right: &Packed,
    onto: Onto<'_>,
    activation: Activation,
    (result, stride): (&mut [f32], usize),
    packed: &mut Vec<f32>,
) {
    assert_eq!(left.columns, right.rows(), "columns meet rows");
    if let Onto::Bias(bias) | Onto::Residual(bias) = onto {
        assert_eq!(bias.len(), right.columns());
    }
    arch().dispatch(Product {
        left,
        right,
        onto,
        activation,
        result,
        stride,
        packed,
    });
}

struct Product<'a> {
    left: View<'a>,
    right: &'a Packed,
    onto: Onto<'a>,
    activation: Activation,
    result: &'a mut [f32],
    stride: usize,
    packed: &'a mut Vec<f32>,
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let mut first = 0;
        while first < self.left.rows {
            let rows = ROWS_MAX.min(self.left.rows - first);
            let left = self.left.narrow(first, rows);
            let result = &mut self.result[first * self.stride..];
            for (index, block) in self.right.blocks() {
                let depth = block.len() / self.right.columns().next_multiple_of(self.right.panel());
                pack_rows(left, index, depth, self.packed);
                let job = Block {
                    rows,
                    depth,
                    right: block,
                    panel: self.right.panel(),
                    columns: self.right.columns(),
                    onto: if index == 0 { Some(self.onto) } else { None },
                    last: index + depth == self.right.rows(),
                    activation: self.activation,
                    stride: self.stride,
                };
                job.run(simd, self.packed, result);
            }
            first += rows;
        }
    }
}

/// Tiles of `rows` rows: each has `rows / tiles` rows, and the first `more` have one more.
#[inline(always)]
pub(super) fn tiles(rows: usize) -> impl Iterator<Item = usize> {
    let tiles = rows.div_ceil(TILE_ROWS);
    let (fewest, more) = (rows / tiles, rows % tiles);
    (0..tiles).map(move |tile| fewest + usize::from(tile < more))
}

/// Copies `depth` columns from `first` of each tile, column by column.
#[inline(always)]
fn pack_rows(left: View<'_>, first: usize, depth: usize, packed: &mut Vec<f32>) {
    packed.resize(left.rows * depth, 0.0);
    let (mut row, mut rest) = (0, &mut packed[..]);
    for height in tiles(left.rows) {
        let (tile, after) = rest.split_at_mut(height * depth);
        for offset in 0..height {
            let source = &left.row(row + offset)[first..first + depth];
            let places = tile[offset..].iter_mut().step_by(height);
            places.zip(source).for_each(|(to, from)| *to = *from);
        }
        (row, rest) = (row + height, after);
    }
}

/// One block of the right operand times the packed rows.
struct Block<'a> {
    rows: usize,
    depth: usize,
    right: &'a [f32],
    panel: usize,
    columns: usize,
    /// The initial value; `None` adds to the previous blocks.
    onto: Option<Onto<'a>>,
    last: bool,
    activation: Activation,
    stride: usize,
}

impl Block<'_> {
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, left: &[f32], result: &mut [f32]) {
        for (index, panel) in self.right.chunks_exact(self.depth * self.panel).enumerate() {
            let first = index * self.panel;
            let width = self.panel.min(self.columns - first);
            let (mut row, mut rest) = (0, left);
            for height in tiles(self.rows) {
                let (tile, after) = rest.split_at(height * self.depth);
                let place = &mut result[row * self.stride + first..];
                match height {
                    1 => self.tile::<S, 1>(simd, tile, panel, (first, width), place),
                    2 => self.tile::<S, 2>(simd, tile, panel, (first, width), place),
                    3 => self.tile::<S, 3>(simd, tile, panel, (first, width), place),
                    4 => self.tile::<S, 4>(simd, tile, panel, (first, width), place),
                    5 => self.tile::<S, 5>(simd, tile, panel, (first, width), place),
                    _ => self.tile::<S, 6>(simd, tile, panel, (first, width), place),
                }
                (row, rest) = (row + height, after);
            }
            if self.last && self.activation != Activation::None {
                for row in 0..self.rows {
                    let place = &mut result[row * self.stride + first..][..width];
                    self.activation.apply(simd, place);
                }
            }
        }
    }

    /// `ROWS` rows and one panel of the result, `width` columns from `first`.
    #[inline(always)]
    fn tile<S: Simd, const ROWS: usize>(
        &self,
        simd: S,
        left: &[f32],
        right: &[f32],
        (first, width): (usize, usize),
        result: &mut [f32],
    ) {
        let zero = [simd.splat_f32s(0.0); PANEL_VECTORS];
        let mut sums = match self.onto {
            Some(Onto::Bias(bias) | Onto::Residual(bias)) => {
                [load(simd, &bias[first..first + width]); ROWS]
            }
            Some(Onto::Zero) | None => [zero; ROWS],
        };
        if matches!(self.onto, None | Some(Onto::Residual(_))) {
            for (row, sum) in sums.iter_mut().enumerate() {
                let before = load(simd, &result[row * self.stride..][..width]);
                for (sum, before) in sum.iter_mut().zip(before) {
                    *sum = simd.add_f32s(*sum, before);
                }
            }
        }
        let right = S::as_simd_f32s(right).0.as_chunks::<PANEL_VECTORS>().0;
        for (factors, columns) in left.as_chunks::<ROWS>().0.iter().zip(right) {
            for row in 0..ROWS {
                let factor = simd.splat_f32s(factors[row]);
                for vector in 0..PANEL_VECTORS {
                    sums[row][vector] =
                        simd.mul_add_e_f32s(factor, columns[vector], sums[row][vector]);
                }
            }
        }
        for (row, sum) in sums.iter().enumerate() {
            store(simd, &mut result[row * self.stride..][..width], sum);
        }
    }
}

/// A panel's width of values, padded with zeros.
#[inline(always)]
fn load<S: Simd>(simd: S, values: &[f32]) -> [S::f32s; PANEL_VECTORS] {
    let (whole, _) = S::as_simd_f32s(values);
    if let Some(vectors) = whole.first_chunk::<PANEL_VECTORS>() {
        return *vectors;
    }
    let (first, second) = values.split_at(values.len().min(S::F32_LANES));
    [
        simd.partial_load_f32s(first),
        simd.partial_load_f32s(second),
    ]
}

#[inline(always)]
fn store<S: Simd>(simd: S, values: &mut [f32], sums: &[S::f32s; PANEL_VECTORS]) {
    if values.len() == PANEL_VECTORS * S::F32_LANES {
        S::as_mut_simd_f32s(values).0.copy_from_slice(sums);
        return;
    }
    let (first, second) = values.split_at_mut(values.len().min(S::F32_LANES));
    simd.partial_store_f32s(first, sums[0]);
    simd.partial_store_f32s(second, sums[1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 16_777_216.0 - 0.5
        };
        (0..count).map(|_| next()).collect()
    }

    fn plain(left: &[f32], weight: &[f32], depth: usize) -> Vec<f64> {
        let dot = |a: &[f32], b: &[f32]| {
            let products = a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y));
            products.sum()
        };
        let rows = left.chunks(depth);
        rows.flat_map(|row| weight.chunks(depth).map(move |column| dot(row, column)))
            .collect()
    }

    fn assert_near(found: &[f32], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            let off = (f64::from(*found) - expected).abs();
            assert!(off < 2e-5, "{found} is not {expected}");
        }
    }

    #[test]
    fn all_shapes_equal_the_plain_sum() {
        let shapes = [(1, 1, 1), (2, 3, 5), (5, 17, 16), (6, 48, 33), (7, 384, 15)];
        let large = [(16, 385, 40), (23, 800, 7), (145, 32, 50), (300, 400, 31)];
        for (rows, depth, columns) in shapes.into_iter().chain(large) {
            let (left, weight) = (numbers(rows * depth, 1), numbers(columns * depth, 2));
            let bias = numbers(columns, 3);
            let right = Packed::transposed(View::dense(&weight, depth));
            let mut expected = plain(&left, &weight, depth);
            let mut result = vec![f32::NAN; rows * columns];
            let (view, mut work) = (View::dense(&left, depth), Vec::new());
            let mut run = |onto, result: &mut [f32]| {
                let to = (result, columns);
                product(view, &right, onto, Activation::None, to, &mut work);
            };
            run(Onto::Zero, &mut result);
            assert_near(&result, &expected);
            run(Onto::Residual(&bias), &mut result);
            for (index, sum) in expected.iter_mut().enumerate() {
                *sum = *sum * 2.0 + f64::from(bias[index % columns]);
            }
            assert_near(&result, &expected);
            // The rows of a product are independent.
            let mut alone = vec![0.0; columns];
            for row in [0, rows / 2, rows - 1] {
                run_one(&left[row * depth..][..depth], &right, &bias, &mut alone);
                let mut all = vec![0.0; rows * columns];
                let to = (&mut all[..], columns);
                let onto = Onto::Bias(&bias);
                product(view, &right, onto, Activation::Relu, to, &mut Vec::new());
                assert_eq!(all[row * columns..][..columns], alone);
            }
        }
    }

    fn run_one(left: &[f32], right: &Packed, bias: &[f32], result: &mut [f32]) {
        let view = View::dense(left, left.len());
        let to = (result, right.columns());
        let onto = Onto::Bias(bias);
        product(view, right, onto, Activation::Relu, to, &mut Vec::new());
    }

    #[test]
    fn a_matrix_and_its_transpose_pack_alike() {
        let (rows, columns) = (500, 21);
        let values = numbers(rows * columns, 4);
        let mut turned = vec![0.0; rows * columns];
        for row in 0..rows {
            for column in 0..columns {
                turned[column * rows + row] = values[row * columns + column];
            }
        }
        let mut straight = Packed::default();
        straight.fill(View::dense(&values, columns));
        let transposed = Packed::transposed(View::dense(&turned, rows));
        let blocks = |packed: &Packed| -> Vec<f32> {
            packed
                .blocks()
                .flat_map(|(_, block)| block.to_vec())
                .collect()
        };
        assert_eq!(blocks(&straight), blocks(&transposed));
    }
}
