//! The triplets that a model writes of a block, as attributes of the statements that have them.
//!
//! A triplet is taken where one statement has its words, in their order and as said, and denies or
//! supposes none of it: so it holds no words of a model, only places in what was said.

use super::borne_out::is_denied_or_supposed;
use super::mentions::{NAMES_MAX, Subject, is_near, pronoun_before};
use crate::mentions::{Mention, Mentions, Place, Relation, find_words};
use crate::talk::DistilledUnit;
use crate::text::{clauses, is_question};
use std::ops::Range;
use weir_models::NameKind;

/// Bytes between the parts of a triplet: "I finally sold the old boat".
const GAP_BYTES_MAX: usize = 24;
const GAP_BEHIND_PRONOUN: usize = 12;
/// Words before a name that are no part of it.
const ARTICLES: [&str; 3] = ["the ", "a ", "an "];

/// How one thing stands to another, as a model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
pub struct Triplet {
    /// Who or what.
    pub subject: String,
    /// Does what, or is what.
    pub relation: String,
    /// To whom or what.
    pub object: String,
}

/// Where a statement has a triplet: its subject, unless that is the speaker, the words between,
/// and its object.
struct Found {
    subject: Option<Range<usize>>,
    how: Range<usize>,
    object: Range<usize>,
}

/// Adds a triplet to the statement if it has it. Cost: linear in the statement.
pub(super) fn place(triplet: &Triplet, unit: &mut DistilledUnit) -> bool {
    let Some(found) = find(triplet, unit) else {
        return false;
    };
    let mentions = &mut unit.analysis.mentions;
    let all = found.subject.iter().chain([&found.object]);
    let named = all.into_iter().all(|bytes| add_name(mentions, bytes));
    let object = number_of(mentions, &found.object);
    let (Some(object), Some(how), true) = (object, Place::of(&found.how), named) else {
        return false;
    };
    let subject = found.subject.and_then(|it| number_of(mentions, &it));
    let is_known = mentions
        .relations
        .iter()
        .any(|it| it.object == object && it.subject == subject);
    if subject == Some(object) {
        return false;
    }
    if !is_known {
        mentions.relations.push(Relation {
            subject,
            how,
            object,
        });
        mentions.relations.sort_by_key(|it| it.how.start);
    }
    true
}

fn find(triplet: &Triplet, unit: &DistilledUnit) -> Option<Found> {
    let text = &unit.text;
    if is_question(text) {
        return None;
    }
    // places stay the same
    let lower = text.to_ascii_lowercase();
    let part = |words: &str| {
        let words = words.trim().to_ascii_lowercase();
        let bare = ARTICLES.iter().find_map(|it| words.strip_prefix(it));
        bare.unwrap_or(&words).to_owned()
    };
    let subject = part(&triplet.subject);
    let [relation, object] = [part(&triplet.relation), part(&triplet.object)];
    if [&subject, &relation, &object]
        .iter()
        .any(|it| it.is_empty())
    {
        return None;
    }
    let speaker = unit.speaker.as_deref().map(str::to_ascii_lowercase);
    let is_speaker = subject == "i" || speaker.as_ref() == Some(&subject);
    let at = find_words(&lower, &relation, 0)?;
    let how = at..at + relation.len();
    let at = find_words(&lower, &object, how.end)?;
    let object = at..at + object.len();
    let subject = match is_speaker {
        true => {
            let (end, by) = pronoun_before(text, how.start)?;
            let is_near = is_near(text, end..how.start, GAP_BEHIND_PRONOUN);
            matches!(by, Subject::Speaker).then_some(())?;
            is_near.then_some(None)?
        }
        false => {
            let at = find_words(&lower[..how.start], &subject, 0)?;
            let bytes = at..at + subject.len();
            is_near(text, bytes.end..how.start, GAP_BYTES_MAX).then_some(Some(bytes))?
        }
    };
    let start = subject.as_ref().map_or(how.start, |it| it.start);
    let whole = clauses(text).into_iter().filter(|clause| {
        // clauses are slices of the text
        let from = clause.as_ptr() as usize - text.as_ptr() as usize;
        from < object.end && from + clause.len() > start
    });
    let is_told = whole.map(is_denied_or_supposed).all(|it| !it);
    let is_near = is_near(text, how.end..object.start, GAP_BYTES_MAX);
    (is_told && is_near).then_some(Found {
        subject,
        how,
        object,
    })
}

/// The number of the name that has some of these bytes.
fn number_of(mentions: &Mentions, bytes: &Range<usize>) -> Option<u16> {
    let has = |it: &Mention| {
        let own = it.at.bytes();
        own.start < bytes.end && bytes.start < own.end
    };
    u16::try_from(mentions.names.iter().position(has)?).ok()
}

/// Adds a name, if none has some of these bytes; `false` if there are too many.
fn add_name(mentions: &mut Mentions, bytes: &Range<usize>) -> bool {
    if number_of(mentions, bytes).is_some() {
        return true;
    }
    let Some(at) = Place::of(bytes).filter(|_| mentions.names.len() < NAMES_MAX) else {
        return false;
    };
    let kind = NameKind::Thing;
    let place = mentions.names.partition_point(|it| it.at.start < at.start);
    mentions.names.insert(place, Mention { kind, at });
    let moved = |number: &mut u16| *number += u16::from(usize::from(*number) >= place);
    for relation in &mut mentions.relations {
        moved(&mut relation.object);
        relation.subject.iter_mut().for_each(moved);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::testing::block;
    use super::super::{Distil, Extractive};
    use super::*;
    use weir_models::WordHashEncoder;

    /// The triplets that the statement of Ana has after these were written of it.
    fn placed(said: &str, written: &[[&str; 3]]) -> Vec<String> {
        let made = Extractive.distil(&block(&[("Ana", said)]), &WordHashEncoder::new());
        let mut unit = made.expect("distilled").units.remove(0);
        for [subject, relation, object] in written {
            let [subject, relation, object] =
                [subject, relation, object].map(|it| (*it).to_owned());
            place(
                &Triplet {
                    subject,
                    relation,
                    object,
                },
                &mut unit,
            );
        }
        let mentions = &unit.analysis.mentions;
        let words = |at: Place| at.of_text(&unit.text).expect("a part");
        let name = |number: u16| words(mentions.names[usize::from(number)].at);
        let told = mentions.relations.iter().map(|it| {
            let subject = it.subject.map_or("Ana", name);
            format!("{subject} | {} | {}", words(it.how), name(it.object))
        });
        told.collect()
    }

    #[test]
    fn a_triplet_is_taken_as_one_statement_has_it() {
        let said = "I finally sold the old boat, and my sister Carla moved to Porto.";
        let written = [
            ["Ana", "sold", "the old boat"],
            ["Carla", "moved to", "Porto"],
            ["my sister", "sold", "the old boat"],
            ["Ana", "moved to", "Porto"],
            ["Ana", "bought", "the old boat"],
            ["Bob", "sold", "the old boat"],
            ["", "sold", "the old boat"],
        ];
        let told = ["Ana | sold | old boat", "Carla | moved to | Porto"];
        assert_eq!(placed(said, &written), told);
        let once = placed(said, &[written[0], written[0]]);
        assert_eq!(once, told[..1]);
    }

    #[test]
    fn what_is_denied_supposed_or_asked_is_no_triplet() {
        for said in [
            "I never sold the boat.",
            "If I sold the boat, Bob would cry.",
            "I would have sold the boat.",
            "Bob says he sold the boat.",
            "Have I sold the boat?",
        ] {
            let told = placed(said, &[["Ana", "sold", "the boat"]]);
            assert!(told.is_empty(), "{said}: {told:?}");
        }
    }
}
