//! Reads a question: its terms and how rare they are, whom it names, what kind of answer it wants.

use crate::answer::Question;
use crate::memory::Kind;
use crate::session::Session;
use crate::text::{Marks, Term, Traits, display_words, terms};
use std::collections::BTreeSet;

/// What an answer must contain to be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    /// A number.
    Number,
    /// A day, a month or a year.
    Day,
    /// A day or a time of day.
    Time,
    /// Anything.
    Statement,
}

impl Wants {
    /// Whether a statement of these traits can be such an answer.
    pub(super) fn met_by(self, traits: Traits) -> bool {
        match self {
            Self::Number => traits.number,
            Self::Day => traits.time,
            Self::Time => traits.number || traits.time,
            Self::Statement => true,
        }
    }
}

/// A question as the search sees it.
#[derive(Debug)]
pub(super) struct Query {
    /// Every term with its rarity in memory.
    pub(super) weighted: Vec<(Term, f32)>,
    /// The terms that say what is asked, without the names of speakers.
    pub(super) focus: Vec<(Term, f32)>,
    /// Speakers that the question is about, lower-cased, with the words of their names.
    pub(super) people: Vec<(String, Vec<Term>)>,
    /// Share of the names in the question that memory knows; 1 when it names none.
    pub(super) known_share: f32,
    /// Things that the question says somebody has.
    pub(super) owned: Vec<Term>,
    /// The words of speakers' names, which link nothing by being shared.
    pub(super) speaker_terms: BTreeSet<Term>,
    /// What kind of answer it wants.
    pub(super) wants: Wants,
    /// Cosine of a statement that surely speaks of what is asked.
    pub(super) full_cosine: f32,
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
            owned: owned(&question.text),
            speaker_terms: speakers.iter().flat_map(|name| terms(name)).collect(),
            wants: wants(&words, &question.text),
            full_cosine: session.config().profile.support_cosine,
            weighted,
            people: people
                .into_iter()
                .map(|name| {
                    let words = terms(&name);
                    (name, words)
                })
                .collect(),
        }
    }

    /// Whether a statement of these words is about the people in question.
    pub(super) fn concerned(&self, speaker: Option<&str>, words: &[Term]) -> bool {
        let is = |name: &str| {
            speaker.is_some_and(|speaker| {
                speaker.eq_ignore_ascii_case(name)
                    || (!speaker.is_ascii() && speaker.to_lowercase() == name)
            })
        };
        self.people.is_empty()
            || self
                .people
                .iter()
                .any(|(name, terms)| is(name) || terms.iter().any(|term| words.contains(term)))
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
    // runs of one speaker are common, sets are not cheap
    let mut speakers: Vec<&str> = Vec::new();
    for name in held.chain(raw) {
        if speakers.last() != Some(&name) && !speakers.contains(&name) {
            speakers.push(name);
        }
    }
    speakers.into_iter().map(str::to_lowercase).collect()
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
                || parts.iter().all(|&term| heard_of(session, term))
        })
        .count();
    known as f32 / marks.names.len() as f32
}

/// The things that the question says somebody has: "Maria's parrot", "his piano".
fn owned(text: &str) -> Vec<Term> {
    const OWNERS: [&str; 6] = ["his", "her", "my", "your", "their", "our"];
    let words: Vec<String> = display_words(text)
        .map(|word| word.to_lowercase())
        .collect();
    words
        .windows(2)
        .filter(|pair| pair[0].ends_with("'s") || OWNERS.contains(&pair[0].as_str()))
        .flat_map(|pair| terms(&pair[1]))
        .collect()
}

fn heard_of(session: &Session, term: Term) -> bool {
    let raw = || {
        session
            .buffer()
            .raw()
            .any(|heard| terms(&heard.utterance.text).contains(&term))
    };
    session.tree().lexicon().knows(term) || raw()
}

fn wants(words: &BTreeSet<String>, text: &str) -> Wants {
    let lower = text.to_lowercase();
    let asks = |starts: &[&str]| starts.iter().any(|start| lower.contains(start));
    if asks(&[
        "which day",
        "what day",
        "what date",
        "which date",
        "what month",
        "which month",
        "what year",
        "which year",
    ]) {
        Wants::Day
    } else if words.contains("when") || asks(&["what time", "which time"]) {
        Wants::Time
    } else if asks(&["how many", "how much", "how old", "how long"]) {
        Wants::Number
    } else {
        Wants::Statement
    }
}
