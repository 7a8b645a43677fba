//! Extracts facts that can change from plain statements: subject, slot and value.
//!
//! "I moved to Porto", said by Ana, fills Ana's slot `home`. Only slots with one value at a time
//! are extracted, since a new value there supersedes the old one; likes and actions are no such
//! slots. To mark a true fact as past is worse than to miss a change. So the patterns are few, and
//! their values must be names, figures or times. A statement that only may be a change ("I live in
//! Italy", after "I live in Rome") changes nothing. English only; a statement that matches no
//! pattern makes no claim.

mod claim;
pub(super) mod lists;
pub(super) mod matching;
#[cfg(test)]
mod tests;
mod timed;

pub use claim::Claim;

use super::claim_features::is_question;
use super::clauses::asked_and_said;
use super::words::{display_words, is_content_word, terms};
use crate::analysis::{ClaimKey, Term};
pub(super) use lists::KIN;
use lists::{ATTRIBUTES, CHANGES, FILLERS, NO_NAMES, NO_VALUES, OPENERS, PHRASES, PHRASES_OVER};
use matching::{Word, article, begins, follow, leading, value};

impl Claim {
    /// The claim of a statement by `speaker`, if it makes one. A leading question in brackets,
    /// which the statement answers, is skipped. Cost: linear in the text.
    #[must_use]
    pub fn read(text: &str, speaker: Option<&str>) -> Option<Self> {
        let (_, text) = asked_and_said(text);
        if is_question(text) {
            return None;
        }
        let words: Vec<Word> = display_words(text).map(Word::of).collect();
        if tells_of_the_past(&words) {
            return None;
        }
        let opened = leading(&words, |word| OPENERS.contains(&word.lower));
        let words = &words[opened..];
        let speaker = speaker.map(str::to_lowercase);
        let mut claim = own(words, speaker.as_deref())
            .or_else(|| possessed(words, speaker.as_deref()))
            .or_else(|| third(words))
            .or_else(|| timed::read(words, speaker.as_deref()))?;
        claim.firm |= words.iter().any(|word| CHANGES.contains(&word.lower))
            || follow(words, &["these", "days"]);
        Some(claim)
    }

    /// Whether a statement by `speaker` says that something changed: "I moved to Porto". Cost:
    /// linear in the text.
    pub(crate) fn is_change(text: &str, speaker: Option<&str>) -> bool {
        Self::read(text, speaker).is_some_and(|it| it.firm)
    }

    /// The claim as hashes, the form that memory keeps.
    #[must_use]
    pub fn key(&self) -> ClaimKey {
        ClaimKey {
            slot: ClaimKey::slot_of(&self.subject, &self.slot),
            value: value_terms(&self.value),
            over: self.over,
            firm: self.firm,
        }
    }
}

fn value_terms(value: &str) -> Vec<Term> {
    let words = value.split(' ');
    let content: Vec<&str> = words.filter(|word| is_content_word(word)).collect();
    terms(&if content.is_empty() {
        value.to_owned()
    } else {
        content.join(" ")
    })
}

/// "I moved to Paris in 2010", "when I was five": a past fact says nothing about the present.
pub(super) fn tells_of_the_past(words: &[Word]) -> bool {
    let year = |word: &Word| word.lower.len() == 4 && word.lower.parse::<u16>().is_ok();
    follow(words, &["when", "i", "was"])
        || follow(words, &["years", "ago"])
        || follow(words, &["back", "in"])
        || words
            .windows(2)
            .any(|pair| pair[0].lower == "in" && year(&pair[1]))
}

/// First-person claims: "I live in Rome", "we moved to Porto", "I'm 34 years old".
fn own(words: &[Word], speaker: Option<&str>) -> Option<Claim> {
    let subject = speaker?;
    let first = words.first()?;
    first
        .is(&["i", "i'm", "i've", "we", "we're", "we've"])
        .then(|| verbal(subject, &words[1..]))?
}

/// Third-person claims: "Maria lives in Porto"; the name must be capitalised.
fn third(words: &[Word]) -> Option<Claim> {
    let name = words.first()?;
    let named = name.capital && !name.lower.ends_with("'s") && is_content_word(&name.lower);
    let own = named && !NO_NAMES.contains(&name.lower) && !KIN.contains(&name.lower);
    own.then(|| verbal(&name.lower, &words[1..]))?
}

fn verbal(subject: &str, rest: &[Word]) -> Option<Claim> {
    let used_to = begins(rest, &["used", "to"]);
    let rest = if used_to { &rest[2..] } else { rest };
    let ended = rest.iter().any(|word| word.is(&["anymore"]))
        || follow(rest, &["any", "more"])
        || follow(rest, &["no", "longer"]);
    let denied = |word: &Word| word.lower.ends_with("n't") || word.is(&["not", "never", "no"]);
    if rest.iter().any(denied) && !ended {
        return None;
    }
    let over = used_to || ended;
    let skipped = |word: &Word| {
        FILLERS.contains(&word.lower)
            || (over && (denied(word) || word.is(&["do", "does", "longer"])))
    };
    let rest = &rest[leading(rest, skipped)..];
    let claim = |slot: &str, value, over, firm| Claim {
        subject: subject.to_owned(),
        slot: slot.to_owned(),
        value,
        over,
        firm,
    };
    if let Some((slot, value, _)) = phrase(rest, PHRASES_OVER) {
        return Some(claim(slot, value, true, true));
    }
    if let Some((slot, value, firm)) = phrase(rest, PHRASES) {
        return Some(claim(slot, value, over, firm));
    }
    aged(rest).map(|value| claim("age", value, over, true))
}

/// Slot, value and firmness of the longest phrase at the start of the words; a job needs no name.
fn phrase(
    rest: &[Word],
    phrases: &[(&'static str, &'static str, bool)],
) -> Option<(&'static str, String, bool)> {
    let (words, slot, firm) = phrases
        .iter()
        .map(|(phrase, slot, firm)| (phrase.split(' ').collect::<Vec<_>>(), *slot, *firm))
        .filter(|(phrase, _, _)| begins(rest, phrase))
        .max_by_key(|(phrase, _, _)| phrase.len())?;
    let rest = &rest[words.len()..];
    let rest = &rest[leading(rest, |word| word.is(&["at", "with"])).min(1)..];
    let named = article(rest).first().is_some_and(|word| word.capital);
    let value = value(rest);
    ((named || slot == "job") && !value.is_empty()).then_some((slot, value, firm))
}

/// "34 years old", "turned 34".
fn aged(rest: &[Word]) -> Option<String> {
    const AFTER: [&str; 7] = ["today", "yesterday", "last", "this", "on", "in", "years"];
    let years = match rest {
        [turned, years] if turned.is(&["turned"]) => years,
        [turned, years, after, ..] if turned.is(&["turned"]) && after.is(&AFTER) => years,
        [years, a, b, ..] if a.is(&["years"]) && b.is(&["old"]) => years,
        _ => return None,
    };
    years.figure.then(|| years.lower.clone())
}

/// "My boss is Carla", "Maria's favourite color is green", "my phone number is 555".
fn possessed(words: &[Word], speaker: Option<&str>) -> Option<Claim> {
    let first = words.first()?;
    let owner = match first.lower.as_str() {
        "my" => speaker?,
        name => {
            let name = name.strip_suffix("'s").filter(|_| first.capital)?;
            let own = is_content_word(name) && !NO_NAMES.contains(name) && !KIN.contains(name);
            own.then_some(name)?
        }
    };
    let copula = words.iter().position(|word| word.is(&["is", "are"]))?;
    let noun: Vec<&str> = words[1..copula]
        .iter()
        .filter(|word| !word.is(&["new", "current", "own"]))
        .map(|word| word.lower.as_str())
        .collect();
    let favourite = ["favourite", "favorite"].contains(noun.first()?);
    if noun.len() > 3 || !(favourite || ATTRIBUTES.contains(noun.last()?)) {
        return None;
    }
    let rest = &words[copula + 1..];
    let rest = &rest[leading(rest, |word| FILLERS.contains(&word.lower))..];
    let rest = article(rest);
    let telling = rest.first()?;
    let plain = favourite && !telling.lower.ends_with("ing");
    if NO_VALUES.contains(&telling.lower) || !(plain || telling.capital || telling.figure) {
        return None;
    }
    Some(Claim {
        subject: owner.to_owned(),
        slot: noun.join(" ").replace("favourite", "favorite"),
        value: value(rest),
        over: false,
        firm: true,
    })
}
