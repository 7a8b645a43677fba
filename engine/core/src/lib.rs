//! Weir's memory: text and vectors in, answers with their evidence out.
//!
//! The memory alone: no audio, no model, no thread, no file, no clock. `weir-engine` keeps it on
//! disk and feeds it with speech; `weir` is the program.

#![forbid(unsafe_code)]

pub mod answer;
pub mod ask;
mod circuit_breaker;
pub mod config;
pub mod distil;
pub mod driver;
pub mod limits;
pub mod memory;
pub mod recall;
pub mod sense;
pub mod session;
pub mod stream;
pub mod talk;
pub mod text;
pub mod transcript;
pub mod vectors;
