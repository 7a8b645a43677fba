//! Segments decoded together, and the mapping from window time back to source time.
//!
//! Whisper computes 30 s for any input: three segments of five seconds in one window take a third
//! of the time, and a sentence with pauses in it is decoded as one. Segments keep their margins, so
//! a pause stays a pause. Invariant: a window holds segments of one channel, in order, and is never
//! longer than the limit unless it is one segment.

use crate::span::SAMPLES_PER_MS;
use crate::{SampleSpan, Segment, Word};
use std::collections::VecDeque;

/// What happens to segments that do not fill a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// They wait for more segments.
    Keep,
    /// They form the last window.
    Give,
}

/// The usual shortest gap between two segments that ends a window of a live source. With their
/// margins it is a pause of 1.3 s: longer than most inside a sentence.
const LIVE_GAP: u64 = 160 * SAMPLES_PER_MS;

/// How far a live source is behind its waiting segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ahead {
    /// No later segment begins before this position.
    pub(crate) settled: u64,
    /// Least length of the segment that is open now; 0 if none is.
    pub(crate) open: u64,
}

/// A queue of segments, taken out in windows.
#[derive(Debug)]
pub struct Windows {
    samples_max: u64,
    /// Shortest gap between two segments that ends a window of a live source.
    live_gap: u64,
    waiting: VecDeque<Segment>,
}

impl Windows {
    /// Windows of at most `window_ms`; with `None` each segment is a window.
    #[must_use]
    pub fn new(window_ms: Option<u32>) -> Self {
        Self {
            samples_max: u64::from(window_ms.unwrap_or(0)) * SAMPLES_PER_MS,
            live_gap: LIVE_GAP,
            waiting: VecDeque::new(),
        }
    }

    /// The same with each segment of a live source as a window.
    pub(crate) fn one_by_one(self) -> Self {
        Self {
            live_gap: 0,
            ..self
        }
    }

    /// Drops the segments that begin before this position.
    pub(crate) fn discard_before(&mut self, at: u64) {
        self.waiting.retain(|segment| segment.span.start >= at);
    }

    /// Segments not yet in a window.
    pub fn waiting(&self) -> impl Iterator<Item = &Segment> {
        self.waiting.iter()
    }

    /// The next window: as many segments of one channel as fit, at least one. With [`Rest::Keep`] a
    /// window with space for another segment is not returned yet.
    pub fn next(&mut self, rest: Rest) -> Option<Vec<Segment>> {
        let fitting = self.fitting(u64::MAX)?;
        let whole = fitting < self.waiting.len() || self.samples_max == 0;
        (whole || rest == Rest::Give).then(|| self.waiting.drain(..fitting).collect())
    }

    /// The next window of a live source, which also ends at a pause, as soon as nothing later can
    /// belong to it. The windows depend on the segments alone.
    pub(crate) fn next_live(&mut self, ahead: Ahead) -> Option<Vec<Segment>> {
        let fitting = self.fitting(self.live_gap)?;
        let window = self.waiting.range(..fitting);
        let samples: u64 = window.clone().map(|it| it.span.len()).sum();
        let end = window.last().map_or(0, |it| it.span.end);
        let whole = fitting < self.waiting.len()
            || samples + ahead.open > self.samples_max
            || ahead.settled >= end.saturating_add(self.live_gap);
        whole.then(|| self.waiting.drain(..fitting).collect())
    }

    /// The segments of the next window of a live source so far.
    pub(crate) fn forming(&self) -> impl Iterator<Item = &Segment> {
        let fitting = self.fitting(self.live_gap).unwrap_or(0);
        self.waiting.range(..fitting)
    }

    /// Number of segments in the next window, if its gaps are shorter than `gap`.
    fn fitting(&self, gap: u64) -> Option<usize> {
        let first = self.waiting.front()?;
        let (mut samples, mut end) = (0, first.span.start);
        let fits = |segment: &&Segment| {
            samples += segment.span.len();
            let near = segment.span.start.saturating_sub(end) < gap;
            end = segment.span.end;
            near && samples <= self.samples_max && segment.channel == first.channel
        };
        Some(self.waiting.iter().take_while(fits).count().max(1))
    }
}

impl Extend<Segment> for Windows {
    fn extend<I: IntoIterator<Item = Segment>>(&mut self, segments: I) {
        self.waiting.extend(segments);
    }
}

/// Concatenates the samples of segments into `joined`, whose time begins at 0.
pub(crate) fn join(segments: &[&Segment], mut joined: Vec<f32>) -> Segment {
    joined.clear();
    let mut voice = 0.0;
    for segment in segments {
        joined.extend_from_slice(&segment.samples);
        voice += segment.voice * segment.samples.len() as f32;
    }
    Segment {
        span: SampleSpan::new(0, joined.len() as u64),
        channel: segments.first().map_or(0, |segment| segment.channel),
        voice: voice / joined.len().max(1) as f32,
        samples: joined,
        tail: segments.last().map_or(0, |segment| segment.tail),
        language: segments.first().and_then(|segment| segment.language),
    }
}

/// Silence of a segment before its first word, in samples: a little less than the segmenter's
/// pre-roll. The silence after its last word is as much less than its tail.
const LEAD: u64 = 400 * SAMPLES_PER_MS;
const LESS_THAN_TAIL: u64 = 140 * SAMPLES_PER_MS;

/// Assigns the words of a window to the segments in whose speech they lie, with their times in the
/// source. Alignment gives the pause between two words to either of them, so the part of a word in
/// the silence around a segment's speech is cut off. A word entirely in that silence belongs to the
/// segment that contains its middle: a labelled stretch may be cut close to its speech.
pub(crate) fn sort(words: Vec<Word>, segments: &[&Segment]) -> Vec<Vec<Word>> {
    let mut sorted: Vec<Vec<Word>> = segments.iter().map(|_| Vec::new()).collect();
    let mut from = 0;
    let places = segments.iter().map(|segment| {
        let start = from;
        from += segment.span.len();
        SampleSpan::new(start, from)
    });
    let places: Vec<SampleSpan> = places.collect();
    let places_of = places.iter().zip(segments);
    let speech: Vec<SampleSpan> = places_of
        .map(|(place, it)| speech(*place, it.tail))
        .collect();
    let mut earliest = 0;
    for mut word in words {
        let shared = |at: &usize| shared(word.span, speech[*at]);
        let middle = u64::midpoint(word.span.start, word.span.end);
        let near = |at: &usize| distance(middle, places[*at]);
        // words are in order, so a word lies in the segment of the previous word or a later one
        let at = (earliest..segments.len())
            .max_by_key(|at| (shared(at), std::cmp::Reverse((near(at), *at))))
            .unwrap_or(0);
        earliest = at;
        let (place, speech) = (places[at], speech[at]);
        let within = if shared(&at) > 0 { speech } else { place };
        let start = word.span.start.clamp(within.start, within.end);
        let end = word.span.end.clamp(start, within.end);
        let back = |sample: u64| segments[at].span.start + (sample - place.start);
        word.span = SampleSpan {
            start: back(start),
            end: back(end),
        };
        sorted[at].push(word);
    }
    sorted
}

/// The part of a segment in which somebody speaks.
fn speech(place: SampleSpan, tail: u64) -> SampleSpan {
    let middle = u64::midpoint(place.start, place.end);
    SampleSpan {
        start: (place.start + LEAD).min(middle),
        end: (place.end + LESS_THAN_TAIL)
            .saturating_sub(tail.max(LESS_THAN_TAIL))
            .max(middle),
    }
}

/// Number of samples in both spans.
fn shared(a: SampleSpan, b: SampleSpan) -> u64 {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
}

/// Samples between a span and a position outside it; 0 inside.
fn distance(at: u64, place: SampleSpan) -> u64 {
    let before = place.start.saturating_sub(at);
    before.max(at.saturating_sub(place.end.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(start_ms: u64, end_ms: u64, channel: u16) -> Segment {
        let span = SampleSpan::from_ms(start_ms, end_ms);
        Segment {
            span,
            channel,
            samples: vec![0.0; span.len() as usize],
            voice: 1.0,
            tail: 640 * SAMPLES_PER_MS,
            language: None,
        }
    }

    fn spans(window: Option<Vec<Segment>>) -> Vec<(u64, u64)> {
        let spans = window.into_iter().flatten().map(|it| it.span);
        spans.map(|it| (it.start_ms(), it.end_ms())).collect()
    }

    #[test]
    fn a_window_takes_what_fits_of_one_channel() {
        let mut windows = Windows::new(Some(10_000));
        windows.extend([segment(0, 4_000, 0), segment(9_000, 15_000, 0)]);
        assert_eq!(windows.next(Rest::Keep), None, "more may fit");
        windows.extend([segment(20_000, 20_500, 0), segment(21_000, 22_000, 1)]);
        let next = |windows: &mut Windows| spans(windows.next(Rest::Keep));
        assert_eq!(next(&mut windows), [(0, 4_000), (9_000, 15_000)]);
        assert_eq!(next(&mut windows), [(20_000, 20_500)]);
        assert_eq!(next(&mut windows), []);
        assert_eq!(spans(windows.next(Rest::Give)), [(21_000, 22_000)]);
        assert_eq!(windows.next(Rest::Give), None);
    }

    #[test]
    fn a_live_window_ends_at_a_pause_and_waits_for_no_more_than_it_must() {
        let ahead = |settled_ms: u64, open_ms: u64| Ahead {
            settled: settled_ms * SAMPLES_PER_MS,
            open: open_ms * SAMPLES_PER_MS,
        };
        let mut windows = Windows::new(Some(10_000));
        windows.extend([segment(0, 2_000, 0)]);
        assert_eq!(
            windows.next_live(ahead(2_100, 0)),
            None,
            "somebody may go on"
        );
        windows.extend([segment(2_100, 4_000, 0)]);
        assert_eq!(windows.forming().count(), 2);
        let both = [(0, 2_000), (2_100, 4_000)];
        assert_eq!(spans(windows.next_live(ahead(4_160, 0))), both);
        // the same, however late it is asked
        windows.extend([
            segment(0, 2_000, 0),
            segment(2_100, 4_000, 0),
            segment(5_000, 6_000, 0),
        ]);
        assert_eq!(spans(windows.next_live(ahead(5_900, 0))), both);
        assert_eq!(windows.next_live(ahead(6_000, 9_000)), None, "both fit");
        assert_eq!(
            spans(windows.next_live(ahead(6_000, 9_001))),
            [(5_000, 6_000)]
        );
    }

    /// A segment longer than a window forms a window by itself.
    #[test]
    fn without_windows_each_segment_comes_at_once() {
        for window_ms in [None, Some(500)] {
            let mut windows = Windows::new(window_ms);
            windows.extend([segment(0, 1_000, 0), segment(2_000, 3_000, 0)]);
            assert_eq!(spans(windows.next(Rest::Keep)), [(0, 1_000)]);
            let last = window_ms.map_or(Rest::Keep, |_| Rest::Give);
            assert_eq!(spans(windows.next(last)), [(2_000, 3_000)]);
        }
    }

    #[test]
    fn words_go_back_to_where_they_were_said() {
        // speech at 0.4 to 1.5 s and at 2.4 to 3.5 s of the window
        let (a, b) = (segment(5_000, 7_000, 0), segment(60_000, 62_000, 0));
        let word = |text: &str, start, end| Word {
            text: text.to_owned(),
            span: SampleSpan::from_ms(start, end),
            confidence: 1.0,
        };
        let words = vec![
            word("a", 100, 700),
            word("b", 1_300, 1_900),
            word("c", 1_900, 2_700),
            word("d", 3_300, 4_000),
        ];
        let sorted = sort(words, &[&a, &b]);
        let times = |words: &[Word]| -> Vec<(String, u64, u64)> {
            let of = |it: &Word| (it.text.clone(), it.span.start_ms(), it.span.end_ms());
            words.iter().map(of).collect()
        };
        let at = |text: &str, start, end| (text.to_owned(), start, end);
        assert_eq!(
            times(&sorted[0]),
            [at("a", 5_400, 5_700), at("b", 6_300, 6_500)]
        );
        assert_eq!(
            times(&sorted[1]),
            [at("c", 60_400, 60_700), at("d", 61_300, 61_500)]
        );
    }

    /// The segments of a live source have short tails: a last word must keep its length.
    #[test]
    fn a_short_tail_clips_no_word() {
        let segments = [segment(0, 2_000, 0), segment(9_000, 11_000, 0)].map(|it| Segment {
            tail: 240 * SAMPLES_PER_MS,
            language: None,
            ..it
        });
        let word = Word {
            text: "w".to_owned(),
            span: SampleSpan::from_ms(1_550, 1_800),
            confidence: 1.0,
        };
        let segments: Vec<&Segment> = segments.iter().collect();
        let sorted = sort(vec![word], &segments);
        assert_eq!(sorted[0][0].span, SampleSpan::from_ms(1_550, 1_800));
    }

    #[test]
    fn no_word_goes_back_to_an_earlier_segment() {
        let segments = [segment(0, 2_000, 0), segment(9_000, 11_000, 0)];
        let word = |start, end| Word {
            text: "w".to_owned(),
            span: SampleSpan::from_ms(start, end),
            confidence: 1.0,
        };
        let segments: Vec<&Segment> = segments.iter().collect();
        let sorted = sort(vec![word(2_500, 2_600), word(1_900, 1_950)], &segments);
        assert_eq!(sorted.iter().map(Vec::len).collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn a_word_at_the_edge_of_a_tight_segment_stays_there() {
        let segments = [segment(0, 3_000, 0), segment(0, 700, 0)];
        let word = |start, end| Word {
            text: "w".to_owned(),
            span: SampleSpan::from_ms(start, end),
            confidence: 1.0,
        };
        let segments: Vec<&Segment> = segments.iter().collect();
        let sorted = sort(vec![word(2_860, 2_980), word(3_010, 3_100)], &segments);
        assert_eq!(sorted.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn joined_samples_follow_each_other() {
        let (mut a, mut b) = (segment(0, 10, 1), segment(50, 70, 1));
        a.samples.fill(0.25);
        b.samples.fill(0.5);
        b.voice = 0.25;
        let window = join(&[&a, &b], vec![9.0; 3]);
        assert_eq!(window.span, SampleSpan::from_ms(0, 30));
        assert_eq!(window.samples[..160], a.samples[..]);
        assert_eq!(window.samples[160..], b.samples[..]);
        assert!((window.voice - 0.5).abs() < 1e-6);
        assert_eq!(window.channel, 1);
    }
}
