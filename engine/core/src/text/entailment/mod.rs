//! Whether a statement entails a claim, judged by words alone.
//!
//! A statement supports a claim if most of the claim's content words stand in it in the same order,
//! all its names, numbers and times among them, with the same subject and polarity. It contradicts
//! the claim if it says as much of the same subject, but with another polarity, or with another
//! number or time of the same kind. What is asked, supposed, wished or planned proves nothing.
//! English only; a paraphrase without common words is [`Verdict::Neither`].

mod clause;
mod compare;
mod lists;
mod spoken;
#[cfg(test)]
mod tests;

use super::claim_features::is_question;
use super::clauses::{asked_and_said, clauses};
use clause::Clause;
use serde::{Deserialize, Serialize};
pub use spoken::SpeakerText;

/// Least share of a claim's words that a supporting statement has in the same order.
const SUPPORT_SHARE: f32 = 0.8;
/// The same for a contradicting statement; numbers and times do not count.
const CONTRADICTION_SHARE: f32 = 0.6;

/// What a statement says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// If the statement is true, so is the claim.
    Supported,
    /// If the statement is true, the claim is not.
    Contradicted,
    /// The statement leaves the claim open.
    Neither,
}

/// What `statement` says of `claim`. Cost: O(words of the claim x words of the statement).
#[must_use]
pub fn entailment(claim: SpeakerText<'_>, statement: SpeakerText<'_>) -> Verdict {
    let people = [claim.speaker, statement.speaker];
    let people: Vec<&str> = people.into_iter().flatten().collect();
    let claimed = Clause::of(claim, &people);
    let said = said(statement, &people);
    // of equally near clauses the first
    let Some(near) = said.iter().rev().max_by_key(|it| it.shared(&claimed)) else {
        return Verdict::Neither;
    };
    let whole = Clause::joined(&said);
    let same_subject = whole.names_subject_of(&claimed) && near.is_owned_as(&claimed);
    if !same_subject || !near.is_as_certain_as(&claimed) {
        return Verdict::Neither;
    }
    let opposed = near.opposes(&claimed);
    let likewise = near.share_without_figures(&claimed) >= CONTRADICTION_SHARE;
    if whole.has_details_of(&claimed) && whole.share_of(&claimed) >= SUPPORT_SHARE {
        return match opposed || near.ends(&claimed) {
            true => Verdict::Contradicted,
            false => Verdict::Supported,
        };
    }
    let differs = likewise && (opposed || near.has_other_figures_than(&claimed));
    match differs {
        true => Verdict::Contradicted,
        false => Verdict::Neither,
    }
}

/// The clauses of a statement that are no questions. A question in brackets that the statement
/// answers belongs to its first clause, unless that denies it and says more.
fn said(statement: SpeakerText<'_>, people: &[&str]) -> Vec<Clause> {
    let (asked, text) = asked_and_said(statement.text);
    let of = |text| SpeakerText { text, ..statement };
    let mut said: Vec<Clause> = clauses(text)
        .into_iter()
        .filter(|clause| !is_question(clause))
        .map(|clause| Clause::of(of(clause), people))
        .collect();
    if let (Some(asked), Some(first)) = (asked, said.first_mut()) {
        first.answer(Clause::of(of(asked), people), statement.speaker);
    }
    said
}
