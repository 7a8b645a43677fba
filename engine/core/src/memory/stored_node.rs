//! The stored form of a node: in images, and in the lines of an export.
//!
//! A type of its own, so that a node in memory can change while its stored form stays.

use super::node::{Kind, Node, NodeId};
use crate::analysis::{Analysis, ClaimKey};
use crate::talk::{Evidence, Wording};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use weir_models::Terms;

/// The fields of a [`Node`] in the stored order: borrowed to write, owned to read. What was read
/// from its words is stored after the session. The last two fields are of earlier builds, which
/// read facts by patterns: they are written empty.
#[derive(Serialize, Deserialize)]
struct StoredNode<'a> {
    id: NodeId,
    kind: Kind,
    parent: Option<NodeId>,
    children: Cow<'a, [NodeId]>,
    text: Cow<'a, str>,
    asked: Option<Cow<'a, str>>,
    speaker: Option<Cow<'a, str>>,
    evidence: Cow<'a, [Evidence]>,
    evidence_more: u32,
    wording: Cow<'a, Wording>,
    salience: f32,
    said_ms: u64,
    tokens: u32,
    label_tokens: u32,
    begins_line: bool,
    heard_tokens: u32,
    frequency: u32,
    last_access_ms: u64,
    pinned: bool,
    edited: bool,
    #[serde(default)]
    terms: Cow<'a, Terms>,
    claim: Option<ClaimKey>,
    superseded: Option<Superseded>,
}

/// The unit whose fact took the place of this one, and when.
#[derive(Serialize, Deserialize)]
struct Superseded {
    at_ms: u64,
    by: NodeId,
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stored = StoredNode {
            id: self.id,
            kind: self.kind,
            parent: self.parent,
            children: Cow::Borrowed(&self.children),
            text: Cow::Borrowed(&self.text),
            asked: self.asked.as_deref().map(Cow::Borrowed),
            speaker: self.speaker.as_deref().map(Cow::Borrowed),
            evidence: Cow::Borrowed(&self.evidence),
            evidence_more: self.evidence_more,
            wording: Cow::Borrowed(&self.wording),
            salience: self.salience,
            said_ms: self.said_ms,
            tokens: self.tokens,
            label_tokens: self.label_tokens,
            begins_line: self.begins_line,
            heard_tokens: self.heard_tokens,
            frequency: self.frequency,
            last_access_ms: self.last_access_ms,
            pinned: self.pinned,
            edited: self.edited,
            terms: Cow::Borrowed(&self.terms),
            claim: None,
            superseded: None,
        };
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = StoredNode::deserialize(deserializer)?;
        Ok(Self {
            id: stored.id,
            kind: stored.kind,
            parent: stored.parent,
            children: stored.children.into_owned(),
            text: stored.text.into_owned(),
            asked: stored.asked.map(Cow::into_owned),
            speaker: stored.speaker.map(Cow::into_owned),
            evidence: stored.evidence.into_owned(),
            evidence_more: stored.evidence_more,
            wording: stored.wording.into_owned(),
            salience: stored.salience,
            said_ms: stored.said_ms,
            tokens: stored.tokens,
            label_tokens: stored.label_tokens,
            begins_line: stored.begins_line,
            heard_tokens: stored.heard_tokens,
            frequency: stored.frequency,
            last_access_ms: stored.last_access_ms,
            pinned: stored.pinned,
            edited: stored.edited,
            terms: stored.terms.into_owned(),
            analysis: Analysis::default(),
        })
    }
}
