//! Completes a follow-up question from the last turns, so that it can be searched for alone.
//!
//! "What is his name?" after "I thought about my father yesterday" asks for the father's name (User
//! memory, "Query Creator"). The paper asks a language model; here rules find what "he", "it" or
//! "there" stands for among the noun phrases of the last turns, and put an elliptic question ("And
//! Bob?", "Why?") into the frame of the question before. A wrong completion is worse than none:
//! where two answers are possible, the question stays as it is. English only.

mod antecedent;
mod elliptic;
mod lists;
mod mentions;
mod pronouns;
#[cfg(test)]
mod tests;
mod turn;

pub use turn::{TURNS_MAX, Turn, WORDS_ADDED_MAX};

use elliptic::{Elliptic, last_question};

/// The question with what it leaves to the turns before, oldest first, of which the last
/// [`TURNS_MAX`] are read; `None` if it stands alone or if what it means is not certain.
///
/// At most [`WORDS_ADDED_MAX`] words are added. Each is of the question or of a turn, apart from
/// "in", "at", "to" and "the". Cost: linear in the texts, some tens of microseconds a sentence.
#[must_use]
pub fn complete_question(question: &str, before: &[Turn<'_>]) -> Option<String> {
    let turns = &before[before.len().saturating_sub(TURNS_MAX)..];
    let whole = match Elliptic::read(question) {
        Some(elliptic) => {
            let frame = last_question(turns).map(|(at, last)| {
                let whole = complete_question(last, &turns[..at]);
                whole.unwrap_or_else(|| last.to_owned())
            });
            elliptic.completed(frame.as_deref(), turns)
        }
        None => pronouns::completed(question, turns),
    }?;
    let words = |text: &str| text.split_whitespace().count();
    let within = words(&whole) <= words(question) + WORDS_ADDED_MAX;
    (within && whole != question).then_some(whole)
}
