//! Reads a question: its terms and how rare they are, whom it names, what kind of answer it wants.

use crate::answer::Question;
use crate::memory::Kind;
use crate::session::Session;
use crate::text::{Marks, Term, display_words, terms};
use std::collections::BTreeSet;

/// What an answer must contain to be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    /// A number, a date or a time.
    Figure,
    /// Anything.
    Statement,
}

/// A question as the search sees it.
#[derive(Debug)]
pub(super) struct Query {
    /// Every term with its rarity in memory.
    pub(super) weighted: Vec<(Term, f32)>,
    /// The terms that say what is asked, without the names of speakers.
    pub(super) focus: Vec<(Term, f32)>,
    /// Speakers that the question is about, lower-cased.
    pub(super) people: BTreeSet<String>,
    /// Share of the names in the question that memory knows; 1 when it names none.
    pub(super) known_share: f32,
    /// What kind of answer it wants.
    pub(super) wants: Wants,
}

impl Query {
    pub(super) fn read(session: &Session, question: &Question) -> Self {
        let marks = Marks::of(&question.text);
        let speakers = speakers(session);
        let words: BTreeSet<String> = display_words(&question.text)
            .map(|word| word.to_lowercase().trim_end_matches("'s").to_owned())
            .collect();
        let mut people: BTreeSet<String> = speakers
            .iter()
            .filter(|name| name.split_whitespace().any(|part| words.contains(part)))
            .cloned()
            .collect();
        if let Some(asker) = question.asked_by.as_ref().filter(|_| marks.first_person) {
            people.insert(asker.to_lowercase());
        }
        let weighted = weighted(session, &question.text);
        let named: BTreeSet<Term> = people.iter().flat_map(|name| terms(name)).collect();
        Self {
            focus: weighted
                .iter()
                .copied()
                .filter(|(term, _)| !named.contains(term))
                .collect(),
            known_share: known_share(session, &marks, &speakers),
            wants: wants(&words, &question.text),
            weighted,
            people,
        }
    }
}

/// Everybody heard who is still held, lower-cased.
fn speakers(session: &Session) -> BTreeSet<String> {
    let held = session
        .tree()
        .of_kind(Kind::Unit)
        .filter_map(|unit| unit.speaker.as_deref());
    let raw = session
        .buffer()
        .raw()
        .filter_map(|heard| heard.utterance.speaker.as_deref());
    held.chain(raw)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(str::to_lowercase)
        .collect()
}

fn weighted(session: &Session, text: &str) -> Vec<(Term, f32)> {
    let raw: Vec<Vec<Term>> = session
        .buffer()
        .raw()
        .map(|heard| terms(&heard.utterance.text))
        .collect();
    let mut distinct = terms(text);
    distinct.sort_unstable();
    distinct.dedup();
    distinct
        .into_iter()
        .map(|term| {
            let with = raw.iter().filter(|words| words.contains(&term)).count();
            (term, session.tree().lexicon().rarity(term, raw.len(), with))
        })
        .collect()
}

/// A name that memory never met makes any answer doubtful.
fn known_share(session: &Session, marks: &Marks, speakers: &BTreeSet<String>) -> f32 {
    if marks.names.is_empty() {
        return 1.0;
    }
    let known = marks
        .names
        .iter()
        .filter(|name| {
            let parts = terms(name);
            speakers
                .iter()
                .any(|speaker| speaker.split_whitespace().any(|part| part == *name))
                || parts.iter().all(|&term| {
                    session.tree().lexicon().knows(term)
                        || session
                            .buffer()
                            .raw()
                            .any(|heard| terms(&heard.utterance.text).contains(&term))
                })
        })
        .count();
    known as f32 / marks.names.len() as f32
}

fn wants(words: &BTreeSet<String>, text: &str) -> Wants {
    let lower = text.to_lowercase();
    let figure = words.contains("when")
        || [
            "how many",
            "how much",
            "how old",
            "how long",
            "what time",
            "what date",
            "which day",
            "what day",
            "what year",
            "what month",
        ]
        .iter()
        .any(|start| lower.contains(start));
    if figure {
        Wants::Figure
    } else {
        Wants::Statement
    }
}
