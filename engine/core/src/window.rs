//! A part of the talk: what one person said, or what was said in one stretch of time.

use crate::text::is_speaker;
use std::ops::Range;

/// A part of the talk that a question is limited to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Who said it, in either case of letters; `None` for everybody.
    pub speaker: Option<String>,
    /// When it was said, in session milliseconds.
    pub session_ms: Range<u64>,
}

impl Default for Window {
    /// All talk.
    fn default() -> Self {
        Self {
            speaker: None,
            session_ms: 0..u64::MAX,
        }
    }
}

impl Window {
    /// Whether what somebody said at a session time is in it.
    #[must_use]
    pub fn holds(&self, speaker: Option<&str>, session_ms: u64) -> bool {
        is_speaker(self.speaker.as_deref(), speaker) && self.session_ms.contains(&session_ms)
    }
}
