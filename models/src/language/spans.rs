//! Words that a head marks, as places in a text.

use crate::sentence::Words;
use std::ops::Range;

/// Places of the marked words. Those that follow each other are one: where the labels begin
/// another, they are more often wrong than two things touch.
pub(super) fn spans(words: &Words, marked: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for (place, (token, _)) in words.iter().enumerate() {
        match spans.last_mut() {
            _ if !marked(*token) => {}
            Some(span) if span.end == place => span.end += 1,
            _ => spans.push(place..place + 1),
        }
    }
    spans
}

/// The likeliest label of a token, the first of equal ones.
pub(super) fn likeliest(chances: &[f32], token: usize, labels: usize) -> usize {
    let own = &chances[token * labels..][..labels];
    let best = (0..labels).max_by(|a, b| own[*a].total_cmp(&own[*b]).then(b.cmp(a)));
    best.unwrap_or_default()
}

pub(super) fn bytes(words: &Words, place: &Range<usize>) -> Range<usize> {
    words[place.start].1.start..words[place.end - 1].1.end
}
