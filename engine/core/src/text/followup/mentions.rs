//! What a turn mentions: people, places, things and times, as noun phrases.

use super::super::claim_features::{is_number, is_question, is_time};
use super::super::clauses::sentences;
use super::super::people::{Gender, PLACES, TIMES, of_name, of_noun};
use super::super::sentence::Sentence;
use super::super::verbs::{is_adverb, is_base, is_finite};
use super::super::words::{is_content_word, without_possessive};
use super::lists::AUXILIARIES;
use super::turn::Turn;
use std::ops::Range;

/// Maximum number of words in a noun phrase.
const PHRASE_WORDS_MAX: usize = 6;
const DETERMINERS: [&str; 11] = [
    "the", "a", "an", "my", "his", "her", "our", "their", "this", "that", "your",
];
const INTO_PLACES: [&str; 9] = [
    "in", "to", "at", "from", "near", "around", "visit", "visited", "through",
];
const INTO_TIMES: [&str; 8] = [
    "in", "on", "last", "next", "since", "before", "after", "during",
];

/// The kind of a mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Person(Gender),
    /// Several people or things.
    Many,
    Place,
    Thing,
    Time,
}

/// A noun phrase of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) kind: Kind,
    /// As it is put into a question: "the camera" for "a camera", "Ana's sister" for Ana's "my
    /// sister".
    pub(super) text: String,
    /// Its words in the sentence, without a preposition.
    pub(super) words: Range<usize>,
    /// The word directly before it, lower-cased; empty at the beginning of a clause.
    pub(super) before: String,
}

/// The mentions of a sentence in order.
pub(super) fn mentions(s: &Sentence<'_>, speaker: Option<&str>, known: &[&str]) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let mut at = 0;
    while at < s.len() {
        let read = name(s, at, known).or_else(|| phrase(s, at, speaker, known));
        let read = read.or_else(|| time(s, at));
        match read {
            Some(mention) => {
                at = mention.words.end.max(at + 1);
                add(s, &mut found, mention);
            }
            None => at += 1,
        }
    }
    found
}

/// Adds a mention, or joins it to the one before: "my sister Anna", "the painting of the lake".
fn add(s: &Sentence<'_>, found: &mut Vec<Mention>, next: Mention) {
    let Some(last) = found.last_mut() else {
        return found.push(next);
    };
    let noun = DETERMINERS.contains(&s.lower(last.words.start)) && s.capital(next.words.start);
    let beside = noun && last.words.end == next.words.start && !s.border(next.words.start);
    let of = last.words.end + 1 == next.words.start && s.is(last.words.end, &["of"]);
    match (last.kind, next.kind) {
        (Kind::Person(gender), Kind::Person(other)) if beside && gender.agrees(other) => {
            let known = if other == Gender::Any { gender } else { other };
            last.kind = Kind::Person(known);
            last.text = next.text;
            last.words.end = next.words.end;
        }
        (Kind::Person(_), Kind::Thing) if beside => {
            last.text = next.text;
            last.words.end = next.words.end;
        }
        (Kind::Thing | Kind::Many, Kind::Thing | Kind::Place | Kind::Many | Kind::Person(_))
            if of =>
        {
            last.text = format!("{} of {}", last.text, s.slice(next.words.clone()));
            last.words.end = next.words.end;
        }
        _ => found.push(next),
    }
}

/// The sentences of a turn, and whether one of them is a question.
pub(super) fn read<'a>(turn: &Turn<'a>) -> (Vec<Sentence<'a>>, bool) {
    let pieces = sentences(turn.text);
    let asks = pieces.iter().any(|piece| is_question(piece));
    (pieces.into_iter().map(Sentence::of).collect(), asks)
}

/// A name: capital words that are no sentence's plain beginning.
fn name(s: &Sentence<'_>, at: usize, known: &[&str]) -> Option<Mention> {
    let bare = bare(s.lower(at));
    let listed = of_name(bare);
    let speaker = known.iter().any(|name| is_part(name, bare));
    let capital = |at: usize| {
        let lower = s.lower(at);
        let plain = lower.starts_with("i'") || lower == "i" || is_time(lower, true);
        s.capital(at) && !plain && is_content_word(lower) && !is_number(lower)
    };
    if !capital(at) || at == 0 && listed.is_none() && !speaker {
        return None;
    }
    let owner = |at: usize| s.lower(at) != self::bare(s.lower(at));
    let mut end = at + 1;
    while end < s.len() && capital(end) && !s.border(end) && !owner(end - 1) {
        end += 1;
    }
    let text = without_possessive(s.slice(at..end));
    let follows = |list: &[&str]| at > 0 && !s.border(at) && s.is(at - 1, list);
    // "what did Zoltan think"
    let does = at > 0 && AUXILIARIES.contains(&s.lower(at - 1)) && is_base(s.lower(end));
    let verb = is_finite(s.lower(end)) || owner(end - 1) || does;
    let kind = match listed {
        Some(gender) => Kind::Person(gender),
        None if speaker => Kind::Person(Gender::Any),
        None if follows(&["mr", "mrs", "ms", "dr"]) => Kind::Person(Gender::Any),
        None if follows(&INTO_PLACES) => Kind::Place,
        None if verb && !follows(&["what", "which"]) && !s.quoted(at) => Kind::Person(Gender::Any),
        None => Kind::Thing,
    };
    Some(Mention {
        kind,
        text: text.to_owned(),
        words: at..end,
        before: before(s, at),
    })
}

/// A noun phrase with a determiner.
fn phrase(s: &Sentence<'_>, at: usize, speaker: Option<&str>, known: &[&str]) -> Option<Mention> {
    let first = s.lower(at);
    let clause = ["that", "this"].contains(&first) && s.capital(at + 1);
    if !DETERMINERS.contains(&first) || clause {
        return None;
    }
    let goes_on = |place: &usize| {
        (*place == at + 1 || !is_name_of_its_own(s, *place, known)) && is_noun(s, *place)
    };
    let end = at + 1 + (at + 1..s.len()).take_while(goes_on).count();
    let head = bare(s.lower(end.checked_sub(1)?)).to_owned();
    let words = end - at;
    if !(2..=PHRASE_WORDS_MAX).contains(&words) || first == "your" {
        return None;
    }
    let many = head.ends_with('s') && !head.ends_with("ss") && !head.ends_with("us");
    let kind = match of_noun(&head) {
        Some(gender) => Kind::Person(gender),
        None if TIMES.contains(&head) => return None,
        None if ["children", "kids", "people", "parents", "family"].contains(&head.as_str()) => {
            Kind::Many
        }
        None if PLACES.contains(&head) => Kind::Place,
        None if many => Kind::Many,
        None => Kind::Thing,
    };
    let rest = without_possessive(s.slice(at + 1..end));
    let text = match (first, speaker) {
        ("my", Some(name)) => format!("{name}'s {rest}"),
        ("my" | "our" | "his" | "her" | "their", _) => format!("{first} {rest}"),
        _ => format!("the {rest}"),
    };
    Some(Mention {
        kind,
        text,
        words: at..end,
        before: before(s, at),
    })
}

/// Whether a word inside a phrase begins a mention of its own: "my sister Anna", "the agency Ana
/// likes".
fn is_name_of_its_own(s: &Sentence<'_>, at: usize, known: &[&str]) -> bool {
    let word = bare(s.lower(at));
    let person = of_name(word).is_some() || known.iter().any(|name| is_part(name, word));
    let apposed = of_noun(bare(s.lower(at - 1))).is_some();
    s.capital(at) && (apposed || person && !s.capital(at - 1))
}

/// Whether a word may belong to a noun phrase.
fn is_noun(s: &Sentence<'_>, at: usize) -> bool {
    let word = s.lower(at);
    let other = is_time(word, s.capital(at)) || is_finite(word) || is_adverb(word);
    !other && !s.border(at) && is_content_word(word)
}

/// A time with its preposition: "in May 2023", "last week".
fn time(s: &Sentence<'_>, at: usize) -> Option<Mention> {
    let is = |at: usize| {
        let lower = s.lower(at);
        at < s.len() && (is_time(lower, s.capital(at)) || is_number(lower))
    };
    let from = at + usize::from(s.is(at, &INTO_TIMES));
    let count = (from..s.len()).take_while(|&at| is(at)).count();
    let words = from..from + count;
    let named = words.clone().any(|at| is_time(s.lower(at), s.capital(at)));
    let year = words
        .clone()
        .any(|at| s.lower(at).len() == 4 && s.lower(at).starts_with(['1', '2']));
    (count > 0 && (named || year && from > at)).then(|| Mention {
        kind: Kind::Time,
        text: timed(s, at..from + count),
        words: at..from + count,
        before: before(s, at),
    })
}

/// A time as it stands inside a sentence: "in May" for "In May".
fn timed(s: &Sentence<'_>, words: Range<usize>) -> String {
    let text = s.slice(words.clone());
    match INTO_TIMES.contains(&s.lower(words.start)) {
        true => format!(
            "{}{}",
            s.lower(words.start),
            &text[s.lower(words.start).len()..]
        ),
        false => text.to_owned(),
    }
}

fn before(s: &Sentence<'_>, at: usize) -> String {
    match at == 0 || s.border(at) {
        true => String::new(),
        false => s.lower(at - 1).to_owned(),
    }
}

/// A word without its possessive ending, an apostrophe alone included.
pub(super) fn bare(lower: &str) -> &str {
    let bare = without_possessive(lower);
    // "the Smiths' garden"
    bare.strip_suffix('\'').unwrap_or(bare)
}

/// Whether a lower-cased word is a part of a name.
pub(super) fn is_part(name: &str, lower: &str) -> bool {
    name.split_whitespace()
        .any(|part| part.to_lowercase() == lower)
}

/// The place of a slice in the text that it is a part of.
pub(super) fn bytes(text: &str, slice: &str) -> Range<usize> {
    let from = slice.as_ptr() as usize - text.as_ptr() as usize;
    from..from + slice.len()
}
