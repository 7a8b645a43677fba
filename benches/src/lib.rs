//! Measurements of Weir: what it finds, forgets and costs, on streams that anybody can make again.
//!
//! [`stream`] is what is heard and asked, [`method`] what remembers it, [`metric`] what is right,
//! [`run`] brings them together. A new method is a file in `method` and a line in
//! `method/registry.rs`. Most other modules are the commands of `weir-bench`, one a file or folder,
//! with their options; [`options`] has those of several commands. They share `drive` (feeds
//! sessions turn by turn), `timing`, `wall` (time of streams), `markdown` and `plot`. Timings are
//! medians and tails of many calls; a ratio is always taken within one run.

#![forbid(unsafe_code)]

mod beliefs;
mod budget;
mod characters;
mod checks;
pub mod cli;
mod convert;
mod corpus;
mod device;
#[cfg(test)]
mod dialogues;
mod diarize;
mod drive;
mod files;
mod hear;
mod latency;
mod live;
mod markdown;
mod method;
mod metric;
mod natural;
mod opinions;
mod options;
mod paper;
mod personal;
mod plot;
mod process;
mod progress;
mod rarity;
mod reader;
mod replies;
mod run;
mod segment;
mod service;
mod simulate;
mod stages;
mod stream;
mod timing;
mod titles;
mod training;
mod wall;
