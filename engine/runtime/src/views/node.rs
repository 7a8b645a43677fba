//! The tree of a session as clients read it.

use super::evidence::evidence;
use super::when::When;
use weir_api::{self as api, Branch, NodeKind, ShownNode, Superseded, Unsorted};
use weir_core::memory::{Kind, MemoryTree, Node, NodeId, Titles};
use weir_core::session::Session;
use weir_core::talk::{BufferedUtterance, Wording};
use weir_core::transcript::Transcript;

/// The words of a unit: its own, or the transcript's if it is kept as key words.
#[must_use]
pub fn words_of(unit: &Node, transcript: &dyn Transcript) -> Option<String> {
    match unit.is_key() {
        false => Some(unit.text.clone()),
        true => transcript.quote(unit.evidence.first()?),
    }
}

/// The displayed text of a node: a unit with its speaker, verbatim if the transcript has it; the
/// title of an event or a scene.
#[must_use]
pub fn display_text(tree: &MemoryTree, node: &Node, transcript: &dyn Transcript) -> String {
    match node.kind {
        Kind::Unit => {
            let said = node.evidence.first().filter(|_| node.is_key());
            let said = said.and_then(|item| transcript.quote(item));
            match (said, &node.speaker) {
                (Some(said), Some(speaker)) => {
                    format!("{speaker}: {}", node.display_text_with(&said))
                }
                (Some(said), None) => node.display_text_with(&said).into_owned(),
                (None, _) if node.is_key() => format!("[key words] {}", node.text),
                (None, _) => node.rendered(),
            }
        }
        Kind::Event | Kind::Scene => {
            Titles::with_words(tree, &|unit| words_of(unit, transcript)).title(node)
        }
    }
}

/// The tree, and what is not in it yet; `unrecognised` is what [`crate::store::unrecognised`]
/// finds in the session's directory.
#[must_use]
pub fn tree(
    session: &Session,
    transcript: &dyn Transcript,
    unrecognised: Vec<api::Unrecognised>,
) -> api::Tree {
    let tree = session.tree();
    let raw = session.buffer().unmounted();
    api::Tree {
        scenes: tree
            .scenes()
            .map(|it| branch(tree, it, transcript))
            .collect(),
        unsorted: raw.map(|(heard, _)| unsorted(heard)).collect(),
        unrecognised,
    }
}

fn branch(tree: &MemoryTree, of: &Node, transcript: &dyn Transcript) -> Branch {
    let below = tree.children(of.id);
    Branch {
        node: node(tree, of, transcript),
        children: below.map(|it| branch(tree, it, transcript)).collect(),
    }
}

fn unsorted(heard: &BufferedUtterance) -> Unsorted {
    let said = heard.utterance.clone();
    Unsorted {
        stream: said.stream,
        id: said.id,
        speaker: said.speaker,
        start_ms: said.span.start_ms,
        end_ms: said.span.end_ms,
        said_ms: heard.session_ms,
        text: said.text,
    }
}

/// A node with the names of its neighbours.
#[must_use]
pub fn shown_node(tree: &MemoryTree, of: &Node, transcript: &dyn Transcript) -> ShownNode {
    ShownNode {
        node: node(tree, of, transcript),
        parent: of.parent.map(|parent| parent.to_string()),
        children: of.children.iter().map(NodeId::to_string).collect(),
    }
}

/// A node of the tree.
#[must_use]
pub fn node(tree: &MemoryTree, node: &Node, transcript: &dyn Transcript) -> api::Node {
    let shown = display_text(tree, node, transcript);
    let days = When::of(tree, node).days();
    let (kind, title) = match node.kind {
        Kind::Unit => (NodeKind::Unit, &node.text),
        Kind::Event => (NodeKind::Event, &shown),
        Kind::Scene => (NodeKind::Scene, &shown),
    };
    api::Node {
        id: node.id.to_string(),
        kind,
        text: node.text.clone(),
        title: title.clone(),
        shown,
        date: days.map(|(first, _)| first.to_string()),
        date_last: days.map(|(_, last)| last.to_string()),
        asked: node.asked.clone(),
        speaker: node.speaker.clone(),
        said_ms: node.said_ms,
        tokens: node.tokens,
        frequency: node.frequency,
        last_access_ms: node.last_access_ms,
        wording: match node.wording {
            Wording::Verbatim => api::Wording::Verbatim,
            Wording::Retold => api::Wording::Retold,
            Wording::Key { .. } => api::Wording::Key,
        },
        salience: node.salience,
        evidence: node.evidence.iter().map(evidence).collect(),
        evidence_more: node.evidence_more,
        pinned: node.pinned,
        edited: node.edited,
        superseded: node.superseded.map(|it| Superseded {
            at_ms: it.at_ms,
            by: it.by.to_string(),
        }),
    }
}
