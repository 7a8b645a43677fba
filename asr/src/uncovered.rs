//! Voice that no word of a segment covers, and the words that a second recognition finds there.
//!
//! Whisper may skip the quieter of two voices. The alignment then stretches the word before or
//! after it over what was skipped, so a word that is longer than anybody says it counts as
//! uncovered, too. Invariant: words stay in order, and none is lost: a word is replaced only by
//! several that include it.

use crate::guards::plain;
use crate::span::SAMPLES_PER_MS;
use crate::voice::{Earshot, VOICE_FRAME_SAMPLES, VoiceActivity};
use crate::{SampleSpan, Segment, Word};
use std::ops::Range;

/// Score from which a frame counts as voice, as where a segment begins.
const VOICE: f32 = 0.45;
/// Time that a slow speaker takes for a word, and in addition for each of its letters.
const WORD: u64 = 400 * SAMPLES_PER_MS;
const LETTER: u64 = 120 * SAMPLES_PER_MS;
/// Time for a character that is a whole syllable, as in Chinese.
const SYLLABLE: u64 = 250 * SAMPLES_PER_MS;
/// Least voice worth a second recognition. With less, models write "Okay" and "Thank you" over
/// breaths and laughter.
const VOICE_MIN: u64 = 1_000 * SAMPLES_PER_MS;
/// Least confidence of words found by a second recognition, which lack a sentence around them.
pub(crate) const SURE: f32 = 0.5;
/// Most time between the two parts of a word that the edge of a stretch cuts.
const EDGE: u64 = 300 * SAMPLES_PER_MS;
/// Most stretches of a segment that are recognised again.
pub(crate) const STRETCHES_MAX: usize = 4;

/// A stretch of a segment that is worth a second recognition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Uncovered {
    pub(crate) span: SampleSpan,
    /// The words that the stretch replaces: one that is too long, or none.
    pub(crate) words: Range<usize>,
}

/// The stretches of a segment with voice that its words do not cover.
pub(crate) fn uncovered(segment: &Segment, words: &[Word]) -> Vec<Uncovered> {
    let mut candidates = Vec::new();
    let mut from = segment.span.start;
    for (at, word) in words.iter().enumerate() {
        let gap = SampleSpan::new(from, word.span.start.max(from));
        candidates.push((gap, at..at, 0));
        candidates.push((word.span, at..at + 1, longest(&word.text)));
        from = word.span.end.max(from);
    }
    let rest = SampleSpan::new(from, segment.span.end.max(from));
    candidates.push((rest, words.len()..words.len(), 0));
    candidates.retain(|(span, _, covered)| span.len() >= covered + VOICE_MIN);
    if candidates.is_empty() {
        return Vec::new();
    }
    let voiced = voiced(&segment.samples);
    let frame = VOICE_FRAME_SAMPLES as u64;
    let voice = |span: SampleSpan| {
        let place = |at: u64| ((at.saturating_sub(segment.span.start)) / frame) as usize;
        let frames = voiced.get(place(span.start)..place(span.end).min(voiced.len()));
        let frames = frames.unwrap_or_default().iter().filter(|it| **it).count();
        frames as u64 * frame
    };
    let has_more = |(span, _, covered): &(SampleSpan, _, u64)| voice(*span) >= covered + VOICE_MIN;
    let found = candidates.into_iter().filter(has_more);
    let found = found.map(|(span, words, _)| Uncovered { span, words });
    found.collect()
}

/// Longest time that a word takes, in samples.
fn longest(text: &str) -> u64 {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    WORD + letters
        .map(|c| if c < '\u{2e80}' { LETTER } else { SYLLABLE })
        .sum::<u64>()
}

/// For each frame, whether there is voice.
fn voiced(samples: &[f32]) -> Vec<bool> {
    let mut detector = Earshot::new();
    let frames = samples.chunks_exact(VOICE_FRAME_SAMPLES);
    frames.map(|it| detector.score(it) >= VOICE).collect()
}

/// A stretch as a segment of its own.
pub(crate) fn cut(segment: &Segment, span: SampleSpan) -> Segment {
    let place = |at: u64| (at.saturating_sub(segment.span.start)) as usize;
    let end = place(span.end).min(segment.samples.len());
    Segment {
        span,
        samples: segment.samples[place(span.start).min(end)..end].to_vec(),
        tail: 0,
        ..*segment
    }
}

/// The words of a segment with those found in a stretch; `None` if they say nothing more.
pub(crate) fn with(words: &[Word], at: &Uncovered, found: Vec<Word>) -> Option<Vec<Word>> {
    let of = |words: &[Word]| words.iter().map(|it| plain(&it.text)).collect::<Vec<_>>();
    let (before, behind) = (&words[..at.words.start], &words[at.words.end..]);
    let own = of(&words[at.words.clone()]);
    let mut found = found;
    // parts of the neighbouring words, which the edges of the stretch cut
    if found.first().is_some_and(|it| is_rest(it, before.last())) {
        found.remove(0);
    }
    if found.last().is_some_and(|it| is_rest(it, behind.first())) {
        found.pop();
    }
    let said = of(&found);
    // if the own word is not among those found, its place among them is unknown
    let has_own = own.iter().all(|word| said.contains(word));
    (has_own && found.len() > own.len()).then(|| [before, &found, behind].concat())
}

/// Whether a word beside the edge of a stretch is its neighbour on the other side, cut in two.
fn is_rest(word: &Word, neighbour: Option<&Word>) -> bool {
    neighbour.is_some_and(|it| {
        let apart = word.span.start.saturating_sub(it.span.end);
        let apart = apart.max(it.span.start.saturating_sub(word.span.end));
        plain(&it.text) == plain(&word.text) && apart < EDGE
    })
}
