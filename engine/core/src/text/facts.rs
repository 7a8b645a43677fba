//! Facts of a statement about who says it, made of what a language model marks in it.
//!
//! A wrong fact in a profile is worse than a missing one: no fact is read from a question, from a
//! statement that breaks off, or from one without a word of the first person, whatever the model
//! says.

use super::claim_features::{ClaimFeatures, is_question};
use super::claims::Claim;
use super::request::requested;
use super::sentence::Sentence;
use super::slot::FactSlot;
use super::words::{content_words, display_words, is_content_word};
use weir_models::{Annotation, Slot};

/// Words that say that something no longer holds.
const OVER: &[&str] = &[
    "no longer", "not anymore", "quit", "used to", "stopped", "anymore",
];

/// Words of address or supposition. In labelled talk, only one sentence in seven with such a word
/// says something lasting about its speaker.
const OF_THE_MOMENT: &[&str] = &["if", "you", "your", "ya"];

/// Pronouns of things that were named before.
const REFERRING: &[&str] = &[
    "it", "it's", "its", "this", "these", "those", "they", "they're", "them", "their",
];
/// Words of content before a pronoun that refers to the statement before: a verb.
const NAMED_BEFORE: usize = 1;
/// Fewer words of content name nothing to refer to: "Thanks, Ana!"
const NAMING_WORDS: usize = 3;
/// Maximum words of a statement with the one before it.
const CONTEXT_WORDS: usize = 40;

/// Words of an answer that needs no word of the first person: "Porto", "A nurse at Siemens".
const ANSWER_WORDS: usize = 4;

/// Digits of a number that can be called from anywhere.
const PHONE_DIGITS: usize = 7;

/// A fact about the speaker of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The slot that it fills.
    pub slot: FactSlot,
    /// The value in the words of the speaker; of [`FactSlot::Statement`] the whole statement.
    pub value: String,
    /// The statement says that the fact no longer holds: "I no longer work at Siemens".
    pub ended: bool,
    /// The statement says that something changed: "I moved to Porto".
    pub changed: bool,
    /// The speaker asked to remember it: "remember that ...".
    pub wanted: bool,
}

/// The facts that a model marked in a statement: values of slots, else the statement as a whole if
/// it says something lasting, or if the speaker asks to remember it. Cost: linear in the text.
#[must_use]
pub fn facts(text: &str, speaker: Option<&str>, read: &Annotation) -> Vec<Fact> {
    let words = Sentence::of(text);
    let request = requested(&words);
    let wanted = request.is_some();
    // the request hides the claim: "remember that I moved"
    let told = words.slice(request.unwrap_or(0)..words.len());
    let changed = Claim::is_change(told, speaker);
    let first_person = ClaimFeatures::of(text).first_person;
    // an answer of few words speaks of who gives it, and names a value
    let short = display_words(text).count() <= ANSWER_WORDS;
    let of_the_moment = |word: &str| OF_THE_MOMENT.contains(&word.to_lowercase().as_str());
    let passes = is_question(text) || breaks_off(text) || display_words(text).any(of_the_moment);
    let lasts = read.lasting >= read.least.lasting_with_value && !passes;
    if !(lasts && (first_person || short)) && !wanted {
        return Vec::new();
    }
    let ended = is_over(text);
    let sure = read.values.iter().filter(|it| {
        let value = text.get(it.bytes.clone()).unwrap_or_default();
        let digits = value.bytes().filter(u8::is_ascii_digit).count();
        // a number so long is one whatever its chance
        let number = it.slot == Slot::Phone && digits >= PHONE_DIGITS;
        number || it.chance >= read.least.value
    });
    // nobody is their own partner: "I'm Ana Silva"
    let own = |value: &&str| !speaker.is_some_and(|it| it.split(' ').any(|part| part == *value));
    // who writes capitals writes them in names
    let capitals = text.chars().skip(1).any(char::is_uppercase);
    let values = sure.filter_map(|it| {
        let slot = FactSlot::of_model(it.slot);
        let value = text.get(it.bytes.clone()).filter(own)?;
        let name = !capitals
            || value
                .split(' ')
                .any(|it| it.starts_with(char::is_uppercase));
        (name || !slot.has_names()).then(|| Fact {
            slot,
            value: value.to_owned(),
            ended,
            changed,
            wanted,
        })
    });
    let mut facts: Vec<Fact> = values.collect();
    // alone, words without a speaker in them say nothing of anybody
    let whole = first_person && read.lasting >= read.least.lasting;
    if facts.is_empty() && (whole || wanted) {
        facts.push(Fact {
            slot: FactSlot::Statement,
            value: text.split_whitespace().collect::<Vec<_>>().join(" "),
            // what was is a fact about the speaker too
            ended: false,
            changed,
            wanted,
        });
    }
    facts
}

/// A statement in a profile, which is read alone: behind the one before it, if it begins with a
/// pronoun or has one word of content before it.
#[must_use]
pub(crate) fn in_context(text: &str, before: &str) -> Option<String> {
    let words: Vec<String> = display_words(text).map(str::to_lowercase).collect();
    let pronoun = words
        .iter()
        .position(|it| REFERRING.contains(&it.as_str()))?;
    let named = words[..pronoun].iter().filter(|it| is_content_word(it));
    let refers = named.count() <= NAMED_BEFORE && content_words(before).count() >= NAMING_WORDS;
    let length = words.len() + display_words(before).count();
    (refers && length <= CONTEXT_WORDS).then(|| format!("{before} {text}"))
}

fn breaks_off(text: &str) -> bool {
    let text = text.trim_end_matches([' ', '"', '”']);
    text.ends_with("...") || text.ends_with('…')
}

fn is_over(text: &str) -> bool {
    let words: Vec<String> = display_words(text).map(str::to_lowercase).collect();
    let line = format!(" {} ", words.join(" "));
    OVER.iter().any(|it| line.contains(&format!(" {it} ")))
}

impl FactSlot {
    /// Whether its values are names of places or people.
    fn has_names(self) -> bool {
        matches!(self, Self::Home | Self::Partner)
    }

    fn of_model(slot: Slot) -> Self {
        match slot {
            Slot::Home => Self::Home,
            Slot::Work => Self::Work,
            Slot::Employer => Self::Employer,
            Slot::Age => Self::Age,
            Slot::Phone => Self::Phone,
            Slot::Partner => Self::Partner,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::SlotValue;

    fn read(text: &str, lasting: f32, value: Option<(Slot, &str)>) -> Vec<Fact> {
        let values = value.map(|(slot, words)| {
            let start = text.find(words).expect("words of the text");
            SlotValue {
                slot,
                bytes: start..start + words.len(),
                chance: 0.9,
            }
        });
        let read = Annotation {
            lasting,
            values: values.into_iter().collect(),
            ..Annotation::default()
        };
        facts(text, None, &read)
    }

    #[test]
    fn a_value_fills_its_slot_and_the_rest_stays_a_statement() {
        let [home] = &read("I live in Porto.", 0.99, Some((Slot::Home, "Porto")))[..] else {
            panic!("one fact");
        };
        assert_eq!(
            (home.slot, &*home.value, home.ended),
            (FactSlot::Home, "Porto", false)
        );
        let dogs = read("I have two dogs.", 0.99, None).remove(0);
        assert_eq!(
            (dogs.slot, &*dogs.value),
            (FactSlot::Statement, "I have two dogs.")
        );
        let over = read(
            "I no longer live in Porto.",
            0.99,
            Some((Slot::Home, "Porto")),
        );
        assert!(over[0].ended);
    }

    #[test]
    fn what_passes_or_is_asked_makes_no_fact() {
        assert!(read("I am on my way.", 0.1, None).is_empty());
        assert!(read("You live really well there.", 0.99, None).is_empty());
        assert!(read("Cook meat.", 0.99, None).is_empty());
        assert!(read("I have two dogs.", 0.9, None).is_empty());
        assert_eq!(
            read("I live in Porto.", 0.9, Some((Slot::Home, "Porto"))).len(),
            1
        );
        assert!(read("I will be there if it rains.", 0.99, None).is_empty());
        assert!(read("Do I live in Porto?", 0.99, Some((Slot::Home, "Porto"))).is_empty());
    }

    #[test]
    fn a_statement_that_breaks_off_or_asks_whether_somebody_remembers_makes_no_fact() {
        assert!(read("I have two dogs and...", 0.99, None).is_empty());
        assert!(read("Remember that I have two dogs?", 0.99, None).is_empty());
        assert!(!read("Can you remember that my code is 4711?", 0.99, None).is_empty());
    }

    #[test]
    fn a_statement_that_points_back_stands_behind_the_one_before() {
        let before = "I help at a shelter every Sunday.";
        let of = |text: &str| in_context(text, before);
        let both = "I help at a shelter every Sunday. I find it fulfilling.";
        assert_eq!(of("I find it fulfilling.").as_deref(), Some(both));
        assert!(of("It's a big part of my life.").is_some());
        assert_eq!(of("I walk two old dogs there and love them."), None);
        assert_eq!(in_context("I find it fulfilling.", "Thanks, Ana!"), None);
        assert_eq!(of("I live in Porto."), None);
        assert_eq!(
            in_context("I find it fulfilling.", &"so ".repeat(CONTEXT_WORDS)),
            None
        );
    }

    #[test]
    fn the_own_name_is_no_value() {
        let read = Annotation {
            lasting: 0.99,
            values: vec![SlotValue {
                slot: Slot::Partner,
                bytes: 4..7,
                chance: 0.9,
            }],
            ..Annotation::default()
        };
        let of = |speaker| facts("I'm Ana Silva.", Some(speaker), &read).remove(0).slot;
        assert_eq!(of("Ana Silva"), FactSlot::Statement);
        assert_eq!(of("Bob"), FactSlot::Partner);
    }

    #[test]
    fn what_the_speaker_wants_remembered_is_a_fact() {
        let code = read("Remember that my locker code is 4711.", 0.1, None).remove(0);
        assert!(code.wanted && code.slot == FactSlot::Statement);
    }

    #[test]
    fn a_phone_number_is_known_by_its_digits() {
        let phone = |said: &str| {
            let read = Annotation {
                lasting: 0.99,
                values: vec![SlotValue {
                    slot: Slot::Phone,
                    bytes: 13..13 + said.len(),
                    chance: 0.5,
                }],
                ..Annotation::default()
            };
            let facts = facts(&format!("My number is {said}."), None, &read);
            facts[0].slot == FactSlot::Phone
        };
        assert!(phone("0171 555 0123"));
        assert!(!phone("405"));
    }

    #[test]
    fn a_word_without_a_capital_is_no_home_where_names_have_one() {
        let home = |text: &str, words: &str| {
            let facts = read(text, 0.99, Some((Slot::Home, words)));
            facts.iter().any(|it| it.slot == FactSlot::Home)
        };
        assert!(!home("I play for a local team in Porto.", "local"));
        assert!(home("I live in Porto.", "Porto"));
        assert!(home("i live in porto", "porto"));
    }
}
