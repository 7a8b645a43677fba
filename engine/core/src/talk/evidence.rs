//! Evidence of a node: which utterance, which part of it, and how the node's words relate to it.
//! Evidence holds no words.

use crate::analysis::{StatementFlags, Term};
use crate::stream::{AudioSpan, Span};
use serde::{Deserialize, Serialize};

/// Evidence of a node: one utterance, and the part of it that the node says. It holds no words:
/// those are in the node, or in the transcript on disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Name of the stream.
    pub stream: String,
    /// The utterance's id in it.
    pub utterance: String,
    /// The utterance's ordinal in the session, from 0: its key in the transcript.
    pub turn: u64,
    /// The speaker.
    pub speaker: Option<String>,
    /// Its span in stream time.
    pub span: Span,
    /// Its wall time; `None` if unknown.
    pub said_at_unix_ms: Option<i64>,
    /// Its place in the audio.
    pub audio: Option<AudioSpan>,
    /// The recogniser's confidence.
    pub confidence: Option<f32>,
    /// Bytes of the utterance's text that the node is based on; `None` if unknown, as in sessions
    /// of image formats before 4.
    pub part: Option<Part>,
    /// Whether the node's text is exactly that part.
    pub verbatim: bool,
    /// Number of distinct content words in the whole utterance.
    pub content_words: u16,
    /// Share of the utterance's content words in the node's text, `0.0..=1.0`.
    pub share: f32,
}

/// A range of bytes in an utterance's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Part {
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Part {
    /// The part of `text` that `slice` covers; `None` if it is not a slice of it.
    #[must_use]
    pub fn of(slice: &str, text: &str) -> Option<Self> {
        let start = (slice.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
        let end = start
            .checked_add(slice.len())
            .filter(|&end| end <= text.len())?;
        Some(Self {
            start: u32::try_from(start).ok()?,
            end: u32::try_from(end).ok()?,
        })
    }

    /// The bytes of this part in a text; `None` if the text has no such part.
    #[must_use]
    pub fn in_text(self, text: &str) -> Option<&str> {
        text.get(self.start as usize..self.end as usize)
    }

    /// Whether it contains another part.
    #[must_use]
    pub fn holds(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl Evidence {
    /// The share of the utterance's content words for this number of words.
    #[must_use]
    pub(crate) fn share_of(&self, words: usize) -> f32 {
        match self.content_words {
            0 => 0.0,
            whole => (words as f32 / f32::from(whole)).min(1.0),
        }
    }

    /// Whether both items are from the same utterance.
    #[must_use]
    pub fn same_utterance(&self, other: &Self) -> bool {
        self.utterance == other.utterance && self.stream == other.stream
    }

    /// Whether both are from the same utterance, and from the same part of it if it was recognised
    /// in parts.
    #[must_use]
    pub(crate) fn same_turn(&self, other: &Self) -> bool {
        self.turn == other.turn && self.same_utterance(other)
    }

    /// Bytes of this item, the measure of the byte budget.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.stream.len()
            + self.utterance.len()
            + self.speaker.as_ref().map_or(0, String::len)
            + self.audio.as_ref().map_or(0, |audio| audio.file.len())
    }
}

/// Separator between two parts of an utterance: nothing, a blank, or an ellipsis for omitted words.
/// Overlapping parts get a blank.
#[must_use]
pub(crate) fn gap(end: u32, start: u32) -> &'static str {
    match start.checked_sub(end) {
        Some(0) => "",
        // blanks and a closing quotation mark are not words
        None | Some(1 | 2) => " ",
        _ => " … ",
    }
}

/// How the words of a node relate to what was said.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Wording {
    /// A contiguous part of the utterance of its first evidence item.
    #[default]
    Verbatim,
    /// Rewritten by a model or edited by hand: not the words of its evidence.
    Retold,
    /// Only key words, which are never shown; the statement is in the transcript. Search uses
    /// hashes of it.
    Key {
        /// Terms of the statement as heard, at most [`crate::limits::UNIT_TERMS_MAX`].
        terms: Vec<Term>,
        /// Flags of the statement.
        traits: StatementFlags,
    },
}
