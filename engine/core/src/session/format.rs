//! Versions of the image format, and errors for other formats.

use crate::stream::Utterance;

/// Version of the image format; raised whenever an older program could misread it.
pub const FORMAT: u32 = 8;
/// The oldest format that is still read.
pub const FORMAT_OLDEST: u32 = 2;
/// Version of the rules that turn inputs into a session. It is raised whenever a journal would give
/// another session than before; a journal of older rules is applied by [`super::Recovery`].
pub const RULES: u32 = 1;

/// Why bytes are not a valid session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// Made by a newer program.
    #[error("the session has format {found}; this weir reads up to {FORMAT}: use a newer weir")]
    Newer {
        /// Its format.
        found: u32,
    },
    /// Made by an older program whose sessions this one no longer reads.
    #[error(
        "the session has format {found}; this weir reads formats {FORMAT_OLDEST} to {FORMAT}: \
         replay its recordings into a new session"
    )]
    Older {
        /// Its format.
        found: u32,
    },
    /// Not a session, or damaged.
    #[error("the session's image is damaged: {reason}")]
    Damaged {
        /// The reason.
        reason: String,
    },
    /// The token counter differs from the one the session was counted with.
    #[error(
        "the session uses token counter `{expected}`, not `{found}`; open it with the program \
         that created it"
    )]
    OtherCounter {
        /// The counter it was made with.
        expected: String,
        /// The counter offered.
        found: String,
    },
}

/// An utterance for the transcript, as far as its words were kept.
#[derive(Debug, Clone, PartialEq)]
pub struct MigratedLine {
    /// Its ordinal in the session.
    pub turn: u64,
    /// When it was said, in session time.
    pub session_ms: u64,
    /// When, in wall time; `None` where unknown.
    pub said_at_unix_ms: Option<i64>,
    /// The utterance; an ellipsis replaces parts that were not kept.
    pub utterance: Utterance,
}
