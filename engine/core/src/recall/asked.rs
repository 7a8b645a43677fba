//! The parts of a question that the ranker reads.

use super::expected::Kind;
use crate::answer::Question;
use crate::text::{content_words, display_words};
use std::collections::BTreeSet;

/// Words of what will be, and of questions about it.
const WILL: [&str; 3] = ["will", "won't", "shall"];
const PLANS: [&str; 2] = ["going", "plan"];
/// Auxiliaries of questions about the past.
const PAST: [&str; 4] = ["did", "was", "were", "had"];

/// Values that are the same for all statements of one question.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) kind: Kind,
    pub(super) words: BTreeSet<String>,
    /// Dot product of the question's term vector with itself.
    pub(super) whole: f32,
    pub(super) several: bool,
    pub(super) second_person: bool,
    /// Whether it asks for what was, or for what happened.
    pub(super) past_tense: bool,
    /// Whether it asks for what will be.
    pub(super) future: bool,
}

impl Asked {
    pub(super) fn of(question: &Question) -> Self {
        let (text, terms) = (&question.text, &question.terms);
        let lower = text.to_lowercase();
        let words: Vec<&str> = display_words(&lower).collect();
        let plural = |word: &&str| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
        Self {
            kind: Kind::asked(text),
            words: content_words(text).collect(),
            whole: terms.dot(terms),
            several: words.iter().take(3).any(plural),
            second_person: words.iter().any(|word| ["you", "your"].contains(word)),
            past_tense: Self::is_past(text),
            future: Self::asks_ahead(text),
        }
    }

    /// Whether a question asks for what will be.
    pub(super) fn asks_ahead(question: &str) -> bool {
        let plans = |word: &str| PLANS.iter().any(|it| word.eq_ignore_ascii_case(it));
        Self::tells_ahead(question) || display_words(question).any(plans)
    }

    /// Whether a statement is about what will be.
    pub(super) fn tells_ahead(said: &str) -> bool {
        let will = |word: &str| WILL.iter().any(|it| word.eq_ignore_ascii_case(it));
        display_words(said).any(|word| will(word) || word.ends_with("'ll"))
    }

    /// Whether a question asks for what was, or for what happened.
    pub(super) fn is_past(question: &str) -> bool {
        display_words(question).any(|word| PAST.iter().any(|it| word.eq_ignore_ascii_case(it)))
    }
}
