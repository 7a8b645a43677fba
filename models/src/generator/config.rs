//! The settings of a decoder: its sizes and the differences between families.

use crate::families::GENERATOR_NAMES;

/// The settings of a decoder.
#[derive(Debug, Clone)]
pub(super) struct Config {
    /// `llama`, `qwen2` or `qwen3`.
    pub(super) family: Family,
    pub(super) layers: usize,
    /// Floats per token vector.
    pub(super) width: usize,
    /// Query heads.
    pub(super) heads: usize,
    /// Key-value heads, each for `heads / kv_heads` query heads.
    pub(super) kv_heads: usize,
    pub(super) head_width: usize,
    /// Floats between the two products of the feed-forward part.
    pub(super) inner_width: usize,
    /// Rows of the embedding.
    pub(super) vocabulary: usize,
    /// Context size in tokens that the model was trained for.
    pub(super) context_tokens: usize,
    /// Epsilon added to the mean square under the root.
    pub(super) norm_epsilon: f32,
    pub(super) rotation: Rotation,
}

impl Config {
    /// Floats of a token's queries.
    pub(super) fn query_width(&self) -> usize {
        self.heads * self.head_width
    }

    /// Floats of a token's keys, and of its values.
    pub(super) fn kv_width(&self) -> usize {
        self.kv_heads * self.head_width
    }
}

/// A family of decoders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// Llama 2 and 3, Mistral without its window, SmolLM2.
    Llama,
    /// Qwen 2 and 2.5: biases on query, key and value.
    Qwen2,
    /// Qwen 3: no biases, norms on every head's query and key.
    Qwen3,
}

impl Family {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name {
            "llama" | "mistral" => Some(Self::Llama),
            "qwen2" => Some(Self::Qwen2),
            "qwen3" => Some(Self::Qwen3),
            _ => None,
        }
    }

    /// The known names, for messages.
    pub(super) const NAMES: &'static str = GENERATOR_NAMES;
}

/// Rotary position embedding (Su et al. 2021, RoFormer, eq. 34).
#[derive(Debug, Clone)]
pub(super) struct Rotation {
    /// The angle of each pair of dimensions as a factor of the previous pair's angle; the first
    /// pair's angle is the position, in radians.
    step: f32,
    /// Factor of each pair's angle: 1 unless positions are scaled.
    pub(super) shares: Vec<f32>,
    /// Whether a pair is two neighbours, as in Llama's GGUF weights; else the two are half a head
    /// apart.
    pub(super) neighbours: bool,
}

impl Rotation {
    /// Angles of `base^(-2i/width)` per position.
    pub(super) fn new(base: f64, head_width: usize, neighbours: bool) -> Self {
        Self {
            step: (base as f32).powf(-2.0 / head_width as f32),
            shares: vec![1.0; head_width / 2],
            neighbours,
        }
    }

    /// Radians per position of pair `at`, before scaling.
    pub(super) fn speed(&self, at: usize) -> f64 {
        f64::from(self.step).powf(at as f64)
    }

    /// Sines and cosines at `position`, pair by pair.
    pub(super) fn at(&self, position: usize) -> Vec<(f32, f32)> {
        // Step by step as llama.cpp does; the power function differs in the last bits.
        let angles = std::iter::successors(Some(position as f32), |angle| Some(angle * self.step));
        let angles = angles.zip(&self.shares);
        angles.map(|(x, share)| (x * share).sin_cos()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::GENERATORS;

    #[test]
    fn a_pull_knows_the_families_that_are_loaded() {
        assert!(
            GENERATORS
                .iter()
                .all(|name| Family::from_name(name).is_some())
        );
        for name in ["gemma3", "qwen2moe", "phi3", "gpt-oss", "smollm3"] {
            assert!(Family::from_name(name).is_none() && !GENERATORS.contains(&name));
        }
    }
}
