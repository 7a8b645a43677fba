//! Who speaks when: online speaker diarization around two models that are lent to it.
//!
//! A segmentation model sees a rolling window and tells up to three *local* speakers apart
//! (`contract`); an embedding model turns the speech of each into a vector. `clusters` maps local
//! speakers to *global* ones, `timeline` averages what overlapping windows say of a frame, and
//! `diarizer` is the loop over all of these for one source. `attribution` says who spoke a word.
//!
//! The method is that of Coria et al. 2021, "Overlap-aware low-latency online speaker diarization
//! based on end-to-end local segmentation". It has no model, thread, clock or file. Invariants: the
//! output depends on the samples and the models alone, not on chunk sizes; a turn that was given
//! out as stable is never changed; memory does not grow with the length of the source.

mod assignment;
mod attribution;
mod clean;
mod clusters;
mod config;
mod contract;
mod cutter;
mod diarizer;
mod known;
mod pieces;
mod scripted;
mod split;
mod spoken;
mod timeline;
mod turn;
mod voiceprint;

pub use attribution::{WordSpeaker, assign_words};
pub use clusters::{ClusterCounts, LocalVoice, SpeakerClusters};
pub use config::{DiarizerConfig, SPEAKERS_MAX};
pub use contract::{
    Activities, EmbedSpeaker, FrameGrid, LOCAL_SPEAKERS_MAX, SegmentSpeakers, SpeakerError,
};
pub use diarizer::{Diarizer, DiarizerCounts};
pub use known::{KnownVoice, SPEECH_SAMPLES_MIN, recognise_voices};
pub use scripted::{SCRIPTED_VOICES_MAX, ScriptedEmbedder, ScriptedSegmenter, scripted_sound};
pub use spoken::{Spoken, split_by_speaker};
pub use turn::{SpeakerId, SpeakerTurn, join_turns};
pub use voiceprint::Voiceprint;
