//! Scaled dot-product attention within one text (Vaswani et al. 2017).

use super::packed::Packed;
use super::product::{Onto, product};
use super::rows::{Activation, softmax};
use super::{View, arch};
use pulp::{Simd, WithSimd};

/// Queries compared with all keys at once: bounds the scores of a long text.
const QUERIES_MAX: usize = 144;
/// Rows of scores are padded to a multiple of this, which every vector width divides.
const SCORES_STEP: usize = 16;

/// Scratch memory of attention.
#[derive(Default)]
pub(crate) struct AttentionBuffers {
    keys: Packed,
    values: Packed,
    /// `[queries, tokens]`
    scores: Vec<f32>,
}

impl AttentionBuffers {
    /// Its size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.keys.bytes() + self.values.bytes() + self.scores.capacity() * size_of::<f32>()
    }
}

/// The sizes of one attention.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attention {
    /// Heads; they divide `size`.
    pub(crate) heads: usize,
    /// Components per token.
    pub(crate) size: usize,
}

impl Attention {
    /// Mixes the values of one text: `qkv [tokens, 3 * size]` to `result [tokens, size]`. Queries
    /// already include the factor `1 / sqrt(size / heads)`. `packed` is scratch memory for
    /// products.
    pub(crate) fn run(
        self,
        qkv: &[f32],
        result: &mut [f32],
        buffers: &mut AttentionBuffers,
        packed: &mut Vec<f32>,
    ) {
        let (size, stride) = (self.size, 3 * self.size);
        let (tokens, head) = (qkv.len() / stride, size / self.heads);
        let scores_stride = tokens.next_multiple_of(SCORES_STEP);
        let rows = QUERIES_MAX.min(tokens);
        buffers.scores.resize(rows * scores_stride, 0.0);
        for first in (0..size).step_by(head) {
            let part = |which: usize| View::new(&qkv[which * size + first..], tokens, head, stride);
            buffers.keys.fill_transposed(part(1));
            buffers.values.fill(part(2));
            for start in (0..tokens).step_by(rows) {
                let count = rows.min(tokens - start);
                let queries = part(0).narrow(start, count);
                let scores = &mut buffers.scores[..count * scores_stride];
                let to = (&mut *scores, scores_stride);
                let (zero, none) = (Onto::Zero, Activation::None);
                product(queries, &buffers.keys, zero, none, to, packed);
                arch().dispatch(Softmax(scores, tokens, scores_stride));
                let weights = View::new(scores, count, tokens, scores_stride);
                let to = (&mut result[start * size + first..], size);
                product(weights, &buffers.values, zero, none, to, packed);
            }
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
