//! Distillers: from a block of talk to an event and its units.

mod block;

pub use block::{Block, BlockId, Distillate, DistilledUnit, Heard};
