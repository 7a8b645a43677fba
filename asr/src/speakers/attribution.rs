//! Says who spoke a word, by the turns at its time.

use super::turn::{SpeakerId, SpeakerTurn};
use crate::SampleSpan;
use crate::span::SAMPLES_PER_MS;

/// Farthest turn that a word outside all turns may belong to: word times of recognisers are often
/// some hundred milliseconds off.
const NEAR_SAMPLES: u64 = 500 * SAMPLES_PER_MS;

/// Who spoke a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordSpeaker {
    /// The speaker; `None` if nobody speaks near the word, or an unknown voice does.
    pub speaker: Option<SpeakerId>,
    /// True when somebody else speaks in the same span too.
    pub overlap: bool,
    /// False while later sound may still change the speaker.
    pub stable: bool,
}

/// The speaker of each word: the one whose turns cover most of it.
///
/// `words` are spans in order of time. `turns` are stable and provisional turns around them, in any
/// order; `stable_until` is where the stable ones end ([`super::Diarizer::stable_until`]). Where
/// several cover a word equally, as in overlapping speech, the speaker of the word before goes on;
/// otherwise the one who speaks longest in the half second around the word. A word outside all
/// turns belongs to the nearest one, if that is less than half a second away.
///
/// Costs words times turns.
#[must_use]
pub fn assign_words(
    words: &[SampleSpan],
    turns: &[SpeakerTurn],
    stable_until: u64,
) -> Vec<WordSpeaker> {
    let mut before = None;
    let mut assigned = Vec::with_capacity(words.len());
    for word in words {
        // an empty span is a point in time
        let word = SampleSpan::new(word.start, word.end.max(word.start + 1));
        let voices = Voice::around(word, turns);
        let best = voices.iter().max_by_key(|voice| voice.claim(before));
        let speaker = best.and_then(|voice| voice.speaker);
        before = best.map(|voice| voice.speaker);
        assigned.push(WordSpeaker {
            speaker,
            overlap: voices.iter().filter(|voice| voice.covers > 0).count() > 1
                || best.is_some_and(|voice| voice.overlap),
            stable: word.end.saturating_add(NEAR_SAMPLES) <= stable_until,
        });
    }
    assigned
}

/// What one speaker's turns have to do with a word.
struct Voice {
    speaker: Option<SpeakerId>,
    /// Samples of the word in the turns.
    covers: u64,
    /// Samples of the surroundings in the turns.
    around: u64,
    /// Samples from the word to the nearest turn; 0 where they overlap.
    distance: u64,
    /// A turn that covers some of the word has another voice beside it.
    overlap: bool,
}

impl Voice {
    /// The voices that speak in a word's surroundings, in order of speakers.
    fn around(word: SampleSpan, turns: &[SpeakerTurn]) -> Vec<Self> {
        let start = word.start.saturating_sub(NEAR_SAMPLES);
        let near = SampleSpan::new(start, word.end.saturating_add(NEAR_SAMPLES));
        let mut voices: Vec<Self> = Vec::new();
        for turn in turns.iter().filter(|turn| turn.span.overlap(near) > 0) {
            let known = voices.iter().position(|it| it.speaker == turn.speaker);
            let at = known.unwrap_or_else(|| {
                voices.push(Self {
                    speaker: turn.speaker,
                    covers: 0,
                    around: 0,
                    distance: u64::MAX,
                    overlap: false,
                });
                voices.len() - 1
            });
            let covers = turn.span.overlap(word);
            voices[at].covers += covers;
            voices[at].around += turn.span.overlap(near);
            voices[at].distance = voices[at].distance.min(distance(word, turn.span));
            voices[at].overlap |= covers > 0 && turn.overlap;
        }
        voices.sort_by_key(|voice| voice.speaker);
        voices
    }

    /// The larger, the more the word is this speaker's.
    fn claim(&self, before: Option<Option<SpeakerId>>) -> impl Ord {
        let known = self.speaker.is_some();
        let goes_on = self.covers > 0 && before == Some(self.speaker);
        let first = std::cmp::Reverse(self.speaker);
        let near = std::cmp::Reverse(self.distance);
        (self.covers, near, known, goes_on, self.around, first)
    }
}

/// Samples between two spans; 0 if they touch or overlap.
fn distance(a: SampleSpan, b: SampleSpan) -> u64 {
    let before = a.start.saturating_sub(b.end);
    before.max(b.start.saturating_sub(a.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(speaker: u16, start_ms: u64, end_ms: u64, overlap: bool) -> SpeakerTurn {
        SpeakerTurn {
            span: SampleSpan::from_ms(start_ms, end_ms),
            speaker: Some(SpeakerId(speaker)),
            overlap,
        }
    }

    fn speakers(words: &[(u64, u64)], turns: &[SpeakerTurn]) -> Vec<Option<u16>> {
        let spans = words
            .iter()
            .map(|(start, end)| SampleSpan::from_ms(*start, *end));
        let found = assign_words(&spans.collect::<Vec<_>>(), turns, 0);
        found.iter().map(|it| it.speaker.map(|id| id.0)).collect()
    }

    #[test]
    fn a_window_with_two_voices_gives_each_its_words() {
        let turns = [turn(0, 0, 1_000, false), turn(1, 1_200, 3_000, false)];
        let words = [(100, 400), (500, 1_050), (1_150, 1_500), (2_000, 2_400)];
        assert_eq!(
            speakers(&words, &turns),
            [Some(0), Some(0), Some(1), Some(1)]
        );
    }

    #[test]
    fn most_of_a_word_decides() {
        let turns = [turn(1, 0, 1_000, false), turn(0, 1_000, 2_000, false)];
        assert_eq!(speakers(&[(700, 1_200)], &turns), [Some(1)]);
        assert_eq!(speakers(&[(800, 1_500)], &turns), [Some(0)]);
        let pieces = [turn(1, 0, 900, false), turn(1, 900, 1_000, false), turns[1]];
        assert_eq!(speakers(&[(840, 1_150)], &pieces), [Some(1)]);
    }

    #[test]
    fn where_both_speak_the_one_who_spoke_goes_on() {
        let turns = [
            turn(1, 0, 1_000, false),
            turn(0, 1_000, 2_000, true),
            turn(1, 1_000, 2_000, true),
            turn(0, 2_000, 3_000, false),
        ];
        let words = [(500, 900), (1_100, 1_400), (1_500, 1_900), (2_100, 2_500)];
        assert_eq!(
            speakers(&words, &turns),
            [Some(1), Some(1), Some(1), Some(0)]
        );
        // without a word before, the surroundings decide
        assert_eq!(speakers(&[(1_700, 1_900)], &turns), [Some(0)]);
        let spans = [
            SampleSpan::from_ms(1_100, 1_400),
            SampleSpan::from_ms(500, 900),
        ];
        let found = assign_words(&spans, &turns, 0);
        assert_eq!([found[0].overlap, found[1].overlap], [true, false]);
    }

    #[test]
    fn a_word_beside_a_turn_belongs_to_the_nearest_one() {
        let turns = [turn(0, 0, 1_000, false), turn(1, 1_800, 2_500, false)];
        let words = [
            (1_100, 1_300),
            (1_500, 1_700),
            (2_600, 2_600),
            (3_100, 3_300),
        ];
        assert_eq!(speakers(&words, &turns), [Some(0), Some(1), Some(1), None]);
        assert_eq!(speakers(&[(0, 10)], &[]), [None]);
    }

    #[test]
    fn words_are_stable_once_the_turns_around_them_are() {
        let word = [SampleSpan::from_ms(0, 1_000)];
        let until = |ms: u64| assign_words(&word, &[], ms * SAMPLES_PER_MS)[0].stable;
        assert_eq!([until(1_499), until(1_500)], [false, true]);
    }
}
