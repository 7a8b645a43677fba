//! Audio in, timed words out.
//!
//! A source (a file, raw PCM, a microphone) gives interleaved samples at its own rate. A
//! `Listener` converts them to 16 kHz mono (`front_end`) and cuts them into segments of speech
//! (`segmenter`). A [`Transcribe`], such as whisper, turns windows of segments into words, and the
//! guards reject words that were not spoken. `Recogniser` is the loop over all of these for one
//! source: samples in, sentences with timed words out. `Diarizer` is the loop that says who speaks
//! when, around a [`SegmentSpeakers`] and an [`EmbedSpeaker`].
//!
//! This crate does not depend on the memory and reads no wall clock. It spawns no thread except
//! inside a microphone's driver, and prints nothing. Invariant: every time is a count of samples at
//! 16 kHz since the source began.
//!
//! Without features it contains the traits, the data types, the segmenter, the guards and
//! `speakers`. `listen` adds everything from samples to sentences, `decode` reads audio files
//! (codecs in `decode/container.rs`, WAV in `wav.rs` and `riff.rs`), `opus` adds that codec,
//! `whisper` adds whisper.cpp, `mic` microphones. A speech model to build in is in `weir-tiny-en`.

#![forbid(unsafe_code)]

#[cfg(feature = "listen")]
mod agreement;
#[cfg(feature = "decode")]
mod decode;
#[cfg(feature = "whisper")]
mod echo;
#[cfg(feature = "listen")]
mod front_end;
#[cfg(feature = "listen")]
mod guarded;
mod guards;
#[cfg(feature = "listen")]
mod language;
#[cfg(feature = "listen")]
mod listener;
#[cfg(feature = "mic")]
mod mic;
mod pcm;
#[cfg(feature = "listen")]
mod preview;
#[cfg(feature = "listen")]
mod recogniser;
mod segmenter;
#[cfg(feature = "listen")]
mod sentences;
mod setting;
#[cfg(feature = "listen")]
mod signal;
mod source;
mod span;
mod speakers;
mod tone;
mod transcribe;
#[cfg(feature = "listen")]
mod uncovered;
mod voice;
#[cfg(feature = "whisper")]
mod whisper;
#[cfg(feature = "listen")]
mod window;
mod words;

#[cfg(feature = "decode")]
pub use decode::{open_file, open_file_track};
#[cfg(feature = "listen")]
pub use front_end::{FrontEnd, SPLIT_CHANNELS_MAX};
#[cfg(feature = "listen")]
pub use guarded::{GuardedTranscriber, HeardSegment, HeardWindow, Refused, TranscriptionCounts};
pub use guards::{Guards, GuardsConfig, Refusal, Strictness};
#[cfg(feature = "listen")]
pub use language::{LanguageNews, LanguageTrack};
#[cfg(feature = "listen")]
pub use listener::{ListenError, Listener};
#[cfg(feature = "mic")]
pub use mic::{Microphone, MicrophoneInfo, MicrophoneStop, microphones};
pub use pcm::{PcmFormat, PcmReader};
#[cfg(feature = "listen")]
pub use preview::{Preview, Previewer};
#[cfg(feature = "listen")]
pub use recogniser::{Recogniser, RecogniserConfig};
pub use segmenter::{Segmenter, SegmenterConfig, SegmenterCounts};
pub use setting::SettingError;
pub use source::{
    AudioError, AudioSource, CHANNELS_MAX, Channels, RATE_HZ_MAX, RATE_HZ_MIN, Recovery,
    SourceSpec, SourceWarning,
};
pub use span::{SAMPLE_RATE_HZ, SampleSpan};
pub use speakers::{
    Activities, ClusterCounts, Diarizer, DiarizerConfig, DiarizerCounts, EmbedSpeaker, FrameGrid,
    KnownVoice, LOCAL_SPEAKERS_MAX, LocalVoice, SCRIPTED_VOICES_MAX, SPEAKERS_MAX,
    SPEECH_SAMPLES_MIN, ScriptedEmbedder, ScriptedSegmenter, SegmentSpeakers, SpeakerClusters,
    SpeakerError, SpeakerId, SpeakerTurn, Spoken, Voiceprint, WordSpeaker, assign_words,
    join_turns, recognise_voices, scripted_sound, split_by_speaker,
};
pub use transcribe::{LanguageGuess, ScriptedTranscriber, Transcribe, TranscribeError};
#[cfg(feature = "listen")]
pub use voice::Earshot;
pub use voice::{LoudnessDetector, VOICE_FRAME_SAMPLES, VoiceActivity};
#[cfg(feature = "whisper")]
pub use whisper::{
    AudioContext, Decoding, EXPECTED_TOKENS_MAX, WhisperConfig, WhisperDevice, WhisperModel,
    WhisperTranscriber, check_language, language_name, languages,
};
#[cfg(feature = "listen")]
pub use window::{Rest, Windows};
pub use words::{OpenSpeech, Recognised, Segment, Transcript, Word};
