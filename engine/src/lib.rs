//! Weir: a streaming dialogue memory of bounded size.
//!
//! With `default-features = false` this is the memory alone: text and vectors in, answers with
//! their evidence out, no audio, no model, no thread, no file.

pub mod answer;
#[cfg(feature = "cli")]
pub mod cli;
pub mod config;
pub mod distil;
pub mod inline;
pub mod limits;
pub mod memory;
mod patience;
#[cfg(feature = "pipeline")]
pub mod pipeline;
pub mod recall;
#[cfg(feature = "streams")]
pub mod results;
pub mod sense;
pub mod session;
#[cfg(feature = "store")]
pub mod store;
pub mod stream;
#[cfg(feature = "streams")]
pub mod streamfile;
pub mod text;
pub mod transcript;

/// The commit this was built from, where the build could be told.
pub const COMMIT: Option<&str> = option_env!("WEIR_COMMIT");
