//! Dot products and lengths of vectors.

use pulp::{Arch, Simd, WithSimd};
use std::sync::LazyLock;

/// Parallel sums: four registers of eight floats hide the latency of addition.
const LANES: usize = 32;

/// Dot product with the best vector instructions of the processor.
///
/// All variants add in the same order, so the result is the same to the bit.
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
