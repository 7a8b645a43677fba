//! Products of quantised weights with AVX2.

use std::arch::x86_64::{__m256, __m256i};

use pulp::u8x32;
use pulp::x86::V3;

use super::packed::{BLOCK, Kernel, Part, ROWS, Row};

impl Kernel for V3 {
    #[inline(always)]
    fn bits4<const T: usize>(self, part: Part<'_>, rows: [Row<'_>; T]) -> [[f32; ROWS]; T] {
        let mut sums = [self.avx._mm256_setzero_ps(); T];
        for (at, minimum) in part.minima.iter().enumerate() {
            let minimum: __m256 = pulp::cast(*minimum);
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let shift = self.avx._mm256_set1_ps(row.sums[at]);
                *sum = self.fma._mm256_fmadd_ps(minimum, shift, *sum);
            }
        }
        if T == 1 {
            let whole = lanes_of_one(self, part, rows[0]);
            sums[0] = self.avx._mm256_add_ps(whole, sums[0]);
            return stored(&sums);
        }
        let a = lane_pair(self, part, &rows, 0);
        let b = lane_pair(self, part, &rows, 2);
        let c = lane_pair(self, part, &rows, 1);
        let d = lane_pair(self, part, &rows, 3);
        for t in 0..T {
            let even = self.avx._mm256_add_ps(a[t], b[t]);
            let odd = self.avx._mm256_add_ps(c[t], d[t]);
            let whole = self.avx._mm256_add_ps(even, odd);
            sums[t] = self.avx._mm256_add_ps(whole, sums[t]);
        }
        stored(&sums)
    }

    #[inline(always)]
    fn bits8<const T: usize>(self, part: Part<'_>, rows: [Row<'_>; T]) -> [[f32; ROWS]; T] {
        let mut sums = [self.avx._mm256_setzero_ps(); T];
        let (weights, _) = part.values.as_chunks::<{ BLOCK / 4 }>();
        for (at, (scale, weights)) in part.scales.iter().zip(weights).enumerate() {
            let scale: __m256 = pulp::cast(*scale);
            let mut whole = [self.avx._mm256_setzero_si256(); T];
            for (k, &vector) in weights.iter().enumerate() {
                let vector: __m256i = pulp::cast(vector);
                let magnitude = self.avx2._mm256_abs_epi8(vector);
                for (whole, row) in whole.iter_mut().zip(&rows) {
                    let (fours, _) = row.values[at].as_chunks::<4>();
                    // The instruction needs one unsigned operand, so the sign moves to the other.
                    let signed = self.avx2._mm256_sign_epi8(repeated(self, fours[k]), vector);
                    let product = self.avx2._mm256_maddubs_epi16(magnitude, signed);
                    *whole = self.avx2._mm256_add_epi32(*whole, pairs(self, product));
                }
            }
            for ((sum, row), whole) in sums.iter_mut().zip(&rows).zip(whole) {
                let whole = self.avx._mm256_cvtepi32_ps(whole);
                *sum = scaled_add(self, whole, scale, row.scales[at], *sum);
            }
        }
        stored(&sums)
    }
}

// No closures here or above: a closure that is not inlined is compiled without AVX2, and then every
// intrinsic in it is a call.

#[inline(always)]
fn stored<const T: usize>(sums: &[__m256; T]) -> [[f32; ROWS]; T] {
    let mut out = [[0.0; ROWS]; T];
    for (to, sum) in out.iter_mut().zip(sums) {
        *to = pulp::cast(*sum);
    }
    out
}

/// Two of the eight sums of each row, added: those of the four weights of every block at `4 k` and
/// at half a block later. With the sums of some tokens they fill the registers.
#[inline(always)]
fn lane_pair<const T: usize>(
    simd: V3,
    part: Part<'_>,
    rows: &[Row<'_>; T],
    k: usize,
) -> [__m256; T] {
    let mut left = [simd.avx._mm256_setzero_ps(); T];
    let mut right = left;
    let count = part.scales.len();
    let weights = &part.values.as_chunks::<{ BLOCK / 8 }>().0[..count];
    let mut rows = *rows;
    for row in &mut rows {
        *row = row.first(count);
    }
    for (at, weights) in weights.iter().enumerate() {
        let scale: __m256 = pulp::cast(part.scales[at]);
        let low = low_halves(simd, weights[k]);
        let high = high_halves(simd, weights[k]);
        for t in 0..T {
            let (fours, _) = rows[t].values[at].as_chunks::<4>();
            let x = simd.avx._mm256_set1_ps(rows[t].scales[at]);
            let scale = simd.avx._mm256_mul_ps(scale, x);
            left[t] = four_added(simd, low, fours[k], scale, left[t]);
            right[t] = four_added(simd, high, fours[4 + k], scale, right[t]);
        }
    }
    for t in 0..T {
        left[t] = simd.avx._mm256_add_ps(left[t], right[t]);
    }
    left
}

/// All eight sums of each row, added, for one token.
#[inline(always)]
fn lanes_of_one(simd: V3, part: Part<'_>, row: Row<'_>) -> __m256 {
    let mut low_sums = [simd.avx._mm256_setzero_ps(); 4];
    let mut high_sums = low_sums;
    let count = part.scales.len();
    let weights = &part.values.as_chunks::<{ BLOCK / 8 }>().0[..count];
    let row = row.first(count);
    for (at, weights) in weights.iter().enumerate() {
        let x = simd.avx._mm256_set1_ps(row.scales[at]);
        let scale = simd.avx._mm256_mul_ps(pulp::cast(part.scales[at]), x);
        let (fours, _) = row.values[at].as_chunks::<4>();
        for k in 0..4 {
            let low = low_halves(simd, weights[k]);
            let high = high_halves(simd, weights[k]);
            low_sums[k] = four_added(simd, low, fours[k], scale, low_sums[k]);
            high_sums[k] = four_added(simd, high, fours[4 + k], scale, high_sums[k]);
        }
    }
    for k in 0..4 {
        low_sums[k] = simd.avx._mm256_add_ps(low_sums[k], high_sums[k]);
    }
    let even = simd.avx._mm256_add_ps(low_sums[0], low_sums[2]);
    let odd = simd.avx._mm256_add_ps(low_sums[1], low_sums[3]);
    simd.avx._mm256_add_ps(even, odd)
}

/// `sum` plus the products of four weights of each row with four activations, times `scale`.
#[inline(always)]
fn four_added(simd: V3, weights: __m256i, four: [i8; 4], scale: __m256, sum: __m256) -> __m256 {
    let whole = pairs(simd, products(simd, weights, four));
    let whole = simd.avx._mm256_cvtepi32_ps(whole);
    simd.fma._mm256_fmadd_ps(whole, scale, sum)
}

/// Products of unsigned bytes and four repeated bytes, added in pairs to 16 bits.
#[inline(always)]
fn products(simd: V3, weights: __m256i, four: [i8; 4]) -> __m256i {
    simd.avx2
        ._mm256_maddubs_epi16(weights, repeated(simd, four))
}

#[inline(always)]
fn low_halves(simd: V3, a: u8x32) -> __m256i {
    simd.avx2
        ._mm256_and_si256(pulp::cast(a), simd.avx._mm256_set1_epi8(15))
}

#[inline(always)]
fn high_halves(simd: V3, a: u8x32) -> __m256i {
    let moved = simd.avx2._mm256_srli_epi16::<4>(pulp::cast(a));
    simd.avx2
        ._mm256_and_si256(moved, simd.avx._mm256_set1_epi8(15))
}

/// Four bytes, repeated eight times.
#[inline(always)]
fn repeated(simd: V3, four: [i8; 4]) -> __m256i {
    simd.avx
        ._mm256_set1_epi32(i32::from_le_bytes(four.map(|x| x as u8)))
}

/// Adds neighbours of 16 bits to 32 bits.
#[inline(always)]
fn pairs(simd: V3, a: __m256i) -> __m256i {
    simd.avx2
        ._mm256_madd_epi16(a, simd.avx._mm256_set1_epi16(1))
}

/// `whole * (scale * x) + sum`.
#[inline(always)]
fn scaled_add(simd: V3, whole: __m256, scale: __m256, x: f32, sum: __m256) -> __m256 {
    let scale = simd.avx._mm256_mul_ps(scale, simd.avx._mm256_set1_ps(x));
    simd.fma._mm256_fmadd_ps(whole, scale, sum)
}
