//! Scores of answers, of contexts and of stored memory.

pub mod bert;
pub mod bleu;
mod facts;
#[cfg(test)]
pub(crate) mod golden;
pub mod rouge;
mod scorer;
mod similarity;
mod words;

pub use facts::{FactRecall, fact_recall};
pub use scorer::{Case, Scored, Scorer, is_unanswerable};
pub use similarity::evidence_similarity;
pub use words::{Abstention, containment, evidence_recall, names_key_entities, regret};

use serde::{Deserialize, Serialize};

/// Scores of one probe; `None` if a measure does not apply. In `0.0..=1.0` unless stated.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Scores {
    /// Fact recall: share of the gold turns whose fact sentence is on one line of the context. Not
    /// for adversarial probes.
    #[serde(default)]
    pub fact_recall: Option<f64>,
    /// The same for adversarial probes.
    #[serde(default)]
    pub fact_recall_adversarial: Option<f64>,
    /// Half of the words anywhere: share of the gold turns that the context names and of whose
    /// content words it contains at least half, anywhere. Lists of words can score here.
    pub evidence_recall: Option<f64>,
    /// Share of the gold turns that are no longer in any part of memory.
    pub regret: Option<f64>,
    /// Share of the gold answer's content words found in the context.
    pub containment: Option<f64>,
    /// Cosine of context and gold evidence, `-1.0..=1.0`.
    pub evidence_similarity: Option<f64>,
    /// 1 if the answer contains every key entity of the gold answer, else 0.
    pub key_entities: Option<f64>,
    /// Sentence BLEU with up to four-grams.
    pub bleu4: Option<f64>,
    /// F-measure of the longest common subsequence.
    pub rouge_l: Option<f64>,
    /// F1 of greedily matched token vectors, `-1.0..=1.0`.
    pub bert_score: Option<f64>,
    /// The judge's score, if there is a judge.
    pub judge: Option<f64>,
}

impl Scores {
    /// Fact recall of a probe of any kind, adversarial or not.
    #[must_use]
    pub fn any_fact_recall(&self) -> Option<f64> {
        self.fact_recall.or(self.fact_recall_adversarial)
    }
}
