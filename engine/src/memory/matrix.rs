//! The vectors of all nodes, one row a slot, contiguous, and the dot products over them.
//!
//! Rows are unit length, so a dot product is a cosine. A row of a freed slot is zero and scores 0.

use pulp::{Arch, Simd, WithSimd};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Rows of `dimension` floats; grows with the arena and no further.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Matrix {
    dimension: usize,
    rows: Vec<f32>,
    #[serde(skip)]
    stamps: Stamps,
}

/// When each row was last written, counted in writes: tells an index which rows it still knows.
/// Never stored and never compared, since equal trees may have come to be in other ways.
#[derive(Debug, Clone, Default)]
struct Stamps {
    of: Vec<u64>,
    writes: u64,
}

impl PartialEq for Stamps {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Stamps {
    fn mark(&mut self, slot: u32) {
        let slot = slot as usize;
        if self.of.len() <= slot {
            self.of.resize(slot + 1, 0);
        }
        self.writes += 1;
        self.of[slot] = self.writes;
    }
}

impl Matrix {
    pub(crate) fn new(dimension: usize) -> Self {
        Self {
            dimension,
            rows: Vec::new(),
            stamps: Stamps::default(),
        }
    }

    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    pub(crate) fn row(&self, slot: u32) -> &[f32] {
        let from = slot as usize * self.dimension;
        &self.rows[from..from + self.dimension]
    }

    /// Writes a row, growing to hold it.
    pub(crate) fn set(&mut self, slot: u32, vector: &[f32]) {
        debug_assert_eq!(vector.len(), self.dimension);
        let from = slot as usize * self.dimension;
        if self.rows.len() < from + self.dimension {
            self.rows.resize(from + self.dimension, 0.0);
        }
        self.rows[from..from + self.dimension].copy_from_slice(vector);
        self.stamps.mark(slot);
    }

    /// Counts every row as written now, after they were read from somewhere.
    pub(crate) fn stamp_all(&mut self) {
        let rows = self.rows.len() / self.dimension.max(1);
        (0..rows).for_each(|slot| self.stamps.mark(slot as u32));
    }

    /// Changes whenever the row does, and never comes back; 0 where nothing was written.
    #[cfg(feature = "index")]
    pub(crate) fn stamp(&self, slot: u32) -> u64 {
        self.stamps.of.get(slot as usize).copied().unwrap_or(0)
    }

    pub(crate) fn clear(&mut self, slot: u32) {
        let from = slot as usize * self.dimension;
        self.rows[from..from + self.dimension].fill(0.0);
        self.stamps.mark(slot);
    }

    /// All rows, one after the other.
    pub(super) fn floats(&self) -> &[f32] {
        &self.rows
    }

    pub(crate) fn bytes(&self) -> usize {
        self.rows.len() * size_of::<f32>() + self.stamps.of.len() * size_of::<u64>()
    }
}

/// Sums side by side: four registers of eight floats hide the latency of addition.
const LANES: usize = 32;

/// Dot product, with the vector instructions that the processor has.
///
/// The order of additions is the same with all of them, so the result is the same to the bit.
#[must_use]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);
    ARCH.dispatch(Dot(a, b))
}

struct Dot<'a>(&'a [f32], &'a [f32]);

impl WithSimd for Dot<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f32 {
        sums(self.0, self.1)
    }
}

#[inline(always)]
fn sums(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let (a_chunks, a_tail) = a.as_chunks::<LANES>();
    let (b_chunks, b_tail) = b.as_chunks::<LANES>();
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let tail: f32 = a_tail.iter().zip(b_tail).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + tail
}

/// Scales a vector to unit length; a zero vector stays zero.
pub fn normalise(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    if length > f32::EPSILON {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn dot_equals_the_naive_sum(
            pairs in proptest::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 0..70)
        ) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let naive: f64 = a.iter().zip(&b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
            prop_assert!((f64::from(dot(&a, &b)) - naive).abs() < 1e-4);
        }
    }
}
