//! Integration tests of this crate, linked once as one program.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(
    clippy::print_stdout,
    reason = "differences are told where they are small enough, too"
)]

mod damaged_models;
mod encoders_golden;
mod endpoint_llama_cpp;
mod generator_folder;
mod generator_gguf;
mod generator_golden;
#[cfg(feature = "candle")]
mod golden;
mod language_golden;
mod nli_golden;
mod parallel;
mod reranker_golden;
mod sentence_golden;
mod sparse_golden;
mod speaker_faults;
mod speaker_golden;
mod t5_golden;
mod weights_address;
mod weights_import;
mod weights_listed;
mod weights_package;
mod weights_pull;
mod weights_store;
mod whisper_faults;
mod whisper_golden;
mod wordpiece_golden;

mod told;

#[cfg(feature = "weights")]
mod hub_server;
#[cfg(feature = "weights")]
mod whisper_folders;
