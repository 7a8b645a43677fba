//! Whether a sentence asks the listener something that memory may hold.

use super::super::claim_features::is_question;
use super::super::matching::OPENERS;
use super::super::sentence::Sentence;
use super::super::small_talk::is_social;
use super::super::verbs::{is_base, is_past};
use super::super::words::is_content_word;
use super::lists::{
    BESIDE, FELT, INTERJECTIONS, PHATIC, REQUESTS, RHETORICAL, SHORT, TAGS, WISHES,
};

/// A question of fewer words asks nothing by itself, unless it begins with one of [`SHORT`].
const WORDS_MIN: usize = 3;

/// The part of a sentence that asks: "where do you live?" of "I moved to Porto, where do you live?"
pub(super) fn asked(sentence: &str) -> Option<&str> {
    let sentence = sentence.trim_matches(['"', '“', '”', '!', ' ']);
    let s = Sentence::of(sentence);
    if !(is_question(sentence) || is_request(&s)) {
        return None;
    }
    let own = s.is(0, &["i", "i've", "i'm", "my"]);
    let mut places = sentence.match_indices(", ").map(|(at, _)| at);
    let cut = places.find(|at| {
        let asked = sentence[at + 2..].trim_end_matches('?');
        let tag = Sentence::of(asked).len() < WORDS_MIN;
        !tag && (own || is_question(&format!("{asked}.")))
    });
    Some(cut.map_or(sentence, |at| &sentence[at + 2..]))
}

/// Whether a sentence asks the listener to do something: it begins with a verb in its base form.
pub(super) fn commands(sentence: &str) -> bool {
    let s = Sentence::of(sentence);
    let at = opened(&s);
    let at = at + usize::from(at < s.len() && s.is(at, &["please"]));
    at < s.len() && is_base(s.lower(at)) && !FELT.contains(&s.lower(at))
}

/// The first word after greetings, names before a comma and words that add nothing.
fn opened(s: &Sentence<'_>) -> usize {
    let skipped = |at: &usize| {
        let word = s.lower(*at);
        let address = s.capital(*at) && *at + 1 < s.len() && s.border(*at + 1) && !is_past(word);
        OPENERS.contains(word) || INTERJECTIONS.contains(word) || address
    };
    (0..s.len()).take_while(skipped).count()
}

/// Whether a question or a request wants something that memory may hold.
pub(super) fn asks(sentence: &str) -> bool {
    let s = Sentence::of(sentence);
    let from = (0..opened(&s)).find(|&at| s.is(at, &["what"]));
    let from = from.unwrap_or_else(|| opened(&s));
    if wishes(&s) {
        return true;
    }
    if s.len() - from < WORDS_MIN {
        let asked = s.is(from, SHORT);
        let alone = s.len() == from + 1;
        // "Who spoke?", but not "Why not?"
        let acted = || is_content_word(s.lower(from + 1)) && !is_phatic(&s, from);
        return asked && (alone || acted()) || from == 0 && elliptic(&s);
    }
    if is_phatic(&s, from) {
        return false;
    }
    match tag(&s) {
        // "I don't like running, right?" asks memory, "Love brings us joy, huh?" nobody
        Some(end) => {
            let own = (0..end).any(|at| s.is(at, &["i", "my", "i'm", "i've"]));
            own && s.is(end, &["right", "don't", "no"])
        }
        None => true,
    }
}

/// Whether a question wants no information.
fn is_phatic(s: &Sentence<'_>, from: usize) -> bool {
    let starts = |at: usize| at == from || s.border(at);
    let rhetorical = |at: usize| RHETORICAL.iter().any(|phrase| s.says(at, phrase));
    if (from..s.len()).any(|at| starts(at) && rhetorical(at)) {
        return true;
    }
    let found = (from..s.len()).find_map(|at| {
        let phrase = PHATIC
            .iter()
            .find(|phrase| starts(at) && s.says(at, phrase))?;
        Some(at..at + phrase.split(' ').count())
    });
    found.is_some_and(|phrase| {
        let rest = (from..s.len()).filter(|at| !phrase.contains(at));
        let mut words = rest.map(|at| s.lower(at));
        words.all(|word| !is_content_word(word) || is_social(word) || BESIDE.contains(word))
    })
}

/// "And Bob?", "What about Lisbon?"
fn elliptic(s: &Sentence<'_>) -> bool {
    s.is(0, &["and"]) && s.capital(1)
}

/// The place where a tag begins that makes a statement a question.
fn tag(s: &Sentence<'_>) -> Option<usize> {
    TAGS.iter().find_map(|tag| {
        let at = s.len().checked_sub(tag.split(' ').count())?;
        (at > 0 && s.border(at) && s.says(at, tag)).then_some(at)
    })
}

/// Whether a sentence is a request without a question mark.
fn is_request(s: &Sentence<'_>) -> bool {
    let from = opened(s);
    let begins = REQUESTS.iter().any(|phrase| s.says(from, phrase));
    begins || wishes(s)
}

fn wishes(s: &Sentence<'_>) -> bool {
    (0..s.len()).any(|at| WISHES.iter().any(|phrase| s.says(at, phrase)))
}
