//! Result of opening a session for writing.

use super::writer::Writer;
use std::fmt;
use weir_core::session::{FORMAT, Session};

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
    /// Set if a session of an older format was migrated.
    pub migrated: Option<Migrated>,
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

/// Report of a migration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migrated {
    /// The old format.
    pub from: u32,
    /// Lines moved from memory to the transcript.
    pub lines: u64,
    /// Changes in the journal that refer to nodes that no longer exist.
    pub skipped: u64,
    /// Its token budget, and the previous one if it had to be raised.
    pub budget_tokens: usize,
}

impl fmt::Display for Migrated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.from {
            FORMAT => write!(f, "this session was not closed by an older version of weir")?,
            from => write!(
                f,
                "this session was migrated from format {from} to {FORMAT}"
            )?,
        }
        if self.from < 4 {
            write!(
                f,
                ". {} quotes moved from memory to the transcript on disk, and memory was reduced \
                 to its budget of {} tokens, which counts all text from now on",
                self.lines, self.budget_tokens
            )?;
        }
        match self.skipped {
            0 => Ok(()),
            skipped => write!(
                f,
                "; {skipped} of its last pins, edits, budgets or erasures could not be applied: \
                 repeat them"
            ),
        }
    }
}
