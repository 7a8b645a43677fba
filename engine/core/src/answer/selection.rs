//! Which statements an answer quotes.

use super::recall::Recall;
use super::types::{Question, Statement};
use crate::text::{content_words, terms};
use std::collections::BTreeSet;

/// Maximum words of an answer, unless one statement has more.
const WORDS_MAX: usize = 40;
/// An answer of fewer words says too little alone: what else was said in the utterance of the first
/// statement follows. Chosen on LoCoMo.
const WORDS_ENOUGH: usize = 14;
/// Maximum number of statements chosen for an answer, and the maximum when one is certain.
const QUOTES_MAX: usize = 3;
const QUOTES_MAX_SURE: usize = 2;
/// Probability from which a statement certainly answers.
const SURE: f32 = 0.7;
/// A further statement is quoted if its probability is at least this, and close to that of the
/// first.
const ALSO_CHANCE: f32 = 0.05;
const ALSO_SHARE: f32 = 0.5;

/// What an answer says so far.
struct Said {
    /// The content words of the question and of the statements.
    content: BTreeSet<String>,
    /// Words of the statements.
    length: usize,
}

impl Said {
    /// Whether a statement adds something, and leaves the answer short enough.
    fn has_room(&self, statement: &Statement) -> bool {
        let adds = || content_words(&statement.text).any(|word| !self.content.contains(&word));
        self.length + words(statement) <= WORDS_MAX && adds()
    }

    fn add(&mut self, statement: &Statement) {
        self.length += words(statement);
        self.content.extend(content_words(&statement.text));
    }
}

/// Words of a statement, and one for the name of its speaker.
fn words(statement: &Statement) -> usize {
    statement.text.split_whitespace().count() + 1
}

/// The likeliest statement, and further likely statements that add something; where those are few
/// words, the rest of its utterance too.
pub(super) fn quoted<'a>(question: &Question, recall: &'a Recall) -> Vec<&'a Statement> {
    let mut said = Said {
        content: content_words(&question.text).collect(),
        length: 0,
    };
    let asked = terms(&question.text);
    // in a small memory everything is about as likely
    let best_says_all = recall.heard.answers.first().is_some_and(|best| {
        let words = terms(&best.text);
        !asked.is_empty() && asked.iter().all(|term| words.contains(term))
    });
    let mut quoted: Vec<&Statement> = Vec::new();
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
    for statement in likely(recall) {
        let beside =
            || best_says_all && !terms(&statement.text).iter().any(|it| asked.contains(it));
        let fits = quoted.len() < most && said.has_room(statement) && !beside();
        if quoted.is_empty() || fits {
            said.add(statement);
            quoted.push(statement);
        }
    }
    let mut rest: Vec<&Statement> = Vec::new();
    for statement in &recall.heard.around {
        if said.length < WORDS_ENOUGH && said.has_room(statement) {
            said.add(statement);
            rest.push(statement);
        }
    }
    let after_first = quoted.len().min(1);
    quoted.splice(after_first..after_first, rest);
    as_said(quoted)
}

/// Statements of one utterance together, in the order said; utterances in the order of their first
/// statement.
fn as_said(quoted: Vec<&Statement>) -> Vec<&Statement> {
    let mut utterances: Vec<Vec<&Statement>> = Vec::new();
    for statement in quoted {
        let with = |it: &&mut Vec<&Statement>| it[0].is_said_with(statement);
        match utterances.iter_mut().find(with) {
            Some(said) => said.push(statement),
            None => utterances.push(vec![statement]),
        }
    }
    let place = |it: &&Statement| Some(it.citations.first()?.evidence.part?.start);
    utterances.iter_mut().for_each(|it| it.sort_by_key(place));
    utterances.concat()
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
