//! Converts word vectors to scores: span vectors, made from the span's two ends, against labels.
//!
//! The reference makes a vector of every span and multiplies it with every label's vector. Both
//! last layers are linear, so here the labels pass through the span's last layer instead, and a
//! span's first layer is the sum of the contributions of its two ends: the same numbers for a
//! twentieth of the work.

use candle_core::{Result, Tensor, bail};

use crate::checkpoint::{LoadError, TensorFile};
use crate::layers::{Linear, sigmoid};

/// Two linear layers with a ReLU between them.
#[derive(Debug)]
struct Twice {
    first: Linear,
    second: Linear,
}

/// The heads of a GLiNER with markers ("markerV0").
#[derive(Debug)]
pub(super) struct Heads {
    label: Twice,
    start: Twice,
    end: Twice,
    /// The rows of the span's first layer for its start, and those for its end with the bias.
    from_start: Tensor,
    from_end: Linear,
    span: Linear,
}

/// A candidate span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    /// Its first and last word.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) label: usize,
    pub(super) score: f32,
}

impl Twice {
    fn new(file: &TensorFile, name: &str, size: usize) -> std::result::Result<Self, LoadError> {
        Ok(Self {
            first: Linear::take(file, &format!("{name}.0"), size, 4 * size)?,
            second: Linear::take(file, &format!("{name}.3"), 4 * size, size)?,
        })
    }

    fn apply(&self, x: &Tensor) -> Result<Tensor> {
        self.second.apply(&self.first.apply(x)?.relu()?)
    }

    fn bytes(&self) -> usize {
        self.first.bytes() + self.second.bytes()
    }
}

impl Heads {
    /// Loads the heads for vectors of `size`.
    pub(super) fn new(file: &TensorFile, size: usize) -> std::result::Result<Self, LoadError> {
        let root = "span_rep_layer.span_rep_layer";
        let both = Linear::take(file, &format!("{root}.out_project.0"), 2 * size, 4 * size)?;
        let half = |at: usize| both.weight.narrow(0, at * size, size)?.contiguous();
        Ok(Self {
            label: Twice::new(file, "prompt_rep_layer", size)?,
            start: Twice::new(file, &format!("{root}.project_start"), size)?,
            end: Twice::new(file, &format!("{root}.project_end"), size)?,
            from_start: file.made(half(0))?,
            from_end: Linear {
                weight: file.made(half(1))?,
                bias: both.bias,
            },
            span: Linear::take(file, &format!("{root}.out_project.3"), 4 * size, size)?,
        })
    }

    /// The spans of at most `width` words that score at least `threshold`, by start, then length,
    /// then label. `words` is `[words, size]`, `labels` is `[labels, size]`.
    pub(super) fn candidates(
        &self,
        words: &Tensor,
        labels: &Tensor,
        width: usize,
        threshold: f32,
    ) -> Result<Vec<Candidate>> {
        let labels = self.label.apply(labels)?.t()?;
        let weight = self.span.weight.matmul(&labels)?;
        let bias = self.span.bias.unsqueeze(0)?.matmul(&labels)?;
        let starts = self.start.apply(words)?.relu()?.matmul(&self.from_start)?;
        let ends = self.from_end.apply(&self.end.apply(words)?.relu()?)?;
        // Spans of one length are adjacent in both matrices: no list of spans is needed.
        let words = words.dims()[0];
        let of_length = |more: usize| {
            let starts = starts.narrow(0, 0, words - more)?;
            let sums = (starts + ends.narrow(0, more, words - more)?)?.relu()?;
            sums.matmul(&weight)?.broadcast_add(&bias)?.to_vec2::<f32>()
        };
        let logits = (0..width.min(words)).map(of_length);
        let logits = logits.collect::<Result<Vec<_>>>()?;
        let mut found = Vec::new();
        for start in 0..words {
            for (more, rows) in logits.iter().enumerate().take(words - start) {
                for (label, logit) in rows[start].iter().enumerate() {
                    let score = sigmoid(*logit);
                    if score.is_nan() {
                        bail!(
                            "it gave a score that is not a number; its weights are damaged, fetch \
                             them again"
                        )
                    }
                    if score >= threshold {
                        found.push(Candidate {
                            start,
                            end: start + more,
                            label,
                            score,
                        });
                    }
                }
            }
        }
        Ok(found)
    }

    /// Bytes of weights.
    pub(super) fn bytes(&self) -> usize {
        let twice = [&self.label, &self.start, &self.end];
        let twice: usize = twice.map(Twice::bytes).iter().sum();
        let start = crate::checkpoint::tensor_bytes(&self.from_start);
        twice + start + self.from_end.bytes() + self.span.bytes()
    }
}

/// Of overlapping candidates keeps the best, of equal ones the first. In text order.
pub(super) fn without_overlaps(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    // Sorted by start; kept spans do not overlap, so only neighbours can overlap a new one.
    let mut kept = std::collections::BTreeMap::<usize, Candidate>::new();
    for candidate in candidates {
        let before = kept.range(..=candidate.end).next_back();
        if before.is_none_or(|(_, before)| before.end < candidate.start) {
            kept.insert(candidate.start, candidate);
        }
    }
    kept.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_better_of_two_that_share_a_word_is_kept() {
        let one = |start, end, label, score| Candidate {
            start,
            end,
            label,
            score,
        };
        let found = without_overlaps(vec![
            one(0, 3, 0, 0.5),
            one(2, 2, 1, 0.9),
            one(3, 5, 0, 0.7),
            one(4, 4, 0, 0.7),
            one(6, 6, 1, 0.4),
            one(6, 6, 0, 0.6),
            one(0, 1, 0, 0.1),
        ]);
        let kept: Vec<_> = found.iter().map(|c| (c.start, c.end, c.label)).collect();
        assert_eq!(kept, [(0, 1, 0), (2, 2, 1), (3, 5, 0), (6, 6, 0)]);
    }
}
