//! Measurements of Weir: fidelity, latency and cost, on streams anyone can make again.
//!
//! [`stream`] is what is heard and asked, [`method`] what remembers it, [`metric`] what is right,
//! [`run`] what brings them together. Timings are medians and tails of many calls; a ratio is
//! always taken within one run.

#![forbid(unsafe_code)]

mod ablate;
pub mod answerer;
pub mod cli;
mod corpus;
pub mod endpoint;
mod fidelity;
mod growth;
mod hour;
pub mod judge;
pub mod method;
pub mod metric;
mod report;
pub mod run;
mod segment;
mod segmentation;
mod simulate;
pub mod stream;
mod vectors;
