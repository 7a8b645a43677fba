//! The tree of a session as clients read it.

use super::evidence::evidence;
use super::transcript::utterances_of;
use super::when::When;
use weir_api::{self as api, Branch, NodeKind, Outline, OutlineNode, ShownNode, Unsorted};
use weir_core::memory::{Kind, MemoryTree, Node, NodeId, Titles};
use weir_core::session::Session;
use weir_core::talk::{BufferedUtterance, Wording};
use weir_core::transcript::Transcript;

/// The words of a unit: its own, or the transcript's if it is kept as key words. Of an event those
/// of its first evidence, which heads it.
#[must_use]
pub fn words_of(node: &Node, transcript: &dyn Transcript) -> Option<String> {
    match node.kind == Kind::Unit && !node.is_key() {
        true => Some(node.text.clone()),
        false => transcript.quote(node.evidence.first()?),
    }
}

/// The displayed text of a node: a unit with its speaker, verbatim if the transcript has it; the
/// title of an event or a scene.
#[must_use]
pub fn display_text(tree: &MemoryTree, node: &Node, transcript: &dyn Transcript) -> String {
    let words = |unit: &Node| words_of(unit, transcript);
    text_of(node, transcript, &Titles::with_words(tree, &words))
}

fn text_of(node: &Node, transcript: &dyn Transcript, titles: &Titles<'_>) -> String {
    if node.kind != Kind::Unit {
        return titles.title(node);
    }
    let said = node.evidence.first().filter(|_| node.is_key());
    let said = said.and_then(|item| transcript.quote(item));
    match (said, &node.speaker) {
        (Some(said), Some(speaker)) => format!("{speaker}: {}", node.display_text_with(&said)),
        (Some(said), None) => node.display_text_with(&said).into_owned(),
        (None, _) if node.is_key() => format!("[key words] {}", node.text),
        (None, _) => node.rendered(),
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
    let scenes = with_titles(tree, transcript, |transcript, titles| {
        let scenes = tree.scenes();
        scenes
            .map(|it| branch(tree, it, transcript, titles))
            .collect()
    });
    api::Tree {
        scenes,
        unsorted: raw.map(|(heard, _)| unsorted(heard)).collect(),
        unrecognised,
    }
}

/// Looks at a whole tree with the words of the transcript, read at once, and with titles that
/// count the words of all scenes once.
fn with_titles<T>(
    tree: &MemoryTree,
    transcript: &dyn Transcript,
    look: impl FnOnce(&dyn Transcript, &Titles<'_>) -> T,
) -> T {
    let keys = tree.of_kind(Kind::Unit).filter(|unit| unit.is_key());
    let keys = keys.chain(tree.of_kind(Kind::Event));
    let wanted = keys.filter_map(|unit| Some(unit.evidence.first()?.turn));
    let said = utterances_of(transcript, &wanted.collect());
    let words = |unit: &Node| words_of(unit, &said);
    look(&said, &Titles::with_words(tree, &words))
}

fn branch(
    tree: &MemoryTree,
    of: &Node,
    transcript: &dyn Transcript,
    titles: &Titles<'_>,
) -> Branch {
    let below = tree.children(of.id);
    Branch {
        node: shown_as(tree, of, text_of(of, transcript, titles)),
        children: below
            .map(|it| branch(tree, it, transcript, titles))
            .collect(),
    }
}

/// The tree in few bytes: its latest `most` nodes.
#[must_use]
pub fn outline(session: &Session, transcript: &dyn Transcript, most: usize) -> Outline {
    let tree = session.tree();
    let mut all: Vec<&Node> = Vec::with_capacity(tree.len());
    for scene in tree.scenes() {
        all.push(scene);
        for event in tree.children(scene.id) {
            all.push(event);
            all.extend(tree.children(event.id));
        }
    }
    let left_out = all.len().saturating_sub(most);
    let nodes = with_titles(tree, transcript, |transcript, titles| {
        let shown = all[left_out..].iter();
        let shown = shown.map(|node| outline_node(tree, node, transcript, titles));
        shown.collect()
    });
    Outline {
        nodes,
        left_out,
        unsorted: session.buffer().unmounted().count(),
    }
}

fn outline_node(
    tree: &MemoryTree,
    node: &Node,
    transcript: &dyn Transcript,
    titles: &Titles<'_>,
) -> OutlineNode {
    let said = (node.kind == Kind::Unit).then(|| words_of(node, transcript));
    let said = said.flatten();
    let text = match (node.kind, &said) {
        (Kind::Unit, Some(said)) => node.display_text_with(said).into(),
        (Kind::Unit, None) => node.text.clone(),
        (Kind::Event | Kind::Scene, _) => titles.title(node),
    };
    OutlineNode {
        id: node.id.to_string(),
        kind: kind_of(node),
        text,
        key: node.is_key().then(|| node.text.clone()),
        speaker: node.speaker.clone(),
        said_ms: node.said_ms,
        date: When::of(tree, node)
            .days()
            .map(|(first, _)| first.to_string()),
        tokens: node.tokens,
        wording: wording_of(node),
        frequency: node.frequency,
        pinned: node.pinned,
        edited: node.edited,
        small_talk: said.is_some_and(|said| titles.is_small_talk(node, &said)),
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
    let evidence = of.evidence.iter();
    ShownNode {
        node: node(tree, of, transcript),
        parent: of.parent.map(|parent| parent.to_string()),
        children: of.children.iter().map(NodeId::to_string).collect(),
        quotes: evidence.map(|item| transcript.quote(item)).collect(),
        standing: None,
    }
}

/// A node of the tree.
#[must_use]
pub fn node(tree: &MemoryTree, node: &Node, transcript: &dyn Transcript) -> api::Node {
    shown_as(tree, node, display_text(tree, node, transcript))
}

fn kind_of(node: &Node) -> NodeKind {
    match node.kind {
        Kind::Unit => NodeKind::Unit,
        Kind::Event => NodeKind::Event,
        Kind::Scene => NodeKind::Scene,
    }
}

fn wording_of(node: &Node) -> api::Wording {
    match node.wording {
        Wording::Verbatim => api::Wording::Verbatim,
        Wording::Retold => api::Wording::Retold,
        Wording::Key { .. } => api::Wording::Key,
    }
}

fn shown_as(tree: &MemoryTree, node: &Node, shown: String) -> api::Node {
    let days = When::of(tree, node).days();
    let title = match node.kind {
        Kind::Unit => &node.text,
        Kind::Event | Kind::Scene => &shown,
    };
    api::Node {
        id: node.id.to_string(),
        kind: kind_of(node),
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
        wording: wording_of(node),
        salience: node.salience,
        evidence: node.evidence.iter().map(evidence).collect(),
        evidence_more: node.evidence_more,
        pinned: node.pinned,
        edited: node.edited,
    }
}
