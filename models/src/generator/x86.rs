//! Products of quantised weights with AVX2.

use std::arch::x86_64::{__m256, __m256i};

use pulp::u8x32;
use pulp::x86::V3;

use super::packed::{BLOCK, Kernel, Part, ROWS, Row};

impl Kernel for V3 {
    #[inline(always)]
    fn bits4<const T: usize>(self, part: Part<'_>, rows: [Row<'_>; T]) -> [[f32; ROWS]; T] {
        let mut sums = [self.avx._mm256_setzero_ps(); T];
        let (weights, _) = part.values.as_chunks::<{ BLOCK / 8 }>();
        let blocks = part.scales.iter().zip(part.minima).zip(weights);
        for (at, ((scale, minimum), weights)) in blocks.enumerate() {
            let (scale, minimum): (__m256, __m256) = (pulp::cast(*scale), pulp::cast(*minimum));
            let low = [
                low_halves(self, weights[0]),
                low_halves(self, weights[1]),
                low_halves(self, weights[2]),
                low_halves(self, weights[3]),
            ];
            let high = [
                high_halves(self, weights[0]),
                high_halves(self, weights[1]),
                high_halves(self, weights[2]),
                high_halves(self, weights[3]),
            ];
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let (fours, _) = row.values[at * BLOCK..][..BLOCK].as_chunks::<4>();
                // Eight times two products of at most 15 * 127 fit into 16 bits. Two chains, so
                // that not every addition waits for the one before.
                let mut left = products(self, low[0], fours[0]);
                let mut right = products(self, high[0], fours[4]);
                for k in 1..4 {
                    let (a, b) = (fours[k], fours[4 + k]);
                    left = self.avx2._mm256_add_epi16(left, products(self, low[k], a));
                    right = self
                        .avx2
                        ._mm256_add_epi16(right, products(self, high[k], b));
                }
                let whole = pairs(self, self.avx2._mm256_add_epi16(left, right));
                let whole = self.avx._mm256_cvtepi32_ps(whole);
                *sum = scaled_add(self, whole, scale, row.scales[at], *sum);
                let shift = self.avx._mm256_set1_ps(row.sums[at]);
                *sum = self.fma._mm256_fmadd_ps(minimum, shift, *sum);
            }
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
                    let (fours, _) = row.values[at * BLOCK..][..BLOCK].as_chunks::<4>();
                    // The instruction wants one side without sign: it goes to the other.
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

// No closures in what follows and above: one that is not inlined is compiled without AVX2, and
// then every instruction in it is a call.

#[inline(always)]
fn stored<const T: usize>(sums: &[__m256; T]) -> [[f32; ROWS]; T] {
    let mut out = [[0.0; ROWS]; T];
    for (to, sum) in out.iter_mut().zip(sums) {
        *to = pulp::cast(*sum);
    }
    out
}

/// Products of bytes without sign and four bytes repeated, added in pairs to 16 bits.
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

/// Four bytes, eight times.
#[inline(always)]
fn repeated(simd: V3, four: [i8; 4]) -> __m256i {
    simd.avx
        ._mm256_set1_epi32(i32::from_le_bytes(four.map(|x| x as u8)))
}

/// Neighbours of 16 bits added to 32 bits.
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
