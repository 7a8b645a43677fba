//! A line of a result file, version 1: a result and what the stream's gold labels make of it. Field
//! names and order are those of the format.

use crate::streamfile::{Category, Gold, Labelled};
use serde::Serialize;
use weir_api::ProbeResult;
use weir_core::text::stems;

/// One question of a replay. What its stream has no gold labels for is left out, so that lines of
/// unlabelled streams, and of earlier builds, are the result alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbeLine<'a> {
    /// The result, its fields in the line itself.
    #[serde(flatten)]
    pub result: ProbeResult,
    /// Kind of question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// The right answer, null where the stream names none, and the ids of its evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gold: Option<&'a Gold>,
    /// Utterances from the last evidence to the question, 1 right below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u64>,
    /// How the answer compares with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<Scores>,
}

/// Scores of an answer against gold labels: exact, and without a model. Whether it was declined is
/// said by [`ProbeResult::kind`] and [`ProbeResult::abstained`].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Scores {
    /// Whether the first quote is evidence, which an answer without quotes has not; left out where
    /// the question has no evidence. Of a question with a false premise, evidence is what shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_quote_is_evidence: Option<bool>,
    /// Share of the quotes that are evidence; left out without evidence or without quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotes_that_are_evidence: Option<f32>,
    /// Share of the gold answer's content words, by their stems, that stand in the answer; left out
    /// where the gold answer has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_has_gold_words: Option<f32>,
}

impl<'a> ProbeLine<'a> {
    /// A result, with the labels of its probe in the stream of this name.
    #[must_use]
    pub fn of(result: ProbeResult, labelled: Option<(&str, &'a Labelled)>) -> Self {
        let scores = labelled.map(|(stream, it)| Scores::of(&result, stream, &it.gold));
        let labelled = labelled.map(|(_, it)| it);
        Self {
            result,
            category: labelled.and_then(|it| it.gold.category),
            gold: labelled.map(|it| &it.gold),
            distance: labelled.and_then(|it| it.distance),
            scores: scores.filter(|it| *it != Scores::default()),
        }
    }
}

impl Scores {
    fn of(result: &ProbeResult, stream: &str, gold: &Gold) -> Self {
        // another stream of the session may use the same ids
        let quotes = result.citations.iter().map(|quote| {
            let is_gold = |id| gold.evidence.contains(id);
            quote.stream == stream && quote.utterances.iter().any(is_gold)
        });
        let quotes: Vec<bool> = quotes.collect();
        let (words, said) = (gold.answer.as_deref().map(stems), stems(&result.answer));
        let words = words.unwrap_or_default();
        let of_evidence = !gold.evidence.is_empty();
        Self {
            first_quote_is_evidence: of_evidence.then(|| quotes.first() == Some(&true)),
            quotes_that_are_evidence: share(quotes.iter().copied()).filter(|_| of_evidence),
            answer_has_gold_words: share(words.iter().map(|word| said.contains(word))),
        }
    }
}

/// The share of those that hold; `None` of none.
fn share(all: impl ExactSizeIterator<Item = bool>) -> Option<f32> {
    let count = all.len();
    (count > 0).then(|| all.filter(|holds| *holds).count() as f32 / count as f32)
}
