//! A session with the directory it is kept in: applies, writes down, publishes.
//!
//! The one writer of a session. Owns no thread and no queue. Invariant: what was acknowledged was
//! written down before, and what was written down was applied.

use super::error::{PipelineError, SessionLogError};
use super::feed::InputMark;
use super::transcript::{KeptTranscript, SharedTranscript};
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_core::driver::TakesInputs;
use weir_core::session::{Input, InputError, Outcome, Session};
use weir_core::stream::Utterance;

/// How often readers get a new view of a session that is being written.
const PUBLISH_EVERY: Duration = Duration::from_millis(1_500);

/// A place where a session is kept.
pub trait SessionLog: Send {
    /// Writes inputs down; they are safe when it returns.
    ///
    /// # Errors
    /// [`SessionLogError`]; none of the inputs counts as written then.
    fn append(&mut self, inputs: &[Input]) -> Result<(), SessionLogError>;

    /// Says how far the feed's input is, of which the next inputs are: to be written down with
    /// them.
    fn reach(&mut self, mark: InputMark) {
        // who writes nothing down has nothing to go on with
        let _ = mark;
    }

    /// Whether inputs have waited long enough for [`SessionLog::append`].
    fn due(&self, waiting: usize, oldest_age: Duration) -> bool;

    /// Makes a snapshot if one is due, and in any case after changes `by_hand`; `session` is
    /// exactly what was written down.
    ///
    /// # Errors
    /// [`SessionLogError`].
    fn checkpoint_if_due(
        &mut self,
        session: &Session,
        by_hand: bool,
    ) -> Result<(), SessionLogError>;

    /// Gives readers a new view.
    ///
    /// # Errors
    /// [`SessionLogError`].
    fn publish(&mut self, session: &Session) -> Result<(), SessionLogError>;

    /// Remembers that input number `index` went through as stream `name`.
    ///
    /// # Errors
    /// [`SessionLogError`].
    fn remember(&mut self, index: usize, name: &str) -> Result<(), SessionLogError>;

    /// Makes the last snapshot and lets go.
    ///
    /// # Errors
    /// [`SessionLogError`].
    fn close(self: Box<Self>, session: &Session) -> Result<(), SessionLogError>;
}

/// A session and where it is kept, if anywhere.
pub struct SessionWriter {
    session: Session,
    keep: Option<Box<dyn SessionLog>>,
    transcript: Option<KeptTranscript>,
    waiting: Vec<Input>,
    /// Where the feed's input is once what it gives next is applied.
    mark: Option<InputMark>,
    /// Utterances applied but not yet safe.
    unsaid: Vec<Utterance>,
    oldest: Instant,
    published: Instant,
    /// Something was written down that readers do not see yet.
    unpublished: bool,
}

impl SessionWriter {
    /// A session kept in memory alone.
    #[must_use]
    pub fn in_memory(session: Session) -> Self {
        Self {
            session,
            keep: None,
            transcript: None,
            waiting: Vec::new(),
            mark: None,
            unsaid: Vec::new(),
            oldest: Instant::now(),
            published: Instant::now(),
            unpublished: false,
        }
    }

    /// A session kept somewhere.
    #[must_use]
    pub fn kept(session: Session, keep: Box<dyn SessionLog>) -> Self {
        Self {
            keep: Some(keep),
            ..Self::in_memory(session)
        }
    }

    /// The same with a transcript of what is heard from now on.
    #[must_use]
    pub fn with_transcript(self, transcript: Option<KeptTranscript>) -> Self {
        Self { transcript, ..self }
    }

    /// Where the words of what was heard are looked up.
    #[must_use]
    pub fn transcript(&self) -> Option<Arc<SharedTranscript>> {
        self.transcript.as_ref().map(KeptTranscript::shared)
    }

    /// What went wrong with the transcript since this was asked last; memory goes on without it.
    pub fn transcript_problems(&mut self) -> Vec<String> {
        let transcript = self.transcript.as_mut();
        transcript.map_or_else(Vec::new, KeptTranscript::problems)
    }

    /// Lets questions find the words of everything heard so far.
    pub fn flush_transcript(&mut self) {
        if let Some(transcript) = &mut self.transcript {
            transcript.flush();
        }
    }

    /// Takes note of how far the feed's input is once what follows is applied.
    pub fn mark(&mut self, mark: InputMark) {
        self.mark = Some(mark);
    }

    /// What was marked is in: written down with the inputs that wait, or with the next ones.
    pub fn reach(&mut self) {
        if let (Some(keep), Some(mark)) = (&mut self.keep, self.mark.take()) {
            keep.reach(mark);
        }
    }

    /// When the inputs that wait must be written down, or what was written down be shown to
    /// readers; `None` when there is nothing to do.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let limit = Duration::from_millis(weir_core::limits::COMMIT_EVERY_MS);
        if self.waiting.is_empty() {
            self.unpublished.then(|| self.published + PUBLISH_EVERY)
        } else {
            Some(self.oldest + limit)
        }
    }

    /// Writes down what waits and gives readers a new view, each if it is due, and moves what
    /// became safe to the end of `said`.
    ///
    /// # Errors
    /// [`PipelineError::SessionLog`].
    pub fn commit_if_due(&mut self, said: &mut Vec<Utterance>) -> Result<(), PipelineError> {
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

    /// Writes down everything that waits, and moves it to the end of `said`.
    ///
    /// # Errors
    /// [`PipelineError::SessionLog`].
    pub fn commit(&mut self, said: &mut Vec<Utterance>) -> Result<(), PipelineError> {
        // lines first: what is acknowledged can be looked up
        if let Some(transcript) = self.transcript.as_mut().filter(|_| !self.unsaid.is_empty()) {
            match self.keep {
                Some(_) => transcript.sync(),
                None => transcript.flush(),
            }
        }
        if let Some(keep) = self.keep.as_mut().filter(|_| !self.waiting.is_empty()) {
            keep.append(&self.waiting)?;
            // a change of nodes is not left to a journal that a newer program may read
            let by_hand = self.waiting.iter().any(Input::is_by_hand);
            self.waiting.clear();
            self.unpublished = true;
            keep.checkpoint_if_due(&self.session, by_hand)?;
        }
        said.append(&mut self.unsaid);
        self.publish_if_due()
    }

    /// Readers see what is safe and nothing else, so nothing is shown while inputs wait.
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
        Ok(())
    }

    /// Remembers that an input went through, after everything of it is safe.
    ///
    /// # Errors
    /// [`PipelineError::SessionLog`].
    pub fn remember(
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

    /// Writes everything down and lets go of the directory.
    ///
    /// # Errors
    /// [`PipelineError::SessionLog`].
    pub fn close(mut self, said: &mut Vec<Utterance>) -> Result<Session, PipelineError> {
        self.commit(said)?;
        if let Some(keep) = self.keep.take() {
            keep.close(&self.session)?;
        }
        Ok(self.session)
    }
}

impl TakesInputs for SessionWriter {
    fn session(&self) -> &Session {
        &self.session
    }

    /// Applies an input and lines it up to be written down.
    fn apply(&mut self, input: Input) -> Result<Outcome, InputError> {
        let outcome = self.session.apply(&input)?;
        // what else changes the session is not from the feed
        if let Input::Heard { .. } | Input::Break { .. } | Input::Flush = input {
            self.reach();
        }
        if let Input::Heard { utterance, .. } = &input {
            self.unsaid.push(utterance.clone());
            if let Some(transcript) = &mut self.transcript
                && let Some(heard) = self.session.buffer().raw().last()
            {
                transcript.add(heard);
            }
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

    /// Writes nothing and counts the views it was asked for.
    struct Counted(Arc<AtomicU32>);

    impl SessionLog for Counted {
        fn append(&mut self, _: &[Input]) -> Result<(), SessionLogError> {
            Ok(())
        }

        fn due(&self, _: usize, _: Duration) -> bool {
            true
        }

        fn checkpoint_if_due(&mut self, _: &Session, _: bool) -> Result<(), SessionLogError> {
            Ok(())
        }

        fn publish(&mut self, _: &Session) -> Result<(), SessionLogError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }

        fn remember(&mut self, _: usize, _: &str) -> Result<(), SessionLogError> {
            Ok(())
        }

        fn close(self: Box<Self>, _: &Session) -> Result<(), SessionLogError> {
            Ok(())
        }
    }

    /// Readers once waited for the next word before they saw the last one.
    #[test]
    fn the_last_thing_said_is_shown_to_readers_although_nothing_follows() {
        let stamp = EncoderStamp::of(&WordHashEncoder::new());
        let counter = Arc::new(SpaceCounter);
        let session = Session::new(SessionConfig::default(), stamp, counter).expect("defaults");
        let views = Arc::new(AtomicU32::new(0));
        let mut session_writer =
            SessionWriter::kept(session, Box::new(Counted(Arc::clone(&views))));
        assert_eq!(session_writer.deadline(), None);
        let begin = Input::Begin(StreamStart {
            name: "s".into(),
            started_at_unix_ms: None,
        });
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
