//! Which statements an answer quotes.

use super::recall::Recall;
use super::types::{Question, Statement};
use crate::text::{content_words, terms};
use std::collections::BTreeSet;

/// Maximum words of an answer, unless one statement has more.
const WORDS_MAX: usize = 40;
/// Maximum number of statements chosen for an answer, and the maximum when one is certain. What
/// else was said in the utterance of the first may fill the rest.
const QUOTES_MAX: usize = 3;
const QUOTES_MAX_SURE: usize = 2;
/// Probability from which a statement certainly answers.
const SURE: f32 = 0.7;
/// Probability below which no statement is likely.
const UNSURE: f32 = 0.3;
/// A further statement is quoted if its probability is at least this, and close to that of the
/// first.
const ALSO_CHANCE: f32 = 0.05;
const ALSO_SHARE: f32 = 0.3;

/// The likeliest statement, the rest of its utterance, and further likely statements that add
/// something. The rest of the utterance gets the words that the others leave.
pub(super) fn quoted<'a>(question: &Question, recall: &'a Recall) -> Vec<&'a Statement> {
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
    let mut rest: Vec<&Statement> = Vec::new();
    for statement in &recall.heard.around {
        let words = statement.text.split_whitespace().count() + 1;
        let content: BTreeSet<String> = content_words(&statement.text).collect();
        let again = quoted.iter().any(|it| it.text == statement.text);
        if length + words <= WORDS_MAX && !content.is_subset(&said) && !again {
            rest.push(statement);
            length += words;
            said.extend(content);
        }
    }
    let after_first = quoted.len().min(1);
    quoted.splice(after_first..after_first, rest);
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
