//! All scores of one probe.

use super::Scores;
use super::facts::fact_recall;
use super::similarity::evidence_similarity;
use super::words::{answers_right, containment, names_key_entities, regret, text_of};
use super::{bleu, rouge};
use anyhow::Result;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use weir_engine::streamfile::Gold;
use weir_models::Encode;

/// A question, a method's result, and the gold labels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'a> {
    /// Gold labels.
    pub(crate) gold: &'a Gold,
    /// The question.
    pub(crate) question: &'a str,
    /// The answer.
    pub(crate) answer: &'a str,
    /// The answerer abstained; the answer's words are then ignored.
    pub(crate) abstained: bool,
    /// The context.
    pub(crate) context: &'a str,
    /// Ids of all turns in the context.
    pub(crate) context_turns: &'a [String],
    /// Text of each turn of the stream, by id, without the speaker.
    pub(crate) said: &'a HashMap<&'a str, &'a str>,
    /// Ids of the turns still in any part of memory; `None` means all.
    pub(crate) held: Option<&'a HashSet<String>>,
}

/// Scores probes; all threads can share one.
pub(crate) struct Scorer {
    encoder: Arc<dyn Encode>,
}

/// Whether a probe has no answer in its stream: it is adversarial without a gold answer.
pub(crate) fn is_unanswerable(gold: &Gold) -> bool {
    gold.is_adversarial() && gold.answer.is_none()
}

impl Scorer {
    /// A scorer that compares evidence with this encoder.
    pub(crate) fn new(encoder: Arc<dyn Encode>) -> Self {
        Self { encoder }
    }

    /// Scores one probe. Measures of the answer need a gold answer, those of the context gold
    /// evidence; a missing answer scores as an empty text.
    pub(crate) fn score(&self, case: &Case<'_>) -> Result<Scores> {
        let evidence = &case.gold.evidence;
        let texts: Vec<&str> = evidence
            .iter()
            .map(|id| text_of(id, case.said))
            .collect::<Result<_>>()?;
        let recall = fact_recall(
            case.gold, case.question, case.context, case.context_turns, case.said,
        )?;
        let is_adversarial = case.gold.is_adversarial();
        let mut scores = Scores {
            fact_recall: recall.filter(|_| !is_adversarial),
            fact_recall_adversarial: recall.filter(|_| is_adversarial),
            regret: regret(evidence, case.held),
            evidence_similarity: evidence_similarity(&*self.encoder, case.context, &texts)?,
            ..Scores::default()
        };
        if let Some(gold) = &case.gold.answer {
            let answer = if case.abstained { "" } else { case.answer };
            scores.containment = containment(case.context, gold);
            scores.right = answers_right(answer, gold).map(f64::from);
            scores.key_entities = names_key_entities(answer, gold).map(f64::from);
            scores.bleu4 = Some(bleu::sentence(answer, gold));
            scores.rouge_l = Some(rouge::rouge_l(answer, gold));
        }
        Ok(scores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_engine::streamfile::Category;
    use weir_models::WordHashEncoder;

    fn gold(answer: Option<&str>, evidence: &[&str], category: Category) -> Gold {
        Gold {
            answer: answer.map(str::to_owned),
            evidence: evidence.iter().map(|id| (*id).to_owned()).collect(),
            category: Some(category),
        }
    }

    fn scored(gold: &Gold, answer: &str, abstained: bool) -> Scores {
        let said = HashMap::from([("u1", "We leave for Lisbon"), ("u2", "The cat sleeps")]);
        let turns = ["u1".to_owned()];
        let held = HashSet::from(["u1".to_owned()]);
        let case = Case {
            gold,
            question: "Where do they go?",
            answer,
            abstained,
            context: "Anna: We leave for Lisbon",
            context_turns: &turns,
            said: &said,
            held: Some(&held),
        };
        let scorer = Scorer::new(Arc::new(WordHashEncoder::new()));
        scorer.score(&case).expect("scored")
    }

    #[test]
    fn a_right_answer_scores_in_every_measure() {
        let gold = gold(Some("Lisbon"), &["u1", "u2"], Category::SingleHop);
        let scores = scored(&gold, "Lisbon", false);
        let near =
            |score: Option<f64>, value: f64| (score.expect("a measure") - value).abs() < 1e-6;
        assert!(near(scores.fact_recall, 0.5) && scores.fact_recall_adversarial.is_none());
        assert!(near(scores.regret, 0.5) && near(scores.right, 1.0));
        assert!(near(scores.containment, 1.0) && near(scores.key_entities, 1.0));
        assert!(near(scores.bleu4, 1.0) && near(scores.rouge_l, 1.0));
        assert!(scores.evidence_similarity.expect("evidence") > 0.3);
    }

    #[test]
    fn an_abstention_scores_as_no_words() {
        let gold = gold(Some("Lisbon"), &["u1"], Category::SingleHop);
        let scores = scored(&gold, "Lisbon is what I know nothing of", true);
        let none = [
            scores.key_entities, scores.bleu4, scores.rouge_l, scores.right,
        ];
        assert_eq!(none, [Some(0.0); 4]);
        assert_eq!(scores.containment, Some(1.0), "it is of the context");
    }

    #[test]
    fn what_has_no_answer_has_no_scores_of_answers() {
        let gold = gold(None, &[], Category::Adversarial);
        assert!(is_unanswerable(&gold));
        assert_eq!(scored(&gold, "Lisbon", false), Scores::default());
    }
}
