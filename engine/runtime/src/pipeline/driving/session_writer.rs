//! A session with its storage: applies inputs, stores them, publishes views.
//!
//! The only writer of a session. Owns no thread and no queue. Invariant: an input is stored before
//! it is acknowledged, and applied before it is stored.

use crate::pipeline::driving::transcript::{KeptTranscript, SharedTranscript};
use crate::pipeline::error::{PipelineError, SessionLogError};
use crate::pipeline::feed::InputMark;
use crate::store::transcript::transcript_folder;
use crate::store::{receipt_of, shown};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_api::{Receipt, TreeChanges};
use weir_core::driver::InputSink;
use weir_core::session::{Erased, Erasure, Input, InputError, Outcome, Session};
use weir_core::stream::Utterance;

/// Time without changes after which a snapshot disturbs nobody.
const IDLE: Duration = Duration::from_millis(300);
/// Interval of new views for readers of a session that is being written.
const PUBLISH_EVERY: Duration = Duration::from_millis(1_500);

/// Storage of a session.
pub trait SessionLog: Send {
    /// Stores inputs; they are durable when it returns.
    ///
    /// # Errors
    /// [`SessionLogError`]; then none of the inputs is stored.
    fn append(&mut self, inputs: &[Input]) -> Result<(), SessionLogError>;

    /// Sets the feed's position in its input after the next inputs; stored with them.
    fn reach(&mut self, mark: InputMark) {
        // a log without storage has nothing to resume
        let _ = mark;
    }

    /// Whether inputs have waited long enough for [`SessionLog::append`].
    fn due(&self, waiting: usize, oldest_age: Duration) -> bool;

    /// Begins a snapshot of the session, which is exactly what is stored, if one is due, or `asked`
    /// for. Returns whether nothing is due any more: an earlier snapshot may still be in the
    /// making. By default there are no snapshots.
    ///
    /// # Errors
    /// [`SessionLogError`], also of an earlier snapshot.
    fn checkpoint_if_due(&mut self, _: &Session, _asked: bool) -> Result<bool, SessionLogError> {
        Ok(true)
    }

    /// Publishes a new view for readers. By default there are none.
    ///
    /// # Errors
    /// [`SessionLogError`].
    fn publish(&mut self, _: &Session) -> Result<(), SessionLogError> {
        Ok(())
    }

    /// Records that input number `index` was completed as stream `name`. By default it
    /// is not recorded.
    ///
    /// # Errors
    /// [`SessionLogError`].
    fn remember(&mut self, _index: usize, _name: &str) -> Result<(), SessionLogError> {
        Ok(())
    }

    /// The streams that began at another time than now. By default they are not stored.
    ///
    /// # Errors
    /// [`SessionLogError`].
    fn streams_apart(&self) -> Result<BTreeSet<String>, SessionLogError> {
        Ok(BTreeSet::new())
    }

    /// Stores these names for [`SessionLog::streams_apart`].
    ///
    /// # Errors
    /// [`SessionLogError`].
    fn mark_streams_apart(&mut self, _: &BTreeSet<String>) -> Result<(), SessionLogError> {
        Ok(())
    }

    /// Writes every file anew, from a session with an erasure applied; nothing of what was erased
    /// is left in them. By default nothing can be erased.
    ///
    /// # Errors
    /// [`SessionLogError`]; the storage is then released.
    fn erase(
        self: Box<Self>,
        _: &Session,
        _erasure: &Erasure,
        _erased: Erased,
    ) -> Result<(Box<dyn SessionLog>, Receipt), SessionLogError> {
        Err(SessionLogError("this storage cannot erase".into()))
    }

    /// Makes the last snapshot and releases the storage.
    ///
    /// # Errors
    /// [`SessionLogError`].
    fn close(self: Box<Self>, _: &Session) -> Result<(), SessionLogError> {
        Ok(())
    }
}

/// The log of a session that is only read.
struct ReadingLog(String);

impl SessionLog for ReadingLog {
    fn append(&mut self, inputs: &[Input]) -> Result<(), SessionLogError> {
        let is_of_the_session = |it: &Input| matches!(it, Input::Mount(_) | Input::Recalled { .. });
        match inputs.iter().all(is_of_the_session) {
            true => Ok(()),
            false => Err(SessionLogError(self.0.clone().into())),
        }
    }

    fn due(&self, _: usize, _: Duration) -> bool {
        true
    }

    fn remember(&mut self, _: usize, _: &str) -> Result<(), SessionLogError> {
        Err(SessionLogError(self.0.clone().into()))
    }

    fn erase(
        self: Box<Self>,
        _: &Session,
        _: &Erasure,
        _: Erased,
    ) -> Result<(Box<dyn SessionLog>, Receipt), SessionLogError> {
        Err(SessionLogError(self.0.into()))
    }
}

/// A session and its storage, if any.
pub struct SessionWriter {
    session: Session,
    keep: Option<Box<dyn SessionLog>>,
    transcript: Option<KeptTranscript>,
    /// The transcript of a session that is only read.
    looked_up: Option<Arc<SharedTranscript>>,
    waiting: Vec<Input>,
    /// What happened to the tree and was not told yet.
    changes: TreeChanges,
    /// The feed's position after its next item is applied.
    mark: Option<InputMark>,
    /// Utterances applied but not yet durable.
    unsaid: Vec<Utterance>,
    oldest: Instant,
    published: Instant,
    /// Whether readers lack something that is stored.
    unpublished: bool,
    /// Whether a change by hand is in the journal and in no snapshot.
    by_hand: bool,
}

impl SessionWriter {
    /// A session without storage.
    #[must_use]
    pub fn in_memory(session: Session) -> Self {
        Self {
            session,
            keep: None,
            transcript: None,
            looked_up: None,
            waiting: Vec::new(),
            changes: TreeChanges::default(),
            mark: None,
            unsaid: Vec::new(),
            oldest: Instant::now(),
            published: Instant::now(),
            unpublished: false,
            by_hand: false,
        }
    }

    /// A session with storage.
    #[must_use]
    pub fn kept(session: Session, keep: Box<dyn SessionLog>) -> Self {
        Self {
            keep: Some(keep),
            ..Self::in_memory(session)
        }
    }

    /// Adds a transcript of everything heard from now on.
    #[must_use]
    pub fn with_transcript(self, transcript: Option<KeptTranscript>) -> Self {
        Self { transcript, ..self }
    }

    /// A session whose directory is only read: `why` it cannot be written. What people say or
    /// change is refused, and then the session ends; what it makes of talk that waited stays here.
    #[must_use]
    pub fn reading(session: Session, dir: &Path, why: String) -> Self {
        Self {
            looked_up: Some(Arc::new(SharedTranscript::open(&transcript_folder(dir)))),
            ..Self::kept(session, Box::new(ReadingLog(why)))
        }
    }

    /// The transcript in which words are looked up.
    #[must_use]
    pub fn transcript(&self) -> Option<Arc<SharedTranscript>> {
        let kept = self.transcript.as_ref().map(KeptTranscript::shared);
        kept.or_else(|| self.looked_up.clone())
    }

    /// New problems of the transcript since the last call; memory works without it.
    pub(crate) fn transcript_problems(&mut self) -> Vec<String> {
        let transcript = self.transcript.as_mut();
        transcript.map_or_else(Vec::new, KeptTranscript::problems)
    }

    /// Makes the words of everything heard so far visible to questions.
    pub(crate) fn flush_transcript(&mut self) {
        if let Some(transcript) = &mut self.transcript {
            transcript.flush();
        }
    }

    /// Sets the feed's position after the next item is applied.
    pub(crate) fn mark(&mut self, mark: InputMark) {
        self.mark = Some(mark);
    }

    /// Confirms that position: it is stored with the waiting inputs, or with the next ones.
    pub(crate) fn reach(&mut self) {
        if let (Some(keep), Some(mark)) = (&mut self.keep, self.mark.take()) {
            keep.reach(mark);
        }
    }

    /// Time by which waiting inputs must be stored, or a view published; `None` if nothing is due.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let limit = Duration::from_millis(weir_core::limits::COMMIT_EVERY_MS);
        if !self.waiting.is_empty() {
            return Some(self.oldest + limit);
        }
        let view = self.unpublished.then(|| self.published + PUBLISH_EVERY);
        let snapshot = self.by_hand.then(|| self.oldest + IDLE);
        view.into_iter().chain(snapshot).min()
    }

    /// Stores waiting inputs and publishes a view, each if due, and appends the utterances that
    /// became durable to `said`.
    pub(crate) fn commit_if_due(&mut self, said: &mut Vec<Utterance>) -> Result<(), PipelineError> {
        let due = match &self.keep {
            None => true,
            Some(keep) => {
                let waiting = self.waiting.len();
                waiting > 0 && keep.due(waiting, self.oldest.elapsed())
            }
        };
        if due {
            self.commit(said)
        } else {
            self.publish_if_due()
        }
    }

    /// Stores everything that waits, and appends it to `said`.
    pub(crate) fn commit(&mut self, said: &mut Vec<Utterance>) -> Result<(), PipelineError> {
        // lines first, so that acknowledged utterances can be looked up
        if let Some(transcript) = self.transcript.as_mut().filter(|_| !self.unsaid.is_empty()) {
            match self.keep {
                Some(_) => transcript.sync(),
                None => transcript.flush(),
            }
        }
        if let Some(keep) = self.keep.as_mut().filter(|_| !self.waiting.is_empty()) {
            keep.append(&self.waiting)?;
            self.by_hand |= self.waiting.iter().any(Input::is_by_hand);
            self.waiting.clear();
            self.unpublished = true;
            keep.checkpoint_if_due(&self.session, false)?;
        }
        said.append(&mut self.unsaid);
        self.publish_if_due()
    }

    /// Readers see only durable state, so nothing is published while inputs wait.
    fn publish_if_due(&mut self) -> Result<(), PipelineError> {
        let due = self.unpublished && self.published.elapsed() >= PUBLISH_EVERY;
        if let Some(keep) = self
            .keep
            .as_mut()
            .filter(|_| due && self.waiting.is_empty())
        {
            keep.publish(&self.session)?;
            self.published = Instant::now();
            self.unpublished = false;
        }
        self.snapshot_if_idle()
    }

    /// Changes by hand go into a snapshot, since a newer program may read the journal differently;
    /// it is made when nobody waits for the owner.
    fn snapshot_if_idle(&mut self) -> Result<(), PipelineError> {
        let idle = self.waiting.is_empty() && self.oldest.elapsed() >= IDLE;
        if let Some(keep) = self.keep.as_mut().filter(|_| self.by_hand && idle) {
            self.by_hand = !keep.checkpoint_if_due(&self.session, true)?;
            // if not yet, then a little later
            self.oldest = Instant::now();
        }
        Ok(())
    }

    /// Whether anything applied is not stored yet.
    pub(crate) fn waits(&self) -> bool {
        !self.waiting.is_empty() || !self.unsaid.is_empty()
    }

    /// Removes from every file what an erasure, just applied, removed from the session.
    pub(crate) fn erase(
        &mut self,
        erasure: &Erasure,
        erased: Erased,
    ) -> Result<Receipt, PipelineError> {
        // the new files hold all applied inputs; words must be on disk before they can be erased
        self.waiting.clear();
        if let Some(transcript) = &mut self.transcript {
            transcript.sync();
        }
        let Some(keep) = self.keep.take() else {
            let mut receipt = receipt_of(erased);
            if let Some(transcript) = &mut self.transcript {
                let files = transcript.erase(erasure);
                let files = files.map_err(|error| SessionLogError(Box::new(error)))?;
                receipt.files = shown(files).collect();
            }
            return Ok(receipt);
        };
        let (keep, receipt) = keep.erase(&self.session, erasure, erased)?;
        self.keep = Some(keep);
        self.published = Instant::now();
        self.unpublished = false;
        self.by_hand = false;
        Ok(receipt)
    }

    /// The streams that began at another time than now.
    pub(crate) fn streams_apart(&self) -> BTreeSet<String> {
        let kept = self.keep.as_ref().map(|it| it.streams_apart());
        // without them talk is dated now
        kept.and_then(Result::ok).unwrap_or_default()
    }

    /// Stores their names.
    pub(crate) fn mark_streams_apart(
        &mut self,
        names: &BTreeSet<String>,
    ) -> Result<(), PipelineError> {
        match &mut self.keep {
            Some(keep) => Ok(keep.mark_streams_apart(names)?),
            None => Ok(()),
        }
    }

    /// Records that an input was completed, after all of it is durable.
    pub(crate) fn remember(
        &mut self,
        index: usize,
        name: &str,
        said: &mut Vec<Utterance>,
    ) -> Result<(), PipelineError> {
        self.commit(said)?;
        if let Some(keep) = &mut self.keep {
            keep.remember(index, name)?;
        }
        Ok(())
    }

    /// Stores everything and releases the directory.
    pub(crate) fn close(mut self, said: &mut Vec<Utterance>) -> Result<Session, PipelineError> {
        self.commit(said)?;
        if let Some(keep) = self.keep.take() {
            keep.close(&self.session)?;
        }
        Ok(self.session)
    }
}

impl InputSink for SessionWriter {
    fn session(&self) -> &Session {
        &self.session
    }

    fn apply(&mut self, input: Input) -> Result<Outcome, InputError> {
        self.offer(input).map_err(|refused| refused.0)
    }
}

impl SessionWriter {
    fn count(&mut self, input: &Input, outcome: &Outcome) {
        let all = &mut self.changes;
        all.by_hand += usize::from(input.is_by_hand());
        all.blocks += outcome.cut.len();
        if let Some(mounted) = &outcome.mounted {
            all.inserted += mounted.inserted;
            all.reinforced += mounted.reinforced;
            all.merged += mounted.merged;
            all.reduced += mounted.keyed;
            all.forgotten += mounted.pruned;
        }
    }

    /// What happened to the tree since the last call, if anything did.
    pub(crate) fn take_changes(&mut self) -> Option<TreeChanges> {
        let changes = std::mem::take(&mut self.changes);
        (changes != TreeChanges::default()).then_some(changes)
    }

    /// Applies an input and queues it for storing; gives it back if it is refused.
    pub(crate) fn offer(&mut self, input: Input) -> Result<Outcome, Box<(InputError, Input)>> {
        let outcome = match self.session.apply(&input) {
            Ok(outcome) => outcome,
            Err(refused) => return Err(Box::new((refused, input))),
        };
        self.count(&input, &outcome);
        if let Input::Heard { utterance, .. } = &input {
            let heard = self.session.buffer().raw().last();
            if let (Some(transcript), Some(heard)) = (&mut self.transcript, heard) {
                // the transcript keeps the label, so that a name can be forgotten
                transcript.add(heard, utterance.speaker.as_deref());
            }
            self.unsaid.push(Utterance {
                speaker: heard.and_then(|heard| heard.utterance.speaker.clone()),
                ..utterance.clone()
            });
        }
        if self.keep.is_some() {
            if self.waiting.is_empty() {
                self.oldest = Instant::now();
            }
            self.waiting.push(input);
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use weir_core::config::SessionConfig;
    use weir_core::session::EncoderStamp;
    use weir_core::stream::StreamStart;
    use weir_models::{SpaceCounter, WordHashEncoder};

    /// Stores nothing and counts the views published.
    struct Counted(Arc<AtomicU32>);

    impl SessionLog for Counted {
        fn append(&mut self, _: &[Input]) -> Result<(), SessionLogError> {
            Ok(())
        }

        fn due(&self, _: usize, _: Duration) -> bool {
            true
        }

        fn publish(&mut self, _: &Session) -> Result<(), SessionLogError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }

    /// Regression: readers saw an utterance only after the next one arrived.
    #[test]
    fn the_last_thing_said_is_shown_to_readers_although_nothing_follows() {
        let stamp = EncoderStamp::of(&WordHashEncoder::new());
        let counter = Arc::new(SpaceCounter);
        let session = Session::new(SessionConfig::default(), stamp, counter).expect("defaults");
        let views = Arc::new(AtomicU32::new(0));
        let mut session_writer =
            SessionWriter::kept(session, Box::new(Counted(Arc::clone(&views))));
        assert_eq!(session_writer.deadline(), None);
        let begin = Input::Begin(StreamStart::new("s", None));
        session_writer.apply(begin).expect("a stream may begin");
        session_writer
            .commit_if_due(&mut Vec::new())
            .expect("written down");
        assert_eq!(views.load(Ordering::Relaxed), 0, "not that often");
        let due = session_writer.deadline().expect("a view is owed");
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        session_writer
            .commit_if_due(&mut Vec::new())
            .expect("shown");
        assert_eq!(views.load(Ordering::Relaxed), 1);
        assert_eq!(session_writer.deadline(), None);
    }
}
