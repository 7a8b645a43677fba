//! The long-term memory: a tree of scenes, events and units whose cost in tokens is bounded.
//!
//! The tree knows no clock, no file and no model; vectors and times come in as values.

mod budget;
mod check;
mod lexicon;
mod matrix;
mod merge;
mod mount;
mod node;
mod rarity;
mod reencode;
mod shorten;
mod stored;
mod tree;
mod utility;

pub use matrix::{dot, normalise};
pub(crate) use mount::MountContext;
pub use node::{Evidence, Kind, Node, NodeId};
pub(crate) use rarity::RarityTable;
pub use tree::MemoryTree;
pub(crate) use utility::Valuation;
