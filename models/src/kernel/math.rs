//! Exponentials and related functions, a vector at a time.

use pulp::Simd;

/// Adding this moves the integer part of a small number into the lowest bits of its mantissa.
const ROUNDER: f32 = 12_582_912.0;
/// ln 2 in two parts, so that multiples of the first are exact.
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;
/// Below this `exp` is subnormal, and the smallest normal number is returned.
const EXP_MIN: f32 = -87.3;
const EXP_MAX: f32 = 88.3;

/// `e^x` to 2e-7 of its value: 2^n through the exponent bits, the rest through its series to the
/// seventh power. NaN stays NaN only if the caller uses `x` too.
#[inline(always)]
pub(super) fn exp<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let x = simd.max_f32s(x, simd.splat_f32s(EXP_MIN));
    let x = simd.min_f32s(x, simd.splat_f32s(EXP_MAX));
    let log2_e = simd.splat_f32s(std::f32::consts::LOG2_E);
    let shifted = simd.mul_add_e_f32s(x, log2_e, simd.splat_f32s(ROUNDER));
    let whole = simd.sub_f32s(shifted, simd.splat_f32s(ROUNDER));
    let rest = simd.mul_add_e_f32s(whole, simd.splat_f32s(-LN_2_HIGH), x);
    let rest = simd.mul_add_e_f32s(whole, simd.splat_f32s(-LN_2_LOW), rest);
    let mut sum = simd.splat_f32s(1.0 / 5040.0);
    for factor in [
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        sum = simd.mul_add_e_f32s(sum, rest, simd.splat_f32s(factor));
    }
    let bits = simd.transmute_u32s_f32s(shifted);
    let power = simd.wrapping_dyn_shl_u32s(bits, simd.splat_u32s(23));
    let power = simd.add_u32s(power, simd.splat_u32s(127 << 23));
    simd.mul_f32s(sum, simd.transmute_f32s_u32s(power))
}

/// `x * Phi(x)`, the Gaussian error linear unit. The error function is formula 7.1.26 of Abramowitz
/// and Stegun (1964); its error is at most 1.5e-7.
#[inline(always)]
pub(super) fn gelu<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let size = simd.abs_f32s(x);
    let z = simd.mul_f32s(size, simd.splat_f32s(std::f32::consts::FRAC_1_SQRT_2));
    let one = simd.splat_f32s(1.0);
    let t = simd.div_f32s(
        one,
        simd.mul_add_e_f32s(simd.splat_f32s(0.327_591_1), z, one),
    );
    let mut sum = simd.splat_f32s(1.061_405_4);
    for factor in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        sum = simd.mul_add_e_f32s(sum, t, simd.splat_f32s(factor));
    }
    let tail = simd.mul_f32s(sum, t);
    let tail = simd.mul_f32s(tail, exp(simd, simd.mul_f32s(simd.neg_f32s(z), z)));
    let tail = simd.mul_f32s(simd.mul_f32s(simd.splat_f32s(0.5), size), tail);
    simd.sub_f32s(simd.max_f32s(x, simd.splat_f32s(0.0)), tail)
}

/// Its approximation with a hyperbolic tangent (Hendrycks and Gimpel 2016).
#[inline(always)]
pub(super) fn gelu_tanh<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let square = simd.mul_f32s(x, x);
    let inner = simd.mul_add_e_f32s(square, simd.splat_f32s(0.044_715), simd.splat_f32s(1.0));
    let slope = simd.splat_f32s(-2.0 * 0.797_884_6);
    let power = exp(simd, simd.mul_f32s(simd.mul_f32s(slope, x), inner));
    simd.div_f32s(x, simd.add_f32s(simd.splat_f32s(1.0), power))
}

/// The hyperbolic tangent.
#[inline(always)]
pub(super) fn tanh<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let power = exp(simd, simd.mul_f32s(x, simd.splat_f32s(2.0)));
    let fraction = simd.div_f32s(
        simd.splat_f32s(2.0),
        simd.add_f32s(power, simd.splat_f32s(1.0)),
    );
    simd.sub_f32s(simd.splat_f32s(1.0), fraction)
}
