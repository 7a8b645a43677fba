//! What is tried first: the one order in which every answerer decides what kind of answer it gives.

use super::overview;
use super::recall::Recall;
use super::rendering::{cited, cited_passages, spoken};
use super::selection::quoted;
use super::types::{Answer, AnswerKind, Citation, Overview, Premise, Question, Statement};
use crate::limits;
use crate::text::content_words;
use std::collections::BTreeSet;

/// The answer when memory has none.
pub const ABSTENTION: &str = "Nothing I have heard answers that.";

/// What follows it for a question in another language than English.
const ENGLISH_ALONE: &str = "If you ask about the talk as a whole, ask in English.";

/// The kind of answer that a question gets: the first of these, in this order, that applies.
pub(super) enum Decision<'a> {
    /// Several people may be meant: who is?
    AskBack(&'a Premise),
    /// The question is about memory itself, or asks nothing.
    Overview(&'a Overview),
    /// A passage of a source is clearly better evidence than what was heard.
    Passage(&'a Statement),
    /// Statements that were heard answer.
    Quotes(Vec<&'a Statement>),
    /// Memory supports no answer.
    Nothing,
}

impl<'a> Decision<'a> {
    pub(super) fn of(question: &Question, recall: &'a Recall) -> Self {
        let premise = recall.reading.premise.as_ref();
        if let Some(unclear) = premise.filter(|it| it.is_unclear()) {
            return Self::AskBack(unclear);
        }
        if let Some(overview) = &recall.reading.overview {
            return Self::Overview(overview);
        }
        if let Some(passage) = recall.passages.best.first()
            && recall.passages.lead
        {
            return Self::Passage(passage);
        }
        let quoted = quoted(question, recall);
        match recall.heard.support >= limits::SUPPORT_MIN && !quoted.is_empty() {
            true => Self::Quotes(quoted),
            false => Self::Nothing,
        }
    }

    /// Whether a model may write the answer. It may not where memory computes what it knows of
    /// itself or has no answer, and where somebody else said it: models tend to confirm a question,
    /// and quotes show who spoke.
    pub(super) fn is_for_model(&self, recall: &Recall) -> bool {
        let other = matches!(recall.reading.premise, Some(Premise::OtherPerson { .. }));
        matches!(self, Self::Passage(_) | Self::Quotes(_)) && !other
    }

    /// The answer without a model.
    pub(super) fn answer(self, recall: &Recall) -> Answer {
        match self {
            Self::AskBack(unclear) => {
                Answer::computed(AnswerKind::AskBack, unclear.to_string(), Vec::new())
            }
            Self::Overview(overview) => {
                overview::render_answer(overview, recall.reading.premise.as_ref())
            }
            Self::Passage(passage) => quotes(&[passage], recall),
            Self::Quotes(quoted) => quotes(&quoted, recall),
            Self::Nothing => abstention(recall),
        }
    }
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
        chance: chance(quoted, recall),
        grounded,
        unsupported: Vec::new(),
        fallback: None,
    }
}

/// How sure an answer from these statements is: as sure as memory's likeliest one, if its utterance
/// is first.
pub(super) fn chance(quoted: &[&Statement], recall: &Recall) -> Option<f32> {
    let (first, likeliest) = (quoted.first()?, recall.heard.answers.first()?);
    let leads = quoted.contains(&likeliest) && first.is_said_with(likeliest);
    recall.heard.chance.filter(|_| leads || *first == likeliest)
}

/// The premise that an answer from these statements names: what a source says was not heard of
/// anybody, so that it contradicts no premise; and nobody is said to have said nothing of it whom
/// the answer quotes.
pub(super) fn premise<'a>(quoted: &[&Statement], recall: &'a Recall) -> Option<&'a Premise> {
    let heard = quoted.iter().any(|statement| statement.passage.is_none());
    let quotes = |name: &str| {
        let mut speakers = quoted.iter().filter_map(|it| it.speaker.as_deref());
        speakers.any(|speaker| speaker == name || speaker.split(' ').any(|part| part == name))
    };
    let premise = recall.reading.premise.as_ref().filter(|_| heard);
    premise.filter(|it| !matches!(it, Premise::OtherPerson { asked } if quotes(asked)))
}

/// Says that memory has no answer, and what the question wrongly presumes: then another speaker's
/// statement is quoted.
pub(super) fn abstention(recall: &Recall) -> Answer {
    if let Some(days) = &recall.reading.silent_days {
        let text = overview::nothing_of(days);
        return Answer::computed(AnswerKind::NotKnown, text, Vec::new());
    }
    let other = matches!(recall.reading.premise, Some(Premise::OtherPerson { .. }));
    let other = recall.heard.elsewhere.as_ref().filter(|_| other);
    let quoted: Vec<&Statement> = other.into_iter().collect();
    let text = match &recall.reading.premise {
        // whom it is not of says little alone
        Some(Premise::OtherPerson { .. }) if quoted.is_empty() => ABSTENTION.to_owned(),
        Some(premise) if quoted.is_empty() => format!("{premise} {ABSTENTION}"),
        Some(premise) => format!("{premise} {}", spoken(&quoted)),
        None => ABSTENTION.to_owned(),
    };
    let text = match recall.reading.other_language && quoted.is_empty() {
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
