//! Helpers that tell a memory something and inspect the result.

use crate::support::said;
use weir_core::driver::Driver;
use weir_core::memory::{Kind, Node, NodeId};

/// Adds utterances, one after another, and ends the block.
pub(crate) fn tell(memory: &mut Driver, lines: &[(&str, &str)]) {
    let from = memory.session().stats().turns;
    for (n, (speaker, text)) in (from..).zip(lines) {
        memory.hear(said(n, speaker, text)).unwrap();
    }
    memory.flush().unwrap();
}

/// A unit with these words.
pub(crate) fn unit<'a>(memory: &'a Driver, words: &str) -> Option<&'a Node> {
    let tree = memory.session().tree();
    tree.of_kind(Kind::Unit)
        .find(|unit| unit.text.contains(words))
}

pub(crate) fn id(memory: &Driver, words: &str) -> NodeId {
    unit(memory, words)
        .unwrap_or_else(|| panic!("no unit says {words}"))
        .id
}
