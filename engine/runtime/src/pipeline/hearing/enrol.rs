//! The voice print of one person, from a sample of speech.

use crate::pipeline::hearing::voices::VoiceModels;
use weir_asr::{
    Diarizer, DiarizerConfig, SAMPLE_RATE_HZ, SettingError, SpeakerError, SpeakerTurn, Voiceprint,
};

/// Least speech of a sample.
pub const SAMPLE_SECONDS_MIN: f32 = 15.0;
/// Most sound that is listened to: more does not make a voice clearer.
pub const SAMPLE_SECONDS_MAX: f32 = 300.0;
/// Most speech of others in a sample, as a share of the person's own.
const OTHERS_MAX: f32 = 0.25;

/// A person's voice.
#[derive(Debug, Clone, PartialEq)]
pub struct VoiceSample {
    /// The voice print.
    pub voice: Voiceprint,
    /// Seconds of speech.
    pub seconds: f32,
}

/// Why a sample makes no voice print.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// There is too little speech.
    #[error(
        "{seconds:.0} s of speech were found; a voice sample needs {SAMPLE_SECONDS_MIN} s or more"
    )]
    TooShort {
        /// Seconds of speech of the main voice.
        seconds: f32,
    },
    /// Several people speak.
    #[error(
        "several voices: {first:.0} s of one and {second:.0} s of another; a voice sample has one \
         person"
    )]
    SeveralVoices {
        /// Seconds of the main voice.
        first: f32,
        /// Seconds of the next one.
        second: f32,
    },
    /// A model failed.
    #[error(transparent)]
    Model(#[from] SpeakerError),
    /// The models do not fit together.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

/// The voice of whoever speaks in these samples: 16 kHz mono, at most five minutes are used.
///
/// # Errors
/// [`SampleError`].
pub fn voice_sample(samples: &[f32], models: &mut VoiceModels) -> Result<VoiceSample, SampleError> {
    let most = (SAMPLE_SECONDS_MAX * SAMPLE_RATE_HZ as f32) as usize;
    let mut diarizer = Diarizer::new(&DiarizerConfig::default(), models.segmenter.grid())?;
    diarizer.step(&samples[..samples.len().min(most)]);
    diarizer.finish();
    let mut turns: Vec<SpeakerTurn> = Vec::new();
    while let Some(more) = diarizer.diarize(&mut models.segmenter, &mut models.embedder) {
        turns.extend(more?);
    }
    let seconds = |speaker: usize| {
        let own = turns
            .iter()
            .filter(|it| it.speaker.is_some_and(|id| id.index() == speaker));
        own.map(|turn| turn.span.len()).sum::<u64>() as f32 / SAMPLE_RATE_HZ as f32
    };
    let mut voices: Vec<(f32, &Voiceprint)> = diarizer
        .voices()
        .enumerate()
        .map(|(at, (voice, _))| (seconds(at), voice))
        .collect();
    voices.sort_by(|a, b| b.0.total_cmp(&a.0));
    let second = voices.get(1).map_or(0.0, |it| it.0);
    match voices.first() {
        Some((first, _)) if second > OTHERS_MAX * first => Err(SampleError::SeveralVoices {
            first: *first,
            second,
        }),
        Some((seconds, voice)) if *seconds >= SAMPLE_SECONDS_MIN => Ok(VoiceSample {
            voice: (*voice).clone(),
            seconds: *seconds,
        }),
        found => Err(SampleError::TooShort {
            seconds: found.map_or(0.0, |it| it.0),
        }),
    }
}
