//! Float loops that the compiler turns into the vector instructions of the processor at hand.

use pulp::NullaryFnOnce;

/// AVX2 with its companions, where the processor has them.
#[cfg(target_arch = "x86_64")]
pub(super) fn v3() -> Option<pulp::x86::V3> {
    use std::sync::LazyLock;
    static FOUND: LazyLock<Option<pulp::x86::V3>> = LazyLock::new(pulp::x86::V3::try_new);
    *FOUND
}

/// Runs `work` compiled for the processor at hand.
pub(super) fn run<W: NullaryFnOnce>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = v3() {
        return simd.vectorize(work);
    }
    work.call()
}

/// The largest magnitude; no number where there is a value that is none.
#[inline(always)]
pub(super) fn largest(block: &[f32; 32]) -> f32 {
    // Without their sign, the bits of floats are in the order of the floats, and those that are no
    // numbers above all of them: a comparison of floats would pass these over.
    let bits = |x: &f32| x.abs().to_bits();
    let mut lanes = [0_u32; 8];
    for eight in block.as_chunks::<8>().0 {
        for (lane, x) in lanes.iter_mut().zip(eight) {
            *lane = bits(x).max(*lane);
        }
    }
    f32::from_bits(lanes.into_iter().fold(0, u32::max))
}

/// The nearest whole number of one within -2^22 and 2^22, halves to even.
#[inline(always)]
pub(super) fn round(x: f32) -> i32 {
    // Adding 1.5 * 2^23 leaves the whole number in the low bits; the processor rounds.
    const SHIFT: f32 = 12_582_912.0;
    (x + SHIFT).to_bits() as i32 - SHIFT.to_bits() as i32
}

/// e to the power of x, to 2 units in the last place for `-87.0..=88.0`; as at the
/// ends beyond them.
///
/// Cephes' polynomial; unlike the library's function it is one without calls, which the compiler
/// turns into vector instructions.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.3, 88.7);
    let whole = round(x * std::f32::consts::LOG2_E);
    let float = whole as f32;
    let rest = (x - float * 0.693_359_4) + float * 2.121_944_4e-4;
    let mut sum = 1.987_569_1e-4;
    for factor in [
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        0.166_666_65,
        0.5,
    ] {
        sum = sum * rest + factor;
    }
    let sum = sum * rest * rest + rest + 1.0;
    sum * f32::from_bits(((whole + 127) << 23) as u32)
}

/// The half float nearest to `x`, within the range of halves (Dekker 1971, the splitting of a
/// float by a product with 2^13 + 1).
#[inline(always)]
pub(super) fn to_half(x: f32) -> f32 {
    let wide = x * 8193.0;
    wide - (wide - x)
}

/// Rounds all to half floats.
pub(super) struct ToHalf<'a>(pub(super) &'a mut [f32]);

impl NullaryFnOnce for ToHalf<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.0.iter_mut().for_each(|x| *x = to_half(*x));
    }
}
