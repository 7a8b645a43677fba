//! The tests of `weir-bench` from outside, in one program, which is linked once.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod command;
mod dialogues;
#[path = "../../../models/tests/it/whisper_folders/mod.rs"]
mod whisper_folders;
mod whisper_logits;
