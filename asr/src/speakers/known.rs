//! Recognises voices that were enrolled: a mutual best match with a margin, or nobody.
//!
//! A wrong name is worse than none, so whatever is doubtful stays unknown.

use super::voiceprint::Voiceprint;
use crate::span::SAMPLES_PER_MS;

/// Largest cosine distance of an enrolled voice and a speaker who is that person.
const DISTANCE_MAX: f32 = 0.5;
/// By how much a match must be nearer than the next best voice, and than the next best speaker.
const MARGIN: f32 = 0.1;
/// Clean speech of a speaker before it is compared. Overlapping windows count speech several times.
pub const SPEECH_SAMPLES_MIN: u64 = 15_000 * SAMPLES_PER_MS;

/// An enrolled voice.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownVoice {
    /// Whose it is.
    pub name: String,
    /// The direction of all its samples.
    pub voice: Voiceprint,
}

/// The enrolled voice of each speaker, as its index in `known`; `None` where nobody matches.
///
/// `speakers` are centroids with the samples of clean speech behind them
/// ([`super::Diarizer::voices`]). A match is nearest in both directions, at most 0.5 away, and 0.1
/// nearer than the second best in both. Voices of another model match nobody.
#[must_use]
pub fn recognise_voices(
    known: &[KnownVoice],
    speakers: &[(&Voiceprint, u64)],
) -> Vec<Option<usize>> {
    let distance = |known: &KnownVoice, speaker: &Voiceprint| {
        let same_model = known.voice.as_slice().len() == speaker.as_slice().len();
        same_model.then(|| known.voice.distance(speaker))
    };
    let table: Vec<Vec<Option<f32>>> = speakers
        .iter()
        .map(|(voice, _)| known.iter().map(|it| distance(it, voice)).collect())
        .collect();
    let nearest = |values: &mut dyn Iterator<Item = Option<f32>>| {
        let (mut best, mut second) = ((f32::INFINITY, 0), f32::INFINITY);
        for (at, value) in values.enumerate() {
            let value = value.unwrap_or(f32::INFINITY);
            if value < best.0 {
                second = best.0;
                best = (value, at);
            } else {
                second = second.min(value);
            }
        }
        let clear = best.0 <= DISTANCE_MAX && best.0 + MARGIN <= second;
        clear.then_some(best.1)
    };
    let found = table.iter().enumerate().map(|(at, row)| {
        let name = nearest(&mut row.iter().copied())?;
        let back = nearest(&mut table.iter().map(|row| row[name]))?;
        (back == at && speakers[at].1 >= SPEECH_SAMPLES_MIN).then_some(name)
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voice(degrees: f32) -> Voiceprint {
        let radians = degrees.to_radians();
        Voiceprint::new(vec![radians.cos(), radians.sin()]).expect("a direction")
    }

    fn known(voices: &[(&str, f32)]) -> Vec<KnownVoice> {
        let known = |(name, degrees): &(&str, f32)| KnownVoice {
            name: (*name).to_owned(),
            voice: voice(*degrees),
        };
        voices.iter().map(known).collect()
    }

    fn found(known: &[KnownVoice], speakers: &[f32]) -> Vec<Option<usize>> {
        let voices: Vec<Voiceprint> = speakers.iter().map(|it| voice(*it)).collect();
        let speakers: Vec<(&Voiceprint, u64)> =
            voices.iter().map(|it| (it, SPEECH_SAMPLES_MIN)).collect();
        recognise_voices(known, &speakers)
    }

    #[test]
    fn a_near_voice_is_recognised_and_a_far_one_is_not() {
        let known = known(&[("Ana", 0.0), ("Bob", 90.0)]);
        assert_eq!(found(&known, &[85.0, 10.0]), [Some(1), Some(0)]);
        assert_eq!(found(&known, &[200.0]), [None]);
        assert_eq!(found(&[], &[10.0]), [None]);
    }

    #[test]
    fn two_candidates_of_nearly_the_same_distance_are_nobody() {
        let twins = known(&[("Ana", 0.0), ("Bea", 10.0)]);
        assert_eq!(found(&twins, &[3.0]), [None], "two names for one voice");
        let one = known(&[("Ana", 0.0)]);
        assert_eq!(
            found(&one, &[3.0, 8.0]),
            [None, None],
            "two speakers for one name"
        );
        assert_eq!(found(&one, &[3.0, 60.0]), [Some(0), None]);
    }

    #[test]
    fn little_speech_and_vectors_of_another_model_match_nobody() {
        let known = known(&[("Ana", 0.0)]);
        let here = voice(0.0);
        assert_eq!(
            recognise_voices(&known, &[(&here, SPEECH_SAMPLES_MIN - 1)]),
            [None]
        );
        let other = Voiceprint::new(vec![1.0, 0.0, 0.0]).expect("a direction");
        assert_eq!(recognise_voices(&known, &[(&other, u64::MAX)]), [None]);
    }
}
