//! Measurements of Weir: fidelity, latency and cost, on reproducible streams.
//!
//! [`stream`] is the input, [`method`] the memories, [`metric`] the scores, [`run`] combines them.
//! Timings are medians and tails of many calls; ratios always come from one run.

#![forbid(unsafe_code)]

pub mod answerer;
mod asked;
pub mod budget;
mod budgets;
mod calibrate;
mod changes;
mod children;
pub mod cli;
mod compare;
pub mod convert;
mod corpus;
mod drive;
mod encoder;
pub mod endpoint;
pub mod files;
mod growth;
mod hear;
mod hour;
pub mod judge;
mod lengths;
pub mod method;
pub mod metric;
mod minds;
mod plant;
mod process;
mod progress;
pub mod reader;
mod report;
pub mod run;
mod segment;
mod segmentation;
mod simulate;
mod speak;
mod stages;
pub mod stream;
pub mod timing;
mod vectors;
mod wall;
pub mod wer;
