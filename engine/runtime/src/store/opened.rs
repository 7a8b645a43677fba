//! Result of opening a session for writing.

use super::writer::Writer;
use std::fmt;
use weir_core::session::Session;

/// A session that is open for writing.
pub struct Opened {
    /// The session, including everything acknowledged.
    pub session: Session,
    /// Its directory.
    pub writer: Writer,
    /// Whether it was created by this call.
    pub created: bool,
    /// Number of inputs applied from the journal, after the snapshot.
    pub replayed: u64,
    /// Changes by hand in the journal of another version of weir that could not be applied: they
    /// name nodes that this version does not make.
    pub skipped: u64,
    /// Why readers do not see what was recovered, if they do not: they see what they saw before.
    pub unpublished: Option<String>,
}

impl Opened {
    /// What the user must know about the recovery.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let skipped = (self.skipped > 0).then(|| {
            format!(
                "another version of weir left this session without closing it; {} of its last \
                 pins, edits, budgets or erasures could not be applied: repeat them",
                self.skipped
            )
        });
        let unpublished = self.unpublished.as_ref();
        let unpublished =
            unpublished.map(|why| format!("other programs see an older state: {why}"));
        let all: Vec<String> = skipped.into_iter().chain(unpublished).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened")
            .field("writer", &self.writer)
            .field("created", &self.created)
            .field("replayed", &self.replayed)
            .finish_non_exhaustive()
    }
}
