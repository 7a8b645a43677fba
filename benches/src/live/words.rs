//! When each word of the final text was shown first, and from when on it stayed.

use crate::timing::Times;
use weir_core::stream::Utterance;
use weir_engine::pipeline::{LiveText, LiveWord, Notice};

/// Utterances overlap the speech they came from; its preview may end a little earlier.
const SLACK_MS: u64 = 300;

/// Silence at the end of a live segment.
const TAIL_MS: u64 = 240;

/// What was shown, and when.
#[derive(Default)]
pub(super) struct Shown {
    /// Live texts with their seconds since the recording's first sample.
    pub(super) live: Vec<(f64, LiveText)>,
    /// Utterances in memory, likewise.
    pub(super) heard: Vec<(f64, Utterance)>,
    pub(super) problem: Option<Notice>,
}

/// Times and counts of one recording or several, in microseconds.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) shown: Times,
    pub(crate) committed: Times,
    /// Utterances that end in a pause, and those after which somebody goes on at once.
    pub(crate) answerable: Times,
    pub(super) inside: Times,
    pub(super) committed_words: usize,
    pub(super) changed_words: usize,
}

/// A word of an utterance.
struct Final {
    text: String,
    /// Its end in seconds, and when it was shown and committed.
    spoken_s: f64,
    shown_s: f64,
    committed_s: f64,
}

/// Adds a recording.
pub(super) fn counts(shown: &Shown, counts: &mut Counts) {
    let of = |(at_s, heard): &(f64, Utterance)| final_words(heard, *at_s);
    let mut finals: Vec<Vec<Final>> = shown.heard.iter().map(of).collect();
    for stretch in shown.live.chunk_by(|(_, a), (_, b)| same_speech(a, b)) {
        let Some((_, last)) = stretch.last() else {
            continue;
        };
        let inside = finals.iter_mut().zip(&shown.heard);
        let inside = inside.filter(|(_, (_, heard))| overlaps(heard, last));
        let mut words: Vec<&mut Final> = inside.flat_map(|(words, _)| words).collect();
        for (at_s, live) in stretch {
            mark(&mut words, *at_s, live);
        }
        counts.committed_words += last.committed.len();
        counts.changed_words += changed(&words, &last.committed);
    }
    for (at, (at_s, heard)) in shown.heard.iter().enumerate() {
        let next = shown.heard.get(at + 1);
        // the last utterance of a segment ends with silence
        let is_inside = next.is_some_and(|(_, next)| next.span.start_ms == heard.span.end_ms);
        let (times, silence_ms) = match is_inside {
            true => (&mut counts.inside, 0),
            false => (&mut counts.answerable, TAIL_MS),
        };
        let ended_ms = heard.span.end_ms.saturating_sub(silence_ms);
        times.add((at_s - ended_ms as f64 / 1e3) * 1e6);
    }
    for word in finals.iter().flatten() {
        let us = |at_s: f64| (at_s - word.spoken_s).max(0.0) * 1e6;
        counts.shown.add(us(word.shown_s));
        counts.committed.add(us(word.committed_s));
    }
}

fn same_speech(a: &LiveText, b: &LiveText) -> bool {
    a.span.start_ms == b.span.start_ms
}

fn overlaps(heard: &Utterance, live: &LiveText) -> bool {
    heard.span.start_ms < live.span.end_ms + SLACK_MS && live.span.start_ms < heard.span.end_ms
}

/// The words of an utterance, spread evenly over its time, shown with the utterance.
fn final_words(heard: &Utterance, at_s: f64) -> Vec<Final> {
    let texts: Vec<String> = heard.text.split_whitespace().map(plain).collect();
    let (start_ms, count) = (heard.span.start_ms as f64, texts.len() as f64);
    let each_ms = (heard.span.end_ms as f64 - start_ms) / count;
    let word = |(at, text)| Final {
        text,
        spoken_s: (start_ms + each_ms * (at as f64 + 1.0)) / 1e3,
        shown_s: at_s,
        committed_s: at_s,
    };
    texts.into_iter().enumerate().map(word).collect()
}

/// Takes a preview's words: where the final text has the same word, it was shown by then.
fn mark(words: &mut [&mut Final], at_s: f64, live: &LiveText) {
    let all: Vec<&LiveWord> = live.committed.iter().chain(&live.tentative).collect();
    for (from, to) in pairs(&all, words) {
        let word = &mut *words[to];
        word.spoken_s = all[from].span.end_ms as f64 / 1e3;
        word.shown_s = word.shown_s.min(at_s);
        if from < live.committed.len() {
            word.committed_s = word.committed_s.min(at_s);
        }
    }
}

/// Committed words that the final text has otherwise or not at all.
fn changed(words: &[&mut Final], committed: &[LiveWord]) -> usize {
    let all: Vec<&LiveWord> = committed.iter().collect();
    all.len() - pairs(&all, words).len()
}

/// Positions of the words that both have, last first, where the fewest edits make one of the other.
fn pairs(all: &[&LiveWord], words: &[&mut Final]) -> Vec<(usize, usize)> {
    let all: Vec<String> = all.iter().map(|live| plain(&live.text)).collect();
    let edit = |i: usize, j: usize| usize::from(all[i - 1] != words[j - 1].text);
    // by how many words of each are compared
    let mut cost = vec![vec![0; words.len() + 1]; all.len() + 1];
    for i in 0..=all.len() {
        for j in 0..=words.len() {
            cost[i][j] = match (i, j) {
                (0, only) | (only, 0) => only,
                _ => (cost[i - 1][j - 1] + edit(i, j))
                    .min(cost[i - 1][j] + 1)
                    .min(cost[i][j - 1] + 1),
            };
        }
    }
    let (mut i, mut j, mut pairs) = (all.len(), words.len(), Vec::new());
    while i > 0 && j > 0 {
        if cost[i][j] == cost[i - 1][j - 1] + edit(i, j) {
            pairs.extend((edit(i, j) == 0).then_some((i - 1, j - 1)));
            (i, j) = (i - 1, j - 1);
        } else if cost[i][j] == cost[i - 1][j] + 1 {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    pairs
}

/// A word without case and punctuation.
fn plain(word: &str) -> String {
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::stream::Span;

    fn live(end_ms: u64, committed: &str, tentative: &str) -> LiveText {
        let mut at = 0;
        let mut words = |text: &str| -> Vec<LiveWord> {
            let words = text.split_whitespace().map(|text| {
                at += 500;
                LiveWord {
                    text: text.to_owned(),
                    span: Span::new(at - 500, at),
                }
            });
            words.collect()
        };
        LiveText {
            channel: None,
            stream: "live".to_owned(),
            speaker: None,
            span: Span::new(0, end_ms),
            committed: words(committed),
            fresh: 0,
            tentative: words(tentative),
        }
    }

    #[test]
    fn a_word_is_timed_from_its_end_to_where_it_appears_and_stays() {
        let heard = Utterance {
            id: "live#1".to_owned(),
            stream: "live".to_owned(),
            span: Span::new(0, 2_000),
            ..Utterance::new("Ida", "We met at eight.")
        };
        let shown = Shown {
            live: vec![
                (1.0, live(900, "", "We")),
                (1.8, live(1_700, "we", "meet at")),
                (2.2, live(2_100, "we meet at", "")),
            ],
            heard: vec![(3.0, heard)],
            problem: None,
        };
        let mut of = Counts::default();
        counts(&shown, &mut of);
        assert_eq!(
            (of.committed_words, of.changed_words),
            (3, 1),
            "met is not meet"
        );
        // we: spoken at 0.5, shown at 1.0; met: 1.0, 3.0; at: 1.5, 1.8; eight: 2.0, 3.0
        assert_eq!(of.shown.count(), 4);
        assert!((of.shown.total() / 1e6 - (0.5 + 2.0 + 0.3 + 1.0)).abs() < 1e-6);
        // we: 1.8, at: 2.2
        assert!((of.committed.total() / 1e6 - (1.3 + 2.0 + 0.7 + 1.0)).abs() < 1e-6);
        assert!((of.answerable.total() / 1e6 - 1.24).abs() < 1e-6);
    }
}
