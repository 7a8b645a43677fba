//! The long-term memory: a tree of scenes, events and units with a bounded number of tokens.
//!
//! The tree has no clock, file or model; vectors and times are inputs.

mod arena;
mod budget;
mod check;
mod chunked;
mod context;
mod edit;
mod frame;
mod heading;
mod key;
mod knapsack;
mod lexicon;
mod matrix;
mod merge;
mod mount;
mod nearest;
mod node;
mod occasion;
#[cfg(test)]
mod oracle;
mod pins;
mod rarity;
mod reencode;
mod rename;
mod search_index;

mod sparse;
mod standing;
mod stored;
mod stored_node;
mod title;
mod totals;
mod tree;
mod utility;
#[cfg(test)]
mod worked_examples;

pub(crate) use context::TreeContext;
pub(crate) use edit::NewWords;
pub use edit::UnitRewrite;
pub(crate) use frame::TreeFrame;
pub(crate) use lexicon::Lexicon;
pub use mount::MountCounts;
pub use nearest::{Near, NearestUnits, nearest_by_scan};
pub use node::{Kind, Node, NodeId};
pub use pins::PinError;
pub(crate) use rarity::RarityTable;
pub use standing::Standing;
pub use title::{Titles, WordsOf};
pub use tree::MemoryTree;
pub(crate) use utility::{CHANCE_USED, Valuation};
