//! The right operand of a product, in the order in which the kernel reads it.

use super::{View, arch};
use pulp::{Simd, WithSimd};

/// Vectors per panel; with six rows they fill the sixteen registers of AVX2.
pub(super) const PANEL_VECTORS: usize = 2;
/// Most rows of a block: a panel of sixteen columns then takes 24 kB, and stays in the L1 cache
/// while the left rows are processed.
const BLOCK_ROWS_MAX: usize = 384;

/// A matrix `[rows, columns]` in blocks of rows, each in panels of columns, each in row order. The
/// last panel is padded with zeros.
#[derive(Default)]
pub(crate) struct Packed {
    rows: usize,
    columns: usize,
    /// Columns of a panel: the width of this processor's vectors.
    panel: usize,
    block_rows: usize,
    values: Vec<f32>,
}

impl Packed {
    /// Packs the transpose of `right`, a weight `[out, in]` as checkpoints store it.
    pub(crate) fn transposed(right: View<'_>) -> Self {
        let mut packed = Self::default();
        packed.fill_transposed(right);
        packed.values.shrink_to_fit();
        packed
    }

    /// Packs the transpose of `right` into the existing memory.
    pub(super) fn fill_transposed(&mut self, right: View<'_>) {
        self.shape(right.columns, right.rows);
        for (first_row, panels) in self.blocks_mut() {
            for (index, panel, width) in panels {
                let first = index * width;
                let columns = width.min(right.rows - first);
                for column in 0..columns {
                    let source = &right.row(first + column)[first_row..];
                    let places = panel[column..].iter_mut().step_by(width);
                    places.zip(source).for_each(|(to, from)| *to = *from);
                }
            }
        }
    }

    /// Packs `right` without transposing into the existing memory.
    pub(super) fn fill(&mut self, right: View<'_>) {
        self.shape(right.rows, right.columns);
        for (first_row, panels) in self.blocks_mut() {
            for (index, panel, width) in panels {
                let first = index * width;
                let columns = width.min(right.columns - first);
                for (row, to) in panel.chunks_exact_mut(width).enumerate() {
                    let source = &right.row(first_row + row)[first..][..columns];
                    to[..columns].copy_from_slice(source);
                }
            }
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn panel(&self) -> usize {
        self.panel
    }

    /// Memory of its values.
    pub(crate) fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<f32>()
    }

    /// First row and panels of each block of rows.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, &[f32])> {
        let whole = self.block_rows * self.columns.next_multiple_of(self.panel);
        let blocks = self.values.chunks(whole.max(1)).enumerate();
        blocks.map(|(index, block)| (index * self.block_rows, block))
    }

    /// First row, and each panel of the block with its index and its width.
    fn blocks_mut(
        &mut self,
    ) -> impl Iterator<Item = (usize, impl Iterator<Item = (usize, &mut [f32], usize)>)> {
        let (rows, block_rows, width) = (self.rows, self.block_rows, self.panel);
        let whole = block_rows * self.columns.next_multiple_of(width);
        let blocks = self.values.chunks_mut(whole.max(1)).enumerate();
        blocks.map(move |(index, block)| {
            let first_row = index * block_rows;
            let size = block_rows.min(rows - first_row) * width;
            let panels = block.chunks_mut(size).enumerate();
            (
                first_row,
                panels.map(move |(index, panel)| (index, panel, width)),
            )
        })
    }

    fn shape(&mut self, rows: usize, columns: usize) {
        self.panel = arch().dispatch(PanelWidth);
        (self.rows, self.columns) = (rows, columns);
        let blocks = rows.div_ceil(BLOCK_ROWS_MAX).max(1);
        self.block_rows = rows.div_ceil(blocks).max(1);
        let padded = columns.next_multiple_of(self.panel);
        self.values.clear();
        self.values.resize(rows * padded, 0.0);
    }
}

struct PanelWidth;

impl WithSimd for PanelWidth {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        PANEL_VECTORS * S::F32_LANES
    }
}
