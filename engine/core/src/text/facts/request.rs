//! Requests to remember: "remember that my locker code is 4711".

use super::draft::Draft;
use super::sentence::Sentence;
use super::slot::FactSlot;
use super::value::{VALUE_WORDS_MAX, until};

/// Verb phrases that ask to remember what follows.
const REQUESTS: &[&str] = &[
    "remember", "note", "don't|never forget", "keep in mind", "make a note", "please note",
];
/// Words before "remember" that make it a request.
const ASKING: &[&str] = &["please", "you to|please", "can|could|will|would you"];

/// The place of the first word that is to be remembered.
pub(in crate::text) fn requested(s: &Sentence<'_>) -> Option<usize> {
    (0..s.len()).find_map(|at| {
        let phrase = REQUESTS.iter().find(|phrase| s.says(at, phrase))?;
        let after = at + phrase.split(' ').count();
        // "remember this: my ..."
        if s.is(after, &["this", "it"]) {
            let told = s.gap(after + 1).contains(':') && after + 1 < s.len();
            return told.then_some(after + 1);
        }
        let first = s.is(after, &["that"]) || s.gap(after).contains(':');
        let own = s.is(after, &["my", "i", "i'm", "i've", "our", "we"]);
        let asked = at == 0
            || s.border(at)
            || ASKING.iter().any(|ask| {
                let words = ask.split(' ').count();
                at >= words && s.says(at - words, ask)
            });
        let after = after + usize::from(s.is(after, &["that"]));
        (asked && (first || own) && after < s.len()).then_some(after)
    })
}

/// What is to be remembered and fills no other slot.
pub(super) fn noted(s: &Sentence<'_>, at: usize) -> Option<Draft> {
    let range = at..until(s, at, |_| false)?.end;
    let whole = s.border(range.end) && range.len() <= VALUE_WORDS_MAX && range.len() > 1;
    if !whole {
        return None;
    }
    let copula = range.clone().take(6).find(|&at| s.is(at, &["is", "are"]));
    if let Some(copula) = copula.filter(|&copula| s.is(at, &["my"]) && copula > at + 1) {
        let about = s.key(at + 1..copula);
        let value = copula + 1..range.end;
        let draft = Draft::of(s, at, FactSlot::Other, about, value.clone());
        return (!value.is_empty()).then_some(draft);
    }
    // "remember that most users are old" tells nothing of the speaker
    let asked = (0..at).any(|at| s.is(at, &["please"]));
    let own = |at: usize| s.is(at, &["my", "i", "i'm", "our"]);
    let of_hearer = range
        .clone()
        .any(|at| s.is(at, &["you", "you're", "your", "we", "we're"]));
    let telling = (range.clone().any(own) || asked) && !of_hearer;
    let draft = || Draft::of(s, at, FactSlot::Other, s.key(range.clone()), range.clone());
    telling.then(draft)
}
