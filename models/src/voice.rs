//! The contracts of the models of voices: sound in; vectors of speakers and activity of speakers
//! out.
//!
//! They do not specify how either is computed, and load nothing. With feature `candle`,
//! `SpeakerEncoder` and `SpeechSegmentation` implement them. Sound is mono at
//! [`VOICE_RATE_HZ`] samples per second, from -1 to 1; the caller decodes and resamples it.

use crate::encode::EncoderIdentity;

/// Samples per second of the sound that models of voices take.
pub const VOICE_RATE_HZ: u32 = 16_000;

/// Speakers that a segmentation tells apart in one window.
pub const WINDOW_SPEAKERS: usize = 3;

/// Classes of a frame: nobody, each speaker alone, each pair.
const CLASSES: usize = 7;

/// The speakers of each class: of all sets of at most two, the smaller first.
const SPEAKERS: [[bool; WINDOW_SPEAKERS]; CLASSES] = [
    [false, false, false],
    [true, false, false],
    [false, true, false],
    [false, false, true],
    [true, true, false],
    [true, false, true],
    [false, true, true],
];

/// Turns the sound of one speaker into a vector; voices that are alike give similar vectors.
pub trait EncodeSpeaker: Send + Sync {
    /// The number of components of every vector.
    fn dimension(&self) -> usize;

    /// Identity of this encoder. Vectors of different identities must never be compared.
    fn identity(&self) -> &EncoderIdentity;

    /// The number of samples below which a sound is refused.
    fn samples_min(&self) -> usize;

    /// The vector of `samples`. It has unit length, so that a dot product is a cosine.
    ///
    /// # Errors
    /// [`VoiceError`] if the sound is too short or has values that are not finite, or if the
    /// computation fails.
    fn encode_speaker(&self, samples: &[f32]) -> Result<Vec<f32>, VoiceError>;
}

/// Finds out when which speakers of a window of sound are active.
///
/// Speakers are numbered within a window. The same person may have another number in the next
/// window: vectors of [`EncodeSpeaker`] connect them.
pub trait SegmentSpeech: Send + Sync {
    /// Name for logs, results and messages.
    fn name(&self) -> &str;

    /// The lengths of sound that are taken, and where the frames of a window are.
    fn window(&self) -> SpeechWindow;

    /// The activity in each frame of `samples`.
    ///
    /// # Errors
    /// [`VoiceError`] if the sound is too short, too long or has values that are not finite, or
    /// if the computation fails.
    fn segment(&self, samples: &[f32]) -> Result<SpeechFrames, VoiceError>;
}

/// Lengths and frames of a segmentation, in samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpeechWindow {
    /// The longest sound that is taken, and the one that gives the best results.
    pub samples_max: usize,
    /// The sound that a frame sees before its context; the shortest sound that is taken.
    pub frame_samples: usize,
    /// From the beginning of one frame to the beginning of the next.
    pub frame_step: usize,
}

impl SpeechWindow {
    /// The sample in the middle of a frame: the time to which its activity belongs.
    #[must_use]
    pub fn middle_of(&self, frame: usize) -> usize {
        self.frame_samples / 2 + frame * self.frame_step
    }

    /// The number of frames that lie whole in `samples` samples.
    #[must_use]
    pub fn frames_in(&self, samples: usize) -> usize {
        let behind_first = samples.checked_sub(self.frame_samples);
        behind_first.map_or(0, |rest| rest / self.frame_step + 1)
    }
}

/// What a segmentation says of each frame.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeechFrames {
    log_probabilities: Vec<[f32; CLASSES]>,
}

impl SpeechFrames {
    /// Frames with the natural logarithm of the probability of each class: nobody, speaker 0, 1,
    /// 2, speakers 0 and 1, 0 and 2, 1 and 2.
    #[must_use]
    pub fn new(log_probabilities: Vec<[f32; CLASSES]>) -> Self {
        Self { log_probabilities }
    }

    /// As given to [`new`](Self::new).
    #[must_use]
    pub fn log_probabilities(&self) -> &[[f32; CLASSES]] {
        &self.log_probabilities
    }

    /// The speakers of the most probable class of each frame.
    #[must_use]
    pub fn active(&self) -> Vec<[bool; WINDOW_SPEAKERS]> {
        let classes = self.log_probabilities.iter();
        classes.map(|frame| SPEAKERS[best(frame)]).collect()
    }

    /// The probability that each speaker is active in each frame: the sum over the classes that
    /// contain the speaker.
    #[must_use]
    pub fn probabilities(&self) -> Vec<[f32; WINDOW_SPEAKERS]> {
        let of_frame = |frame: &[f32; CLASSES]| {
            let mut sums = [0.0; WINDOW_SPEAKERS];
            for (value, speakers) in frame.iter().zip(&SPEAKERS) {
                for (sum, _) in sums.iter_mut().zip(speakers).filter(|(_, has)| **has) {
                    *sum += value.exp();
                }
            }
            sums
        };
        self.log_probabilities.iter().map(of_frame).collect()
    }
}

/// The first of the largest values.
fn best(frame: &[f32; CLASSES]) -> usize {
    let mut best = 0;
    for (class, value) in frame.iter().enumerate() {
        if *value > frame[best] {
            best = class;
        }
    }
    best
}

/// Why a sound was not processed.
#[derive(Debug, thiserror::Error)]
pub enum VoiceError {
    /// The sound is too short.
    #[error("{model} needs at least {min} samples of sound at 16 kHz, and got {found}")]
    TooShort {
        /// The model's name.
        model: String,
        /// Number of samples.
        found: usize,
        /// The least number of samples.
        min: usize,
    },
    /// The sound is too long.
    #[error("{model} takes at most {max} samples of sound at 16 kHz at once, and got {found}")]
    TooLong {
        /// The model's name.
        model: String,
        /// Number of samples.
        found: usize,
        /// The greatest number of samples.
        max: usize,
    },
    /// A sample is NaN or infinite.
    #[error("sample {index} of the sound for {model} is {value}; samples are from -1 to 1")]
    NotFinite {
        /// The model's name.
        model: String,
        /// Position in the sound, from 0.
        index: usize,
        /// Its value.
        value: f32,
    },
    /// The computation failed, or memory ran out.
    #[error("{model} failed on {samples} samples of sound: {reason}; try a shorter sound")]
    Inference {
        /// The model's name.
        model: String,
        /// Number of samples.
        samples: usize,
        /// The error of the tensor library.
        reason: String,
    },
    /// The result has a NaN or infinite value: the weights are damaged, or the samples are far
    /// beyond the range from -1 to 1.
    #[error(
        "{model} gave a result that is not finite: its weights are damaged, or samples are far \
         beyond -1 and 1"
    )]
    Damaged {
        /// The model's name.
        model: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: SpeechWindow = SpeechWindow {
        samples_max: 160_000,
        frame_samples: 991,
        frame_step: 270,
    };

    #[test]
    fn frames_lie_whole_in_the_sound() {
        let frames = [0, 990, 991, 1_260, 1_261].map(|samples| WINDOW.frames_in(samples));
        assert_eq!(frames, [0, 0, 1, 1, 2]);
        assert_eq!(WINDOW.frames_in(160_000), 589);
        assert_eq!(
            [0, 588].map(|frame| WINDOW.middle_of(frame)),
            [495, 159_255]
        );
    }

    #[test]
    fn a_class_is_a_set_of_speakers() {
        let mut frames = Vec::new();
        for class in 0..CLASSES {
            let mut frame = [(0.04_f32).ln(); CLASSES];
            frame[class] = (0.76_f32).ln();
            frames.push(frame);
        }
        let frames = SpeechFrames::new(frames);
        assert_eq!(frames.active(), SPEAKERS);
        let chances = frames.probabilities();
        let near = |found: [f32; 3], expected: [f32; 3]| {
            let mut both = found.iter().zip(&expected);
            assert!(both.all(|(x, y)| (x - y).abs() < 1e-6), "{found:?}");
        };
        near(chances[0], [0.12, 0.12, 0.12]);
        near(chances[2], [0.12, 0.84, 0.12]);
        near(chances[5], [0.84, 0.12, 0.84]);
    }

    #[test]
    fn of_equal_classes_the_first_wins() {
        let frames = SpeechFrames::new(vec![[-1.0; CLASSES]]);
        assert_eq!(frames.active(), [[false; 3]]);
    }
}
