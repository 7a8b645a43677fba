//! All scores of one probe.

use super::facts::{evidence_text, fact_recall};
use super::similarity::evidence_similarity;
use super::words::{answers_right, containment, names_key_entities, regret};
use super::{bleu, rouge};
use crate::method::Answered;
use crate::timing::mean;
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use weir_engine::streamfile::Gold;
use weir_models::Encode;

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
    /// Cosine of context and gold evidence, `-1.0..=1.0`: Evid. of ProStream, table 2.
    pub(crate) evidence_similarity: Option<f64>,
    /// 1 if the answer has every key entity of the gold answer, else 0: KEM of that table.
    pub(crate) key_entities: Option<f64>,
    /// BLEU with up to four-grams of one answer.
    pub(crate) bleu4: Option<f64>,
    /// F-measure of the longest common subsequence.
    pub(crate) rouge_l: Option<f64>,
    /// Share of the turns that the answer cites that are gold evidence; not of quotes that stand
    /// where a model's text would.
    #[serde(default)]
    pub(crate) references: Option<f64>,
    /// 1 if a sentence that a model wrote was removed, as no cited turn supports it, else 0.
    #[serde(default)]
    pub(crate) cut: Option<f64>,
    /// 1 if quotes stand where a model's text would, else 0.
    #[serde(default)]
    pub(crate) quoted: Option<f64>,
}

impl Scores {
    /// Fact recall of any kind of question.
    pub(crate) fn any_fact_recall(&self) -> Option<f64> {
        self.fact_recall.or(self.fact_recall_adversarial)
    }

    /// The mean of each score over the probes that have it.
    pub(crate) fn mean(all: &[&Self]) -> Self {
        macro_rules! means {
            ($($score:ident),*) => { Self { $($score: mean(all.iter().map(|it| it.$score))),* } };
        }
        means!(
            fact_recall, fact_recall_adversarial, right, regret, containment, evidence_similarity,
            key_entities, bleu4, rouge_l, references, cut, quoted
        )
    }
}

/// A question, a method's result, and the gold labels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) gold: &'a Gold,
    pub(crate) question: &'a str,
    /// `None` if the method does not answer.
    pub(crate) answer: Option<&'a Answered>,
    pub(crate) context: &'a str,
    /// Ids of all turns in the context.
    pub(crate) context_turns: &'a [String],
    /// Text of each turn of the stream, by id, without the speaker.
    pub(crate) said: &'a HashMap<&'a str, &'a str>,
    /// Ids of the turns still in any part of memory; `None` means all.
    pub(crate) held: Option<&'a HashSet<String>>,
}

/// Scores one probe; `encoder` compares contexts with evidence. Some measures need a gold answer,
/// the others gold evidence.
pub(crate) fn score(case: &Case<'_>, encoder: &dyn Encode) -> Result<Scores> {
    let recall = fact_recall(
        case.gold, case.question, case.context, case.context_turns, case.said,
    )?;
    let is_adversarial = case.gold.is_adversarial();
    let gold = case.gold.answer.as_deref();
    let both = case.answer.map(Answered::counted).zip(gold);
    let given = case.answer.filter(|it| !it.abstained);
    let written = given.and_then(|it| it.cut_quoted);
    let own = given.filter(|_| written.is_none_or(|(_, quoted)| !quoted));
    let of_gold = |id: &&String| case.gold.evidence.contains(id);
    let references = own.map(|it| (it.cited.iter().filter(of_gold).count(), it.cited.len()));
    let references = references.filter(|(_, cited)| *cited > 0 && !case.gold.evidence.is_empty());
    let evidence = case.gold.evidence.iter();
    let evidence = evidence.map(|id| evidence_text(id, case.said));
    let evidence: Vec<&str> = evidence.collect::<Result<_>>()?;
    Ok(Scores {
        fact_recall: recall.filter(|_| !is_adversarial),
        fact_recall_adversarial: recall.filter(|_| is_adversarial),
        right: both
            .and_then(|(answer, gold)| answers_right(answer, gold))
            .map(f64::from),
        regret: regret(&case.gold.evidence, case.held),
        containment: gold.and_then(|gold| containment(case.context, gold)),
        evidence_similarity: evidence_similarity(encoder, case.context, &evidence)?,
        key_entities: both
            .and_then(|(answer, gold)| names_key_entities(answer, gold))
            .map(f64::from),
        bleu4: both.map(|(answer, gold)| bleu::sentence(answer, gold)),
        rouge_l: both.map(|(answer, gold)| rouge::rouge_l(answer, gold)),
        references: references.map(|(right, cited)| right as f64 / cited as f64),
        cut: written.map(|it| f64::from(u8::from(it.0))),
        quoted: written.map(|it| f64::from(u8::from(it.1))),
    })
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

    fn scored(gold: &Gold, answer: Option<&str>) -> Scores {
        let said = HashMap::from([("u1", "We leave for Lisbon"), ("u2", "The cat sleeps")]);
        let turns = ["u1".to_owned()];
        let answer = answer.map(|text| Answered {
            text: text.to_owned(),
            abstained: text.is_empty(),
            cited: ["u1", "u3"].map(str::to_owned).into(),
            cut_quoted: Some((true, false)),
        });
        let held = HashSet::from(["u1".to_owned()]);
        let case = Case {
            gold,
            question: "Where do they go?",
            answer: answer.as_ref(),
            context: "Anna: We leave for Lisbon",
            context_turns: &turns,
            said: &said,
            held: Some(&held),
        };
        score(&case, &WordHashEncoder::new()).expect("scored")
    }

    #[test]
    fn a_right_answer_scores_in_every_measure() {
        let gold = gold(Some("Lisbon"), &["u1", "u2"], Category::SingleHop);
        let found = scored(&gold, Some("Lisbon"));
        assert!(found.evidence_similarity.expect("evidence") > 0.3);
        let bleu4 = found.bleu4.expect("an answer");
        assert!((bleu4 - 1.0).abs() < 1e-9, "{bleu4}");
        let expected = Scores {
            fact_recall: Some(0.5),
            fact_recall_adversarial: None,
            right: Some(1.0),
            regret: Some(0.5),
            containment: Some(1.0),
            key_entities: Some(1.0),
            rouge_l: Some(1.0),
            references: Some(0.5),
            cut: Some(1.0),
            quoted: Some(0.0),
            ..found
        };
        assert_eq!(found, expected);
        let abstained = scored(&gold, Some(""));
        let of_answer = [abstained.key_entities, abstained.bleu4, abstained.rouge_l];
        assert_eq!((abstained.right, of_answer), (Some(0.0), [Some(0.0); 3]));
        let unanswered = Scores {
            right: None,
            key_entities: None,
            bleu4: None,
            rouge_l: None,
            references: None,
            cut: None,
            quoted: None,
            ..expected
        };
        assert_eq!(scored(&gold, None), unanswered);
    }

    #[test]
    fn what_has_no_answer_has_no_scores_of_answers() {
        let gold = gold(None, &[], Category::Adversarial);
        let of_text = Scores {
            cut: Some(1.0),
            quoted: Some(0.0),
            ..Scores::default()
        };
        assert_eq!(scored(&gold, Some("Lisbon")), of_text);
    }

    #[test]
    fn recall_of_adversarial_questions_stands_apart() {
        let gold = gold(None, &["u1"], Category::Adversarial);
        let scores = scored(&gold, None);
        let recall = (scores.fact_recall, scores.fact_recall_adversarial);
        assert_eq!(recall, (None, Some(1.0)));
        assert_eq!(regret(&gold.evidence, None), Some(0.0), "all are held");
    }
}
