//! Whether a statement bears out the first-person fact that a generator takes from it.
//!
//! The paper stores the sentence of its model as it is (User memory, 3.3). Here the sentence is
//! read by the same rules as talk, and each of its words must have been said.

use super::lists::{JOKES, UNSURE};
use super::{Fact, facts};
use crate::text::claim_features::is_question;
use crate::text::clauses::asked_and_said;
use crate::text::source_terms::{SourceTerms, words};
use crate::text::words::display_words;
use std::collections::BTreeSet;

/// The facts of a generator's sentence that the statement bears out: `None` if the sentence has
/// facts and none of them is, or if it tells no fact that the rules can read.
///
/// A statement that asks, supposes, reports or jokes bears out nothing. Cost: linear in the texts.
#[must_use]
pub fn facts_borne_out<'a>(
    statement: &'a str,
    sentence: &str,
    speaker: Option<&str>,
) -> Option<Vec<Fact<'a>>> {
    let (_, said) = asked_and_said(statement);
    let unsure = display_words(said)
        .map(str::to_lowercase)
        .any(|word| UNSURE.contains(&word) || JOKES.contains(&word));
    if unsure || is_question(said) {
        return None;
    }
    let mut source = SourceTerms::default();
    source.add(said);
    source.add_words(speaker.unwrap_or_default());
    if !source.agrees(sentence, &BTreeSet::new()) {
        return None;
    }
    let wanted = facts(said, speaker).iter().any(|fact| fact.wanted);
    let borne_out = |fact: &Fact<'_>| {
        let own = words(&format!("{} {}", fact.about, fact.value));
        !own.is_empty() && own.iter().all(|word| source.words().contains(word))
    };
    let made = facts(sentence, speaker).into_iter().filter(borne_out);
    let made: Vec<Fact<'a>> = made
        .map(|fact| Fact {
            slot: fact.slot,
            about: fact.about,
            value: fact.value,
            clause: said.trim(),
            ended: fact.ended,
            wanted: wanted || fact.wanted,
        })
        .collect();
    (!made.is_empty()).then_some(made)
}

/// Whether a text may tell something of its speaker, so that a generator is worth its time.
#[must_use]
pub fn may_tell_facts(text: &str) -> bool {
    let (_, said) = asked_and_said(text);
    !is_question(said) && super::may_tell(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::FactSlot;

    #[test]
    fn a_fact_that_was_said_in_other_order_is_borne_out() {
        let said = "Jazz is what I listen to all day.";
        assert!(facts(said, None).is_empty());
        let made = facts_borne_out(said, "I like jazz.", None).expect("borne out");
        assert_eq!((made[0].slot, &*made[0].value), (FactSlot::Likes, "jazz"));
        assert_eq!(made[0].clause, said);
    }

    #[test]
    fn what_was_not_said_is_refused() {
        let said = "I live in Porto, it is windy there.";
        assert!(facts_borne_out(said, "I live in Porto.", None).is_some());
        for wrong in [
            "I live in Lisbon.", "I don't live in Porto.", "Porto is windy.", "NO_FACT", "",
        ] {
            assert_eq!(facts_borne_out(said, wrong, None), None, "{wrong}");
        }
        for unsure in [
            "If I live in Porto, I will sail.",
            "Bob said I live in Porto.",
            "Do I live in Porto?",
        ] {
            let made = facts_borne_out(unsure, "I live in Porto.", None);
            assert_eq!(made, None, "{unsure}");
        }
    }
}
