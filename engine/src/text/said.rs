//! What a text says, for holding against it what a model makes of it.
//!
//! Words count as said in any form that shares their stem, and as words or as digits; what has a
//! hyphen counts by its parts, save dates and ranges, whose parts mean nothing in another order.
//! Names and figures are read here more warily than in [`Marks`]: of what a model writes every
//! capital may be a name, also after a full stop.

use super::clauses::clauses;
use super::marks::{Marks, is_number, is_time};
use super::words::{display_words, is_content_word, stem};
use std::collections::BTreeSet;

/// What marks a statement and is not in what should say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Missing {
    /// A number, day or month.
    Figure(String),
    /// A name.
    Name(String),
}

/// The words of texts that count as said.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    words: BTreeSet<String>,
    months: BTreeSet<String>,
    odd_names: BTreeSet<String>,
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
            negated: Marks::of(text).negated,
        }
    }

    /// The clause that shares most words with `to`, and of equals most with `beside`; the first.
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

impl Said {
    /// What a text says. Cost: O(n log n) in its words.
    pub(crate) fn of(text: &str) -> Self {
        let mut said = Self::default();
        said.add(text);
        said
    }

    /// Takes in another text that was said.
    pub(crate) fn add(&mut self, text: &str) {
        self.add_words(text);
        self.clauses
            .extend(clauses(text).into_iter().map(Clause::of));
    }

    /// Takes in words that count as said but state nothing: a speaker's name.
    pub(crate) fn add_words(&mut self, text: &str) {
        self.words.extend(words(text));
        for token in tokens(text) {
            if token.is_month() {
                self.months.insert(token.lower.clone());
            }
            if token.is_odd_name() {
                self.odd_names.insert(token.written.to_owned());
            }
        }
    }

    /// Takes in the words of another, which state nothing here.
    pub(crate) fn add_words_of(&mut self, other: &Self) {
        self.words.extend(other.words.iter().cloned());
        self.months.extend(other.months.iter().cloned());
        self.odd_names.extend(other.odd_names.iter().cloned());
    }

    /// The stems of its content words.
    pub(crate) fn words(&self) -> &BTreeSet<String> {
        &self.words
    }

    /// The first name or figure of `text` that was not said. Its first word is left out: it has a
    /// capital anyhow; see [`Self::first_missing`].
    pub(crate) fn missing(&self, text: &str) -> Option<Missing> {
        let all = tokens(text);
        let figure = all.iter().filter(|token| token.is_figure()).find(|token| {
            match token.may_be_no_month() {
                true => !self.months.contains(&token.lower),
                false => !word_stems(&token.lower).is_subset(&self.words),
            }
        });
        if let Some(token) = figure {
            let shown = word_stems(&token.lower).into_iter().next();
            return Some(Missing::Figure(
                shown.unwrap_or_else(|| token.lower.clone()),
            ));
        }
        let unsaid = |token: &&Token<'_>| match token.is_odd_name() {
            true => !self.odd_names.contains(token.written),
            false => token.is_name() && !word_stems(&token.lower).is_subset(&self.words),
        };
        let name = all.iter().find(unsaid)?;
        Some(Missing::Name(name.lower.clone()))
    }

    /// The first word of `text`, lower-cased, where it is a word of content that was not said.
    pub(crate) fn first_missing(&self, text: &str) -> Option<String> {
        let first = tokens(text).into_iter().next()?;
        (!word_stems(&first.lower).is_subset(&self.words)).then_some(first.lower)
    }

    /// Whether a clause of this shares a word with `text`.
    pub(crate) fn bears_on(&self, text: &str) -> bool {
        let own = words(text);
        self.clauses
            .iter()
            .any(|clause| !clause.words.is_disjoint(&own))
    }

    /// Whether `text` says yes and no where this does: the clause of this that is nearest to
    /// `text`, of equals to what was `asked`, and the clause of `text` that is nearest to that one,
    /// are both negated or neither.
    pub(crate) fn agrees(&self, text: &str, asked: &BTreeSet<String>) -> bool {
        let Some(own) = Clause::nearest(&self.clauses, &words(text), asked) else {
            return true;
        };
        let theirs: Vec<Clause> = clauses(text).into_iter().map(Clause::of).collect();
        let theirs = Clause::nearest(&theirs, &own.words, asked);
        theirs.is_none_or(|clause| clause.negated == own.negated)
    }
}

/// The stems of a text's content words as they are held against another's: "the blue one" is no
/// number, `7pm` is `7` and `pm`, `twenty-five` is `25`, and contractions are taken apart.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    tokens(text)
        .iter()
        .filter(|token| !token.stands_for_a_noun)
        .flat_map(|token| word_stems(&token.lower))
        .collect()
}

/// A word with what stands before it.
pub(super) struct Token<'a> {
    pub(super) at: usize,
    pub(super) written: &'a str,
    pub(super) lower: String,
    pub(super) capital: bool,
    before: Option<String>,
    next: Option<String>,
    /// "one" and "ones" after a determiner, or after that and one word more.
    pub(super) stands_for_a_noun: bool,
}

/// The words of a text, in order.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
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
            at,
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
    fn is_figure(&self) -> bool {
        let number = self.lower.split('-').any(is_number) && !self.stands_for_a_noun;
        number || self.is_time()
    }

    /// Whether it names a day, a month or a part of a day.
    pub(super) fn is_time(&self) -> bool {
        is_time(&self.lower, self.capital)
    }

    /// Months that are verbs too.
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

    /// A capital where none need be.
    fn is_name(&self) -> bool {
        self.capital && self.at > 0 && !self.is_time()
    }

    /// A name that but for its capitals is a small word: Will, the US.
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

/// The stems of one lower-cased word; none for a small word or a negation.
pub(super) fn word_stems(lower: &str) -> BTreeSet<String> {
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

/// A word without what is drawn together with it: `she's` is `she`; nothing of `don't`.
pub(super) fn base(lower: &str) -> &str {
    if lower.ends_with("n't") || lower == "cannot" {
        return "";
    }
    let endings = ["'s", "'m", "'re", "'ve", "'ll", "'d"];
    let mut stripped = endings.iter().filter_map(|end| lower.strip_suffix(end));
    stripped.next().unwrap_or(lower)
}

/// "7pm" and "5km" in two; "1st" is a word of its own.
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

    fn missing(said: &str, text: &str) -> Option<Missing> {
        Said::of(said).missing(text)
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
            ("The blue one costs more.", "So the blue one does"),
            ("I met Will in the US.", "She met Will in the US"),
        ] {
            assert_eq!(missing(said, text), None, "{said} / {text}");
        }
    }

    #[test]
    fn names_and_figures_that_were_not_said_are_missing() {
        let name = |name: &str| Some(Missing::Name(name.to_owned()));
        let figure = |figure: &str| Some(Missing::Figure(figure.to_owned()));
        for (said, text, what) in [
            ("I met Bob.", "She met Clara", name("clara")),
            ("Bob pays at 7.", "He pays at 7. Zorro pays", name("zorro")),
            (
                "I moved to Paris.",
                "She moved to Jean-Luc",
                name("jean-luc"),
            ),
            ("I may move to Paris.", "She moves in May", figure("may")),
            (
                "It was on 2025-06-03.",
                "It was on 2025-03-06",
                figure("2025-03-06"),
            ),
            ("She is twenty-six.", "She is twenty-five", figure("25")),
            ("I bought some.", "She bought one", figure("1")),
            ("I met somebody.", "She met Will", name("will")),
            ("She told us.", "It is in the US", name("us")),
        ] {
            assert_eq!(missing(said, text), what, "{said} / {text}");
        }
    }

    #[test]
    fn the_first_word_is_said_too() {
        let said = Said::of("I moved to Paris in May.");
        assert_eq!(said.first_missing("Zorro moved"), Some("zorro".into()));
        assert_eq!(said.first_missing("She moved"), None);
        assert_eq!(said.first_missing("Paris, in May"), None);
    }

    #[test]
    fn the_nearest_clause_says_yes_or_no() {
        let said = Said::of("I moved to Paris in May, and I don't regret it.");
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
