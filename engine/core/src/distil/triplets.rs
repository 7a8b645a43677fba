//! The triplets that a model writes of a block, as attributes of the statements that have them.
//!
//! A triplet is taken where one statement has its words, in their order and as said, and denies or
//! supposes none of it: so it holds no words of a model, only places in what was said.

use super::borne_out::is_denied_or_supposed;
use super::mentions::{
    GAP_BEHIND_PRONOUN, GAP_BYTES_MAX, NAMES_MAX, Subject, is_near, pronoun_before,
};
use crate::mentions::{Mention, Mentions, Place, Relation, find_words};
use crate::talk::DistilledUnit;
use crate::text::{clauses, display_words, is_content_word, is_question};
use std::ops::Range;
use weir_models::NameKind;

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
    // nothing is changed unless all of it can be
    let mut mentions = unit.analysis.mentions.clone();
    let mut all = found.subject.iter().chain([&found.object]);
    if !all.all(|bytes| add_name(&mut mentions, bytes)) {
        return false;
    }
    let object = number_of(&mentions, &found.object);
    let subject = found.subject.as_ref().map(|it| number_of(&mentions, it));
    let (Some(object), Some(how)) = (object, Place::of(&found.how)) else {
        return false;
    };
    let subject = match subject {
        Some(None) => return false,
        Some(number) if number == Some(object) => return false,
        subject => subject.flatten(),
    };
    let same = |it: &Relation| it.object == object && it.subject == subject;
    if !mentions.relations.iter().any(same) {
        mentions.relations.push(Relation {
            subject,
            how,
            object,
        });
        mentions.relations.sort_by_key(|it| it.how.start);
    }
    unit.analysis.mentions = mentions;
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
    // "him" names nobody
    let tells = display_words(&object).any(is_content_word);
    if !tells || subject.is_empty() || relation.is_empty() {
        return None;
    }
    let speaker = unit.speaker.as_deref().map(str::to_ascii_lowercase);
    let is_speaker = subject == "i" || speaker.as_ref() == Some(&subject);
    let at = find_words(&lower, &relation, 0)?;
    let how = at..at + relation.len();
    let at = find_words(&lower, &object, how.end)?;
    let object = at..at + object.len();
    let named = (!is_speaker).then_some(subject.as_str());
    let subject = subject_before(text, named, how.start)?;
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

/// Where the subject stands before a byte, `None` for the speaker: nothing else may stand between
/// that did it ("Carla says he sold it", "I saw Bob sell it").
fn subject_before(text: &str, named: Option<&str>, end: usize) -> Option<Option<Range<usize>>> {
    let pronoun = pronoun_before(text, end);
    let (subject, from, most) = match named {
        None => {
            let (from, by) = pronoun?;
            matches!(by, Subject::Speaker).then_some((None, from, GAP_BEHIND_PRONOUN))?
        }
        Some(name) => {
            let bytes = last_words(&text[..end].to_ascii_lowercase(), name)?;
            let from = bytes.end;
            let none_between = pronoun.is_none_or(|(at, _)| at <= from);
            none_between.then_some((Some(bytes), from, GAP_BYTES_MAX))?
        }
    };
    let between = text.get(from..end)?;
    let alone = is_near(text, from..end, most) && !between.contains(char::is_uppercase);
    alone.then_some(subject)
}

/// Where words stand last in a text.
fn last_words(text: &str, words: &str) -> Option<Range<usize>> {
    let mut last = None;
    let mut from = 0;
    while let Some(at) = find_words(text, words, from) {
        last = Some(at..at + words.len());
        from = at + words.len();
    }
    last
}

fn overlaps(name: &Mention, bytes: &Range<usize>) -> bool {
    let own = name.at.bytes();
    own.start < bytes.end && bytes.start < own.end
}

/// The number of the name that stands at these bytes, apart from words before it: "the old boat".
fn number_of(mentions: &Mentions, bytes: &Range<usize>) -> Option<u16> {
    let is = |it: &Mention| overlaps(it, bytes) && it.at.bytes().end == bytes.end;
    let at = mentions.names.iter().position(is)?;
    (mentions.names[at].kind != NameKind::Date).then_some(())?;
    u16::try_from(at).ok()
}

/// Adds a name, if none stands there; `false` if one has only a part of these bytes, or there are
/// too many.
fn add_name(mentions: &mut Mentions, bytes: &Range<usize>) -> bool {
    if mentions.names.iter().any(|it| overlaps(it, bytes)) {
        return number_of(mentions, bytes).is_some();
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
            "I heard Carla sold the boat.",
            "Have I sold the boat?",
        ] {
            let told = placed(said, &[["Ana", "sold", "the boat"]]);
            assert!(told.is_empty(), "{said}: {told:?}");
        }
    }
}
