//! Scores of answers, of contexts and of stored memory.

pub(crate) mod bleu;
mod facts;
#[cfg(test)]
pub(crate) mod golden;
pub(crate) mod rouge;
mod scorer;
mod similarity;
mod words;

pub(crate) use facts::fact_recall;
pub(crate) use scorer::{Case, Scorer, is_unanswerable};
pub(crate) use words::containment;

use serde::{Deserialize, Serialize};

/// Scores of one probe; `None` if a measure does not apply. In `0.0..=1.0` unless stated.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Scores {
    /// Fact recall: share of the gold turns whose fact sentence is on one line of the context. Not
    /// for adversarial probes.
    pub(crate) fact_recall: Option<f64>,
    /// The same for adversarial probes.
    pub(crate) fact_recall_adversarial: Option<f64>,
    /// Share of the gold turns that are no longer in any part of memory.
    pub(crate) regret: Option<f64>,
    /// Share of the gold answer's content words found in the context.
    pub(crate) containment: Option<f64>,
    /// 1 if all words of a short gold answer (at most four content words) stand in the first words
    /// of the answer, else 0.
    pub(crate) right: Option<f64>,
    /// Cosine of context and gold evidence, `-1.0..=1.0`.
    pub(crate) evidence_similarity: Option<f64>,
    /// 1 if the answer contains every key entity of the gold answer, else 0.
    pub(crate) key_entities: Option<f64>,
    /// Sentence BLEU with up to four-grams.
    pub(crate) bleu4: Option<f64>,
    /// F-measure of the longest common subsequence.
    pub(crate) rouge_l: Option<f64>,
}

impl Scores {
    /// Number of scores.
    pub(crate) const COUNT: usize = 9;

    /// The scores in a fixed order.
    pub(crate) fn values(&self) -> [Option<f64>; Self::COUNT] {
        [
            self.fact_recall,
            self.fact_recall_adversarial,
            self.right,
            self.regret,
            self.containment,
            self.evidence_similarity,
            self.key_entities,
            self.bleu4,
            self.rouge_l,
        ]
    }

    /// Scores of values in that order.
    pub(crate) fn of(values: [Option<f64>; Self::COUNT]) -> Self {
        let [
            fact_recall,
            fact_recall_adversarial,
            right,
            regret,
            containment,
            evidence_similarity,
            key_entities,
            bleu4,
            rouge_l,
        ] = values;
        Self {
            fact_recall,
            fact_recall_adversarial,
            regret,
            containment,
            right,
            evidence_similarity,
            key_entities,
            bleu4,
            rouge_l,
        }
    }
}
