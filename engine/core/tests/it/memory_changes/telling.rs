//! Says things to a memory and finds what became of them.

use crate::support::said;
use weir_core::driver::Driver;
use weir_core::memory::{Kind, Node, NodeId};

/// Says lines, one after another, to the end of a block.
pub(crate) fn tell(memory: &mut Driver, lines: &[(&str, &str)]) {
    let from = memory.session().stats().turns;
    for (n, (speaker, text)) in (from..).zip(lines) {
        memory.hear(said(n, speaker, text)).unwrap();
    }
    memory.flush().unwrap();
}

/// A unit that says so.
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
