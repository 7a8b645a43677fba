//! Measurements of Weir: what it finds, forgets and costs, on streams that anybody can make again.
//!
//! [`stream`] is what is heard and asked, [`method`] what remembers it, [`metric`] what is right,
//! [`run`] brings them together. A new method is a file in `method` and a line in
//! `method/registry.rs`. Most other modules are the commands of `weir-bench`, one a file or folder,
//! with their options in the same place or in `cli`. Shared are `answerer`, `drive` (sessions fed
//! turn by turn), `timing`, `wall` (time of streams), `markdown` and `plot`. Timings are medians
//! and tails of many calls; a ratio is always taken within one run.

#![forbid(unsafe_code)]

mod answerer;
mod asked;
mod beliefs;
mod budget;
mod changes;
mod checks;
mod children;
pub mod cli;
mod convert;
mod corpus;
mod diarize;
mod drive;
mod encoder;
mod files;
mod hear;
mod latency;
mod lengths;
mod lines;
mod live;
mod markdown;
mod method;
mod metric;
mod opinions;
mod personal;
mod plot;
mod process;
mod progress;
mod reader;
mod run;
mod segment;
mod segmentation;
mod simulate;
mod stages;
pub mod stream;
mod timing;
mod trained;
mod voices;
mod wall;
mod wer;
