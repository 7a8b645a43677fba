//! Completes a follow-up question from the last turns, so that it can be searched for alone.
//!
//! "What is his name?" after "I thought about my father yesterday" asks for the father's name (User
//! memory, "Query Creator"). The paper asks a language model; here rules find what "he", "it" or
//! "there" stands for among the noun phrases of the last turns, and put an elliptic question ("And
//! Bob?", "Why?") into the frame of the question before. A wrong completion is worse than none:
//! where two answers are possible, the question stays as it is. English only.

mod antecedent;
mod elliptic;
mod mentions;
mod pronouns;
#[cfg(test)]
mod tests;

use super::facts::sentence::Sentence;

/// Turns before a question that are read.
pub const TURNS_MAX: usize = 6;
/// Words by which a completed question may be longer.
pub const WORDS_ADDED_MAX: usize = 8;

/// A turn before a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn<'a> {
    /// The name of who said it, if known.
    pub speaker: Option<&'a str>,
    /// The words.
    pub text: &'a str,
}

/// The question with what it leaves to the turns before, oldest first, of which the last
/// [`TURNS_MAX`] are read; `None` if it stands alone or if what it means is not certain.
///
/// At most [`WORDS_ADDED_MAX`] words are added. Each is of the question or of a turn, apart from
/// "in", "at" and "the". Cost: linear in the texts, some tens of microseconds a sentence.
#[must_use]
pub fn completed(question: &str, before: &[Turn<'_>]) -> Option<String> {
    let turns = &before[before.len().saturating_sub(TURNS_MAX)..];
    let whole = match elliptic::Elliptic::read(question) {
        Some(elliptic) => elliptic.completed(turns),
        None => pronouns::completed(question, turns),
    }?;
    let words = |text: &str| text.split_whitespace().count();
    let within = words(&whole) <= words(question) + WORDS_ADDED_MAX;
    (within && whole != question).then_some(whole)
}

/// The names of who speaks, where they are known.
fn speakers<'a>(turns: &[Turn<'a>]) -> Vec<&'a str> {
    turns.iter().filter_map(|turn| turn.speaker).collect()
}
