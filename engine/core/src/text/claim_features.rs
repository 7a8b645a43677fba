//! Features that distinguish two similar statements: numbers, names, times and negation.
//!
//! Cosine alone confuses "at 7" with "at 8" and "likes" with "does not like". Two statements make
//! the same claim only if their features agree.

use super::clauses::QUESTION_MARKS;
use super::words::{content_words, display_words, is_content_word, stem};
use crate::analysis::StatementFlags;
use std::collections::BTreeSet;

const NEGATIONS: &[&str] = &[
    "not", "no", "never", "nobody", "nothing", "none", "neither", "nor", "without", "cannot",
    "hardly",
];
const QUESTION_WORDS: &[&str] = &[
    "who", "what", "when", "where", "why", "which", "how", "whose", "who's", "what's", "where's",
];
const AUXILIARIES: &[&str] = &[
    "do", "does", "did", "is", "are", "was", "were", "can", "could", "will", "would", "should",
    "have", "has", "shall",
];
const SUBJECTS: &[&str] = &[
    "you", "i", "he", "she", "we", "they", "there", "that", "your", "my", "his", "her", "anybody",
];
const TIMES: &[&str] = &[
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january",
    "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december", "today", "tomorrow", "yesterday", "tonight", "morning", "noon",
    "afternoon", "evening", "midnight", "week", "month", "year", "weekend", "hour", "minute",
    "spring", "summer", "autumn", "winter",
];
const COUNTS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred",
    "thousand", "million", "half", "quarter", "first", "second", "third", "fourth", "fifth",
    "dozen", "twice",
];

/// The claim features of one statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClaimFeatures {
    /// Numbers, as digits or words, stemmed.
    pub numbers: BTreeSet<String>,
    /// Days, months and parts of days, stemmed.
    pub times: BTreeSet<String>,
    /// Capitalised words, lower-cased, except the first of each sentence.
    pub names: BTreeSet<String>,
    /// Whether the statement is negated.
    pub negated: bool,
    /// Whether it is in the first person.
    pub first_person: bool,
}

impl ClaimFeatures {
    /// Extracts the features of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut marks = Self::default();
        let mut sentence_start = true;
        let mut end = 0;
        for word in display_words(text) {
            // words are slices of the text, so pointer distance gives the byte offset
            let at = word.as_ptr() as usize - text.as_ptr() as usize;
            sentence_start |= text[end..at].contains(['.', '?', '!']);
            end = at + word.len();
            marks.note(word, sentence_start);
            sentence_start = false;
        }
        marks
    }

    fn note(&mut self, word: &str, sentence_start: bool) {
        let lower = word.to_lowercase().replace('’', "'");
        let capital = word.chars().next().is_some_and(char::is_uppercase);
        if is_number(&lower) {
            self.numbers.insert(stem(&lower));
        } else if is_time(&lower, capital) {
            self.times.insert(singular_time(&lower).to_owned());
        } else if [
            "i", "my", "me", "mine", "we", "our", "i'm", "i've", "i'll", "i'd", "we're",
        ]
        .contains(&lower.as_str())
        {
            self.first_person = true;
        } else if capital && !sentence_start && is_content_word(&lower) {
            self.names
                .insert(lower.strip_suffix("'s").unwrap_or(&lower).to_owned());
        }
        self.negated |= is_negation(&lower);
    }

    /// Whether two statements can be the same claim: same numbers, times, names and polarity.
    #[must_use]
    pub fn agree(&self, other: &Self) -> bool {
        self.numbers == other.numbers
            && self.times == other.times
            && self.names == other.names
            && self.negated == other.negated
    }

    /// Whether it has a number or a time.
    #[must_use]
    pub fn has_figures(&self) -> bool {
        !self.numbers.is_empty() || !self.times.is_empty()
    }
}

/// Whether a lower-cased word is a negation.
pub(super) fn is_negation(lower: &str) -> bool {
    NEGATIONS.contains(&lower) || lower.ends_with("n't")
}

pub(super) fn is_number(lower: &str) -> bool {
    lower.bytes().any(|b| b.is_ascii_digit()) || COUNTS.contains(&lower)
}

/// `may` is a month only when capitalised.
pub(super) fn is_time(lower: &str, capital: bool) -> bool {
    TIMES.contains(&singular_time(lower)) && (capital || lower != "may")
}

/// The flags of a text.
#[must_use]
pub fn flags(text: &str) -> StatementFlags {
    let marks = ClaimFeatures::of(text);
    StatementFlags {
        question: is_question(text),
        number: !marks.numbers.is_empty(),
        time: !marks.times.is_empty(),
        little: content_words(text).nth(1).is_none(),
    }
}

pub(super) fn singular_time(word: &str) -> &str {
    word.strip_suffix("'s")
        .or_else(|| word.strip_suffix('s'))
        .unwrap_or(word)
}

/// Whether a clause is a question.
///
/// Recognised speech often ends a question with a full stop, so word order counts too: a question
/// word before an auxiliary ("who is playing"), or an auxiliary before a subject ("did you").
#[must_use]
pub fn is_question(clause: &str) -> bool {
    let clause = clause.trim();
    // か asks in Japanese, with or without a mark
    if clause.ends_with(QUESTION_MARKS) || clause.trim_end_matches('。').ends_with('か') {
        return true;
    }
    let words: Vec<String> = display_words(clause)
        .take(3)
        .map(str::to_lowercase)
        .collect();
    let Some(first) = words.first() else {
        return false;
    };
    let follows = |list: &[&str]| {
        words
            .get(1)
            .is_some_and(|word| list.contains(&word.as_str()))
    };
    let asks_what = QUESTION_WORDS.contains(&first.as_str())
        && (follows(AUXILIARIES) || first.ends_with("'s") || !clause.ends_with(['.', '!']));
    asks_what || (AUXILIARIES.contains(&first.as_str()) && follows(SUBJECTS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_statements_of_other_meaning_disagree() {
        for (a, b) in [
            ("The train leaves at seven.", "The train leaves at eight."),
            ("I like dogs.", "I don't like dogs."),
            ("We visit Rome on Friday.", "We visit Rome on Monday."),
            ("I met Bob.", "I met Alice."),
            ("I paid 20 dollars.", "I paid 30 dollars."),
        ] {
            assert!(
                !ClaimFeatures::of(a).agree(&ClaimFeatures::of(b)),
                "{a} / {b}"
            );
        }
    }

    #[test]
    fn the_same_claim_agrees() {
        let a = ClaimFeatures::of("The train leaves at 7.");
        assert!(a.agree(&ClaimFeatures::of("the train leaves at seven")));
        assert!(ClaimFeatures::of("My dog is old.").first_person);
        assert!(ClaimFeatures::of("It is on May 3.").times.contains("may"));
        assert!(ClaimFeatures::of("It may rain.").times.is_empty());
    }

    #[test]
    fn questions_are_told_from_statements() {
        assert!(is_question("Where do you live?"));
        assert!(is_question("where do you live"));
        assert!(is_question("Who is playing the piano on Saturday."));
        assert!(is_question("Did you meet her."));
        assert!(!is_question("What a day."));
        assert!(!is_question("When I was young, I lived in Rome."));
        assert!(!is_question("Have some tea."));
        assert!(!is_question("I know where you live."));
    }
}
