//! The proof of what memory says: which utterance, which part of it, and how a node's words stand
//! to it. Evidence holds no words.

use super::buffered_utterance::BufferedUtterance;
use crate::stream::{AudioSpan, Span};
use crate::text::{StatementFlags, Term, content_hashes};
use serde::{Deserialize, Serialize};

/// Proof of a node: one utterance, and which part of it the node says. It holds no words: those
/// are the node's own, or in the transcript on disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Name of the stream.
    pub stream: String,
    /// The utterance's id in it.
    pub utterance: String,
    /// The utterance's ordinal in the session, from 0: its key in the transcript.
    pub turn: u64,
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
    /// Bytes of the utterance's text that the node rests on; `None` where they are not known, as
    /// in sessions of image formats before 4.
    pub part: Option<Part>,
    /// The node's text is that part, word for word.
    pub verbatim: bool,
    /// Distinct content words of the whole utterance.
    pub content_words: u16,
    /// Share of the utterance's content words that the node's text carries, `0.0..=1.0`.
    pub share: f32,
}

/// A stretch of bytes of an utterance's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Part {
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Part {
    /// The part of `text` that `slice`, a slice of it, is; `None` where it is none.
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

    /// Those bytes of a text; `None` where it has no such part.
    #[must_use]
    pub fn in_text(self, text: &str) -> Option<&str> {
        text.get(self.start as usize..self.end as usize)
    }

    /// Whether it holds all of another part.
    #[must_use]
    pub fn holds(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl Evidence {
    /// The proof that `words`, a slice of the utterance's text, gives to a node that says them.
    #[must_use]
    pub fn of(heard: &BufferedUtterance, words: &str) -> Self {
        let utterance = &heard.utterance;
        let whole = content_hashes(&utterance.text);
        let mut item = Self {
            stream: utterance.stream.clone(),
            utterance: utterance.id.clone(),
            turn: heard.turn,
            speaker: utterance.speaker.clone(),
            span: utterance.span,
            said_at_unix_ms: heard.said_at_unix_ms,
            audio: utterance.audio.clone(),
            confidence: utterance.confidence,
            part: Part::of(words, &utterance.text),
            verbatim: true,
            content_words: whole.len().min(usize::from(u16::MAX)) as u16,
            share: 0.0,
        };
        let said = content_hashes(words);
        let common = said.iter().filter(|word| whole.binary_search(word).is_ok());
        item.share = item.share_of(common.count());
        item
    }

    /// Share of the utterance's content words that so many are.
    #[must_use]
    pub(crate) fn share_of(&self, words: usize) -> f32 {
        match self.content_words {
            0 => 0.0,
            whole => (words as f32 / f32::from(whole)).min(1.0),
        }
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
            + self.speaker.as_ref().map_or(0, String::len)
            + self.audio.as_ref().map_or(0, |audio| audio.file.len())
    }
}

/// What stands between two parts of an utterance: nothing, a blank, or an ellipsis where words
/// between them are left out. Parts that overlap have a blank.
#[must_use]
pub(crate) fn gap(end: u32, start: u32) -> &'static str {
    match start.checked_sub(end) {
        Some(0) => "",
        // a blank or two, and a closing quotation mark, are no words
        None | Some(1 | 2) => " ",
        _ => " … ",
    }
}

/// How the words of a node stand to what was said.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Wording {
    /// A contiguous part of the utterance of its first proof.
    #[default]
    Verbatim,
    /// Told again by a model, or set right by hand: not the words of its proof.
    Retold,
    /// Key words alone, which are never shown; the statement is in the transcript. What search
    /// reads of it are hashes.
    Key {
        /// Terms of the statement as it was heard, at most [`crate::limits::UNIT_TERMS_MAX`].
        terms: Vec<Term>,
        /// What kind of statement it was.
        traits: StatementFlags,
    },
}
