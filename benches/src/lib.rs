//! Measurements of Weir: fidelity, latency and cost, on streams anyone can make again.
//!
//! [`stream`] is what is heard and asked, [`method`] what remembers it, [`metric`] what is right,
//! [`run`] what brings them together. Timings are medians and tails of many calls; a ratio is
//! always taken within one run.

#![forbid(unsafe_code)]

mod ablate;
pub mod cli;
pub mod convert;
mod corpus;
mod fidelity;
mod growth;
mod hear;
mod hour;
pub mod method;
pub mod metric;
mod plant;
pub mod run;
mod segment;
mod segmentation;
mod simulate;
mod speak;
pub mod stream;
mod vectors;
pub mod wer;
