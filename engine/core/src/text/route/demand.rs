//! Requests to remember or to forget something.

use super::super::request::requested;
use super::super::sentence::Sentence;
use super::super::verbs::{is_finite, is_past};
use super::lists::{DELETING, FORGETTING, MEMORY, POLITE, SAID, TO_NOTE};

/// What a user asks of memory, and what it is about, as a part of the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand<'a> {
    /// "Remember that my locker code is 4711": "my locker code is 4711".
    Remember(&'a str),
    /// "Forget that I live in Rome": "I live in Rome". "Forget that" alone is about "that".
    Forget(&'a str),
}

/// A demand, and the index of the sentence that makes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demanded<'a> {
    pub(super) demand: Demand<'a>,
    pub(super) sentence: usize,
}

/// Words that point at what was said before.
const THAT: [&str; 3] = ["that", "this", "it"];
/// Words that begin an indirect question: "remember what Anna said".
const INDIRECT: [&str; 10] = [
    "what", "when", "where", "who", "why", "how", "which", "whether", "if", "to",
];

impl<'a> Demanded<'a> {
    /// The first demand of a turn.
    pub(super) fn read(text: &'a str, sentences: &[&'a str]) -> Option<Self> {
        sentences.iter().enumerate().find_map(|(at, piece)| {
            let s = Sentence::of(piece);
            let forget = forgotten(&s).map(Demand::Forget);
            let before = at.checked_sub(1).map(|before| sentences[before]);
            let demand = forget.or_else(|| {
                let about = remembered(&s).or_else(|| pointed(&s, before))?;
                Some(Demand::Remember(about))
            })?;
            debug_assert!(text.contains(piece));
            Some(Self {
                demand,
                sentence: at,
            })
        })
    }
}

/// The words that a turn puts in the place of what was told last: "correct that: my rent is 900",
/// "Correction: ...".
#[must_use]
pub fn corrected(turn: &str) -> Option<&str> {
    let (head, words) = turn.split_once(':')?;
    let s = Sentence::of(head);
    let at = (0..s.len()).find(|&at| s.is(at, &["correct", "correction"]))?;
    let that = s.lower(at) == "correction" && s.len() == at + 1
        || s.is(at + 1, &THAT) && s.len() == at + 2;
    let words = words.trim();
    (that && imperative(&s, at) && !words.is_empty()).then_some(words)
}

/// What is to be remembered, where the sentence itself says it.
fn remembered<'a>(s: &Sentence<'a>) -> Option<&'a str> {
    let from = requested(s).or_else(|| noted(s)).or_else(|| plain(s))?;
    let end = (from..s.len()).rev().find(|&at| !s.is(at, &["please"]))?;
    Some(s.slice(from..end + 1)).filter(|about| !about.is_empty())
}

/// After a phrase that can mean nothing else: "for future reference, ...", "write down that ...".
fn noted(s: &Sentence<'_>) -> Option<usize> {
    let (at, phrase) = (0..s.len()).find_map(|at| {
        let phrase = TO_NOTE.iter().find(|phrase| s.says(at, phrase))?;
        Some((at, phrase))
    })?;
    let after = at + phrase.split(' ').count();
    let after = after + usize::from(s.is(after, &["that"]));
    (imperative(s, at) && after < s.len()).then_some(after)
}

/// "Remember, my dentist is ...", "could you remember the password is ...".
fn plain(s: &Sentence<'_>) -> Option<usize> {
    let at = (0..s.len()).find(|&at| s.is(at, &["remember"]))?;
    let after = at + 1;
    let own = s.is(after, &["my", "i", "i'm", "i've", "our", "we"]);
    let verb = |at: usize| is_finite(s.lower(at)) || is_past(s.lower(at));
    let clause = !s.border(after)
        && !s.is(after, &INDIRECT)
        && !s.is(after, &["being", "seeing"])
        && (after + 2..s.len().min(after + 6)).any(verb);
    // "it is important that you remember ...", not "do you remember ..."
    let listener = at > 1 && s.is(at - 1, &["you"]) && !s.is(at - 2, &["do", "did", "don't"]);
    let asked = imperative(s, at) || listener;
    (asked && (own || clause) && !(clause && at == 0)).then_some(after)
}

/// "I parked on level three, remember that": what stands before, or the sentence before.
fn pointed<'a>(s: &Sentence<'a>, before: Option<&'a str>) -> Option<&'a str> {
    let at = (0..s.len()).find(|&at| s.is(at, &["remember"]) && s.is(at + 1, &THAT))?;
    let last = (at + 2..s.len()).all(|at| s.is(at, &["please", "for", "me"]));
    if !last || !(at == 0 || s.border(at) || s.is(at - 1, &["please"])) {
        return None;
    }
    match at {
        0 => before,
        _ => Some(s.slice(0..at)).map(|told| told.trim_end_matches(" and")),
    }
}

/// What is to be forgotten.
fn forgotten<'a>(s: &Sentence<'a>) -> Option<&'a str> {
    let (at, words) = (0..s.len()).find_map(|at| {
        let phrase = FORGETTING.iter().find(|phrase| s.says(at, phrase));
        let phrase = phrase.or_else(|| {
            let deleting = DELETING.iter().find(|phrase| s.says(at, phrase));
            deleting.filter(|_| of_memory(s, at + 1))
        })?;
        imperative(s, at).then(|| (at, phrase.split(' ').count()))
    })?;
    let mut from = at + words;
    from += usize::from(s.is(from, &["about"]));
    from += usize::from(s.is(from, &["that"]) && from + 1 < s.len() && !s.border(from + 1));
    let idiom = s.is(from, &["it", "to", "him", "her", "them", "how"]) || from >= s.len();
    let end = end_of(s, from);
    (!idiom && end > from).then(|| s.slice(from..end))
}

/// Whether what is to be deleted is in memory and not somewhere else: it is "that", what was said,
/// or memory is named.
fn of_memory(s: &Sentence<'_>, from: usize) -> bool {
    let rest = from..s.len();
    let named = rest.clone().any(|at| s.is(at, MEMORY) || s.is(at, SAID));
    let that = s.is(from, &THAT) && (s.border(from + 1) || s.is(from + 1, &["please"]));
    named || that
}

/// The end of what is to be forgotten: a comma, "from your memory" or "please".
fn end_of(s: &Sentence<'_>, from: usize) -> usize {
    let ends = |at: &usize| {
        s.border(*at)
            || s.is(*at, &["please"])
            || s.is(*at, &["from", "in", "for"])
                && (*at + 1..s.len().min(*at + 3)).any(|at| s.is(at, MEMORY))
    };
    (from + 1..s.len()).find(ends).unwrap_or(s.len())
}

/// Whether a verb is asked of the listener: it begins the sentence or a part of it, or follows
/// "please", "can you", "I want you to".
fn imperative(s: &Sentence<'_>, at: usize) -> bool {
    let follows = |phrase: &&str| {
        let words = phrase.split(' ').count();
        at >= words && s.says(at - words, phrase)
    };
    let opened = (0..at).all(|at| {
        s.is(
            at,
            &["hey", "oh", "so", "and", "ok", "okay", "also", "well"],
        )
    });
    opened || s.border(at) || POLITE.iter().any(follows)
}
