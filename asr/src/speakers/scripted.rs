//! Speaker models without weights, for tests: sound in which each sample tells who speaks.
//!
//! They recognise nothing. Several voices may speak in one sample; the segmentation numbers local
//! speakers by their first frame in the window, so the numbers differ between windows, as those of
//! real models do.

use super::contract::{
    Activities, EmbedSpeaker, FrameGrid, LOCAL_SPEAKERS_MAX, SegmentSpeakers, SpeakerError,
};

/// Most voices of scripted sound.
pub const SCRIPTED_VOICES_MAX: usize = 40;

/// Most of them that speak at once.
const VOICES_AT_ONCE_MAX: usize = 3;

/// A sample is a number divided by this; `f32` keeps such numbers exactly.
const SCALE: f32 = 131_072.0;

/// Each digit of the number in a sample is a voice plus 1, or 0.
const BASE: usize = SCRIPTED_VOICES_MAX + 1;

/// Samples in which up to three of the voices from 0 to [`SCRIPTED_VOICES_MAX`] speak together;
/// none for silence.
///
/// # Panics
/// There are more than three voices, or one is too large.
#[must_use]
pub fn scripted_sound(voices: &[usize], samples: usize) -> Vec<f32> {
    assert!(voices.len() <= VOICES_AT_ONCE_MAX, "three voices at once");
    let number = voices.iter().fold(0, |number, voice| {
        assert!(*voice < SCRIPTED_VOICES_MAX, "voice {voice}");
        number * BASE + voice + 1
    });
    vec![number as f32 / SCALE; samples]
}

/// The voices of one sample.
fn voices(sample: f32) -> impl Iterator<Item = usize> {
    let number = (sample * SCALE).round() as usize;
    let digits = [number / BASE / BASE, number / BASE % BASE, number % BASE];
    digits.into_iter().filter_map(|digit| digit.checked_sub(1))
}

/// Segments scripted sound.
#[derive(Debug, Clone)]
pub struct ScriptedSegmenter {
    grid: FrameGrid,
    reversed: bool,
    fail_on_call: Option<u64>,
    calls: u64,
}

impl ScriptedSegmenter {
    /// A segmenter with windows of this grid.
    #[must_use]
    pub fn new(grid: FrameGrid) -> Self {
        Self {
            grid,
            reversed: false,
            fail_on_call: None,
            calls: 0,
        }
    }

    /// Numbers the local speakers in the opposite order.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.reversed = true;
        self
    }

    /// Fails on the n-th call, counted from 1, and then works again.
    #[must_use]
    pub fn failing_on(mut self, call: u64) -> Self {
        self.fail_on_call = Some(call);
        self
    }
}

impl SegmentSpeakers for ScriptedSegmenter {
    fn grid(&self) -> FrameGrid {
        self.grid
    }

    fn activities(&mut self, samples: &[f32]) -> Result<Activities, SpeakerError> {
        self.calls += 1;
        if self.fail_on_call == Some(self.calls) {
            return Err(SpeakerError::Run {
                model: self.name().to_owned(),
                reason: "it was told to fail on this call".to_owned(),
            });
        }
        let middle = |frame| self.grid.sample(frame) + self.grid.step_samples / 2;
        let frames = (0..self.grid.frames).map(|frame| samples[middle(frame)]);
        let mut locals: Vec<usize> = Vec::new();
        for voice in frames.clone().flat_map(voices) {
            if !locals.contains(&voice) && locals.len() < LOCAL_SPEAKERS_MAX {
                locals.push(voice);
            }
        }
        if self.reversed {
            locals.reverse();
        }
        let values = frames.flat_map(|sample| {
            let speaks = |voice: &usize| voices(sample).any(|it| it == *voice);
            let values = locals
                .iter()
                .map(|voice| f32::from(u8::from(speaks(voice))));
            values.collect::<Vec<_>>()
        });
        Ok(Activities::new(locals.len(), values.collect()))
    }

    fn name(&self) -> &str {
        "scripted segmentation"
    }
}

/// Embeds scripted sound: a component per voice, which counts the samples in which it speaks alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScriptedEmbedder;

impl EmbedSpeaker for ScriptedEmbedder {
    fn dimensions(&self) -> usize {
        SCRIPTED_VOICES_MAX
    }

    fn embed(&mut self, samples: &[f32]) -> Result<Vec<f32>, SpeakerError> {
        let mut counts = vec![0.0; SCRIPTED_VOICES_MAX];
        for sample in samples {
            let mut speaking = voices(*sample);
            if let (Some(voice), None) = (speaking.next(), speaking.next()) {
                counts[voice] += 1.0;
            }
        }
        Ok(counts)
    }

    fn name(&self) -> &str {
        "scripted embedding"
    }
}
