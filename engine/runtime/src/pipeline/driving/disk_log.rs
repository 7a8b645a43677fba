//! A session stored in a session directory.

use crate::pipeline::driving::publisher::Publisher;
use crate::pipeline::driving::session_writer::{SessionLog, SessionWriter};
use crate::pipeline::driving::transcript::KeptTranscript;
use crate::pipeline::error::SessionLogError;
use crate::pipeline::feed::InputMark;
use crate::store::{CommitPolicy, Opened, Receipt, StoreError, Writer};
use crate::streamfile::InputDigest;
use std::time::Duration;
use weir_core::session::{Erased, Erasure, Input, Session};

/// The writer of a session directory, with the fingerprints of the inputs of this run.
pub struct DiskLog {
    /// Started with the first view; it ends before the writer lets go of the directory.
    publisher: Option<Publisher>,
    writer: Writer,
    policy: CommitPolicy,
    digests: Vec<Option<InputDigest>>,
    reached: Option<InputMark>,
}

impl DiskLog {
    /// Stores a session through `writer`; `digests` are the fingerprints of the feed's inputs, by
    /// number.
    #[must_use]
    pub fn new(writer: Writer, digests: Vec<Option<InputDigest>>) -> Self {
        Self {
            writer,
            policy: CommitPolicy::default(),
            digests,
            reached: None,
            publisher: None,
        }
    }

    /// Sets the rule for commits and snapshots.
    #[must_use]
    pub fn with_policy(self, policy: CommitPolicy) -> Self {
        Self { policy, ..self }
    }
}

impl SessionWriter {
    /// A session that was opened in its directory, with its transcript if it keeps one; also why
    /// the transcript cannot be written, without which the session works.
    #[must_use]
    pub fn opened(opened: Opened) -> (Self, Option<StoreError>) {
        let kept = KeptTranscript::beside(opened.writer.dir(), &opened.session);
        let (transcript, failed) = match kept {
            Ok(transcript) => (transcript, None),
            Err(failed) => (None, Some(failed)),
        };
        let log = DiskLog::new(opened.writer, Vec::new());
        let writer = Self::kept(opened.session, Box::new(log));
        (writer.with_transcript(transcript), failed)
    }
}

impl From<StoreError> for SessionLogError {
    fn from(error: StoreError) -> Self {
        Self(Box::new(error))
    }
}

impl SessionLog for DiskLog {
    fn append(&mut self, inputs: &[Input]) -> Result<(), SessionLogError> {
        let digest = |mark: &InputMark| self.digests.get(mark.input)?.as_ref();
        let reached = self.reached.as_ref();
        let progress = reached.and_then(|mark| Some((digest(mark)?, &mark.progress)));
        self.writer.append_from(inputs, progress)?;
        self.reached = None;
        Ok(())
    }

    fn reach(&mut self, mark: InputMark) {
        self.reached = Some(mark);
    }

    fn due(&self, waiting: usize, oldest_age: Duration) -> bool {
        let age_ms = u64::try_from(oldest_age.as_millis()).unwrap_or(u64::MAX);
        self.policy.due(waiting, age_ms)
    }

    fn checkpoint_if_due(&mut self, session: &Session, asked: bool) -> Result<(), SessionLogError> {
        let entries = self.writer.journal_entries();
        let due = self.writer.checkpoint_due() || entries >= self.policy.snapshot_entries_max;
        if asked || due {
            self.writer.checkpoint(session)?;
        }
        Ok(())
    }

    fn publish(&mut self, session: &Session) -> Result<(), SessionLogError> {
        let publisher = match self.publisher.take() {
            Some(publisher) => publisher,
            None => Publisher::start(self.writer.view())
                .map_err(|error| SessionLogError(Box::new(error)))?,
        };
        let published = publisher.put(self.writer.last_seq(), session.clone());
        self.publisher = Some(publisher);
        Ok(published?)
    }

    fn remember(&mut self, index: usize, name: &str) -> Result<(), SessionLogError> {
        if let Some(digest) = self.digests.get(index).and_then(Option::as_ref) {
            self.writer.remember(digest, name)?;
        }
        Ok(())
    }

    fn erase(
        self: Box<Self>,
        session: &Session,
        erasure: &Erasure,
        erased: Erased,
    ) -> Result<(Box<dyn SessionLog>, Receipt), SessionLogError> {
        // a view that is written later would bring back what was erased
        self.publisher.iter().for_each(Publisher::idle);
        let (writer, receipt) = self.writer.erase(session, erasure, erased)?;
        Ok((Box::new(Self { writer, ..*self }), receipt))
    }

    fn close(self: Box<Self>, session: &Session) -> Result<(), SessionLogError> {
        // closing publishes the last view itself
        self.publisher.iter().for_each(Publisher::idle);
        drop(self.publisher);
        Ok(self.writer.close(session)?)
    }
}
