//! A session with the directory it is kept in: applies, writes down, publishes.
//!
//! The one writer of a session. Owns no thread and no queue. Invariant: what was acknowledged was
//! written down before, and what was written down was applied.

use super::error::{KeepError, PipelineError};
use crate::session::{Input, InputError, Outcome, Session};
use crate::stream::Utterance;
use std::time::{Duration, Instant};

/// How often readers get a new view of a session that is being written.
const PUBLISH_EVERY: Duration = Duration::from_millis(1_500);

/// A place where a session is kept.
pub trait Keep: Send {
    /// Writes inputs down; they are safe when it returns.
    ///
    /// # Errors
    /// [`KeepError`]; none of the inputs counts as written then.
    fn append(&mut self, inputs: &[Input]) -> Result<(), KeepError>;

    /// Whether inputs have waited long enough for [`Keep::append`].
    fn due(&self, waiting: usize, oldest_age: Duration) -> bool;

    /// Makes a snapshot if one is due; `session` is exactly what was written down.
    ///
    /// # Errors
    /// [`KeepError`].
    fn checkpoint_if_due(&mut self, session: &Session) -> Result<(), KeepError>;

    /// Gives readers a new view.
    ///
    /// # Errors
    /// [`KeepError`].
    fn publish(&mut self, session: &Session) -> Result<(), KeepError>;

    /// Remembers that input number `index` went through as stream `name`.
    ///
    /// # Errors
    /// [`KeepError`].
    fn remember(&mut self, index: usize, name: &str) -> Result<(), KeepError>;

    /// Makes the last snapshot and lets go.
    ///
    /// # Errors
    /// [`KeepError`].
    fn close(self: Box<Self>, session: &Session) -> Result<(), KeepError>;
}

/// A session and where it is kept, if anywhere.
pub struct Keeper {
    session: Session,
    keep: Option<Box<dyn Keep>>,
    waiting: Vec<Input>,
    /// Utterances applied but not yet safe.
    unsaid: Vec<Utterance>,
    oldest: Instant,
    published: Instant,
}

impl Keeper {
    /// A session kept in memory alone.
    #[must_use]
    pub fn in_memory(session: Session) -> Self {
        Self {
            session,
            keep: None,
            waiting: Vec::new(),
            unsaid: Vec::new(),
            oldest: Instant::now(),
            published: Instant::now(),
        }
    }

    /// A session kept somewhere.
    #[must_use]
    pub fn kept(session: Session, keep: Box<dyn Keep>) -> Self {
        Self {
            keep: Some(keep),
            ..Self::in_memory(session)
        }
    }

    /// The session as it is now.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Applies an input and lines it up to be written down.
    ///
    /// # Errors
    /// [`InputError`]; nothing changed then.
    pub fn apply(&mut self, input: Input) -> Result<Outcome, InputError> {
        let outcome = self.session.apply(&input)?;
        if let Input::Heard { utterance, .. } = &input {
            self.unsaid.push(utterance.clone());
        }
        if self.keep.is_some() {
            if self.waiting.is_empty() {
                self.oldest = Instant::now();
            }
            self.waiting.push(input);
        }
        Ok(outcome)
    }

    /// When the inputs that wait must be written down; `None` when none wait.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let limit = Duration::from_millis(crate::limits::COMMIT_EVERY_MS);
        (!self.waiting.is_empty()).then(|| self.oldest + limit)
    }

    /// Writes down what waits if it is due, and moves what became safe to the end of `said`.
    ///
    /// # Errors
    /// [`PipelineError::Keep`].
    pub fn commit_if_due(&mut self, said: &mut Vec<Utterance>) -> Result<(), PipelineError> {
        let due = match &self.keep {
            None => true,
            Some(keep) => {
                let waiting = self.waiting.len();
                waiting > 0 && keep.due(waiting, self.oldest.elapsed())
            }
        };
        if due { self.commit(said) } else { Ok(()) }
    }

    /// Writes down everything that waits, and moves it to the end of `said`.
    ///
    /// # Errors
    /// [`PipelineError::Keep`].
    pub fn commit(&mut self, said: &mut Vec<Utterance>) -> Result<(), PipelineError> {
        if let Some(keep) = &mut self.keep {
            if !self.waiting.is_empty() {
                keep.append(&self.waiting)?;
                self.waiting.clear();
                keep.checkpoint_if_due(&self.session)?;
            }
            if self.published.elapsed() >= PUBLISH_EVERY {
                keep.publish(&self.session)?;
                self.published = Instant::now();
            }
        }
        said.append(&mut self.unsaid);
        Ok(())
    }

    /// Remembers that an input went through, after everything of it is safe.
    ///
    /// # Errors
    /// [`PipelineError::Keep`].
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
    /// [`PipelineError::Keep`].
    pub fn close(mut self, said: &mut Vec<Utterance>) -> Result<Session, PipelineError> {
        self.commit(said)?;
        if let Some(keep) = self.keep.take() {
            keep.close(&self.session)?;
        }
        Ok(self.session)
    }
}
