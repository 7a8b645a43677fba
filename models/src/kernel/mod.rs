//! Arithmetic of transformers on the CPU: matrix products with packed weights, and what stands
//! between them, row after row, in place.
//!
//! One implementation, compiled for each vector width that pulp knows and chosen at run time:
//! AVX2 with FMA where the processor has them, NEON, and plain code elsewhere. Everything runs on
//! the calling thread. It knows no model and no file.
//!
//! Invariant: a row of a product is the same to the bit whatever other rows stand beside it, so
//! that a batch gives what one by one gives.

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
pub(crate) use rows::{Activation, layer_norm};
pub(crate) use screen::{ByteRow, Screen, ScreenBuffers, largest_products, to_bytes};

use pulp::Arch;
use std::sync::LazyLock;

/// The widest vector instructions of this processor.
fn arch() -> Arch {
    static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);
    *ARCH
}

/// AVX2 with its companions, where the processor has them.
#[cfg(target_arch = "x86_64")]
pub(crate) fn v3() -> Option<pulp::x86::V3> {
    static FOUND: LazyLock<Option<pulp::x86::V3>> = LazyLock::new(pulp::x86::V3::try_new);
    *FOUND
}

/// A matrix inside a larger one: `rows` rows of `columns`, the first value of each `stride` after
/// that of the row before.
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

    /// Whole rows, one after the other.
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
