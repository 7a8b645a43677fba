//! A name in a question that several speakers share: "Anna", where Anna Ames and Anna Berg spoke.

use crate::stream::label_number;
use crate::text::{display_words, is_same_word, other_parts, without_possessive};

/// The first name in a question that may mean several speakers, as the question writes it, with
/// those speakers in order; `None` if it is clear who is meant. It is clear if the question
/// has another part of one speaker's name, or if a speaker has this name alone.
pub(super) fn ambiguous(text: &str, speakers: &[String]) -> Option<(String, Vec<String>)> {
    let words: Vec<&str> = display_words(text).map(without_possessive).collect();
    // where names are capitalised, a lower-case word is no name
    let capital = |word: &&str| word.starts_with(char::is_uppercase);
    let written = words.iter().skip(1).any(capital);
    let asked = |part: &str| {
        let mut same = words.iter().filter(|word| is_same_word(word, part));
        same.any(|word| !written || capital(word))
    };
    words.iter().find_map(|word| {
        if means_nobody(word) || written && !capital(word) {
            return None;
        }
        let is_part = |name: &&String| name.split_whitespace().any(|part| is_same_word(part, word));
        let people: Vec<&String> = speakers
            .iter()
            .filter(|name| label_number(name).is_none())
            .filter(is_part)
            .collect();
        // "Anna Ames and Bob Cole" is nobody else than Anna Ames, who also speaks alone
        let others = people.clone();
        let joint = |name: &&String| others.iter().any(|other| is_part_of(other, name));
        let people: Vec<&String> = people.into_iter().filter(|name| !joint(name)).collect();
        let clear = people
            .iter()
            .any(|name| is_same_word(name, word) || other_parts(name, word).any(asked));
        let named = || people.iter().map(|name| (*name).clone()).collect();
        (people.len() > 1 && !clear).then(|| ((*word).to_owned(), named()))
    })
}

/// Whether a word joins or opens names, and means nobody: "The Guys", "Anna and Bob".
pub(super) fn means_nobody(word: &str) -> bool {
    ["the", "a", "an", "and", "of"].contains(&word.to_lowercase().as_str())
}

/// Whether a longer name holds all words of this one.
fn is_part_of(name: &str, longer: &str) -> bool {
    let longer: Vec<&str> = longer.split_whitespace().collect();
    name.split_whitespace().count() < longer.len()
        && name.split_whitespace().all(|part| longer.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str, speakers: &[&str]) -> Option<String> {
        let speakers: Vec<String> = speakers.iter().map(|it| (*it).to_owned()).collect();
        let (name, people) = ambiguous(text, &speakers)?;
        Some(format!("{name}: {}", people.join(", ")))
    }

    #[test]
    fn a_name_that_two_speakers_share_is_ambiguous() {
        let two = ["Anna Ames", "Anna Berg", "Bob"];
        let both = Some("Anna: Anna Ames, Anna Berg".to_owned());
        assert_eq!(asked("Where does Anna live?", &two), both);
        assert_eq!(asked("Where is Anna's piano?", &two), both);
        let lower = Some("anna: Anna Ames, Anna Berg".to_owned());
        assert_eq!(asked("where does anna live?", &two), lower);
        let groups = ["The Guys", "The Girls", "Anna"];
        assert_eq!(asked("whose place by the sea is it?", &groups), None);
        let family = ["Anna Ames", "Tom Ames"];
        let ames = Some("Ames: Anna Ames, Tom Ames".to_owned());
        assert_eq!(asked("What did Ames buy?", &family), ames);
    }

    #[test]
    fn a_name_is_clear_where_the_question_or_memory_settles_it() {
        let two = ["Anna Ames", "Anna Berg", "Bob"];
        for clear in [
            "Where does Anna Berg live?",
            "Where does Bob live?",
            "Who is there?",
        ] {
            assert_eq!(asked(clear, &two), None, "{clear}");
        }
        assert_eq!(asked("Where does Anna live?", &["Anna", "Anna Berg"]), None);
        // who also speaks together with others
        let together = ["Anna Ames", "Anna Ames and Bob Cole"];
        assert_eq!(asked("Where does Anna live?", &together), None);
        let labels = ["Speaker 1", "Speaker 2"];
        assert_eq!(asked("What did the Speaker say?", &labels), None);
        // a capital elsewhere: "will" is no name here
        let wills = ["Will Ames", "Will Berg"];
        assert_eq!(asked("What will Bob do?", &wills), None);
    }
}
