//! A clause in the form that is compared: its content words in order, and what changes their
//! meaning.

use super::lists::{DOUBTS, ENDINGS, FIRST_PERSON, REFLEXIVE, WISHES, meaning};
use super::spoken::SpeakerText;
use crate::text::claim_features::{ClaimFeatures, is_negation, is_number, singular_time};
use crate::text::matching::OPENERS;
use crate::text::source_terms::{Token, tokens};
use crate::text::verbs::{is_base, is_finite, is_past};
use crate::text::words::{display_words, is_content_word, stem};
use std::collections::BTreeSet;

/// Words after "my" among which the thing owned is looked for.
const OWNED_WORDS_MAX: usize = 3;

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    Time,
    Other,
}

/// A content word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    /// Its stem, or that of the word listed first with the same or the opposite meaning.
    pub(super) meaning: String,
    /// Whether it means the opposite.
    pub(super) opposite: bool,
    pub(super) kind: Kind,
}

impl Term {
    fn of(stem: &str, kind: Kind) -> Self {
        let (meaning, opposite) = match kind {
            Kind::Other => meaning(stem),
            _ => (stem, false),
        };
        Self {
            meaning: meaning.to_owned(),
            opposite,
            kind,
        }
    }

    fn person(name: &str) -> Self {
        Self::of(&name.to_lowercase(), Kind::Name)
    }
}

/// One clause, or the words of several.
#[derive(Debug, Clone, Default)]
pub(super) struct Clause {
    pub(super) terms: Vec<Term>,
    /// Days, months, seasons and parts of days.
    pub(super) times: BTreeSet<String>,
    pub(super) negated: bool,
    /// Stems of words by which something is over.
    pub(super) endings: BTreeSet<String>,
    pub(super) past: bool,
    /// What makes it a guess, a wish or a plan.
    pub(super) doubts: BTreeSet<String>,
    /// What belongs to the person that it begins with: `sister` in "My sister is a vet".
    pub(super) owned: Option<String>,
    /// Whether it is more than "yes" or "no", and begins with "no".
    corrects: bool,
}

impl Clause {
    /// Reads one clause. A name of `people` counts as one word.
    pub(super) fn of(spoken: SpeakerText<'_>, people: &[&str]) -> Self {
        let text = without_thousands_commas(spoken.text);
        let tokens = tokens(&text);
        let lower: Vec<&str> = tokens.iter().map(|token| token.lower.as_str()).collect();
        let corrects = lower.len() > 1 && begins_with_no(&text);
        let opens = |word: &&&str| OPENERS.contains(word) && (**word != "no" || corrects);
        let opened = lower.iter().take_while(opens).count() % lower.len().max(1);
        let told = &lower[opened..];
        let features = ClaimFeatures::of(&text);
        Self {
            terms: terms(&tokens, spoken.speaker, people, &features),
            negated: told.iter().any(|word| is_negation(word)),
            endings: endings(told),
            past: told.iter().any(|word| is_past(word) || *word == "were"),
            doubts: doubts(told, &features),
            owned: owned(&tokens[opened..]),
            times: features.times,
            corrects,
        }
    }

    /// The words of several clauses.
    pub(super) fn joined(clauses: &[Self]) -> Self {
        let terms = clauses.iter().flat_map(|clause| clause.terms.clone());
        Self {
            terms: terms.collect(),
            ..Self::default()
        }
    }

    /// Makes it the answer to a question, whose "you" is its speaker. "No, a dog" says nothing of
    /// the cat that was asked for.
    pub(super) fn answer(&mut self, asked: Self, speaker: Option<&str>) {
        if !self.corrects {
            let own = std::mem::take(&mut self.terms);
            let you = speaker.map(Term::person);
            self.terms = you.into_iter().chain(asked.terms).chain(own).collect();
        }
    }
}

/// `1,200` as `1200`.
fn without_thousands_commas(text: &str) -> String {
    let digit_at = |at: Option<usize>| {
        let byte = at.and_then(|at| text.as_bytes().get(at));
        byte.is_some_and(u8::is_ascii_digit)
    };
    let kept = text.char_indices().filter(|&(at, c)| {
        c != ',' || !(digit_at(at.checked_sub(1)) && (1..=3).all(|n| digit_at(Some(at + n))))
    });
    kept.map(|(_, c)| c).collect()
}

/// "No, I live in Bern", but not "No one lives there".
fn begins_with_no(text: &str) -> bool {
    let text = text.trim_start().as_bytes();
    text.len() > 2 && text[..2].eq_ignore_ascii_case(b"no") && b",.!;:".contains(&text[2])
}

/// The content words in order, with the speaker's name for "I".
fn terms(
    tokens: &[Token<'_>],
    speaker: Option<&str>,
    people: &[&str],
    features: &ClaimFeatures,
) -> Vec<Term> {
    let (mut terms, mut at) = (Vec::new(), 0);
    while let Some(token) = tokens.get(at) {
        let person = people
            .iter()
            .find_map(|name| Some((name, named(&tokens[at..], name)?)));
        if let Some((name, words)) = person {
            terms.push(Term::person(name));
            at += words;
            continue;
        }
        at += 1;
        let base = token.lower.split('\'').next().unwrap_or_default();
        if let Some(speaker) = speaker.filter(|_| FIRST_PERSON.contains(base)) {
            terms.push(Term::person(speaker));
        } else if !is_negation(&token.lower) && !REFLEXIVE.contains(base) {
            let kind = kind(base, features);
            terms.extend(token.stems().iter().map(|stem| Term::of(stem, kind)));
        }
    }
    terms
}

/// Number of words of a name, if the tokens begin with it.
fn named(tokens: &[Token<'_>], name: &str) -> Option<usize> {
    let mut words = 0;
    for word in display_words(name) {
        let token = tokens.get(words)?;
        let base = token.lower.strip_suffix("'s").unwrap_or(&token.lower);
        if base != word.to_lowercase() {
            return None;
        }
        words += 1;
    }
    (words > 0).then_some(words)
}

fn kind(base: &str, features: &ClaimFeatures) -> Kind {
    if is_number(base) {
        Kind::Number
    } else if features.times.contains(singular_time(base)) {
        Kind::Time
    } else if features.names.contains(base) {
        Kind::Name
    } else {
        Kind::Other
    }
}

fn endings(words: &[&str]) -> BTreeSet<String> {
    let used_to = words.windows(2).any(|pair| pair == ["used", "to"]);
    let stems = words.iter().map(|word| stem(word));
    let mut endings: BTreeSet<String> = stems.filter(|stem| ENDINGS.contains(stem)).collect();
    endings.extend(used_to.then(|| "used to".to_owned()));
    endings
}

/// "will", "'ll" and "going to" are one doubt: what is planned has not happened.
fn doubts(words: &[&str], features: &ClaimFeatures) -> BTreeSet<String> {
    let mut doubts = BTreeSet::new();
    for (at, word) in words.iter().enumerate() {
        let next = |n: usize| words.get(at + n).copied().unwrap_or_default();
        let going = *word == "going" && next(1) == "to" && is_base(next(2));
        if going || ["will", "won't", "gonna", "shall"].contains(word) || word.ends_with("'ll") {
            doubts.insert("future".to_owned());
        } else if word.ends_with("'d") && WISHES.contains(next(1)) {
            doubts.insert("would".to_owned());
        } else if features.times.contains(*word) {
            // May is a month here
        } else if DOUBTS.contains(word) || DOUBTS.contains(&stem(word)) {
            doubts.insert(stem(word));
        }
    }
    doubts
}

/// What "my" or "Ana's" at the beginning owns: the last content word before the verb, or the first
/// if no verb is known.
fn owned(tokens: &[Token<'_>]) -> Option<String> {
    let (owner, rest) = tokens.split_first()?;
    let named = owner.lower.strip_suffix("'s").is_some_and(is_content_word);
    if !(named || ["my", "our"].contains(&owner.lower.as_str())) {
        return None;
    }
    let rest = &rest[..rest.len().min(OWNED_WORDS_MAX)];
    let verb = rest.iter().position(|token| is_finite(&token.lower));
    let content =
        |token: &&Token<'_>| is_content_word(&token.lower) && !REFLEXIVE.contains(&token.lower);
    let head = match verb {
        Some(verb) => rest[..verb].iter().rfind(content),
        None => rest.iter().find(content),
    };
    Some(meaning(head?.stems().first()?).0.to_owned())
}
