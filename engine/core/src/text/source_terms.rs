//! The terms of a source text, for checking what a model writes about it.
//!
//! A word matches in any form with the same stem, and as a word or as digits. A hyphenated word
//! counts by its parts, except dates and ranges, whose parts mean nothing in another order. `May`
//! the month, `Will` the name and `US` the country are not treated as stop words.

use super::claim_features::ClaimFeatures;
use super::clauses::clauses;
use super::words::{display_words, is_content_word, stem};
use std::collections::BTreeSet;

/// Terms of source texts: their words, and which clauses are negated.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourceTerms {
    words: BTreeSet<String>,
    clauses: Vec<Clause>,
}

#[derive(Debug, Clone)]
struct Clause {
    words: BTreeSet<String>,
    negated: bool,
}

impl Clause {
    fn of(text: &str) -> Self {
        Self {
            words: words(text),
            negated: ClaimFeatures::of(text).negated,
        }
    }

    /// The clause that shares most words with `to`; ties by words shared with `beside`, then the
    /// first.
    fn nearest<'a>(
        all: &'a [Self],
        to: &BTreeSet<String>,
        beside: &BTreeSet<String>,
    ) -> Option<&'a Self> {
        let shared =
            |clause: &Self, with: &BTreeSet<String>| clause.words.intersection(with).count();
        let near = |clause: &&Self| (shared(clause, to), shared(clause, beside));
        all.iter().rev().max_by_key(near)
    }
}

impl SourceTerms {
    /// Adds a source text. Cost: O(n log n) in its words.
    pub(crate) fn add(&mut self, text: &str) {
        self.add_words(text);
        self.clauses
            .extend(clauses(text).into_iter().map(Clause::of));
    }

    /// Adds words that count as said but state nothing: a speaker's name.
    pub(crate) fn add_words(&mut self, text: &str) {
        self.words.extend(words(text));
    }

    /// The stems of its content words.
    pub(crate) fn words(&self) -> &BTreeSet<String> {
        &self.words
    }

    /// Whether `text` has the same polarity as this source. Finds the source clause nearest to
    /// `text` (ties: nearest to `asked`), then the clause of `text` nearest to that one. True when
    /// both or neither is negated.
    pub(crate) fn agrees(&self, text: &str, asked: &BTreeSet<String>) -> bool {
        let Some(own) = Clause::nearest(&self.clauses, &words(text), asked) else {
            return true;
        };
        let theirs: Vec<Clause> = clauses(text).into_iter().map(Clause::of).collect();
        let theirs = Clause::nearest(&theirs, &own.words, asked);
        theirs.is_none_or(|clause| clause.negated == own.negated)
    }
}

/// The stems of a text's content words, normalised for comparison: "the blue one" is no number,
/// `7pm` is `7` and `pm`, `twenty-five` is `25`, and contractions are split.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    tokens(text).iter().flat_map(Token::stems).collect()
}

/// A word with its context.
pub(in crate::text) struct Token<'a> {
    written: &'a str,
    pub(in crate::text) lower: String,
    capital: bool,
    before: Option<String>,
    next: Option<String>,
    /// "one" or "ones" after a determiner, with at most one word between.
    stands_for_a_noun: bool,
}

/// The words of a text, in order.
pub(in crate::text) fn tokens(text: &str) -> Vec<Token<'_>> {
    const DETERMINERS: [&str; 10] = [
        "the", "this", "that", "which", "each", "every", "another", "a", "an", "these",
    ];
    let written: Vec<&str> = display_words(text).collect();
    let lower: Vec<String> = written.iter().map(|word| lowered(word)).collect();
    let determiner = |at: usize| DETERMINERS.contains(&lower[at].as_str());
    let token = |at: usize| {
        let one = ["one", "ones"].contains(&lower[at].as_str());
        let described = at >= 2 && is_content_word(&lower[at - 1]) && determiner(at - 2);
        Token {
            lower: lower[at].clone(),
            capital: written[at].starts_with(char::is_uppercase),
            before: at.checked_sub(1).map(|before| lower[before].clone()),
            next: lower.get(at + 1).cloned(),
            stands_for_a_noun: one && at >= 1 && (determiner(at - 1) || described),
            written: written[at],
        }
    };
    (0..written.len()).map(token).collect()
}

fn lowered(word: &str) -> String {
    word.to_lowercase().replace('’', "'")
}

impl Token<'_> {
    /// The stems that this word matches; none for a stop word, a negation, or "one" for a noun.
    pub(in crate::text) fn stems(&self) -> BTreeSet<String> {
        if self.stands_for_a_noun {
            return BTreeSet::new();
        }
        if self.is_month() {
            return BTreeSet::from([format!("month {}", self.lower)]);
        }
        if self.is_odd_name() {
            return BTreeSet::from([format!("name {}", self.written)]);
        }
        word_stems(&self.lower)
    }

    /// Whether it is a month name that is also a verb.
    fn may_be_no_month(&self) -> bool {
        ["may", "march"].contains(&self.lower.as_str())
    }

    fn is_month(&self) -> bool {
        const BEFORE: [&str; 14] = [
            "in", "since", "until", "till", "of", "by", "last", "next", "this", "every", "from",
            "early", "late", "mid",
        ];
        let digits = |word: &Option<String>| {
            let starts = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
            word.as_ref().is_some_and(starts)
        };
        let led = self.before.as_deref().is_some_and(|b| BEFORE.contains(&b));
        let alike = self.capital || led || digits(&self.before) || digits(&self.next);
        self.may_be_no_month() && alike
    }

    /// Whether it is a name that looks like a stop word in lower case: Will, the US.
    fn is_odd_name(&self) -> bool {
        let all_capitals = self.written.len() > 1
            && self.written.chars().all(char::is_uppercase)
            && ["us", "it", "am", "who"].contains(&self.lower.as_str());
        let asked = [
            "i", "you", "he", "she", "it", "we", "they", "the", "that", "there",
        ];
        let will = self.written == "Will"
            && !self
                .next
                .as_deref()
                .is_some_and(|next| asked.contains(&next));
        all_capitals || will
    }
}

/// The stems of one lower-cased word; none for a stop word or a negation.
fn word_stems(lower: &str) -> BTreeSet<String> {
    let base = base(lower);
    if let Some(number) = compound(base) {
        return BTreeSet::from([number]);
    }
    let digits = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if base.split('-').filter(digits).count() > 1 {
        return BTreeSet::from([base.to_owned()]);
    }
    let parts = base.split('-').flat_map(figure_and_unit);
    let content = parts.filter(|part| !part.is_empty() && is_content_word(part));
    content.map(stem).collect()
}

/// A word without its contraction: `she's` is `she`; empty for `don't`.
fn base(lower: &str) -> &str {
    if lower.ends_with("n't") || lower == "cannot" {
        return "";
    }
    let endings = ["'s", "'m", "'re", "'ve", "'ll", "'d"];
    let mut stripped = endings.iter().filter_map(|end| lower.strip_suffix(end));
    stripped.next().unwrap_or(lower)
}

/// Splits "7pm" and "5km" in two; "1st" stays one word.
fn figure_and_unit(part: &str) -> [&str; 2] {
    let at = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    match &part[at..] {
        "st" | "nd" | "rd" | "th" => [part, ""],
        _ => [&part[..at], &part[at..]],
    }
}

/// `twenty-five` in digits.
fn compound(word: &str) -> Option<String> {
    const TENS: [&str; 8] = [
        "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ];
    let (tens, units) = word.split_once('-')?;
    let tens = TENS.iter().position(|name| *name == tens)? + 2;
    let units: usize = stem(units).parse().ok().filter(|n| (1..=9).contains(n))?;
    Some((tens * 10 + units).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_said(said: &str, text: &str) -> bool {
        words(text).is_subset(&words(said))
    }

    #[test]
    fn names_and_figures_count_in_every_form_that_means_the_same() {
        for (said, text) in [
            ("The train leaves at seven.", "It leaves at 7"),
            ("Jean-Luc has COVID-19.", "So Jean-Luc has COVID-19"),
            ("I was born on 2025-03-06.", "Born on 2025-03-06"),
            ("She is twenty-five.", "She is 25"),
            ("it was in may", "It was in May"),
            ("Three weeks, 5km a day.", "It was 5 km and 3 weeks"),
            ("The blue one costs more.", "So the blue one does cost"),
            ("I met Will in the US.", "She met Will in the US"),
        ] {
            assert!(is_said(said, text), "{said} / {text}");
        }
    }

    #[test]
    fn names_and_figures_that_were_not_said_are_missing() {
        for (said, text) in [
            ("I met Bob.", "She met Clara"),
            ("Bob pays at 7.", "He pays at 7. Zorro pays"),
            ("I moved to Paris.", "She moved to Jean-Luc"),
            ("I met Jean.", "Bob met Jean-Luc"),
            ("I may move to Paris.", "She moves in May"),
            ("It was on 2025-06-03.", "It was on 2025-03-06"),
            ("I was 7-8 times there.", "Bob was 8-7 times there"),
            ("She is twenty-six.", "She is twenty-five"),
            ("I bought some.", "She bought one"),
            ("I met somebody.", "She met Will"),
            ("She told us.", "It is in the US"),
        ] {
            assert!(!is_said(said, text), "{said} / {text}");
        }
    }

    #[test]
    fn the_nearest_clause_says_yes_or_no() {
        let mut said = SourceTerms::default();
        said.add("I moved to Paris in May, and I don't regret it.");
        let agrees = |text: &str, asked: &str| said.agrees(text, &words(asked));
        let none = "";
        assert!(agrees("Alice moved to Paris in May.", none));
        assert!(!agrees("Alice did not move to Paris in May.", none));
        assert!(agrees("Alice does not regret it.", none));
        assert!(!agrees("Alice regrets it.", none));
        assert!(agrees(
            "Alice moved to Paris, and she doesn't regret it.",
            none
        ));
        assert!(agrees("Alice.", "Who moved?"));
        assert!(!agrees("Alice.", "Who has regrets?"));
    }
}
