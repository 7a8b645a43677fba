//! Requests to remember: "remember that my locker code is 4711".

use super::sentence::Sentence;

/// Verb phrases that ask to remember what follows.
const REQUESTS: &[&str] = &[
    "remember", "note", "don't|never forget", "keep in mind", "make a note", "please note",
];
/// Words before "remember" that make it a request.
const ASKING: &[&str] = &["please", "you to|please", "can|could|will|would you"];

/// The place of the first word that is to be remembered. "Remember that dinner?" is a question.
pub(super) fn requested(s: &Sentence<'_>) -> Option<usize> {
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
        let told = (at == 0 || s.border(at)) && !s.gap(s.len()).contains('?');
        let asked = told
            || ASKING.iter().any(|ask| {
                let words = ask.split(' ').count();
                at >= words && s.says(at - words, ask)
            });
        let after = after + usize::from(s.is(after, &["that"]));
        (asked && (first || own) && after < s.len()).then_some(after)
    })
}
