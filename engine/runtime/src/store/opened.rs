//! What opening a session for writing gives.

use super::writer::Writer;
use std::fmt;
use weir_core::session::{FORMAT, Session};

/// A session that is open for writing.
pub struct Opened {
    /// The session, with everything acknowledged in it.
    pub session: Session,
    /// Its directory.
    pub writer: Writer,
    /// Whether it was made just now.
    pub created: bool,
    /// Inputs applied from the journal: how far the last writer was past its snapshot.
    pub replayed: u64,
    /// What was done to a session of an older format.
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

/// What was done to a session of an older program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migrated {
    /// The format it had.
    pub from: u32,
    /// Lines that its memory held as quotes and its transcript holds now.
    pub lines: u64,
    /// Changes of its journal that named what is not there any more.
    pub skipped: u64,
    /// Its budget in tokens, and what it was before where it had to be raised.
    pub budget_tokens: usize,
}

impl fmt::Display for Migrated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.from {
            FORMAT => write!(f, "an older weir left this session open")?,
            from => write!(f, "this session had format {from}; it has {FORMAT} now")?,
        }
        if self.from < 4 {
            write!(
                f,
                ". {} quotes went from memory to the transcript on disk, and memory was fitted to \
                 its budget of {} tokens, which counts all text from now on",
                self.lines, self.budget_tokens
            )?;
        }
        match self.skipped {
            0 => Ok(()),
            skipped => write!(
                f,
                "; {skipped} of its last pins, edits, budgets or erasures could not be applied: do \
                 them again"
            ),
        }
    }
}
