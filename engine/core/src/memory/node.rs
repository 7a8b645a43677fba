//! The nodes of the memory tree (scenes, events and units), and their evidence.
//!
//! A unit or event must have evidence; the tree refuses it otherwise. All words of a node are in
//! its text and in the question it answers. Its tokens are counted on exactly the line that a
//! context shows. Evidence holds no words.

use crate::analysis::{Analysis, StatementFlags, Term};
use crate::limits;
use crate::talk::{Evidence, Wording};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use weir_models::Terms;

/// Id of a node. A freed slot is reused with a new generation, so an old id never refers to a new
/// node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId {
    /// Slot in the arena.
    pub slot: u32,
    /// Number of earlier nodes in the slot.
    pub generation: u32,
}

impl std::fmt::Display for NodeId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "n{}.{}", self.slot, self.generation)
    }
}

impl std::str::FromStr for NodeId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("`{text}` is not a node name; one looks like n12.0 (see memory tree)");
        let (slot, generation) = text
            .strip_prefix('n')
            .and_then(|rest| rest.split_once('.'))
            .ok_or_else(wrong)?;
        Ok(Self {
            slot: slot.parse().map_err(|_| wrong())?,
            generation: generation.parse().map_err(|_| wrong())?,
        })
    }
}

/// The three levels of the tree (ProStream 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A theme the talk returns to.
    Scene,
    /// What happened in one block.
    Event,
    /// One atomic fact in its own words (the paper's AMU).
    Unit,
}

/// One node with everything known about it. Its stored form is a type of its own
/// (`memory/stored_node.rs`).
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its id.
    pub id: NodeId,
    /// Its level.
    pub kind: Kind,
    /// Its event, or its event's scene; `None` for a scene.
    pub parent: Option<NodeId>,
    /// Child nodes in order of creation; empty for a unit.
    pub children: Vec<NodeId>,
    /// Its own words: a unit's statement; an event's key words behind
    /// [`crate::talk::KEYS_MARK`], or its title if a model wrote one; a scene's label if a model
    /// wrote one, else empty. [`super::Titles`] shows them.
    pub text: String,
    /// The question that it answers, verbatim, if it says little without it; asked by the speaker
    /// of the second evidence item.
    pub asked: Option<String>,
    /// The speaker; `None` for scenes, for events of several speakers, and if unknown.
    pub speaker: Option<String>,
    /// Evidence, at most [`limits::EVIDENCE_ITEMS_MAX`] items: first that of its own words, then
    /// that of the question it answers, if any. The newest item is one of these two or the last.
    pub evidence: Vec<Evidence>,
    /// Number of evidence items that were counted but not kept.
    pub evidence_more: u32,
    /// How its words relate to what was said.
    pub wording: Wording,
    /// Salience of the statement itself: the part of its score that does not change with later talk
    /// ([`crate::text::Salience`]).
    pub salience: f32,
    /// Session time of the utterance, in milliseconds.
    pub said_ms: u64,
    /// Its tokens: those of its words as a context shows them, plus those of the speaker's name if
    /// it begins the line of its utterance.
    pub tokens: u32,
    /// Tokens of the speaker's name before a line; 0 without a name.
    pub label_tokens: u32,
    /// Whether it begins the line of its utterance: the statements of one utterance share a line,
    /// and the name is counted once.
    pub begins_line: bool,
    /// Tokens of the statement as heard, including the speaker, however much of it is held.
    pub heard_tokens: u32,
    /// Number of times it was recalled or repeated.
    pub frequency: u32,
    /// Session time of the last recall or repetition.
    pub last_access_ms: u64,
    /// Kept, whatever its utility, until it is unpinned.
    pub pinned: bool,
    /// Its words were edited by hand; its evidence has the words as heard.
    pub edited: bool,
    /// Its sparse terms, from the text as heard; empty for scenes and events, and without a sparse
    /// encoder.
    pub terms: Terms,
    /// What was read from its words when they were given. Stored after the session.
    pub analysis: Analysis,
}

impl Node {
    /// Its words with their speaker, as a separate line.
    #[must_use]
    pub fn rendered(&self) -> String {
        match (&self.kind, &self.speaker) {
            (Kind::Unit, Some(speaker)) => format!("{speaker}: {}", self.display_text()),
            _ => self.display_text().into_owned(),
        }
    }

    /// The words that its tokens are counted on: what a context shows; for key words, which are
    /// never shown, the key words themselves.
    #[must_use]
    pub(super) fn counted_text(&self) -> Cow<'_, str> {
        match self.is_key() {
            true => Cow::Borrowed(&self.text),
            false => self.display_text(),
        }
    }

    /// Whether both are statements of one utterance and share a line.
    #[must_use]
    pub(super) fn shares_line(&self, other: &Self) -> bool {
        let turn = |node: &Self| node.evidence.first().map(|item| item.turn);
        let in_a_line = |node: &Self| node.kind == Kind::Unit && !node.is_key();
        in_a_line(self)
            && in_a_line(other)
            && (self.parent, &self.speaker, turn(self))
                == (other.parent, &other.speaker, turn(other))
    }

    /// Its words as a context shows them: after the question it answers, with resolved dates.
    #[must_use]
    pub fn display_text(&self) -> Cow<'_, str> {
        let date = self.analysis.date.as_ref();
        let dated = date.and_then(|date| date.shown_in(&self.text));
        self.display_text_around(dated.map_or(Cow::Borrowed(&*self.text), Cow::Owned))
    }

    /// The same around other words for the statement: those of the transcript, with their date.
    pub(crate) fn display_text_around<'a>(&self, words: Cow<'a, str>) -> Cow<'a, str> {
        let mut shown = words;
        if let Some(asked) = &self.asked {
            shown = Cow::Owned(format!("({asked}) {shown}"));
        }
        shown
    }

    /// Whether only its key words are held.
    #[must_use]
    pub fn is_key(&self) -> bool {
        matches!(self.wording, Wording::Key { .. })
    }

    /// The part of the first evidence item that the node holds: a contiguous part of the utterance.
    #[must_use]
    pub fn quote(&self) -> Option<&str> {
        (self.wording == Wording::Verbatim && !self.evidence.is_empty()).then_some(&self.text)
    }

    /// Hashed terms for search: of the shown text, or of the statement behind the key words.
    #[must_use]
    pub(super) fn search_terms(&self) -> Vec<Term> {
        match &self.wording {
            Wording::Key { terms, .. } => terms.clone(),
            _ => {
                let Analysis {
                    speaker,
                    beside,
                    terms,
                    ..
                } = &self.analysis;
                [&**speaker, beside, terms].concat()
            }
        }
    }

    /// Its statement flags.
    #[must_use]
    pub(crate) fn traits(&self) -> StatementFlags {
        match &self.wording {
            Wording::Key { traits, .. } => *traits,
            _ => self.analysis.flags,
        }
    }

    /// Adds evidence; an utterance counts only once. If the list is full, the newer of `item` and
    /// the last item is kept, and the other is counted.
    ///
    /// Returns whether it was new.
    pub fn add_evidence(&mut self, item: Evidence) -> bool {
        if let Some(known) = self.evidence.iter_mut().find(|e| e.same_utterance(&item)) {
            known.share = known.share.max(item.share);
            return false;
        }
        let count = self.evidence.len();
        if count < limits::EVIDENCE_ITEMS_MAX {
            let is_older = self
                .evidence
                .last()
                .is_some_and(|last| last.turn > item.turn);
            let at = if is_older && count > 2 {
                count - 1
            } else {
                count
            };
            self.evidence.insert(at, item);
            return true;
        }
        self.evidence_more = self.evidence_more.saturating_add(1);
        if let Some(last) = self
            .evidence
            .last_mut()
            .filter(|last| last.turn < item.turn)
        {
            *last = item;
        }
        true
    }

    /// Ordinal of the utterance that said it last. Cost: O(1), since the budget needs it for every
    /// unit.
    #[must_use]
    pub(super) fn last_said(&self) -> u64 {
        let items = &self.evidence;
        let ends = [items.first(), items.get(1), items.last()];
        let turns = ends.into_iter().flatten().map(|item| item.turn);
        turns.max().unwrap_or(0)
    }

    /// Bytes of the node without its vector, including its entry in its parent.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.text.len()
            + self.asked.as_ref().map_or(0, String::len)
            + self.terms.bytes()
            + self.analysis.bytes()
            + match &self.wording {
                Wording::Key { terms, .. } => terms.len() * size_of::<Term>(),
                _ => 0,
            }
            + size_of::<NodeId>()
            + self.evidence.iter().map(Evidence::bytes).sum::<usize>()
    }
}
