//! The outline of a session, in short.

use weir_api::{NodeKind, Outline, OutlineRow};
use weir_core::memory::{Kind, Node, Titles};
use weir_core::session::Session;

/// Characters of a node that are shown.
const TEXT_CHARS_MAX: usize = 200;

/// The latest `most` nodes of the tree, in the words that it holds itself.
#[must_use]
pub fn outline(session: &Session, most: usize) -> Outline {
    let tree = session.tree();
    let titles = Titles::of(tree);
    let mut all: Vec<&Node> = Vec::new();
    for scene in tree.scenes() {
        all.push(scene);
        for event in tree.children(scene.id) {
            all.push(event);
            all.extend(tree.children(event.id));
        }
    }
    let left_out = all.len().saturating_sub(most);
    Outline {
        rows: all[left_out..].iter().map(|it| row(it, &titles)).collect(),
        left_out,
    }
}

fn row(node: &Node, titles: &Titles<'_>) -> OutlineRow {
    let (kind, text) = match node.kind {
        Kind::Unit => (NodeKind::Unit, node.text.clone()),
        Kind::Event => (NodeKind::Event, titles.title(node)),
        Kind::Scene => (NodeKind::Scene, titles.title(node)),
    };
    OutlineRow {
        id: node.id.to_string(),
        kind,
        text: text.chars().take(TEXT_CHARS_MAX).collect(),
        speaker: node.speaker.clone(),
        pinned: node.pinned,
        reduced: node.is_key(),
        superseded: node.superseded.is_some(),
    }
}
