//! The default answerer: quotes the best evidence, or abstains.
//!
//! It has no model, so it says only what was said. It abstains if the best statement supports too
//! little of the question.

use super::recall::Recall;
use super::rendering::{cited, cited_passages, spoken};
use super::types::{Answer, AnswerKind, Citation, Draft, Premise, Question, Statement};
use super::{Answerer, feeling, known, overview};
use crate::limits;
use crate::text::{content_words, terms};
use std::collections::BTreeSet;
use weir_models::Flow;

/// Maximum words of an answer, unless one statement has more.
const WORDS_MAX: usize = 40;
/// Maximum number of statements in an answer, and the maximum when one is certain.
const QUOTES_MAX: usize = 4;
const QUOTES_MAX_SURE: usize = 2;
/// Probability from which a statement certainly answers.
const SURE: f32 = 0.7;
/// Probability below which no statement is likely.
const UNSURE: f32 = 0.3;
/// A further statement is quoted if its probability is at least this, and close to that of the
/// first.
const ALSO_CHANCE: f32 = 0.05;
const ALSO_SHARE: f32 = 0.15;

/// The answer when memory has none.
pub const ABSTENTION: &str = "Nothing I have heard answers that.";

/// What follows it for a question in another language than English.
const ENGLISH_ALONE: &str = "I answer questions about the memory itself in English only.";

/// The answerer that quotes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quote;

impl Answerer for Quote {
    fn name(&self) -> &'static str {
        "quote"
    }

    fn answer_watched(
        &mut self,
        question: &Question,
        recall: &Recall,
        _watch: &mut dyn FnMut(&Draft<'_>) -> Flow,
    ) -> Answer {
        quote(question, recall)
    }
}

/// Answers by quoting the likeliest statement, and further likely ones that add something.
#[must_use]
pub fn quote(question: &Question, recall: &Recall) -> Answer {
    if let Some(unclear) = recall.reading.premise.as_ref().filter(|it| it.is_unclear()) {
        return asked_back(unclear);
    }
    if let Some(overview) = &recall.reading.overview {
        return overview::render_answer(overview, recall.reading.premise.as_ref());
    }
    if let Some(mut known) = feeling::render_answer(recall).or_else(|| known::render_answer(recall))
    {
        if let Some(misspelt @ Premise::Misspelt { .. }) = &recall.reading.premise {
            known.text.insert_str(0, &format!("{misspelt} "));
        }
        return known;
    }
    if let Some(passage) = best_passage(recall) {
        return quotes(&[passage], recall);
    }
    let quoted = quoted(question, recall);
    if quoted.is_empty() || !supported(recall) {
        return abstention(recall);
    }
    quotes(&quoted, recall)
}

/// Asks who is meant.
fn asked_back(unclear: &Premise) -> Answer {
    Answer::computed(AnswerKind::AskBack, unclear.to_string(), Vec::new())
}

/// The passage that is clearly better evidence than what was heard.
fn best_passage(recall: &Recall) -> Option<&Statement> {
    recall
        .passages
        .best
        .first()
        .filter(|_| recall.passages.lead)
}

/// The answer that quotes these statements.
pub(super) fn quotes(quoted: &[&Statement], recall: &Recall) -> Answer {
    let spoken = spoken(quoted);
    let citations = cited(quoted);
    let grounded = grounded(quoted, &citations);
    let premise = premise(quoted, recall);
    Answer {
        kind: AnswerKind::of(premise, true),
        text: match premise {
            Some(premise) => format!("{premise} {spoken}"),
            None => spoken,
        },
        citations,
        passages: cited_passages(quoted),
        grounded,
        unsupported: Vec::new(),
        fallback: None,
    }
}

/// The premise that an answer from these statements names: what a source says was not heard of
/// anybody, so that it contradicts no premise.
pub(super) fn premise<'a>(quoted: &[&Statement], recall: &'a Recall) -> Option<&'a Premise> {
    let heard = quoted.iter().any(|statement| statement.passage.is_none());
    recall.reading.premise.as_ref().filter(|_| heard)
}

fn quoted<'a>(question: &Question, recall: &'a Recall) -> Vec<&'a Statement> {
    let mut said: BTreeSet<String> = content_words(&question.text).collect();
    let asked = terms(&question.text);
    // in a small memory everything is about as likely
    let best_says_all = recall.heard.answers.first().is_some_and(|best| {
        let words = terms(&best.text);
        !asked.is_empty() && asked.iter().all(|term| words.contains(term))
    });
    let (mut quoted, mut length): (Vec<&Statement>, usize) = (Vec::new(), 0);
    let best = recall
        .heard
        .answers
        .first()
        .map_or(0.0, |first| first.chance);
    let most = if best >= SURE {
        QUOTES_MAX_SURE
    } else {
        QUOTES_MAX
    };
    // if no single statement is likely, several together may name everything asked
    let joined = recall.heard.joined.iter().filter(|_| best < UNSURE);
    let first = recall.heard.answers.iter().take(1);
    for statement in first.chain(joined).chain(likely(recall)) {
        let words = statement.text.split_whitespace().count() + 1;
        let content: BTreeSet<String> = content_words(&statement.text).collect();
        let beside =
            || best_says_all && !terms(&statement.text).iter().any(|it| asked.contains(it));
        let fits = length + words <= WORDS_MAX && !content.is_subset(&said) && !beside();
        if quoted.is_empty() || (fits && quoted.len() < most) {
            quoted.push(statement);
            length += words;
            said.extend(content);
        }
    }
    quoted
}

/// Statements about as likely as the first.
pub(super) fn likely(recall: &Recall) -> impl Iterator<Item = &Statement> {
    let best = recall
        .heard
        .answers
        .first()
        .map_or(0.0, |first| first.chance);
    let least = ALSO_CHANCE.max(ALSO_SHARE * best);
    recall
        .heard
        .answers
        .iter()
        .filter(move |it| it.chance >= least)
}

/// Whether memory supports an answer.
pub(super) fn supported(recall: &Recall) -> bool {
    recall.heard.support >= limits::SUPPORT_MIN
        || !recall.known.beliefs.is_empty()
        || !recall.known.facts.is_empty()
        || best_passage(recall).is_some()
}

/// Says that memory has no answer, and what the question wrongly presumes: then another speaker's
/// statement is quoted.
pub(super) fn abstention(recall: &Recall) -> Answer {
    let other = matches!(recall.reading.premise, Some(Premise::OtherPerson { .. }));
    let other = recall.heard.elsewhere.as_ref().filter(|_| other);
    let quoted: Vec<&Statement> = other.into_iter().collect();
    let text = match &recall.reading.premise {
        Some(premise) if quoted.is_empty() => format!("{premise} {ABSTENTION}"),
        Some(premise) => format!("{premise} {}", spoken(&quoted)),
        None => ABSTENTION.to_owned(),
    };
    let text = match recall.reading.other_language {
        true => format!("{text} {ENGLISH_ALONE}"),
        false => text,
    };
    let kind = AnswerKind::of(recall.reading.premise.as_ref(), false);
    Answer::computed(kind, text, cited(&quoted))
}

/// Share of the quoted statements whose content words are in the cited quotes, or that need no
/// quote because they are the evidence's own words, as passages are.
fn grounded(quoted: &[&Statement], citations: &[Citation]) -> f32 {
    let proved: BTreeSet<String> = citations
        .iter()
        .filter_map(|citation| citation.quote.as_deref())
        .flat_map(content_words)
        .collect();
    let carried = quoted
        .iter()
        .filter(|statement| {
            let words: BTreeSet<String> = content_words(&statement.text).collect();
            statement.passage.is_some() || words.intersection(&proved).count() * 2 >= words.len()
        })
        .count();
    carried as f32 / quoted.len().max(1) as f32
}
