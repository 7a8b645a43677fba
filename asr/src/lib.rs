//! Audio in, timed words out.
//!
//! A source (a file, raw PCM, a microphone) gives interleaved samples at its own rate. The front
//! end makes 16 kHz mono of them, the segmenter cuts speech out of them, a [`Transcribe`] turns a
//! segment into words, and the guards decide whether those are words at all. [Recogniser] is all
//! of that as one state machine.
//!
//! This crate knows no memory, no dialogue and no wall clock; it spawns no thread except inside a
//! microphone's driver, and prints nothing. Invariant: every time is a count of samples at 16 kHz
//! since the source began.

mod source;
mod span;
mod transcribe;
mod words;

pub use source::{
    AudioError, AudioSource, CHANNELS_MAX, RATE_HZ_MAX, RATE_HZ_MIN, Recovery, SourceSpec,
    SourceWarning,
};
pub use span::{SAMPLE_RATE_HZ, SampleSpan};
pub use transcribe::{ScriptedTranscriber, Transcribe, TranscribeError};
pub use words::{Recognised, Segment, Transcript, Word};
