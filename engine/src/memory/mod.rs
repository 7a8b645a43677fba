//! The long-term memory: a tree of bounded cost.

mod node;

pub use node::{Evidence, Kind, Node, NodeId};
