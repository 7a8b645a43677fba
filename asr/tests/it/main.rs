//! Integration tests of this crate, linked once as one program.

mod clips;
mod corpus;
#[cfg(feature = "decode")]
mod damaged;
mod expected;
mod listening;
#[cfg(feature = "decode")]
mod matroska;
mod microphone;
#[cfg(feature = "decode")]
mod odd_files;
mod published;
mod quiet_voices;
mod recognition;
#[cfg(feature = "listen")]
mod sources;
mod speakers;
#[cfg(feature = "whisper")]
#[path = "../../../models/tests/it/whisper_folders/mod.rs"]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod whisper_folders;
#[cfg(feature = "whisper")]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod whisper_logits;
mod windows;
