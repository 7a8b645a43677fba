//! A part of a file's text, and why a text has none.

use crate::stream::Span;

/// A contiguous part of a file's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The words as they stand in the file; cues of subtitles are joined by blanks.
    pub text: String,
    /// Its first line, from 1.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
    /// The time of its cues; `None` for other texts.
    pub span: Option<Span>,
}

/// Why a text cannot be cut.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExcerptError {
    /// It has no words.
    #[error("it has no words; leave it out")]
    NoWords,
    /// A word is too long to be one: an embedded picture, for instance.
    #[error("line {line} has a word of {bytes} bytes; a word has at most {max}: take it out")]
    LongWord {
        /// The line.
        line: u32,
        /// Length of the word.
        bytes: usize,
        /// The bound.
        max: usize,
    },
    /// Subtitles without a cue.
    #[error("it has no cue; a cue is a line such as 00:01:02,000 --> 00:01:04,000 above its text")]
    NoCue,
    /// The times of a cue cannot be read.
    #[error(
        "line {line}: the times of a cue look like 00:01:02,000 --> 00:01:04,000, not {found:?}"
    )]
    CueTimes {
        /// The line.
        line: u32,
        /// What stands there.
        found: String,
    },
}
