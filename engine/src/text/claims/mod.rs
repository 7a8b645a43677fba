//! Reads facts that can change out of plain statements: whose they are, of which slot, and what.
//!
//! "I moved to Porto" fills Ana's slot `home` when Ana says it. Only slots that hold one value at a
//! time are read, since another value there means that the first holds no more; what somebody likes
//! or did is no such slot. English only; a statement that fits no pattern makes no claim, which
//! costs nothing but the notice that a fact changed.

mod lists;
#[cfg(test)]
mod tests;

use super::marks::{Marks, is_question};
use super::words::{Term, display_words, is_content_word, terms};
use lists::{
    AT_VERBS, ATTRIBUTES, ENDS, FILLERS, MOVED_VERBS, OPENERS, PARTS_OF_DAY, PHRASES, PHRASES_OVER,
};
use serde::{Deserialize, Serialize};

/// A fact of which only one value holds at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Whose fact it is, lower-cased: a person, or a thing as it was named.
    pub subject: String,
    /// What of the subject: `home`, `age`, `favorite color`.
    pub slot: String,
    /// The value in the words used, lower-cased.
    pub value: String,
    /// The statement says that this value holds no more: "I used to live in Rome".
    pub over: bool,
}

impl Claim {
    /// The claim of a statement by `speaker`, if it makes one. Cost: linear in the text.
    #[must_use]
    pub fn read(text: &str, speaker: Option<&str>) -> Option<Self> {
        if is_question(text) {
            return None;
        }
        let words: Vec<&str> = display_words(text).collect();
        let lower: Vec<String> = words
            .iter()
            .map(|word| word.to_lowercase().replace('’', "'"))
            .collect();
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        let opened = lower
            .iter()
            .take_while(|word| OPENERS.contains(word))
            .count();
        let (words, lower) = (&words[opened..], &lower[opened..]);
        let speaker = speaker.map(str::to_lowercase);
        own(lower, speaker.as_deref())
            .or_else(|| possessed(words, lower, speaker.as_deref()))
            .or_else(|| third(words, lower))
            .or_else(|| timed(lower, speaker.as_deref()))
            .filter(|claim| !claim.value.is_empty() && !claim.subject.is_empty())
    }

    /// Whether both speak of the same slot of the same subject.
    #[must_use]
    pub fn same_slot(&self, other: &Self) -> bool {
        self.subject == other.subject && self.slot == other.slot
    }

    /// Whether both give the same value: the same content words, or one all of the other's.
    #[must_use]
    pub fn same_value(&self, other: &Self) -> bool {
        let (a, b) = (value_terms(&self.value), value_terms(&other.value));
        let within = |a: &[Term], b: &[Term]| a.iter().all(|term| b.contains(term));
        within(&a, &b) || within(&b, &a)
    }

    /// Bytes of its words.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        self.subject.len() + self.slot.len() + self.value.len()
    }
}

fn value_terms(value: &str) -> Vec<Term> {
    let content: Vec<&str> = value
        .split(' ')
        .filter(|word| is_content_word(word))
        .collect();
    terms(&if content.is_empty() {
        value.to_owned()
    } else {
        content.join(" ")
    })
}

/// "I live in Rome", "we moved to Porto", "I'm 34 years old", "I have two cats".
fn own(lower: &[&str], speaker: Option<&str>) -> Option<Claim> {
    let subject = speaker?;
    let first = *lower.first()?;
    if !["i", "i'm", "i've", "we", "we're", "we've"].contains(&first) {
        return None;
    }
    verbal(subject, &lower[1..])
}

/// "Maria lives in Porto"; the name must be written as one.
fn third(words: &[&str], lower: &[&str]) -> Option<Claim> {
    let name = *words.first()?;
    let capital = name.chars().next().is_some_and(char::is_uppercase);
    let known_word = Marks::of(&format!("so {name}")).names.is_empty();
    if !capital || known_word || name.ends_with("'s") {
        return None;
    }
    const PRONOUNS: [&str; 10] = [
        "he",
        "she",
        "it",
        "they",
        "this",
        "that",
        "there",
        "someone",
        "everybody",
        "everyone",
    ];
    (!PRONOUNS.contains(&lower[0])).then(|| verbal(lower[0], &lower[1..]))?
}

fn verbal(subject: &str, rest: &[&str]) -> Option<Claim> {
    let used_to = rest.starts_with(&["used", "to"]);
    let rest = if used_to { &rest[2..] } else { rest };
    let denied = rest
        .first()
        .is_some_and(|word| word.ends_with("n't") || *word == "no");
    let any_more = rest.contains(&"anymore") || rest.windows(2).any(|pair| pair == ["any", "more"]);
    let no_longer = rest.windows(2).any(|pair| pair == ["no", "longer"]);
    if (denied || rest.contains(&"not") || rest.contains(&"never")) && !any_more && !no_longer {
        return None;
    }
    let over = used_to || any_more || no_longer;
    const SKIPPED: [&str; 8] = [
        "don't", "doesn't", "do", "does", "not", "no", "longer", "be",
    ];
    let start = rest
        .iter()
        .take_while(|word| FILLERS.contains(word) || (over && SKIPPED.contains(word)))
        .count();
    let rest = &rest[start..];
    let claim = |slot: &str, value: String, over| Claim {
        subject: subject.to_owned(),
        slot: slot.to_owned(),
        value,
        over,
    };
    if let Some((slot, value)) = phrase(rest, PHRASES_OVER) {
        return Some(claim(slot, value, true));
    }
    if let Some((slot, value)) = phrase(rest, PHRASES) {
        return Some(claim(slot, value, over));
    }
    aged(rest).map(|value| claim("age", value, over))
}

/// The value after the longest phrase that the words begin with.
fn phrase(
    rest: &[&str],
    phrases: &[(&'static str, &'static str)],
) -> Option<(&'static str, String)> {
    phrases
        .iter()
        .filter_map(|(phrase, slot)| {
            let words: Vec<&str> = phrase.split(' ').collect();
            rest.starts_with(&words).then_some((words.len(), *slot))
        })
        .max_by_key(|(length, _)| *length)
        .map(|(length, slot)| (slot, value(&rest[length..])))
}

/// "34 years old", "turned 34".
fn aged(rest: &[&str]) -> Option<String> {
    let number = |word: &&str| !Marks::of(word).numbers.is_empty();
    match rest {
        ["turned", years, ..] if number(years) => Some((*years).to_owned()),
        [years, "years", "old", ..] if number(years) => Some((*years).to_owned()),
        _ => None,
    }
}

/// "My boss is Carla", "Maria's favourite color is green", "my phone number is 555".
fn possessed(words: &[&str], lower: &[&str], speaker: Option<&str>) -> Option<Claim> {
    let first = *lower.first()?;
    let owner = match first {
        "my" => speaker?.to_owned(),
        _ => {
            let named = words[0].chars().next().is_some_and(char::is_uppercase);
            let name = first.strip_suffix("'s").filter(|_| named)?;
            (!["it", "he", "she", "that", "what", "there", "let"].contains(&name))
                .then(|| name.to_owned())?
        }
    };
    let copula = lower.iter().position(|word| ["is", "are"].contains(word))?;
    let noun: Vec<&str> = lower[1..copula]
        .iter()
        .copied()
        .filter(|word| !["new", "current", "own"].contains(word))
        .collect();
    let favourite = noun
        .first()
        .is_some_and(|word| ["favourite", "favorite"].contains(word));
    let single = noun.last().is_some_and(|word| ATTRIBUTES.contains(word));
    if noun.is_empty() || noun.len() > 3 || !(favourite || single) {
        return None;
    }
    let rest = &lower[copula + 1..];
    if rest
        .first()
        .is_some_and(|word| ["not", "in", "at", "on", "so", "very"].contains(word))
    {
        return None;
    }
    let start = rest
        .iter()
        .take_while(|word| FILLERS.contains(word))
        .count();
    Some(Claim {
        subject: owner,
        slot: noun.join(" ").replace("favourite", "favorite"),
        value: value(&rest[start..]),
        over: false,
    })
}

/// "The meeting is at seven", "our flight leaves on Friday", "the party was moved to Sunday".
fn timed(lower: &[&str], speaker: Option<&str>) -> Option<Claim> {
    let owner = match *lower.first()? {
        "the" => None,
        "my" | "our" => Some(speaker?),
        _ => return None,
    };
    if lower
        .iter()
        .any(|word| *word == "not" || word.ends_with("n't"))
    {
        return None;
    }
    let verb = lower.iter().position(|word| {
        AT_VERBS.contains(word)
            || MOVED_VERBS.contains(word)
            || ["was", "has", "got"].contains(word)
    })?;
    let noun = lower
        .get(1..verb)
        .filter(|noun| (1..=3).contains(&noun.len()))?;
    let value = value(&lower[verb..][place_of_time(&lower[verb..])?..]);
    let slot = kind_of_time(&value)?;
    let noun = noun.join(" ");
    let (subject, slot) = match owner {
        Some(owner) => (owner.to_owned(), format!("{noun} {slot}")),
        None => (format!("the {noun}"), slot.to_owned()),
    };
    Some(Claim {
        subject,
        slot,
        value,
        over: false,
    })
}

/// Where the time begins after "starts at", "is on", "was moved to".
fn place_of_time(rest: &[&str]) -> Option<usize> {
    let find = |from: usize, within: usize, words: &[&str]| {
        let found = rest[from..].iter().take(within);
        found
            .clone()
            .position(|word| words.contains(word))
            .map(|at| from + at + 1)
    };
    match rest
        .iter()
        .take(3)
        .position(|word| MOVED_VERBS.contains(word))
    {
        Some(moved) => find(moved + 1, usize::MAX, &["to"]),
        None if AT_VERBS.contains(rest.first()?) => find(0, 4, &["at", "on"]),
        None => None,
    }
}

fn kind_of_time(value: &str) -> Option<&'static str> {
    let marks = Marks::of(value);
    let of_day = value.split(' ').any(|word| PARTS_OF_DAY.contains(word));
    if of_day || (marks.times.is_empty() && !marks.numbers.is_empty()) {
        Some("time")
    } else {
        (!marks.times.is_empty()).then_some("day")
    }
}

/// The words of a value: at most six, without articles, up to where another thought begins.
fn value(rest: &[&str]) -> String {
    rest.iter()
        .take_while(|word| !ENDS.contains(word))
        .filter(|word| !["a", "an", "the", "my", "our"].contains(word))
        .take(6)
        .copied()
        .collect::<Vec<_>>()
        .join(" ")
}
