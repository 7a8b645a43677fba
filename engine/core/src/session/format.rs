//! Versions of the image format, and why bytes are of none of them.

use crate::stream::Utterance;

/// Version of the image format; raised whenever an older program could misread it.
pub const FORMAT: u32 = 6;
/// The oldest format that is still read.
pub const FORMAT_OLDEST: u32 = 2;
/// Version of the rules by which inputs become a session; raised whenever a journal gives another
/// session than before, so that the journal of an older program is applied as [`super::Recovery`]
/// does it.
pub const RULES: u32 = 1;

/// Why bytes are no session.
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
        /// What was wrong.
        reason: String,
    },
    /// The token counter differs from the one the session was counted with.
    #[error(
        "the session counts tokens with `{expected}`, not with `{found}`; open it with the program \
         that made it"
    )]
    OtherCounter {
        /// The counter it was made with.
        expected: String,
        /// The counter offered.
        found: String,
    },
}

/// An utterance that belongs into a transcript, as far as its words were kept.
#[derive(Debug, Clone, PartialEq)]
pub struct MigratedLine {
    /// Its ordinal in the session.
    pub turn: u64,
    /// When it was said, in session time.
    pub session_ms: u64,
    /// When, in wall time; `None` where unknown.
    pub said_at_unix_ms: Option<i64>,
    /// The utterance; parts that were not kept are left out, with an ellipsis in their place.
    pub utterance: Utterance,
}
