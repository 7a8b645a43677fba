//! Whether a statement says something lasting about its speaker, and under which heading, by what a
//! language model marks in it.
//!
//! A wrong fact in a profile is worse than a missing one: no question is one, no statement that
//! breaks off and none without a word of the first person, whatever the model says.

use super::claim_features::{ClaimFeatures, is_question};
use super::request::requested;
use super::sentence::Sentence;
use super::slot::FactSlot;
use super::words::{content_words, display_words, is_content_word};
use weir_models::{Annotation, Slot};

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

/// A statement that says something lasting about its speaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The heading that it stands under.
    pub slot: FactSlot,
    /// The whole statement.
    pub value: String,
    /// The speaker asked to remember it: "remember that ...".
    pub wanted: bool,
}

/// The fact that a model marked a statement as, or that the speaker asks to remember. Cost: linear
/// in the text.
#[must_use]
pub fn fact(text: &str, speaker: Option<&str>, read: &Annotation) -> Option<Fact> {
    let wanted = requested(&Sentence::of(text)).is_some();
    let first_person = ClaimFeatures::of(text).first_person;
    let of_the_moment = |word: &str| OF_THE_MOMENT.contains(&word.to_lowercase().as_str());
    let passes = is_question(text) || breaks_off(text) || display_words(text).any(of_the_moment);
    // an answer of few words speaks of who gives it
    let heading = heading(text, speaker, read);
    let least = match heading {
        Some(_) if first_person || is_short(text) => read.least.lasting_with_value,
        _ if first_person => read.least.lasting,
        _ => f32::INFINITY,
    };
    let lasts = read.lasting >= least && !passes;
    (lasts || wanted).then(|| Fact {
        slot: heading.unwrap_or(FactSlot::Statement),
        value: text.split_whitespace().collect::<Vec<_>>().join(" "),
        wanted,
    })
}

/// Whether a statement is so short that it is read with the question before it.
pub(crate) fn is_short(text: &str) -> bool {
    display_words(text).count() <= ANSWER_WORDS
}

/// The heading of the first value that the model is sure of.
fn heading(text: &str, speaker: Option<&str>, read: &Annotation) -> Option<FactSlot> {
    // who writes capitals writes them in names
    let capitals = text.chars().skip(1).any(char::is_uppercase);
    let mut sure = read.values.iter().filter(|it| {
        let value = text.get(it.bytes.clone()).unwrap_or_default();
        let digits = value.bytes().filter(u8::is_ascii_digit).count();
        // a number so long is one whatever its chance
        let number = it.slot == Slot::Phone && digits >= PHONE_DIGITS;
        // nobody is their own partner: "I'm Ana Silva"
        let own = speaker.is_some_and(|it| it.split(' ').any(|part| part == value));
        let written = value
            .split(' ')
            .any(|it| it.starts_with(char::is_uppercase));
        let name = written || !capitals || !FactSlot::of_model(it.slot).has_names();
        (number || it.chance >= read.least.value) && !own && name
    });
    sure.next().map(|it| FactSlot::of_model(it.slot))
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

    fn read(text: &str, lasting: f32, value: Option<(Slot, &str)>) -> Option<Fact> {
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
        fact(text, None, &read)
    }

    #[test]
    fn a_statement_stands_under_the_heading_of_its_value() {
        let text = "I moved to Porto  in May.";
        let home = read(text, 0.99, Some((Slot::Home, "Porto"))).expect("a fact");
        let kept = (home.slot, &*home.value);
        assert_eq!(kept, (FactSlot::Home, "I moved to Porto in May."));
        let dogs = read("I have two dogs.", 0.99, None).expect("a fact");
        let kept = (dogs.slot, &*dogs.value);
        assert_eq!(kept, (FactSlot::Statement, "I have two dogs."));
        let less = read("I live in Porto.", 0.9, Some((Slot::Home, "Porto")));
        assert!(less.is_some());
    }

    #[test]
    fn what_passes_or_is_asked_makes_no_fact() {
        for (text, lasting) in [
            ("I am on my way.", 0.1),
            ("You live really well there.", 0.99),
            ("Cook meat.", 0.99),
            ("I have two dogs.", 0.9),
            ("I will be there if it rains.", 0.99),
            ("I have two dogs and...", 0.99),
            ("Remember that I have two dogs?", 0.99),
        ] {
            assert_eq!(read(text, lasting, None), None, "{text}");
        }
        let asked = read("Do I live in Porto?", 0.99, Some((Slot::Home, "Porto")));
        assert_eq!(asked, None);
    }

    #[test]
    fn what_the_speaker_wants_remembered_is_a_fact() {
        for text in [
            "Remember that my locker code is 4711.",
            "Can you remember that my code is 4711?",
        ] {
            let code = read(text, 0.1, None).expect("a fact");
            assert!(code.wanted && code.slot == FactSlot::Statement);
        }
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
    fn a_value_of_another_kind_gives_no_heading() {
        let of = |text: &str, speaker, slot, words: &str, chance| {
            let start = text.find(words).expect("words of the text");
            let value = SlotValue {
                slot,
                bytes: start..start + words.len(),
                chance,
            };
            let read = Annotation {
                lasting: 0.99,
                values: vec![value],
                ..Annotation::default()
            };
            heading(text, speaker, &read)
        };
        let name = |speaker| of("I'm Ana Silva.", Some(speaker), Slot::Partner, "Ana", 0.9);
        assert_eq!(name("Ana Silva"), None);
        assert_eq!(name("Bob"), Some(FactSlot::Partner));
        let phone = |text: &str, words| of(text, None, Slot::Phone, words, 0.5);
        let number = phone("My number is 0171 555 0123.", "0171 555 0123");
        assert_eq!(number, Some(FactSlot::Phone));
        assert_eq!(phone("My number is 405.", "405"), None);
        let home = |text: &str, words| of(text, None, Slot::Home, words, 0.9);
        assert_eq!(home("I play for a local team in Porto.", "local"), None);
        assert_eq!(home("i live in porto", "porto"), Some(FactSlot::Home));
    }
}
