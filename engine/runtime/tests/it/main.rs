//! The integration tests of sessions on disk and of the threads, in one test binary to save linking
//! time.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod control;
mod distillers;
mod embed;
#[path = "../../../core/tests/it/support/folded.rs"]
mod folded;
mod gated;
mod import;
mod import_whole;
mod index;
mod killed;
mod live_text;
mod pipeline_threads;
mod plain_memory;
mod replay_lines;
mod reranking;
mod results_lines;
mod service;
mod service_attached;
mod service_hearing;
mod service_kills;
mod service_streams;
mod source_kills;
mod speakers;
mod store_audio;
mod store_directory;
mod store_erase;
mod store_kills;
mod store_session;
mod stored_session;
mod streamfile_reading;
#[path = "../../../core/tests/it/support/mod.rs"]
mod support;
