//! Transformer arithmetic on the CPU: matrix products with packed weights, and the row-wise
//! operations between them, in place.
//!
//! One implementation, compiled for each vector width that pulp supports and chosen at run time:
//! AVX2 with FMA if the processor has them, NEON, and plain code elsewhere. Everything runs on the
//! calling thread. It contains no models and reads no files.
//!
//! Invariant: a row of a product is bit-identical for any other rows in the batch, so that a
//! batch gives the same results as single calls.

mod attention;
mod bounds;
mod math;
mod packed;
mod product;
mod rows;
mod screen;
#[cfg(target_arch = "x86_64")]
mod screen_x86;

pub(crate) use attention::{Attention, AttentionBuffers};
pub(crate) use packed::Packed;
pub(crate) use product::{Onto, product};
pub(crate) use rows::{Activation, activate, layer_norm};
pub(crate) use screen::{ByteRow, Screen, ScreenBuffers, largest_products, to_bytes};

use pulp::Arch;
use std::sync::LazyLock;

/// The widest vector instructions of this processor.
fn arch() -> Arch {
    static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);
    *ARCH
}

/// AVX2 and related instructions, if the processor has them.
#[cfg(target_arch = "x86_64")]
pub(crate) fn v3() -> Option<pulp::x86::V3> {
    static FOUND: LazyLock<Option<pulp::x86::V3>> = LazyLock::new(pulp::x86::V3::try_new);
    *FOUND
}

/// A matrix inside a larger one: `rows` rows of `columns`; rows begin `stride` values apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    values: &'a [f32],
    rows: usize,
    columns: usize,
    stride: usize,
}

impl<'a> View<'a> {
    /// Begins at the first of `values`.
    pub(crate) fn new(values: &'a [f32], rows: usize, columns: usize, stride: usize) -> Self {
        assert!(rows == 0 || values.len() >= (rows - 1) * stride + columns);
        Self {
            values,
            rows,
            columns,
            stride,
        }
    }

    /// Contiguous rows.
    pub(crate) fn dense(values: &'a [f32], columns: usize) -> Self {
        Self::new(values, values.len() / columns, columns, columns)
    }

    #[inline(always)]
    fn row(&self, row: usize) -> &'a [f32] {
        &self.values[row * self.stride..][..self.columns]
    }

    /// `count` rows from `first`.
    fn narrow(&self, first: usize, count: usize) -> Self {
        Self::new(
            &self.values[first * self.stride..],
            count,
            self.columns,
            self.stride,
        )
    }
}
