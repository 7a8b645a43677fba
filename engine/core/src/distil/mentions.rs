//! Names and relations of a statement, from what the language model marked in it.

use crate::mentions::{Mention, Mentions, Place, Relation};
use crate::text::{display_words, is_content_word, is_verb};
use std::ops::Range;
use weir_models::{Annotation, Name, NameKind, Relating};

/// Names kept of a statement: more are a list.
pub(super) const NAMES_MAX: usize = 8;
/// Bytes between relating words and a name that they relate.
pub(super) const GAP_BYTES_MAX: usize = 24;
/// The same behind "I": "I heard a friend lives in Porto" says nothing of the speaker.
pub(super) const GAP_BEHIND_PRONOUN: usize = 12;
/// Who speaks; a relation of another pronoun's is nobody's.
const SPEAKER: [&str; 2] = ["i", "we"];
const PRONOUNS: [&str; 6] = ["he", "she", "it", "they", "you", "who"];

/// Who stands in a relation: a name by its number, the speaker, or somebody else.
#[derive(Clone, Copy)]
pub(super) enum Subject {
    Name(u16),
    Speaker,
    Somebody,
}

/// What is named in a statement. A relation joins the nearest name or pronoun before its words with
/// the nearest name behind them, in one sentence.
pub(super) fn mentions(text: &str, read: &Annotation) -> Mentions {
    let certain = |it: &&Name| it.chance >= read.least.name;
    let names: Vec<&Name> = read.names.iter().filter(certain).take(NAMES_MAX).collect();
    let things = || {
        let numbered = (0_u16..).zip(&names);
        numbered.filter(|(_, it)| it.kind != NameKind::Date)
    };
    // "for" and "to" alone say little
    let tells = |it: &Relating| {
        let how = text.get(it.bytes.clone()).unwrap_or_default();
        display_words(how).any(|word| is_verb(&word.to_lowercase()) || is_content_word(word))
    };
    let certain = |it: &&Relating| it.chance >= read.least.relating;
    let relating: Vec<&Relating> = read.relating.iter().filter(certain).collect();
    let relations = relating.iter().enumerate().filter_map(|(at, it)| {
        let (object, behind) = things().find(|(_, name)| name.bytes.start >= it.bytes.end)?;
        // "took the kids to the museum": "to" relates it, not "took"
        let next = relating.get(at + 1);
        let is_next = next.is_none_or(|next| next.bytes.start >= behind.bytes.start);
        (is_next && tells(it)).then_some(())?;
        is_near(text, it.bytes.end..behind.bytes.start, GAP_BYTES_MAX).then_some(())?;
        let before = things().filter(|(_, name)| name.bytes.end <= it.bytes.start);
        let before = before.map(|(number, name)| (name.bytes.end, Subject::Name(number)));
        let before = before.chain(pronoun_before(text, it.bytes.start));
        let (end, subject) = before.max_by_key(|(end, _)| *end)?;
        let most = match subject {
            Subject::Name(_) => GAP_BYTES_MAX,
            _ => GAP_BEHIND_PRONOUN,
        };
        is_near(text, end..it.bytes.start, most).then_some(())?;
        let subject = match subject {
            Subject::Name(number) => Some(number),
            Subject::Speaker => None,
            Subject::Somebody => return None,
        };
        Some(Relation {
            subject,
            how: Place::of(&it.bytes)?,
            object,
        })
    });
    let relations = relations.collect();
    let names = names.into_iter().filter_map(|it| {
        let at = Place::of(&it.bytes)?;
        Some(Mention { kind: it.kind, at })
    });
    Mentions {
        relations,
        names: names.collect(),
    }
}

/// The last pronoun before a byte, and the byte behind it.
pub(super) fn pronoun_before(text: &str, end: usize) -> Option<(usize, Subject)> {
    let ends_word = |it: char| !it.is_alphanumeric();
    let (mut start, mut last) = (0, None);
    for piece in text.get(..end)?.split_inclusive(ends_word) {
        let word = piece.trim_end_matches(ends_word);
        let lower = word.to_lowercase();
        if SPEAKER.contains(&&*lower) {
            last = Some((start + word.len(), Subject::Speaker));
        } else if PRONOUNS.contains(&&*lower) {
            last = Some((start + word.len(), Subject::Somebody));
        }
        start += piece.len();
    }
    last
}

/// Whether what stands between two parts is short and ends no sentence.
pub(super) fn is_near(text: &str, between: Range<usize>, bytes_max: usize) -> bool {
    let between = text.get(between).unwrap_or_default();
    between.len() <= bytes_max && !between.contains(['.', '!', '?', ';'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::Least;

    fn read(text: &str, names: &[(&str, NameKind)], relating: &[&str]) -> Mentions {
        let place = |part: &str| {
            let at = text.find(part).expect("a part of the text");
            at..at + part.len()
        };
        let annotation = Annotation {
            names: names
                .iter()
                .map(|(part, kind)| Name {
                    kind: *kind,
                    bytes: place(part),
                    chance: 0.9,
                })
                .collect(),
            relating: relating
                .iter()
                .map(|part| Relating {
                    bytes: place(part),
                    chance: 0.9,
                })
                .collect(),
            least: Least::default(),
            ..Annotation::default()
        };
        mentions(text, &annotation)
    }

    fn triplets<'a>(of: &Mentions, text: &'a str) -> Vec<[&'a str; 3]> {
        let words = |at: Place| at.of_text(text).expect("a part of the text");
        let name = |number: u16| words(of.names[usize::from(number)].at);
        let each = of.relations.iter();
        each.map(|it| [it.subject.map_or("", name), words(it.how), name(it.object)])
            .collect()
    }

    #[test]
    fn relating_words_join_what_stands_nearest() {
        use NameKind::{Date, Person, Place};
        let none: [[&str; 3]; 0] = [];
        let text = "My sister Carla lives in Porto since May.";
        let names = [
            ("My sister", Person),
            ("Carla", Person),
            ("Porto", Place),
            ("May", Date),
        ];
        let found = read(text, &names, &["lives in"]);
        assert_eq!(triplets(&found, text), [["Carla", "lives in", "Porto"]]);
        assert_eq!(found.names.len(), 4);
        // the speaker has no name
        let text = "Tom called, so I went to the library.";
        let names = [("Tom", Person), ("the library", Place)];
        let found = read(text, &names, &["went to"]);
        assert_eq!(triplets(&found, text), [["", "went to", "the library"]]);
        // whoever "she" is, it is not the speaker and not Tom
        let text = "Tom says she works at Lidl.";
        let found = read(text, &[("Tom", Person), ("Lidl", Place)], &["works at"]);
        assert_eq!(triplets(&found, text), none);
        // "to" stands nearer to the museum than "took", and has no verb: there is no relation
        let text = "I took the kids to the museum.";
        let found = read(text, &[("the museum", Place)], &["took", "to"]);
        assert_eq!(triplets(&found, text), none);
        let text = "I took the kids swimming in the lake.";
        let found = read(text, &[("the lake", Place)], &["took", "swimming in"]);
        assert_eq!(triplets(&found, text), none, "who swims is not said");
        let text = "The cake is for my sister.";
        let found = read(text, &[("my sister", Person)], &["for"]);
        assert_eq!(triplets(&found, text), none);
        let text = "I heard a friend lives in Porto.";
        let found = read(text, &[("Porto", Place)], &["lives in"]);
        assert_eq!(triplets(&found, text), none);
        // a date is no object, and no relation crosses a sentence
        let text = "Ana moved in. May is fine. Porto too.";
        let names = [("Ana", Person), ("May", Date), ("Porto", Place)];
        let found = read(text, &names, &["moved in"]);
        assert_eq!(triplets(&found, text), none);
    }

    #[test]
    fn what_no_longer_stands_in_the_words_is_gone() {
        let names = [("Carla", NameKind::Person), ("Porto", NameKind::Place)];
        let text = "I met Carla in Porto.";
        let found = read(text, &names, &["met"]);
        assert_eq!(triplets(&found, text), [["", "met", "Carla"]]);
        let to = "I did not meet Carla, and Portofino is not Porto.";
        let left = found.moved(text, to);
        let words = left.names.iter().filter_map(|it| it.at.of_text(to));
        assert_eq!(words.collect::<Vec<_>>(), ["Carla", "Porto"]);
        assert!(to.ends_with("Porto.") && left.names[1].at.start as usize == to.len() - 6);
        assert!(left.relations.is_empty(), "what was corrected may be one");
    }
}
