//! The nodes of the memory tree: scenes, events and memory units, and the evidence behind them.
//!
//! A unit or event without evidence cannot exist; the tree refuses it. Text is what a context
//! shows, and what a node costs is counted on exactly that rendering.

use crate::limits;
use crate::stream::{AudioSpan, Span, Utterance};
use crate::text::{Claim, Detail, content_hashes, content_words};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Follows a statement that was superseded, wherever it is read.
pub(crate) const NO_LONGER: &str = "(no longer so)";

/// Names a node; a freed slot is reused under a new generation, so an old name never meets a new
/// node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId {
    /// Slot in the arena.
    pub slot: u32,
    /// How many nodes lived in the slot before.
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

/// Proof of a node: one utterance and how much of it the node still carries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Name of the stream.
    pub stream: String,
    /// The utterance's id in it.
    pub utterance: String,
    /// Who said it.
    pub speaker: Option<String>,
    /// When, in stream time.
    pub span: Span,
    /// When, in wall time; `None` where unknown.
    pub said_at_unix_ms: Option<i64>,
    /// Where it can be heard.
    pub audio: Option<AudioSpan>,
    /// The recogniser's confidence.
    pub confidence: Option<f32>,
    /// The words of the utterance that the node rests on.
    pub quote: String,
    /// Distinct content words of the whole utterance; the quote may hold only some of them.
    pub content_words: u16,
    /// Share of the utterance's content words that the node's text carries, `0.0..=1.0`.
    pub share: f32,
    #[serde(skip)]
    pub(super) quote_words: QuoteWords,
}

/// The quote's content words as hashes: follows from the quote, so it is neither stored nor
/// compared.
#[derive(Debug, Clone, Default)]
pub(super) struct QuoteWords(OnceLock<Vec<u32>>);

impl PartialEq for QuoteWords {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Evidence {
    /// The proof that an utterance gives to a node of text `carried`, by the words in `quote`.
    #[must_use]
    pub fn of(
        utterance: &Utterance,
        said_at_unix_ms: Option<i64>,
        quote: &str,
        carried: &str,
    ) -> Self {
        let content: BTreeSet<String> = content_words(&utterance.text).collect();
        let kept: BTreeSet<String> = content_words(carried).collect();
        let common = content.intersection(&kept).count();
        let share = if content.is_empty() {
            0.0
        } else {
            common as f32 / content.len() as f32
        };
        Self {
            content_words: content.len().min(usize::from(u16::MAX)) as u16,
            stream: utterance.stream.clone(),
            utterance: utterance.id.clone(),
            speaker: utterance.speaker.clone(),
            span: utterance.span,
            said_at_unix_ms,
            audio: utterance.audio.clone(),
            confidence: utterance.confidence,
            quote: quote.to_owned(),
            share,
            quote_words: QuoteWords(OnceLock::from(content_hashes(quote))),
        }
    }

    /// Hashes of the quote's distinct content words, ascending.
    #[must_use]
    pub fn quote_words(&self) -> &[u32] {
        self.quote_words
            .0
            .get_or_init(|| content_hashes(&self.quote))
    }

    /// Puts another stretch of the same utterance behind the quote.
    pub(super) fn quote_also(&mut self, quote: &str) {
        self.quote.push(' ');
        self.quote.push_str(quote);
        self.quote_words = QuoteWords::default();
    }

    /// Whether two items prove by the same utterance.
    #[must_use]
    pub fn same_utterance(&self, other: &Self) -> bool {
        self.utterance == other.utterance && self.stream == other.stream
    }

    /// Bytes this item holds, the unit of the byte budget.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.stream.len()
            + self.utterance.len()
            + self.quote.len()
            + usize::from(self.content_words) * size_of::<u32>()
            + self.speaker.as_ref().map_or(0, String::len)
            + self.audio.as_ref().map_or(0, |audio| audio.file.len())
    }
}

/// One node with everything known about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its name.
    pub id: NodeId,
    /// Its level.
    pub kind: Kind,
    /// Its event, or its event's scene; `None` for a scene.
    pub parent: Option<NodeId>,
    /// Nodes below, in the order they came; empty for a unit.
    pub children: Vec<NodeId>,
    /// Its own words: a scene's label, an event's summary, a unit's statement.
    pub text: String,
    /// Who said it; `None` for scenes, for events of several speakers, and where unknown.
    pub speaker: Option<String>,
    /// Proof, oldest first, at most [`limits::EVIDENCE_ITEMS_MAX`] items.
    pub evidence: Vec<Evidence>,
    /// Proof that was counted but not kept.
    pub evidence_more: u32,
    /// How much of its wording is left.
    pub detail: Detail,
    /// What the statement is worth for its kind, `0.0..`: a prior on what its words weigh, before
    /// anybody asked for it.
    pub salience: f32,
    /// Session time when it was said, in milliseconds.
    pub said_ms: u64,
    /// Tokens of its rendering.
    pub tokens: u32,
    /// Times it was recalled or heard again.
    pub frequency: u32,
    /// Session time of the last of those.
    pub last_access_ms: u64,
    /// Kept whatever it is worth, until it is unpinned.
    pub pinned: bool,
    /// Its words were set right by hand; its proof says what was heard.
    pub edited: bool,
    /// What it says as a fact that can change, where its words were understood so.
    pub claim: Option<Claim>,
    /// Since when it holds no more; `None` while it does.
    pub superseded: Option<Superseded>,
}

/// The end of a fact's validity, which began when it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Superseded {
    /// Session time from which it holds no more (`valid_to`).
    pub at_ms: u64,
    /// The unit that says so, and mostly what holds instead; it may be forgotten since.
    pub by: NodeId,
}

impl Node {
    /// The line a context shows for it, which is also what it costs.
    #[must_use]
    pub fn rendered(&self) -> String {
        match (&self.kind, &self.speaker) {
            (Kind::Unit, Some(speaker)) => format!("{speaker}: {}", self.shown()),
            _ => self.shown().into_owned(),
        }
    }

    /// Its text as a context shows it, with a note where it holds no more.
    #[must_use]
    pub fn shown(&self) -> Cow<'_, str> {
        match self.superseded {
            None => Cow::Borrowed(&self.text),
            Some(_) => Cow::Owned(format!("{} {NO_LONGER}", self.text)),
        }
    }

    /// Whether what it says of a slot was so and is so no more.
    #[must_use]
    pub fn is_past(&self) -> bool {
        self.superseded.is_some() || self.claim.as_ref().is_some_and(|claim| claim.over)
    }

    /// Its words as they were said: its own, or those of its proof where its own were condensed.
    #[must_use]
    pub fn verbatim(&self) -> &str {
        match (self.detail, self.evidence.first()) {
            _ if self.edited => &self.text,
            (Detail::Whole, _) | (_, None) => &self.text,
            (_, Some(item)) => &item.quote,
        }
    }

    /// What lexical search reads: what it shows, and the words it was condensed from.
    #[must_use]
    pub(super) fn searchable(&self) -> String {
        if self.detail == Detail::Whole || self.edited {
            return match (&self.kind, &self.speaker) {
                (Kind::Unit, Some(speaker)) => format!("{speaker}: {}", self.text),
                _ => self.text.clone(),
            };
        }
        let speaker = self.speaker.as_deref().unwrap_or_default();
        let quotes = self.evidence.iter().take(2).map(|item| item.quote.as_str());
        std::iter::once(speaker)
            .chain(quotes)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Adds proof; the same utterance twice is the same proof once.
    ///
    /// Returns whether it was new.
    pub fn add_evidence(&mut self, item: Evidence) -> bool {
        if let Some(known) = self.evidence.iter_mut().find(|e| e.same_utterance(&item)) {
            known.share = known.share.max(item.share);
            return false;
        }
        if self.evidence.len() < limits::EVIDENCE_ITEMS_MAX {
            self.evidence.push(item);
        } else {
            self.evidence_more = self.evidence_more.saturating_add(1);
        }
        true
    }

    /// Bytes the node holds without its vector, its place under its parent included.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.text.len()
            + self.claim.as_ref().map_or(0, Claim::bytes)
            + size_of::<NodeId>()
            + self.evidence.iter().map(Evidence::bytes).sum::<usize>()
    }
}
