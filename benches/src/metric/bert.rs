//! BERTScore (Zhang et al. 2020): each token is matched with the nearest token of the other text,
//! by the vectors of the encoder's last layer; as bert_score computes it without idf and rescaling.
//!
//! The special tokens at a text's ends may be matched but are not scored. A pair with a text
//! without tokens scores 0. Scores of different encoders are not comparable: all-MiniLM-L6-v2 gives
//! other values than the papers' DeBERTa.

use crate::vectors::dot;
use anyhow::Result;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use weir_models::{Encode, SentenceEncoder, TokenVectors};

/// Cached tokens: 1.5 kB each with all-MiniLM-L6-v2, so 50 MB.
const REMEMBERED_TOKENS_MAX: usize = 32_768;

/// Precision, recall and their harmonic mean, in `-1.0..=1.0`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Matched {
    /// Mean similarity of the answer's tokens to the gold answer.
    pub precision: f64,
    /// Mean similarity of the gold answer's tokens to the answer.
    pub recall: f64,
    /// Harmonic mean of both.
    pub f1: f64,
}

/// Scores answers, and caches the token vectors of recent texts.
pub struct BertScorer {
    encoder: Arc<SentenceEncoder>,
    remembered: Mutex<Remembered>,
}

/// One text: unit vectors of its tokens, and which of them are scored.
struct Text {
    vectors: Vec<f32>,
    counts: Vec<bool>,
}

#[derive(Default)]
struct Remembered {
    texts: HashMap<String, Arc<Text>>,
    /// Oldest first.
    order: VecDeque<String>,
    tokens: usize,
}

impl BertScorer {
    /// A scorer with the token vectors of `encoder`.
    #[must_use]
    pub fn new(encoder: Arc<SentenceEncoder>) -> Self {
        Self {
            encoder,
            remembered: Mutex::default(),
        }
    }

    /// Scores one answer.
    ///
    /// # Errors
    /// Those of the encoder.
    pub fn score(&self, answer: &str, gold: &str) -> Result<Matched> {
        let (answer, gold) = (self.text(answer)?, self.text(gold)?);
        let dimension = self.encoder.dimension();
        let precision = nearest(&answer, &gold, dimension);
        let recall = nearest(&gold, &answer, dimension);
        let (Some(precision), Some(recall)) = (precision, recall) else {
            return Ok(Matched::default());
        };
        let sum = precision + recall;
        let f1 = if sum == 0.0 {
            0.0
        } else {
            2.0 * precision * recall / sum
        };
        Ok(Matched {
            precision,
            recall,
            f1,
        })
    }

    fn text(&self, text: &str) -> Result<Arc<Text>> {
        // the reference strips texts before it truncates them
        let text = text.trim();
        let lock = || {
            self.remembered
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = lock().texts.get(text) {
            return Ok(Arc::clone(known));
        }
        let mut tokens = self.encoder.token_vectors(&[text])?;
        let tokens = tokens.pop().unwrap_or(TokenVectors {
            ids: Vec::new(),
            values: Vec::new(),
        });
        let made = Arc::new(Text::new(tokens, self.encoder.dimension()));
        lock().keep(text, &made);
        Ok(made)
    }
}

impl Text {
    fn new(tokens: TokenVectors, dimension: usize) -> Self {
        let ends = [tokens.ids.first().copied(), tokens.ids.last().copied()];
        // by id, not by position: the same tokens spelled out in the text are not scored either
        let counts = tokens.ids.iter().map(|id| !ends.contains(&Some(*id)));
        let counts = counts.collect();
        let mut vectors = tokens.values;
        for vector in vectors.chunks_mut(dimension) {
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            vector.iter_mut().for_each(|x| *x /= length);
        }
        Self { vectors, counts }
    }
}

impl Remembered {
    fn keep(&mut self, text: &str, made: &Arc<Text>) {
        let tokens = made.counts.len();
        if tokens > REMEMBERED_TOKENS_MAX || self.texts.contains_key(text) {
            return;
        }
        while self.tokens + tokens > REMEMBERED_TOKENS_MAX {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            if let Some(gone) = self.texts.remove(&oldest) {
                self.tokens -= gone.counts.len();
            }
        }
        self.tokens += tokens;
        self.texts.insert(text.to_owned(), Arc::clone(made));
        self.order.push_back(text.to_owned());
    }
}

/// The mean cosine of `from`'s tokens to the nearest of `to`; `None` if no token is scored.
fn nearest(from: &Text, to: &Text, dimension: usize) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_usize);
    for (vector, counts) in from.vectors.chunks(dimension).zip(&from.counts) {
        if !counts {
            continue;
        }
        let cosines = to.vectors.chunks(dimension).map(|other| dot(vector, other));
        sum += f64::from(cosines.fold(f32::NEG_INFINITY, f32::max));
        count += 1;
    }
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::golden;
    use std::path::Path;

    const OFF_MAX: f64 = 1e-4;

    fn scorer(folder: &Path) -> BertScorer {
        let encoder = SentenceEncoder::load(folder).expect("the checkpoint");
        BertScorer::new(Arc::new(encoder))
    }

    fn assert_equal(scorer: &BertScorer, answer: &str, gold: &str, expected: [f64; 3]) {
        let found = scorer.score(answer, gold).expect("scored");
        let found = [found.precision, found.recall, found.f1];
        for (found, expected) in found.iter().zip(expected) {
            let off = (found - expected).abs();
            assert!(off < OFF_MAX, "{answer:?}: {found} for {expected}");
        }
    }

    #[test]
    fn a_small_bert_scores_as_in_bert_score() {
        let scorer = scorer(&weir_fixtures::golden_dir().join("tiny-bert"));
        for pair in golden::read().pairs {
            assert_equal(&scorer, &pair.answer, &pair.gold, pair.tiny_bert);
        }
    }

    #[test]
    fn minilm_scores_as_in_bert_score() {
        let (name, file) = ("all-MiniLM-L6-v2", "model.safetensors");
        let Some(weights) = weir_fixtures::model_file(name, file) else {
            return;
        };
        let scorer = scorer(weights.parent().expect("a folder"));
        for pair in golden::read().pairs {
            assert_equal(&scorer, &pair.answer, &pair.gold, pair.minilm);
        }
    }

    #[test]
    fn what_is_remembered_is_bounded_and_changes_nothing() {
        let scorer = scorer(&weir_fixtures::golden_dir().join("tiny-bert"));
        let first = scorer.score("the boat", "a boat").expect("scored");
        for number in 0..3_000 {
            let text = format!("{number} is a number of a boat that is at sea");
            scorer.score(&text, "a boat").expect("scored");
        }
        let held = scorer.remembered.lock().expect("no thread failed");
        assert!(held.tokens <= REMEMBERED_TOKENS_MAX && held.tokens > REMEMBERED_TOKENS_MAX / 2);
        assert_eq!(held.texts.len(), held.order.len());
        assert!(!held.texts.contains_key("the boat"));
        drop(held);
        assert_eq!(scorer.score("the boat", "a boat").expect("scored"), first);
    }
}
