//! Measures by content words: what of the gold answer is shown or said, regret, key entities.

use std::collections::HashSet;
use weir_core::text::{content_words, display_words, is_content_word, stem};

/// Content words of a gold answer that is short enough to stand whole in an answer.
const SHORT_WORDS_MAX: usize = 4;
/// Words of an answer in which the gold answer must occur.
const FIRST_WORDS: usize = 40;

/// Share of the gold answer's distinct content words in a text; `None` if it has none.
pub(crate) fn containment(text: &str, gold: &str) -> Option<f64> {
    let shown: HashSet<String> = content_words(text).collect();
    let words: HashSet<String> = content_words(gold).collect();
    share(words.intersection(&shown).count(), words.len())
}

/// Whether all content words of a short gold answer stand in the first words of an answer; `None`
/// for a longer gold answer, and for one without content words.
pub(crate) fn answers_right(answer: &str, gold: &str) -> Option<bool> {
    let words: HashSet<String> = content_words(gold).collect();
    if words.is_empty() || words.len() > SHORT_WORDS_MAX {
        return None;
    }
    let first: Vec<&str> = answer.split_whitespace().take(FIRST_WORDS).collect();
    let said: HashSet<String> = content_words(&first.join(" ")).collect();
    Some(words.is_subset(&said))
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Share of the gold turns no longer in any part of memory; `held` `None` means all are in memory.
pub(crate) fn regret(evidence: &[String], held: Option<&HashSet<String>>) -> Option<f64> {
    let is_lost = |id: &&String| held.is_some_and(|held| !held.contains(*id));
    share(evidence.iter().filter(is_lost).count(), evidence.len())
}

/// Whether an answer contains every key entity of the gold answer.
///
/// The entities are its numbers (words with a digit, number words except "one"), its days and
/// months, and its names: capitalised content words. At the start of a sentence only words in
/// capitals count as names, or all of them if the sentence has no other content word ("New York").
/// A gold answer without entities uses its content words, and one without those uses all its words.
/// Words match if their stems do, as in the memory's search: `three` is `3`, `7th` is `7`, `Anna's`
/// is `Anna`. `None` if the gold answer has no word.
pub(crate) fn names_key_entities(answer: &str, gold: &str) -> Option<bool> {
    let keys = key_entities(gold);
    let said: HashSet<String> = plain_words(answer).map(|word| agreed(&word)).collect();
    (!keys.is_empty()).then(|| keys.iter().all(|key| said.contains(key)))
}

/// The key entities of a gold answer, as stems.
fn key_entities(gold: &str) -> HashSet<String> {
    let entities = sentences(gold);
    let entities = entities.iter().flat_map(|words| sentence_entities(words));
    let entities: HashSet<String> = entities.collect();
    if !entities.is_empty() {
        return entities;
    }
    let all = || plain_words(gold);
    let content: HashSet<String> = all()
        .filter(|word| is_content_word(&word.to_lowercase()))
        .map(|word| agreed(&word))
        .collect();
    if content.is_empty() {
        return all().map(|word| agreed(&word)).collect();
    }
    content
}

/// Words of each sentence; a sentence ends with a word followed by a stop.
fn sentences(text: &str) -> Vec<Vec<String>> {
    let mut sentences = vec![Vec::new()];
    for token in text.split_whitespace() {
        if let Some(last) = sentences.last_mut() {
            last.extend(plain_words(token));
        }
        if token.ends_with(['.', '!', '?', ':', ';']) {
            sentences.push(Vec::new());
        }
    }
    sentences
}

fn sentence_entities(words: &[String]) -> Vec<String> {
    let is_lower = |word: &String| !begins_upper(word) && is_content_word(word);
    let plain = words.iter().any(|word| is_lower(word) && !is_figure(word));
    let named = |(at, word): (usize, &String)| {
        let name = begins_upper(word)
            && is_content_word(&word.to_lowercase())
            && (at > 0 || !plain || is_upper(word));
        name || is_figure(word) || is_day_or_month(word)
    };
    let found = words.iter().enumerate().filter(|at| named(*at));
    found.map(|(_, word)| agreed(word)).collect()
}

/// Words as written; hyphenated words are split.
fn plain_words(text: &str) -> impl Iterator<Item = String> {
    display_words(text)
        .flat_map(|word| word.split('-'))
        .filter(|word| !word.is_empty())
        .map(|word| word.replace('’', "'"))
}

fn begins_upper(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

fn is_upper(word: &str) -> bool {
    word.chars().count() > 1 && !word.chars().any(char::is_lowercase)
}

fn is_figure(word: &str) -> bool {
    let word = word.to_lowercase();
    word.contains(|c: char| c.is_ascii_digit())
        || (word != "one" && stem(&word).starts_with(|c: char| c.is_ascii_digit()))
}

/// "may" and "march" are names only with a capital.
fn is_day_or_month(word: &str) -> bool {
    const NAMES: &str = "monday tuesday wednesday thursday friday saturday sunday january february \
        april june july august september october november december";
    let lower = word.to_lowercase();
    NAMES.split(' ').any(|name| name == lower)
}

/// The form in which two words are compared.
fn agreed(word: &str) -> String {
    let stem = stem(&word.to_lowercase());
    let digits = stem.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let ending = &stem[digits.len()..];
    let ordinal = ["st", "nd", "rd", "th"].contains(&ending);
    if ordinal && !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()) {
        return digits.to_owned();
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containment_counts_distinct_content_words() {
        let text = "We saw the boat, the boat.";
        assert_eq!(containment(text, "the boat and the boat, pier"), Some(0.5));
        assert_eq!(containment(text, "it is"), None);
    }

    #[test]
    fn a_short_gold_answer_stands_in_the_first_words() {
        let padded = format!("{}the boat", "so ".repeat(FIRST_WORDS));
        assert_eq!(answers_right("A red boat.", "the boat"), Some(true));
        assert_eq!(answers_right("A red kite.", "the boat"), Some(false));
        assert_eq!(answers_right(&padded, "the boat"), Some(false), "too late");
        assert_eq!(answers_right("a", "red blue green black white"), None);
        assert_eq!(answers_right("a", "it is"), None);
    }

    #[test]
    fn entities_are_figures_days_and_names() {
        let keys = |gold: &str| {
            let mut keys: Vec<String> = key_entities(gold).into_iter().collect();
            keys.sort();
            keys.join(" ")
        };
        assert_eq!(keys("New York"), "new york");
        assert_eq!(keys("She moved to Lisbon on the 7th"), "7 lisbon");
        assert_eq!(keys("Adoption agencies in May"), "may");
        assert_eq!(keys("three weeks ago, on friday"), "3 friday");
        assert_eq!(keys("NATO soldiers. Both may march"), "nato");
        assert_eq!(keys("a green door"), "door green");
        assert_eq!(keys("no, not this"), "no not this");
        assert_eq!(keys("?!"), "");
    }

    #[test]
    fn an_answer_names_all_entities_or_not() {
        let names = names_key_entities;
        let gold = "the 7th of May, with Anna";
        assert_eq!(names("it was Anna's boat, 7 May", gold), Some(true));
        assert_eq!(names("it was in May", gold), Some(false));
        assert_eq!(names("3 cats", "three cats"), Some(true));
        assert_eq!(names("", "Lisbon"), Some(false));
        assert_eq!(names("Lisbon", "..."), None);
    }
}
