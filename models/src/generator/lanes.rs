//! Float loops that the compiler vectorises for the current processor.

use pulp::NullaryFnOnce;

/// Runs `work` compiled for the current processor.
pub(super) fn run<W: NullaryFnOnce>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = crate::kernel::v3() {
        return simd.vectorize(work);
    }
    work.call()
}

/// Largest absolute value; NaN if any input is NaN.
#[inline(always)]
pub(super) fn largest(block: &[f32; 32]) -> f32 {
    // Without their sign, the bits of floats order like the floats, with NaN above all of them; a
    // float comparison would skip NaN.
    let bits = |x: &f32| x.abs().to_bits();
    let mut lanes = [0_u32; 8];
    for eight in block.as_chunks::<8>().0 {
        for (lane, x) in lanes.iter_mut().zip(eight) {
            *lane = bits(x).max(*lane);
        }
    }
    f32::from_bits(lanes.into_iter().fold(0, u32::max))
}

/// Rounds a value within -2^22 and 2^22 to the nearest integer, halves to even.
#[inline(always)]
pub(super) fn round(x: f32) -> i32 {
    // Adding 1.5 * 2^23 leaves the integer in the low bits; the processor rounds.
    const SHIFT: f32 = 12_582_912.0;
    (x + SHIFT).to_bits() as i32 - SHIFT.to_bits() as i32
}

/// e to the power of x, to 2 units in the last place for `-87.0..=88.0`; beyond them the value at
/// the limit.
///
/// The polynomial of Arm's optimized routines, which llama.cpp uses too. Unlike the library's
/// function it makes no calls, so the compiler can vectorise it.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // As in `round`: the integer is in the low bits.
    const SHIFT: f32 = 12_582_912.0;
    let x = x.clamp(-87.3, 88.3);
    let shifted = x.mul_add(std::f32::consts::LOG2_E, SHIFT);
    let whole = shifted - SHIFT;
    // The logarithm of 2 in two parts; the first has few bits, so that its product is exact.
    let rest = whole.mul_add(-1.428_606_8e-6, whole.mul_add(-0.693_145_75, x));
    let power = (shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits());
    let power = f32::from_bits(power);
    let square = rest * rest;
    let high = 0.008_247_39_f32.mul_add(rest, 0.041_899_767);
    let low = 0.166_683_96_f32.mul_add(rest, 0.499_991_27);
    let sum = high.mul_add(square, low);
    sum.mul_add(square, 0.999_999_4 * rest)
        .mul_add(power, power)
}

/// The half float nearest to `x`, which must be within the range of halves; ties to even.
#[inline(always)]
pub(super) fn to_half(x: f32) -> f32 {
    // Below the smallest normal half all steps are 2^-24, like the steps of a float from 0.5 to 1.
    const LEAST: f32 = 6.103_515_6e-5;
    const SHIFT: f32 = 0.75;
    let bits = x.to_bits();
    let normal = bits.wrapping_add(0x0fff + (bits >> 13 & 1)) & !0x1fff;
    if x.abs() < LEAST {
        (x + SHIFT) - SHIFT
    } else {
        f32::from_bits(normal)
    }
}

/// The sum of eight values in the order of vector instructions: four, two, one.
#[inline(always)]
pub(super) fn sum(x: &[f32; 8]) -> f32 {
    ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))
}

/// Eight such sums together: of the first floats of each array, of the second, and so on.
#[inline(always)]
pub(super) fn sum_of_eight(x: &[[f32; 8]; 8]) -> [f32; 8] {
    let mut out = [0.0; 8];
    for i in 0..8 {
        let even = (x[0][i] + x[4][i]) + (x[2][i] + x[6][i]);
        let odd = (x[1][i] + x[5][i]) + (x[3][i] + x[7][i]);
        out[i] = even + odd;
    }
    out
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
