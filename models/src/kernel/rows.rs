//! In-place operations on rows: activations, layer norm, softmax.

use super::{arch, math};
use pulp::{Simd, WithSimd};

/// Activation after a linear layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activation {
    /// None.
    None,
    /// GELU with the error function.
    Gelu,
    /// GELU with the hyperbolic tangent.
    GeluTanh,
    Relu,
    Tanh,
}

impl Activation {
    #[inline(always)]
    pub(super) fn apply<S: Simd>(self, simd: S, values: &mut [f32]) {
        match self {
            Self::None => {}
            Self::Gelu => map(
                simd,
                values,
                #[inline(always)]
                |x| math::gelu(simd, x),
            ),
            Self::GeluTanh => map(
                simd,
                values,
                #[inline(always)]
                |x| math::gelu_tanh(simd, x),
            ),
            Self::Relu => map(
                simd,
                values,
                #[inline(always)]
                |x| simd.max_f32s(simd.splat_f32s(0.0), x),
            ),
            Self::Tanh => map(
                simd,
                values,
                #[inline(always)]
                |x| math::tanh(simd, x),
            ),
        }
    }
}

/// Applies `activation` to each value.
pub(crate) fn activate(values: &mut [f32], activation: Activation) {
    arch().dispatch(Activate { values, activation });
}

struct Activate<'a> {
    values: &'a mut [f32],
    activation: Activation,
}

impl WithSimd for Activate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.activation.apply(simd, self.values);
    }
}

/// Normalises each row to mean 0 and variance 1, then scales and shifts it (Ba et al. 2016).
pub(crate) fn layer_norm(values: &mut [f32], scale: &[f32], shift: &[f32], eps: f32) {
    assert_eq!(scale.len(), shift.len());
    arch().dispatch(LayerNorm {
        values,
        scale,
        shift,
        eps,
    });
}

struct LayerNorm<'a> {
    values: &'a mut [f32],
    scale: &'a [f32],
    shift: &'a [f32],
    eps: f32,
}

impl WithSimd for LayerNorm<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let size = self.scale.len();
        let (scales, scale_rest) = S::as_simd_f32s(self.scale);
        let (shifts, shift_rest) = S::as_simd_f32s(self.shift);
        for row in self.values.chunks_exact_mut(size) {
            let mean = sum_of(
                simd,
                row,
                #[inline(always)]
                |x| x,
            ) / size as f32;
            let negative = simd.splat_f32s(-mean);
            let squares = sum_of(
                simd,
                row,
                #[inline(always)]
                |x| {
                    let off = simd.add_f32s(x, negative);
                    simd.mul_f32s(off, off)
                },
            );
            // The zeros that pad the last vector of a row each deviate by `mean`.
            let padding = (size.next_multiple_of(S::F32_LANES) - size) as f32;
            let variance = (squares - padding * mean * mean) / size as f32;
            let factor = 1.0 / (variance + self.eps).sqrt();
            let factors = simd.splat_f32s(factor);
            let (head, rest) = S::as_mut_simd_f32s(row);
            for ((x, scale), shift) in head.iter_mut().zip(scales).zip(shifts) {
                let unit = simd.mul_f32s(simd.add_f32s(*x, negative), factors);
                *x = simd.mul_add_e_f32s(unit, *scale, *shift);
            }
            for ((x, scale), shift) in rest.iter_mut().zip(scale_rest).zip(shift_rest) {
                *x = (*x - mean) * factor * scale + shift;
            }
        }
    }
}

/// Softmax of each row of `stride` values, of which the first `columns` count; the values after
/// them become almost zero.
#[inline(always)]
pub(super) fn softmax<S: Simd>(simd: S, values: &mut [f32], columns: usize, stride: usize) {
    for row in values.chunks_exact_mut(stride) {
        row[columns..].fill(f32::MIN);
        let (row, _) = S::as_mut_simd_f32s(row);
        let mut most = simd.splat_f32s(f32::MIN);
        for x in row.iter() {
            most = simd.max_f32s(most, *x);
        }
        let most = simd.splat_f32s(simd.reduce_max_f32s(most));
        let mut sum = simd.splat_f32s(0.0);
        for x in row.iter_mut() {
            *x = math::exp(simd, simd.sub_f32s(*x, most));
            sum = simd.add_f32s(sum, *x);
        }
        let factor = simd.splat_f32s(1.0 / simd.reduce_sum_f32s(sum));
        for x in row.iter_mut() {
            *x = simd.mul_f32s(*x, factor);
        }
    }
}

#[inline(always)]
fn map<S: Simd>(simd: S, values: &mut [f32], apply: impl Fn(S::f32s) -> S::f32s) {
    let (head, rest) = S::as_mut_simd_f32s(values);
    // a loop: `for_each` may stay a function of its own, without the processor's features
    for x in head.iter_mut() {
        *x = apply(*x);
    }
    if !rest.is_empty() {
        let last = apply(simd.partial_load_f32s(rest));
        simd.partial_store_f32s(rest, last);
    }
}

#[inline(always)]
fn sum_of<S: Simd>(simd: S, values: &[f32], of: impl Fn(S::f32s) -> S::f32s) -> f32 {
    let (head, rest) = S::as_simd_f32s(values);
    let zero = simd.splat_f32s(0.0);
    // Four sums, because a single one would wait for its own result.
    let mut sums = [zero; 4];
    let (fours, last) = head.as_chunks::<4>();
    for four in fours {
        for (sum, x) in sums.iter_mut().zip(four) {
            *sum = simd.add_f32s(*sum, of(*x));
        }
    }
    for x in last {
        sums[0] = simd.add_f32s(sums[0], of(*x));
    }
    if !rest.is_empty() {
        sums[1] = simd.add_f32s(sums[1], of(simd.partial_load_f32s(rest)));
    }
    let sum = simd.add_f32s(
        simd.add_f32s(sums[0], sums[1]),
        simd.add_f32s(sums[2], sums[3]),
    );
    simd.reduce_sum_f32s(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies `activation` to each value.
    fn activate(activation: Activation, values: &mut [f32]) {
        arch().dispatch(Activate(activation, values));
    }

    struct Activate<'a>(Activation, &'a mut [f32]);

    impl WithSimd for Activate<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            self.0.apply(simd, self.1);
        }
    }

    /// The error function by its series, in f64.
    fn erf(x: f64) -> f64 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            let n = f64::from(n);
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    }

    fn assert_follows(activation: Activation, exact: impl Fn(f64) -> f64) {
        for length in [1, 7, 8, 1001] {
            let at = |index: usize| (index as f32 - length as f32 / 2.0) / 100.0;
            let mut values: Vec<f32> = (0..length).map(at).collect();
            activate(activation, &mut values);
            for (index, found) in values.iter().enumerate() {
                let x = f64::from(at(index));
                let off = (f64::from(*found) - exact(x)).abs();
                assert!(off < 1e-6, "{activation:?} of {x} is {found}");
            }
        }
    }

    #[test]
    fn activations_follow_their_formulas() {
        let inner = |x: f64| (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
        assert_follows(Activation::Gelu, |x| 0.5 * x * (1.0 + erf(x / 2f64.sqrt())));
        assert_follows(Activation::GeluTanh, |x| 0.5 * x * (1.0 + inner(x).tanh()));
        assert_follows(Activation::Relu, |x| x.max(0.0));
        assert_follows(Activation::Tanh, f64::tanh);
        assert_follows(Activation::None, |x| x);
    }

    #[test]
    fn activations_of_far_values_end_where_they_should() {
        for activation in [Activation::Gelu, Activation::GeluTanh, Activation::Relu] {
            let mut values = [-1e30, -200.0, 200.0, 1e18, f32::NAN];
            activate(activation, &mut values);
            let (found, nan) = (&values[..4], values[4]);
            assert!(found[0].abs() < 1e-6 && found[1].abs() < 1e-6, "{found:?}");
            assert_eq!(found[2..], [200.0, 1e18]);
            // NaN must not disappear.
            assert!(nan.is_nan() || activation == Activation::Relu);
        }
        let mut values = [-1e30, -50.0, 50.0, 1e30];
        activate(Activation::Tanh, &mut values);
        assert_eq!(values, [-1.0, -1.0, 1.0, 1.0]);
    }

    #[test]
    fn a_norm_has_mean_0_and_variance_1() {
        for size in [3, 8, 48, 61, 384] {
            let mut values: Vec<f32> = (0..2 * size).map(|i| 5.0 + (i * i % 17) as f32).collect();
            layer_norm(&mut values, &vec![2.0; size], &vec![1.0; size], 1e-12);
            for row in values.chunks(size) {
                let mean = row.iter().sum::<f32>() / size as f32;
                let squares = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>();
                assert!((mean - 1.0).abs() < 1e-5, "{size}: {mean}");
                assert!((squares / size as f32 - 4.0).abs() < 1e-4, "{size}");
            }
        }
    }

    struct Softmax<'a>(&'a mut [f32], usize, usize);

    impl WithSimd for Softmax<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            softmax(simd, self.0, self.1, self.2);
        }
    }

    #[test]
    fn weights_sum_to_1_and_keep_their_ratios() {
        let stride = 64;
        let mut values: Vec<f32> = (0..stride * 2)
            .map(|i| (i % 13) as f32 * 3.0 - 9.0)
            .collect();
        let before = values.clone();
        arch().dispatch(Softmax(&mut values, 50, stride));
        for (row, before) in values.chunks(stride).zip(before.chunks(stride)) {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            assert!(row[50..].iter().all(|x| *x < 1e-30));
            let ratio = f64::from(row[1]) / f64::from(row[2]);
            let expected = f64::from(before[1] - before[2]).exp();
            assert!((ratio / expected - 1.0).abs() < 1e-5, "{ratio} {expected}");
        }
    }
}
