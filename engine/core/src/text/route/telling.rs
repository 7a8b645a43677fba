//! Whether a sentence tells something that may be asked for later.
//!
//! What a user tells is of himself, or of people and things of his life, in the words of the
//! sentence itself. Thanks, praise, encouragement, general wisdom, and what only points at
//! something said before are not worth a place.

use super::super::claim_features::{is_number, is_time};
use super::super::matching::OPENERS;
use super::super::people::of_name;
use super::super::sentence::Sentence;
use super::super::small_talk::is_social;
use super::super::verbs::{is_adverb, is_base, is_finite, is_past};
use super::super::words::is_content_word;
use super::lists::{
    ABOUT_TALK, EMPTY, FELT, GENERAL, INTERJECTIONS, OFFERS, OWN, POINTING, SUBORDINATE,
};
use std::ops::Range;

/// Minimum number of content words that a sentence must say of other people.
const CONTENT_MIN: usize = 2;
const PEOPLE: [&str; 6] = ["he", "she", "they", "he's", "she's", "they're"];

/// Whether a sentence tells something.
pub(super) fn tells(sentence: &str) -> bool {
    let s = Sentence::of(sentence);
    if ABOUT_TALK.iter().any(|phrase| says_anywhere(&s, phrase)) {
        return false;
    }
    let mut at = 0;
    while at < s.len() {
        let start = opened(&s, at);
        let end = end_of(&s, start.max(at));
        if start < end && clause_tells(&s, start..end) {
            return true;
        }
        at = end.max(at + 1);
    }
    false
}

/// Whether a sentence asks the listener to do something: it begins with a verb in its base form.
pub(super) fn commands(sentence: &str) -> bool {
    let s = Sentence::of(sentence);
    let at = opened(&s, 0);
    let at = at + usize::from(at < s.len() && s.is(at, &["please"]));
    at < s.len() && is_base(s.lower(at)) && !FELT.contains(&s.lower(at))
}

/// The first word after greetings, names before a comma and words that add nothing.
pub(super) fn opened(s: &Sentence<'_>, from: usize) -> usize {
    let skipped = |at: &usize| {
        let word = s.lower(*at);
        let address = s.capital(*at) && *at + 1 < s.len() && s.border(*at + 1) && !is_past(word);
        OPENERS.contains(word) || INTERJECTIONS.contains(word) || address
    };
    from + (from..s.len()).take_while(skipped).count()
}

fn says_anywhere(s: &Sentence<'_>, phrase: &str) -> bool {
    (0..s.len()).any(|at| s.says(at, phrase))
}

/// The end of a clause: a border, or a conjunction before a new subject.
fn end_of(s: &Sentence<'_>, from: usize) -> usize {
    let ends = |at: &usize| {
        let joins = s.is(*at, &["and", "but", "so", "because"]);
        let subject = |at: usize| OWN.contains(s.lower(at)) || POINTING.contains(s.lower(at));
        s.border(*at) || joins && (subject(*at + 1) || s.is(*at + 1, &["you", "he", "she", "they"]))
    };
    (from + 1..s.len()).find(ends).unwrap_or(s.len())
}

/// Content words of a clause that are neither small talk nor mood.
fn content(s: &Sentence<'_>, words: Range<usize>) -> usize {
    let told = |at: &usize| {
        let word = s.lower(*at);
        let figure = is_number(word) || is_time(word, s.capital(*at));
        let plain = word.contains('\'') || is_adverb(word) || is_social(word);
        figure && word != "one" || is_content_word(word) && !plain && !EMPTY.contains(word)
    };
    words.filter(told).count()
}

fn clause_tells(s: &Sentence<'_>, words: Range<usize>) -> bool {
    let (at, end) = (words.start, words.end);
    let any = |list: &[&str]| words.clone().any(|at| s.is(at, list));
    let own = words.clone().any(|at| OWN.contains(s.lower(at)));
    let to_listener = any(&["you", "your", "you're", "you've", "you'll", "yourself"]);
    let first = s.lower(at);
    if SUBORDINATE.contains(first) {
        return false;
    }
    if first.starts_with("you") {
        return false;
    }
    if OWN.contains(first) {
        let offer = OFFERS.iter().any(|phrase| s.says(at, phrase));
        let named = s.says(at, "my name") || first == "i'm" && s.capital(at + 1) && end == at + 2;
        let enough = 1 + usize::from(to_listener) * 2;
        return named || !offer && content(s, at + 1..end) >= enough;
    }
    if to_listener {
        return false;
    }
    let mine = any(&["my", "i", "i'm", "i've"]);
    if points(s, at) {
        return mine && !any(GENERAL) && content(s, at + 1..end) >= CONTENT_MIN;
    }
    if PEOPLE.contains(&first) {
        return content(s, at + 1..end) >= CONTENT_MIN;
    }
    if is_base(first) && !s.is(at + 1, &["is", "was"]) {
        return own && s.is(at, FELT);
    }
    let past = words.clone().skip(1).any(|at| is_past(s.lower(at)));
    let of_somebody = past || mine || any(&["his", "her", "their"]);
    if any(GENERAL) && !of_somebody {
        return false;
    }
    let doing = |at: usize| s.lower(at).ends_with("'s") && s.lower(at + 1).ends_with("ing");
    let verb = (at + 1..end.min(at + 6)).any(|at| is_finite(s.lower(at)));
    let verb = verb || (at..end.saturating_sub(1)).any(doing);
    let figure = |at: usize| is_number(s.lower(at)) || is_time(s.lower(at), s.capital(at));
    let known = of_name(first).is_some();
    let named = known
        || words
            .clone()
            .skip(1)
            .any(|at| s.capital(at) || figure(at) || doing(at));
    let left = is_past(first) || first.ends_with("ing") || first == "been";
    let enough = content(s, words.clone());
    enough >= 1 && mine || enough >= CONTENT_MIN && (verb && (of_somebody || named) || left && past)
}

/// Whether a clause begins with a word for something said before: "that is", not "that shop".
fn points(s: &Sentence<'_>, at: usize) -> bool {
    let bare = !s.is(at, &["that", "this", "these", "those"]);
    POINTING.contains(s.lower(at)) && (bare || is_finite(s.lower(at + 1)) || s.border(at + 1))
}
