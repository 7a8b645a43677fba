//! Weir's memory: text and vectors in, answers with their evidence out.
//!
//! Only the memory: no audio, model, thread, file or clock. `weir-engine` stores it on disk and
//! feeds it with speech; `weir` is the program.

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
