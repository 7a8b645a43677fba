//! What was read from words: made once, before the words enter a session, and stored with them.
//!
//! The state machine and everything below it compare, count and weigh this data, and know no rule
//! of a language. So an edit of a word list changes what is read from later talk, never what a
//! journal means. [`crate::text::analyse`] makes it.

use crate::mentions::Mentions;
use serde::{Deserialize, Serialize};

/// A search term: the FNV-1a hash of a stem. Thirty-two bits are enough for the words of one
/// memory.
pub type Term = u32;

/// What was read from one text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Analysis {
    /// Its search terms in order, repeats included.
    pub terms: Vec<Term>,
    /// Terms of what is shown beside it, the question that it answers and its date; in other
    /// languages its words as stems of the language.
    pub beside: Vec<Term>,
    /// Terms of its speaker's name.
    pub speaker: Vec<Term>,
    /// The words that may become its key words, in order.
    pub words: Vec<Word>,
    /// Hashes of its distinct content words, ascending.
    pub content: Vec<u32>,
    /// What kind of statement it is.
    pub flags: StatementFlags,
    /// Hash of its numbers, times, names and polarity, 0 if it has none of them; in other languages
    /// than English a hash of its words. Statements of the same content have the same one.
    pub figures: u32,
    /// Its first relative date, resolved.
    pub date: Option<ResolvedDate>,
    /// The claim that earlier builds read by patterns. This build writes none.
    pub claim: Option<ClaimKey>,
    /// What that claim said of the speaker. This build writes nothing.
    pub own: Option<String>,
    /// Whom and what it names, for a statement. Stored behind the others.
    #[serde(skip)]
    pub mentions: Mentions,
}

/// A word of a text that may become a key word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// Its first byte.
    pub start: u32,
    /// Its bytes.
    pub len: u16,
    /// How many of the text's terms are its own.
    pub terms: u16,
}

/// A relative date as a date: "6 March 2025".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedDate {
    /// The byte after the words that name it.
    pub at: u32,
    /// The date in words.
    pub date: String,
}

impl ResolvedDate {
    /// The text with the date in brackets after the words that name it; `None` if it is not a date
    /// of this text.
    #[must_use]
    pub fn shown_in(&self, text: &str) -> Option<String> {
        let (before, after) = text.split_at_checked(self.at as usize)?;
        Some(format!("{before} ({}){after}", self.date))
    }
}

/// What kind of statement a text is, as flags: computed once, read by every question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StatementFlags {
    /// It is a question.
    pub question: bool,
    /// It has a number or an amount.
    pub number: bool,
    /// It names a day, a month or a part of a day.
    pub time: bool,
    /// It has at most one content word: "It was beautiful."
    pub little: bool,
}

/// The stored form of a claim in earlier builds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimKey {
    slot: u64,
    value: Vec<Term>,
    over: bool,
    firm: bool,
}

impl Analysis {
    /// Heap bytes, without the struct itself.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        let terms = self.terms.len() + self.beside.len() + self.speaker.len() + self.content.len();
        terms * size_of::<Term>()
            + size_of_val(self.words.as_slice())
            + self.date.as_ref().map_or(0, |it| it.date.len())
            + self.mentions.bytes()
    }
}
