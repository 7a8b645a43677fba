//! All scores of one probe.

use super::facts::fact_recall;
use super::words::{answers_right, containment, regret};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use weir_engine::streamfile::Gold;

/// Scores of one probe, in `0.0..=1.0`; `None` if a measure does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Scores {
    /// Fact recall: share of the gold turns whose fact sentence is on one line of the context. Not
    /// for adversarial probes.
    pub(crate) fact_recall: Option<f64>,
    /// The same for adversarial probes.
    pub(crate) fact_recall_adversarial: Option<f64>,
    /// 1 if all words of a short gold answer (at most four content words) stand in the first words
    /// of the answer, else 0.
    pub(crate) right: Option<f64>,
    /// Share of the gold turns that are no longer in any part of memory.
    pub(crate) regret: Option<f64>,
    /// Share of the gold answer's content words found in the context.
    pub(crate) containment: Option<f64>,
}

impl Scores {
    /// Number of scores.
    pub(crate) const COUNT: usize = 5;

    /// The scores in a fixed order.
    pub(crate) fn values(&self) -> [Option<f64>; Self::COUNT] {
        [
            self.fact_recall,
            self.fact_recall_adversarial,
            self.right,
            self.regret,
            self.containment,
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
        ] = values;
        Self {
            fact_recall,
            fact_recall_adversarial,
            right,
            regret,
            containment,
        }
    }
}

/// A question, a method's result, and the gold labels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'a> {
    /// Gold labels.
    pub(crate) gold: &'a Gold,
    /// The question.
    pub(crate) question: &'a str,
    /// The answer, empty if the method abstained; `None` if it does not answer.
    pub(crate) answer: Option<&'a str>,
    /// The context.
    pub(crate) context: &'a str,
    /// Ids of all turns in the context.
    pub(crate) context_turns: &'a [String],
    /// Text of each turn of the stream, by id, without the speaker.
    pub(crate) said: &'a HashMap<&'a str, &'a str>,
    /// Ids of the turns still in any part of memory; `None` means all.
    pub(crate) held: Option<&'a HashSet<String>>,
}

/// Scores one probe. Some measures need a gold answer, the others gold evidence.
pub(crate) fn score(case: &Case<'_>) -> Result<Scores> {
    let recall = fact_recall(
        case.gold, case.question, case.context, case.context_turns, case.said,
    )?;
    let is_adversarial = case.gold.is_adversarial();
    let gold = case.gold.answer.as_deref();
    let right = case.answer.zip(gold);
    let right = right.and_then(|(answer, gold)| answers_right(answer, gold));
    Ok(Scores {
        fact_recall: recall.filter(|_| !is_adversarial),
        fact_recall_adversarial: recall.filter(|_| is_adversarial),
        right: right.map(f64::from),
        regret: regret(&case.gold.evidence, case.held),
        containment: gold.and_then(|gold| containment(case.context, gold)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_engine::streamfile::Category;

    fn gold(answer: Option<&str>, evidence: &[&str], category: Category) -> Gold {
        Gold {
            answer: answer.map(str::to_owned),
            evidence: evidence.iter().map(|id| (*id).to_owned()).collect(),
            category: Some(category),
        }
    }

    fn scored(gold: &Gold, answer: Option<&str>) -> Scores {
        let said = HashMap::from([("u1", "We leave for Lisbon"), ("u2", "The cat sleeps")]);
        let turns = ["u1".to_owned()];
        let held = HashSet::from(["u1".to_owned()]);
        let case = Case {
            gold,
            question: "Where do they go?",
            answer,
            context: "Anna: We leave for Lisbon",
            context_turns: &turns,
            said: &said,
            held: Some(&held),
        };
        score(&case).expect("scored")
    }

    #[test]
    fn a_right_answer_scores_in_every_measure() {
        let gold = gold(Some("Lisbon"), &["u1", "u2"], Category::SingleHop);
        let expected = Scores {
            fact_recall: Some(0.5),
            fact_recall_adversarial: None,
            right: Some(1.0),
            regret: Some(0.5),
            containment: Some(1.0),
        };
        assert_eq!(scored(&gold, Some("Lisbon")), expected);
        assert_eq!(scored(&gold, Some("")).right, Some(0.0), "it abstained");
        let unanswered = Scores {
            right: None,
            ..expected
        };
        assert_eq!(scored(&gold, None), unanswered);
    }

    #[test]
    fn what_has_no_answer_has_no_scores_of_answers() {
        let gold = gold(None, &[], Category::Adversarial);
        assert_eq!(scored(&gold, Some("Lisbon")), Scores::default());
    }

    #[test]
    fn recall_of_adversarial_questions_stands_apart() {
        let gold = gold(None, &["u1"], Category::Adversarial);
        let scores = scored(&gold, None);
        let recall = (scores.fact_recall, scores.fact_recall_adversarial);
        assert_eq!(recall, (None, Some(1.0)));
    }
}
