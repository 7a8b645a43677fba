//! Measurements of Weir: fidelity, latency and cost, on reproducible streams.
//!
//! [`stream`] is what is heard and asked, [`method`] what remembers it, [`metric`] what is right,
//! [`run`] brings them together. A new method is a file in `method` and a line in
//! `method/registry.rs`. Most other modules are the commands of `weir-bench`, one a file:
//! `affect`, `asked`, `beliefs`, `budgets`, `calibrate`, `changes`, `checks`, `compare`, `diarize`,
//! `facts`, `followups`, `growth`, `hear`, `hour`, `lengths`, `live`, `minds` (models as distillers
//! and answerers), `opinions`, `personal`, `plant`, `route`, `segment`, `simulate`, `speak`,
//! `stages`. Shared are `answerer` and `judge` (models that answer and judge), `drive` (sessions
//! fed turn by turn), `timing`, `wall` (time of streams), `vectors` (kept vectors) and `report`
//! (tables and plots).
//! Timings are medians and tails of many calls; a ratio is always taken within one run.

#![forbid(unsafe_code)]

pub mod affect;
pub mod answerer;
mod asked;
mod beliefs;
pub mod budget;
mod budgets;
mod calibrate;
mod changes;
mod checks;
mod children;
pub mod cli;
mod compare;
pub mod convert;
mod corpus;
pub mod diarize;
mod drive;
mod encoder;
pub mod endpoint;
mod fact_index;
mod facts;
pub mod files;
mod followups;
mod growth;
mod hear;
mod hour;
pub mod judge;
mod lengths;
mod live;
pub mod method;
pub mod metric;
mod minds;
mod opinions;
mod personal;
mod plant;
mod process;
mod progress;
pub mod reader;
mod report;
mod route;
pub mod run;
mod segment;
mod segmentation;
mod simulate;
mod speak;
mod stages;
pub mod stream;
pub mod timing;
mod trained;
mod vectors;
mod voices;
mod wall;
pub mod wer;
