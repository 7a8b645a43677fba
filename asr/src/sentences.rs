//! Cuts recognised words into utterances: one sentence each, or the words between two pauses.
//!
//! Citations, clips and deletions then concern one sentence. A pause ends an utterance, unless the
//! sentence visibly continues after it. Invariant: every word is in exactly one utterance, in
//! order; the utterances of a segment cover its span without overlap.

use crate::span::SAMPLES_PER_MS;
use crate::words::confidence;
use crate::{Recognised, SampleSpan, Segment, Word};

/// Pause in samples that always ends a sentence: 2 s.
const LONG_PAUSE: u64 = 2_000 * SAMPLES_PER_MS;
/// Mark for a change of speaker, as written by models trained on captions: `>> Yes.`
const TURN_MARK: char = '>';
/// Minimum words for a separate sentence; shorter ones join the next of their segment: "Yes. I
/// did."
const WORDS_MIN: usize = 3;
/// Abbreviations whose full stop ends no sentence.
const SHORT_FORMS: [&str; 12] = [
    "mr.", "mrs.", "ms.", "dr.", "st.", "jr.", "sr.", "vs.", "no.", "prof.", "e.g.", "i.e.",
];

/// The sentences of consecutive segments; sentences that continue after a pause are joined.
pub(crate) fn over_pauses(segments: Vec<Vec<Recognised>>) -> Vec<Recognised> {
    // if the model writes no full stops, pauses alone end utterances
    let mut words = segments.iter().flatten().flat_map(|it| &it.words);
    let marks = words.any(|word| ends_sentence(&word.text));
    let mut joined: Vec<Recognised> = Vec::new();
    for mut parts in segments {
        let open = joined.last().zip(parts.first());
        if marks && open.is_some_and(|(last, next)| goes_on(last, next)) {
            let next = parts.remove(0);
            let whole = joined.pop().map(|last| last.join(next));
            joined.extend(whole);
        }
        joined.append(&mut parts);
    }
    joined
}

/// Whether a sentence continues after a pause: it is not complete, and the pause is short.
fn goes_on(last: &Recognised, next: &Recognised) -> bool {
    let (Some(end), Some(start)) = (last.words.last(), next.words.first()) else {
        return false;
    };
    !ends_sentence(&end.text) && start.span.start.saturating_sub(end.span.end) < LONG_PAUSE
}

/// The sentences of one segment. The first starts with the segment, the last ends with it, and two
/// neighbours meet in the middle of the pause between their words.
pub(crate) fn in_segment(segment: &Segment, words: Vec<Word>) -> Vec<Recognised> {
    let mut sentences: Vec<Vec<Word>> = Vec::new();
    let mut open: Vec<Word> = Vec::new();
    let mut words = words.into_iter().peekable();
    while let Some(mut word) = words.next() {
        if word.text.starts_with(TURN_MARK) {
            // another speaker, as captions mark it
            sentences.extend(Some(std::mem::take(&mut open)).filter(|open| !open.is_empty()));
            word.text = word.text.trim_start_matches(TURN_MARK).to_owned();
            if word.text.is_empty() {
                continue;
            }
        }
        let next = words.peek();
        let begins = next.is_some_and(|next| !next.text.starts_with(char::is_lowercase));
        let over = ends_sentence(&word.text) && begins;
        open.push(word);
        if over && open.len() >= WORDS_MIN {
            sentences.push(std::mem::take(&mut open));
        }
    }
    if !open.is_empty() {
        sentences.push(open);
    }
    let mut start = segment.span.start;
    let mut sentences = sentences.into_iter().peekable();
    let mut cut = Vec::new();
    while let Some(words) = sentences.next() {
        let meets = |next: &Vec<Word>| {
            let (end, begin) = (words.last()?.span.end, next.first()?.span.start);
            Some(u64::midpoint(end, begin.max(end)).clamp(start, segment.span.end))
        };
        let end = sentences.peek().and_then(meets);
        let span = SampleSpan::new(start, end.unwrap_or(segment.span.end));
        start = span.end;
        cut.push(Recognised {
            span,
            channel: segment.channel,
            confidence: confidence(&words),
            words,
        });
    }
    cut
}

/// Whether a sentence ends with this word, by its punctuation.
fn ends_sentence(word: &str) -> bool {
    let word = word.trim_end_matches(['"', '\'', '”', '’', ')', ']']);
    if !word.ends_with(['.', '?', '!', '…', '。', '？', '！']) {
        return false;
    }
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_uppercase) && letters.as_str() == ".";
    !initial && !SHORT_FORMS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A segment with words of 200 ms, 100 ms apart, from 500 ms after its start.
    fn said(start_ms: u64, text: &str) -> (Segment, Vec<Word>) {
        let words: Vec<Word> = text
            .split_whitespace()
            .enumerate()
            .map(|(at, word)| {
                let from = start_ms + 500 + 300 * at as u64;
                Word {
                    text: word.to_owned(),
                    span: SampleSpan::from_ms(from, from + 200),
                    confidence: 0.5,
                }
            })
            .collect();
        let end_ms = words.last().map_or(start_ms, |it| it.span.end_ms()) + 600;
        let segment = Segment {
            span: SampleSpan::from_ms(start_ms, end_ms),
            channel: 3,
            samples: Vec::new(),
            voice: 1.0,
            tail: 0,
            language: None,
        };
        (segment, words)
    }

    fn texts(parts: &[(u64, &str)]) -> Vec<(String, u64, u64)> {
        let said = parts.iter().map(|(at, text)| said(*at, text));
        let heard = said.map(|(segment, words)| in_segment(&segment, words));
        let of = |it: Recognised| (it.text(), it.span.start_ms(), it.span.end_ms());
        over_pauses(heard.collect()).into_iter().map(of).collect()
    }

    #[test]
    fn each_sentence_is_an_utterance_with_its_own_span() {
        assert_eq!(
            texts(&[(1_000, "We met in June. Who else was there? Mr. Fox.")]),
            [
                ("We met in June.".to_owned(), 1_000, 2_650),
                ("Who else was there?".to_owned(), 2_650, 3_850),
                ("Mr. Fox.".to_owned(), 3_850, 5_000),
            ]
        );
    }

    #[test]
    fn short_answers_stay_with_what_follows() {
        let cut = texts(&[(0, "Yes. I did. It was J. Smith who called. Bye.")]);
        let cut: Vec<&str> = cut.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(cut, ["Yes. I did.", "It was J. Smith who called.", "Bye."]);
    }

    #[test]
    fn another_speaker_begins_an_utterance_and_leaves_no_mark() {
        let cut = texts(&[(0, ">> We moved it, and >> Oh no. >>Yeah, he did.")]);
        let cut: Vec<&str> = cut.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(cut, ["We moved it, and", "Oh no.", "Yeah, he did."]);
    }

    #[test]
    fn a_sentence_goes_on_behind_a_pause() {
        // 2.3 s long each: a pause of 1.1 s in the first, of 3 s in the second
        let jfk = [
            (0, "And so, my fellow"),
            (2_300, "Americans: ask not."),
            (9_000, "what you can"),
        ];
        let cut = texts(&jfk);
        let cut: Vec<&str> = cut.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(
            cut,
            ["And so, my fellow Americans: ask not.", "what you can"]
        );
    }

    #[test]
    fn pauses_decide_where_no_marks_are_written() {
        let cut = texts(&[(0, "so we met"), (1_900, "in june")]);
        assert_eq!(cut.len(), 2, "{cut:?}");
    }

    proptest! {
        #[test]
        fn no_word_is_lost_and_utterances_cover_their_segment(
            words in proptest::collection::vec("[A-Za-z]{1,3}[.?,]?", 1..30),
        ) {
            let (segment, words) = said(2_000, &words.join(" "));
            let cut = over_pauses(vec![in_segment(&segment, words.clone())]);
            let kept: Vec<Word> = cut.iter().flat_map(|it| it.words.clone()).collect();
            prop_assert_eq!(kept, words);
            prop_assert_eq!(cut[0].span.start, segment.span.start);
            prop_assert_eq!(cut[cut.len() - 1].span.end, segment.span.end);
            for pair in cut.windows(2) {
                prop_assert_eq!(pair[0].span.end, pair[1].span.start);
            }
            for it in &cut {
                prop_assert!(it.span.start <= it.words[0].span.start);
                prop_assert!(it.words[it.words.len() - 1].span.end <= it.span.end);
            }
        }
    }
}
