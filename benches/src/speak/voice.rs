//! A voice for each speaker, chosen by name and seed.

use anyhow::{Context, Result};
use clap::ValueEnum;
use std::collections::HashMap;
use weir_fixtures::Rng;

/// Which synthesisers to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Voices {
    /// espeak-ng alone
    EspeakNg,
    /// flite alone; it also gives the times of words
    Flite,
    /// Both, alternating between speakers
    Both,
}

/// A voice.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Voice {
    /// espeak-ng's: name, words per minute, pitch of 0 to 99.
    Espeak {
        name: &'static str,
        words_per_minute: u32,
        pitch: u32,
    },
    /// flite's: name, factor on durations, mean pitch in Hz.
    Flite {
        name: &'static str,
        stretch: f64,
        pitch_hz: f64,
    },
    /// For the user's program: number of the speaker.
    Given { number: usize },
}

const ESPEAK: [&str; 8] = [
    "en-us", "en-us+f2", "en-gb-scotland+m6", "en-us+f4", "en-gb", "en-us+m3", "en-gb-x-rp+f1",
    "en-us+m7",
];
/// With each voice's default pitch in Hz.
const FLITE: [(&str, f64); 4] = [
    ("slt", 165.0),
    ("rms", 100.0),
    ("awb", 125.0),
    ("kal16", 105.0),
];

/// The voices of a stream's speakers.
pub(super) struct Cast {
    kinds: Option<Voices>,
    seed: u64,
    by_name: HashMap<Option<String>, Voice>,
}

impl Cast {
    /// No voices yet; `None` numbers the speakers for the user's program.
    pub(super) fn new(kinds: Option<Voices>, seed: u64) -> Self {
        Self {
            kinds,
            seed,
            by_name: HashMap::new(),
        }
    }

    /// The voice of a speaker: drawn by name and seed among the unused voices; if all are used,
    /// among all, with a different speed and pitch.
    pub(super) fn of(&mut self, speaker: Option<&str>) -> Result<Voice> {
        let key = speaker.map(str::to_owned);
        if let Some(known) = self.by_name.get(&key) {
            return Ok(known.clone());
        }
        let voice = self.draw(speaker.unwrap_or_default())?;
        self.by_name.insert(key, voice.clone());
        Ok(voice)
    }

    fn draw(&self, name: &str) -> Result<Voice> {
        let number = self.by_name.len();
        let mut rng = Rng::new(hash(name) ^ self.seed);
        let flite = match self.kinds {
            None => return Ok(Voice::Given { number }),
            Some(Voices::EspeakNg) => false,
            Some(Voices::Flite) => true,
            Some(Voices::Both) => number.is_multiple_of(2),
        };
        let (words_per_minute, pitch) = (rng.range(155.0, 185.0), rng.range(38.0, 62.0));
        let (stretch, shift) = (rng.range(0.92, 1.08), rng.range(0.92, 1.1));
        let all = if flite { FLITE.len() } else { ESPEAK.len() };
        let named = |n: usize| if flite { FLITE[n].0 } else { ESPEAK[n] };
        let taken: Vec<&str> = self.by_name.values().map(Voice::name).collect();
        let mut free: Vec<usize> = (0..all).filter(|&n| !taken.contains(&named(n))).collect();
        if free.is_empty() {
            free = (0..all).collect();
        }
        let at = *free
            .get(rng.below(free.len()))
            .context("there are voices")?;
        Ok(if flite {
            let (name, pitch_hz) = FLITE[at];
            Voice::Flite {
                name,
                stretch: (stretch * 100.0).round() / 100.0,
                pitch_hz: (pitch_hz * shift).round(),
            }
        } else {
            Voice::Espeak {
                name: ESPEAK[at],
                words_per_minute: words_per_minute as u32,
                pitch: pitch as u32,
            }
        })
    }
}

impl Voice {
    fn name(&self) -> &str {
        match self {
            Self::Espeak { name, .. } | Self::Flite { name, .. } => name,
            Self::Given { .. } => "",
        }
    }
}

/// FNV-1a: the same on every machine and in every build, unlike the standard hasher.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast(kinds: Voices, seed: u64, names: &[&str]) -> Vec<Voice> {
        let mut cast = Cast::new(Some(kinds), seed);
        let voices = names.iter().map(|name| cast.of(Some(name)));
        voices.collect::<Result<_>>().expect("voices")
    }

    #[test]
    fn a_speaker_keeps_a_voice_and_no_two_share_one() {
        let names = ["Ann", "Bo", "Cy", "Ann"];
        for kinds in [Voices::EspeakNg, Voices::Flite, Voices::Both] {
            let voices = cast(kinds, 1, &names);
            assert_eq!(voices, cast(kinds, 1, &names));
            assert_ne!(voices, cast(kinds, 2, &names));
            assert_eq!(voices[0], voices[3]);
            assert_ne!(voices[0].name(), voices[1].name());
            assert_ne!(voices[1].name(), voices[2].name());
            assert_ne!(voices[0].name(), voices[2].name());
        }
        assert_eq!(cast(Voices::Flite, 1, &["a"; 9]).len(), 9);
    }

    #[test]
    fn both_synthesisers_take_turns() {
        let voices = cast(Voices::Both, 5, &["Ann", "Bo", "Cy"]);
        let flite = |voice: &Voice| matches!(voice, Voice::Flite { .. });
        assert_eq!(
            voices.iter().map(flite).collect::<Vec<_>>(),
            [true, false, true]
        );
    }

    #[test]
    fn more_speakers_than_voices_share_them() {
        let names: Vec<String> = (0..9).map(|n| format!("speaker {n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let voices = cast(Voices::Flite, 3, &names);
        assert_eq!(voices.len(), 9);
        assert_ne!(voices[0], voices[8]);
    }
}
