//! Bounds of products with the vector instructions of x86-64.

use super::bounds::{FLOAT_SLACK, Group, Job, Kernel, Plain, ROWS, Token};
use pulp::x86::V3;
use pulp::{NullaryFnOnce, u8x64};
use std::arch::x86_64::{__m256, __m256i, __m512, __m512i, _mm512_dpbusd_epi32};
use std::sync::LazyLock;

pulp::simd_type! {
    /// Processors with an instruction that multiplies and adds four bytes.
    struct Vnni {
        pub avx512f: "avx512f",
        pub avx512bw: "avx512bw",
        pub avx512vnni: "avx512vnni",
    }
}

/// With the widest instructions of the processor.
pub(super) fn run(job: Job<'_>) {
    static VNNI: LazyLock<Option<Vnni>> = LazyLock::new(Vnni::try_new);
    if let Some(simd) = *VNNI {
        return simd.vectorize(Vectorised(simd, job));
    }
    match super::v3() {
        Some(simd) => simd.vectorize(Vectorised(simd, job)),
        None => job.run(Plain),
    }
}

pub(super) struct Vectorised<'a, K>(pub(super) K, pub(super) Job<'a>);

impl<K: Kernel> NullaryFnOnce for Vectorised<'_, K> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.1.run(self.0);
    }
}

// No closures in the kernels: a closure that is not inlined is compiled without their instructions.

impl Vnni {
    /// Adds to each sum the products of its four bytes; `four` is unsigned.
    #[inline(always)]
    #[allow(unsafe_code)]
    fn four_added(self, sums: __m512i, four: __m512i, weights: __m512i) -> __m512i {
        // SAFETY: the instruction exists, since `self` is only made after detecting it.
        unsafe { _mm512_dpbusd_epi32(sums, four, weights) }
    }
}

impl Kernel for Vnni {
    #[inline(always)]
    fn raise<const T: usize>(
        self,
        group: &Group,
        weights: &[u8x64],
        mut tokens: [(Token, &[[u8; 4]]); T],
        most: &mut [f32; ROWS],
    ) {
        let mut whole = [self.avx512f._mm512_setzero_si512(); T];
        for token in &mut tokens {
            token.1 = &token.1[..weights.len()];
        }
        for (k, weights) in weights.iter().enumerate() {
            let weights: __m512i = pulp::cast(*weights);
            for t in 0..T {
                let four = i32::from_le_bytes(tokens[t].1[k]);
                let four = self.avx512f._mm512_set1_epi32(four);
                whole[t] = self.four_added(whole[t], four, weights);
            }
        }
        let mut bound: __m512 = pulp::cast(*most);
        let (shifts, scales): (__m512, __m512) =
            (pulp::cast(group.shifts), pulp::cast(group.scales));
        let (slack, rounded): (__m512, __m512) =
            (pulp::cast(group.slack), pulp::cast(group.rounded));
        let biases: __m512 = pulp::cast(group.biases);
        let float_slack = self.avx512f._mm512_set1_ps(FLOAT_SLACK);
        for (whole, (token, _)) in whole.iter().zip(&tokens) {
            let product = self.avx512f._mm512_cvtepi32_ps(*whole);
            let product = self.avx512f._mm512_sub_ps(product, shifts);
            let product = self.avx512f._mm512_fmadd_ps(product, scales, slack);
            let magnitude = self.avx512f._mm512_set1_ps(token.magnitude);
            let rest = self.avx512f._mm512_fmadd_ps(magnitude, rounded, biases);
            let rest = self.avx512f._mm512_add_ps(rest, float_slack);
            let step = self.avx512f._mm512_set1_ps(token.step);
            let found = self.avx512f._mm512_fmadd_ps(product, step, rest);
            bound = self.avx512f._mm512_max_ps(bound, found);
        }
        *most = pulp::cast(bound);
    }
}

impl Kernel for V3 {
    #[inline(always)]
    fn raise<const T: usize>(
        self,
        group: &Group,
        weights: &[u8x64],
        mut tokens: [(Token, &[[u8; 4]]); T],
        most: &mut [f32; ROWS],
    ) {
        let ones = self.avx._mm256_set1_epi16(1);
        let mut whole = [[self.avx._mm256_setzero_si256(); 2]; T];
        for token in &mut tokens {
            token.1 = &token.1[..weights.len()];
        }
        for (k, weights) in weights.iter().enumerate() {
            let weights: [__m256i; 2] = pulp::cast(*weights);
            for t in 0..T {
                let four = i32::from_le_bytes(tokens[t].1[k]);
                let four = self.avx._mm256_set1_epi32(four);
                for half in 0..2 {
                    let pairs = self.avx2._mm256_maddubs_epi16(four, weights[half]);
                    let sums = self.avx2._mm256_madd_epi16(pairs, ones);
                    whole[t][half] = self.avx2._mm256_add_epi32(whole[t][half], sums);
                }
            }
        }
        let mut bounds: [__m256; 2] = pulp::cast(*most);
        let shifts: [__m256; 2] = pulp::cast(group.shifts);
        let scales: [__m256; 2] = pulp::cast(group.scales);
        let slack: [__m256; 2] = pulp::cast(group.slack);
        let rounded: [__m256; 2] = pulp::cast(group.rounded);
        let biases: [__m256; 2] = pulp::cast(group.biases);
        let float_slack = self.avx._mm256_set1_ps(FLOAT_SLACK);
        for (whole, (token, _)) in whole.iter().zip(&tokens) {
            let magnitude = self.avx._mm256_set1_ps(token.magnitude);
            let step = self.avx._mm256_set1_ps(token.step);
            for half in 0..2 {
                let product = self.avx._mm256_cvtepi32_ps(whole[half]);
                let product = self.avx._mm256_sub_ps(product, shifts[half]);
                let product = self.fma._mm256_fmadd_ps(product, scales[half], slack[half]);
                let rest = self
                    .fma
                    ._mm256_fmadd_ps(magnitude, rounded[half], biases[half]);
                let rest = self.avx._mm256_add_ps(rest, float_slack);
                let found = self.fma._mm256_fmadd_ps(product, step, rest);
                bounds[half] = self.avx._mm256_max_ps(bounds[half], found);
            }
        }
        *most = pulp::cast(bounds);
    }
}
