//! Cuts an utterance where another speaker goes on.
//!
//! Invariants: every word is in exactly one part, in order; the parts cover the utterance's span
//! without overlap; without a change of speaker the utterance stays as it is.

use super::attribution::{WordSpeaker, assign_words};
use super::turn::{SpeakerId, SpeakerTurn};
use crate::words::confidence;
use crate::{Recognised, SampleSpan, Word};

/// Fewest words that are a part of their own: one word between those of somebody else is more
/// often a wrong turn than an answer.
const WORDS_MIN: usize = 2;

/// Words of one speaker.
#[derive(Debug, Clone, PartialEq)]
pub struct Spoken {
    /// The words, with their part of the utterance's span.
    pub said: Recognised,
    /// The speaker; `None` for an unknown voice.
    pub speaker: Option<SpeakerId>,
}

/// The parts of an utterance by speaker, given the turns around it ([`assign_words`]).
///
/// Words of unknown voices belong to the speaker before them, or else to the one after.
#[must_use]
pub fn split_by_speaker(said: Recognised, turns: &[SpeakerTurn]) -> Vec<Spoken> {
    let spans: Vec<SampleSpan> = said.words.iter().map(|word| word.span).collect();
    let found = assign_words(&spans, turns, u64::MAX);
    let runs = joined(runs(&found));
    if runs.len() <= 1 {
        let speaker = runs.first().and_then(|run| run.speaker);
        return vec![Spoken { said, speaker }];
    }
    let mut words = said.words.into_iter();
    let mut start = said.span.start;
    let mut parts = Vec::with_capacity(runs.len());
    for (nth, run) in runs.iter().enumerate() {
        let own: Vec<Word> = words.by_ref().take(run.words).collect();
        let next = words.as_slice().first().filter(|_| nth + 1 < runs.len());
        let meets = |next: &Word| {
            let end = own.last().map_or(start, |word| word.span.end);
            let begin = next.span.start.max(end);
            u64::midpoint(end, begin).clamp(start, said.span.end)
        };
        let span = SampleSpan::new(start, next.map_or(said.span.end, meets));
        start = span.end;
        parts.push(Spoken {
            said: Recognised {
                span,
                channel: said.channel,
                confidence: confidence(&own),
                words: own,
            },
            speaker: run.speaker,
        });
    }
    parts
}

/// Consecutive words of one speaker.
#[derive(Clone, Copy)]
struct Run {
    speaker: Option<SpeakerId>,
    words: usize,
}

fn runs(words: &[WordSpeaker]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut known = words.iter().filter_map(|word| word.speaker);
    let mut last = known.next();
    for word in words {
        last = word.speaker.or(last);
        match runs.last_mut() {
            Some(run) if run.speaker == last => run.words += 1,
            _ => runs.push(Run {
                speaker: last,
                words: 1,
            }),
        }
    }
    runs
}

/// Gives runs that are too short to the run before them, or to the next one.
fn joined(runs: Vec<Run>) -> Vec<Run> {
    if let [only] = runs[..] {
        return vec![only];
    }
    let mut joined: Vec<Run> = Vec::new();
    let mut short = 0;
    for run in runs {
        match joined.last_mut() {
            Some(last) if last.speaker == run.speaker || run.words < WORDS_MIN => {
                last.words += run.words;
            }
            None if run.words < WORDS_MIN => short += run.words,
            _ => joined.push(Run {
                words: run.words + std::mem::take(&mut short),
                ..run
            }),
        }
    }
    if joined.is_empty() && short > 0 {
        joined.push(Run {
            speaker: None,
            words: short,
        });
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::SAMPLES_PER_MS;
    use proptest::prelude::*;

    /// An utterance of words of 200 ms, 300 ms apart.
    fn utterance(words: usize) -> Recognised {
        let word = |nth: usize| {
            let start = 500 + 300 * nth as u64;
            Word {
                text: format!("w{nth}"),
                span: SampleSpan::from_ms(start, start + 200),
                confidence: 0.5,
            }
        };
        Recognised {
            span: SampleSpan::from_ms(0, 1_000 + 300 * words as u64),
            channel: 0,
            confidence: 0.5,
            words: (0..words).map(word).collect(),
        }
    }

    fn turn(speaker: u16, start_ms: u64, end_ms: u64) -> SpeakerTurn {
        SpeakerTurn {
            span: SampleSpan::from_ms(start_ms, end_ms),
            speaker: Some(SpeakerId(speaker)),
            overlap: false,
        }
    }

    fn parts(said: Recognised, turns: &[SpeakerTurn]) -> Vec<(Option<u16>, usize)> {
        let parts = split_by_speaker(said, turns);
        let part = |it: &Spoken| (it.speaker.map(|id| id.0), it.said.words.len());
        parts.iter().map(part).collect()
    }

    #[test]
    fn an_utterance_is_cut_where_another_speaker_goes_on() {
        let turns = [turn(0, 0, 1_650), turn(1, 1_650, 4_000)];
        let found = split_by_speaker(utterance(8), &turns);
        assert_eq!(parts(utterance(8), &turns), [(Some(0), 4), (Some(1), 4)]);
        let meets = 1_650 * SAMPLES_PER_MS;
        assert_eq!(
            (found[0].said.span.end, found[1].said.span.start),
            (meets, meets)
        );
    }

    #[test]
    fn one_word_of_somebody_else_cuts_nothing() {
        let turns = [
            turn(0, 0, 1_000),
            turn(1, 1_050, 1_350),
            turn(0, 1_400, 4_000),
        ];
        assert_eq!(parts(utterance(8), &turns), [(Some(0), 8)]);
        let first = [turn(1, 0, 750), turn(0, 750, 4_000)];
        assert_eq!(parts(utterance(8), &first), [(Some(0), 8)]);
    }

    #[test]
    fn unknown_voices_belong_to_the_known_one_beside_them() {
        let turns = [turn(1, 1_650, 4_000)];
        assert_eq!(parts(utterance(8), &turns), [(Some(1), 8)]);
        assert_eq!(parts(utterance(8), &[]), [(None, 8)]);
        assert_eq!(parts(utterance(1), &[]), [(None, 1)]);
    }

    #[test]
    fn an_utterance_of_one_word_has_its_speaker() {
        assert_eq!(parts(utterance(1), &[turn(2, 0, 900)]), [(Some(2), 1)]);
    }

    proptest! {
        #[test]
        fn no_word_and_no_sample_is_lost(
            words in 1..20_usize,
            cuts in prop::collection::vec((0..4_u16, 0..6_000_u64, 1..2_000_u64), 0..8),
        ) {
            let turns: Vec<SpeakerTurn> =
                cuts.iter().map(|(who, at, len)| turn(*who, *at, at + len)).collect();
            let whole = utterance(words);
            let found = split_by_speaker(whole.clone(), &turns);
            let texts = found.iter().flat_map(|part| &part.said.words);
            prop_assert!(texts.eq(whole.words.iter()));
            prop_assert_eq!(found[0].said.span.start, whole.span.start);
            prop_assert_eq!(found[found.len() - 1].said.span.end, whole.span.end);
            for pair in found.windows(2) {
                prop_assert_eq!(pair[0].said.span.end, pair[1].said.span.start);
                prop_assert_ne!(pair[0].speaker, pair[1].speaker);
            }
        }
    }
}
