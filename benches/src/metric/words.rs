//! Measures by content words, as defined in `stream.md`: evidence recall, answer containment,
//! regret; and key entities and abstention.

use anyhow::{Context, Result};
use std::collections::{HashMap, HashSet};
use weir_core::text::{content_words, display_words, is_content_word, stem};

/// Share of a turn's content words that the context must contain to count the turn.
const CARRIED_SHARE: f64 = 0.5;

/// The content words of a context, extracted once.
pub(super) struct Shown(HashSet<String>);

impl Shown {
    pub(super) fn of(context: &str) -> Self {
        Self(content_words(context).collect())
    }

    /// Share of a text's distinct content words in the context; `None` if it has none.
    fn share(&self, text: &str) -> Option<f64> {
        let words: HashSet<String> = content_words(text).collect();
        let found = words.iter().filter(|word| self.0.contains(*word)).count();
        (!words.is_empty()).then(|| found as f64 / words.len() as f64)
    }

    /// Share of the gold turns that the context names and of whose content words it contains at
    /// least half; a turn without content words never counts.
    pub(super) fn evidence_recall(
        &self,
        evidence: &[String],
        context_turns: &[String],
        said: &HashMap<&str, &str>,
    ) -> Result<Option<f64>> {
        let named: HashSet<&str> = context_turns.iter().map(String::as_str).collect();
        let mut found = 0_usize;
        for id in evidence {
            let text = text_of(id, said)?;
            let carried = self.share(text).is_some_and(|share| share >= CARRIED_SHARE);
            found += usize::from(named.contains(id.as_str()) && carried);
        }
        Ok(share(found, evidence.len()))
    }

    /// Share of the gold answer's content words in the context.
    pub(super) fn containment(&self, gold: &str) -> Option<f64> {
        self.share(gold)
    }
}

/// Share of the gold turns that a context names and of whose content words it contains at least
/// half; `None` without evidence. `context_turns` are the utterances that the context names, `said`
/// the text of each utterance by id.
///
/// # Errors
/// Gold evidence is not a turn of the stream.
pub fn evidence_recall(
    context: &str,
    evidence: &[String],
    context_turns: &[String],
    said: &HashMap<&str, &str>,
) -> Result<Option<f64>> {
    Shown::of(context).evidence_recall(evidence, context_turns, said)
}

/// Share of the gold answer's content words in a text; `None` if it has none.
#[must_use]
pub fn containment(text: &str, gold: &str) -> Option<f64> {
    Shown::of(text).containment(gold)
}

pub(super) fn text_of<'a>(id: &str, said: &HashMap<&str, &'a str>) -> Result<&'a str> {
    let text = said.get(id).copied();
    text.with_context(|| format!("evidence `{id}` is not a turn of the stream"))
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Share of the gold turns no longer in any part of memory; `held` `None` means all are in memory.
#[must_use]
pub fn regret(evidence: &[String], held: Option<&HashSet<String>>) -> Option<f64> {
    let lost = held.map_or(0, |held| {
        evidence.iter().filter(|id| !held.contains(*id)).count()
    });
    share(lost, evidence.len())
}

/// Whether an answer contains every key entity of the gold answer.
///
/// The entities are its numbers (words with a digit, number words except "one"), its days and
/// months, and its names: capitalised content words. At the start of a sentence only words in
/// capitals count as names, or all of them if the sentence has no other content word ("New York").
/// A gold answer without entities uses its content words, and one without those uses all its words.
/// Words match if their stems do, as in the memory's search: `three` is `3`, `7th` is `7`, `Anna's`
/// is `Anna`. `None` if the gold answer has no word.
#[must_use]
pub fn names_key_entities(answer: &str, gold: &str) -> Option<bool> {
    let keys = key_entities(gold);
    let said: HashSet<String> = plain_words(answer).map(|word| agreed(&word)).collect();
    (!keys.is_empty()).then(|| keys.iter().all(|key| said.contains(key)))
}

/// The key entities of a gold answer, as stems.
fn key_entities(gold: &str) -> HashSet<String> {
    let entities: HashSet<String> = sentences(gold)
        .iter()
        .flat_map(|sentence| sentence_entities(sentence))
        .collect();
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

/// Quality of abstentions.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Abstention {
    /// Share of the abstentions that were on probes without an answer.
    pub precision: f64,
    /// Share of the probes without an answer on which it abstained.
    pub recall: f64,
    /// Harmonic mean of both.
    pub f1: f64,
    /// Probes without an answer.
    pub unanswerable: usize,
    /// Probes on which it abstained.
    pub abstained: usize,
}

impl Abstention {
    /// From pairs `(has no answer, abstained)`. A share of nothing is 0.
    pub fn over(probes: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let (mut both, mut unanswerable, mut abstained) = (0, 0, 0);
        for (none, silent) in probes {
            both += usize::from(none && silent);
            unanswerable += usize::from(none);
            abstained += usize::from(silent);
        }
        let of = |whole: usize| share(both, whole).unwrap_or(0.0);
        Self {
            precision: of(abstained),
            recall: of(unanswerable),
            f1: share(2 * both, unanswerable + abstained).unwrap_or(0.0),
            unanswerable,
            abstained,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::golden;

    fn ids(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn evidence_counts_when_named_and_carried() {
        let said = HashMap::from([
            ("a", "the blue boat sank"),
            ("b", "Oh, no!"),
            ("c", "is it?"),
        ]);
        let shown = Shown::of("A boat sank near the pier. Oh!");
        let recall = |evidence: &[&str], named: &[&str]| {
            shown
                .evidence_recall(&ids(evidence), &ids(named), &said)
                .expect("known turns")
        };
        assert_eq!(recall(&["a"], &["a"]), Some(1.0), "two of three words");
        assert_eq!(recall(&["a"], &["b"]), Some(0.0), "not named");
        assert_eq!(recall(&["a", "c"], &["a", "c"]), Some(0.5), "c has no word");
        assert_eq!(recall(&[], &["a"]), None);
        let less = Shown::of("blue");
        let recall = less.evidence_recall(&ids(&["a"]), &ids(&["a"]), &said);
        assert_eq!(recall.expect("known"), Some(0.0), "one of three words");
        let error = shown.evidence_recall(&ids(&["z"]), &[], &said);
        assert!(error.expect_err("no such turn").to_string().contains("`z`"));
    }

    #[test]
    fn containment_counts_distinct_content_words() {
        let shown = Shown::of("We saw the boat, the boat.");
        assert_eq!(shown.containment("the boat and the boat, pier"), Some(0.5));
        assert_eq!(shown.containment("it is"), None);
    }

    #[test]
    fn regret_is_what_is_held_no_more() {
        let held: HashSet<String> = ids(&["a"]).into_iter().collect();
        assert_eq!(regret(&ids(&["a", "b"]), Some(&held)), Some(0.5));
        assert_eq!(regret(&ids(&["a", "b"]), None), Some(0.0));
        assert_eq!(regret(&[], Some(&held)), None);
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
        assert_eq!(
            names("it was Anna's boat, 7 May", "the 7th of May, with Anna"),
            Some(true)
        );
        assert_eq!(
            names("it was in May", "the 7th of May, with Anna"),
            Some(false)
        );
        assert_eq!(names("3 cats", "three cats"), Some(true));
        assert_eq!(names("", "Lisbon"), Some(false));
        assert_eq!(names("Lisbon", "..."), None);
    }

    #[test]
    fn abstention_is_that_of_scikit_learn() {
        let cases = golden::read().abstention;
        assert!(cases.len() > 5);
        for case in cases {
            let flags = |text: &str| text.chars().map(|c| c == '1').collect::<Vec<_>>();
            let (none, silent) = (flags(&case.unanswerable), flags(&case.abstained));
            let found = Abstention::over(none.into_iter().zip(silent));
            assert!((found.precision - case.precision).abs() < 1e-12);
            assert!((found.recall - case.recall).abs() < 1e-12);
            assert!((found.f1 - case.f1).abs() < 1e-12);
        }
    }
}
