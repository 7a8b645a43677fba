//! The question in a message that also says something.

use super::claim_features::is_question;
use super::clauses::sentences;
use super::followup::{Turn, complete_question};
use std::borrow::Cow;

/// Plain sentences before a question that it may refer to.
const BEFORE_MAX: usize = 2;

/// The sentences of a message that ask, with what a single one leaves to the sentences before it;
/// the message as it is where all of it asks, or none of it does. Cost: linear in the text.
#[must_use]
pub fn question_in(message: &str) -> Cow<'_, str> {
    let all = sentences(message);
    let asks = |it: &&&str| it.ends_with('?') || is_question(it);
    let asking: Vec<&str> = all.iter().filter(asks).copied().collect();
    if asking.is_empty() || asking.len() == all.len() {
        return Cow::Borrowed(message);
    }
    let [question] = asking[..] else {
        return Cow::Owned(asking.join(" "));
    };
    let before = all.iter().take_while(|it| **it != question).copied();
    let before: Vec<Turn<'_>> = before
        .map(|text| Turn {
            speaker: None,
            text,
        })
        .collect();
    let nearest = &before[before.len().saturating_sub(BEFORE_MAX)..];
    Cow::Owned(complete_question(question, nearest).unwrap_or_else(|| question.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_around_a_question_is_not_asked() {
        for (message, question) in [
            ("Where is the ladder?", "Where is the ladder?"),
            ("I painted all day.", "I painted all day."),
            (
                "I painted all day. My arms hurt. Where is the ladder?",
                "Where is the ladder?",
            ),
            (
                "Where is the ladder? I need it for the gutter.",
                "Where is the ladder?",
            ),
            (
                "Good morning. Where is the ladder? Who has the saw?",
                "Where is the ladder? Who has the saw?",
            ),
        ] {
            assert_eq!(question_in(message), question);
        }
    }
}
