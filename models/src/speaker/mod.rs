//! Models of voices: a vector of the speaker of a sound, and who is active when.
//!
//! Reproduces CAM++ of 3D-Speaker and segmentation-3.0 of pyannote.audio (to 1e-4; in practice
//! 1e-5). No decoding or resampling of sound, no clustering, no training.
//!
//! Invariant: a result depends on the samples of its call alone.

mod campplus;
mod encoder;
mod fbank;
mod input;
mod norm;
mod segmentation;
mod sincnet;
mod sizes;

pub use encoder::SpeakerEncoder;
pub use segmentation::SpeechSegmentation;
