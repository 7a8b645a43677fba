//! A session stored in a session directory.

use crate::pipeline::driving::publisher::Publisher;
use crate::pipeline::driving::session_writer::{SessionLog, SessionWriter};
use crate::pipeline::driving::stop::Stop;
use crate::pipeline::driving::transcript::KeptTranscript;
use crate::pipeline::driving::worker::Worker;
use crate::pipeline::error::{PipelineError, SessionLogError};
use crate::pipeline::feed::InputMark;
use crate::store::{CommitPolicy, Opened, SnapshotWriter, StoreError, Writer, Written};
use crate::streamfile::InputDigest;
use std::collections::BTreeSet;
use std::time::Duration;
use weir_api::Receipt;
use weir_core::session::{Erased, Erasure, Input, Session};

/// How many times its limit a journal may reach while a snapshot is in the making; then inputs wait
/// for that.
const JOURNAL_TIMES_MAX: u64 = 2;

/// The writer of a session directory, with the fingerprints of the inputs of this run.
pub struct DiskLog {
    /// The snapshot in the making; it ends before the writer lets go of the directory.
    snapshot: Option<Snapshot>,
    /// Started with the first view; likewise.
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
            snapshot: None,
        }
    }

    /// Sets the rule for commits and snapshots.
    #[must_use]
    pub fn with_policy(self, policy: CommitPolicy) -> Self {
        Self { policy, ..self }
    }

    /// Whether the journal has reached so many times its limit.
    fn is_full(&self, times: u64) -> bool {
        let entries = self.writer.journal_entries();
        self.writer.checkpoint_due(times) || entries >= times * self.policy.snapshot_entries_max
    }

    /// Waits for the snapshot in the making, if there is one.
    fn end_snapshot(&mut self) -> Result<(), SessionLogError> {
        let Some(mut snapshot) = self.snapshot.take() else {
            return Ok(());
        };
        let ended = snapshot.worker.take().map(Worker::join).transpose()?;
        if let Some(written) = ended.transpose()?.flatten() {
            self.writer.snapshot_written(&written);
        }
        Ok(())
    }

    /// Ends what is written on other threads: it is no longer needed.
    fn end_all(&mut self) -> Result<(), SessionLogError> {
        self.publisher.iter().for_each(Publisher::idle);
        self.snapshot.iter().for_each(|it| it.stop.set());
        self.end_snapshot()
    }
}

/// A snapshot in the making, on a thread of its own.
struct Snapshot {
    stop: Stop,
    /// Dropping it joins it.
    worker: Option<Worker<Result<Option<Written>, StoreError>>>,
}

impl Snapshot {
    fn begin(writer: SnapshotWriter, session: Session) -> Result<Self, PipelineError> {
        let stop = Stop::default();
        let stopped = stop.clone();
        let worker = Worker::spawn("snapshot", move || {
            let image = session.to_image();
            drop(session);
            Ok(writer.write(&image, &mut || !stopped.is_set()))
        })?;
        Ok(Self {
            stop,
            worker: Some(worker),
        })
    }

    fn is_finished(&self) -> bool {
        self.worker.as_ref().is_none_or(Worker::is_finished)
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        self.stop.set();
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

impl From<PipelineError> for SessionLogError {
    fn from(error: PipelineError) -> Self {
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

    fn streams_apart(&self) -> Result<BTreeSet<String>, SessionLogError> {
        Ok(self.writer.streams_apart()?)
    }

    fn mark_streams_apart(&mut self, names: &BTreeSet<String>) -> Result<(), SessionLogError> {
        Ok(self.writer.mark_streams_apart(names)?)
    }

    fn reach(&mut self, mark: InputMark) {
        self.reached = Some(mark);
    }

    fn due(&self, waiting: usize, oldest_age: Duration) -> bool {
        let age_ms = u64::try_from(oldest_age.as_millis()).unwrap_or(u64::MAX);
        self.policy.due(waiting, age_ms)
    }

    fn checkpoint_if_due(
        &mut self,
        session: &Session,
        asked: bool,
    ) -> Result<bool, SessionLogError> {
        let must_end = self.is_full(JOURNAL_TIMES_MAX);
        let ends = |it: &Snapshot| must_end || it.is_finished();
        if self.snapshot.as_ref().is_some_and(ends) {
            self.end_snapshot()?;
        }
        if !asked && !self.is_full(1) {
            return Ok(true);
        }
        if self.snapshot.is_some() {
            return Ok(false);
        }
        let begun = Snapshot::begin(self.writer.snapshot_writer(), session.clone())?;
        self.snapshot = Some(begun);
        Ok(true)
    }

    fn publish(&mut self, session: &Session) -> Result<(), SessionLogError> {
        let publisher = match self.publisher.take() {
            Some(publisher) => publisher,
            None => Publisher::start(self.writer.view())?,
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
        mut self: Box<Self>,
        session: &Session,
        erasure: &Erasure,
        erased: Erased,
    ) -> Result<(Box<dyn SessionLog>, Receipt), SessionLogError> {
        // a view or a snapshot that is written later would bring back what was erased
        self.end_all()?;
        let (writer, receipt) = self.writer.erase(session, erasure, erased)?;
        Ok((Box::new(Self { writer, ..*self }), receipt))
    }

    fn close(mut self: Box<Self>, session: &Session) -> Result<(), SessionLogError> {
        // the last view and the last snapshot are those of the close
        self.end_all()?;
        drop(self.publisher);
        Ok(self.writer.close(session)?)
    }
}
