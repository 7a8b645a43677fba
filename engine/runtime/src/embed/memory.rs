//! The memory: takes in what is said, answers, and changes what is held.

use super::error::MemoryError;
use crate::control::Control;
use crate::pipeline::{Answered, AskRequest, Change, SessionHandle, SessionService};
use crate::sourcefile::read_texts;
use std::path::PathBuf;
use std::sync::Arc;
use weir_api::{Changed, Receipt};
use weir_core::answer::{Answer, AnswerText, QuestionTime};
use weir_core::memory::{Kind, NodeId};
use weir_core::session::{Session, SpeakerChange, Target};
use weir_core::sources::Source;
use weir_core::stream::{StreamStart, Utterance};

/// A memory of bounded size that takes in utterances and answers questions.
///
/// Threads may share it: calls take `&self` and wait for their result.
pub struct Memory {
    /// Lets other processes change a session on disk; it ends before the service does.
    pub(super) control: Option<Control>,
    pub(super) service: SessionService,
    pub(super) warnings: Vec<String>,
}

impl Memory {
    /// Warnings for the user: an encoder without calibrated thresholds, a recovered session, a
    /// transcript that cannot be written.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The handle of the session, for requests of other kinds, options of single questions, and
    /// events.
    #[must_use]
    pub fn handle(&self) -> &SessionHandle {
        self.service.handle()
    }

    /// Begins a stream, at a wall time in Unix milliseconds if known; those that are open end.
    /// Utterance ids are unique within their stream, and times count from its beginning. A stream
    /// beside others begins through the [handle](Self::handle).
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn begin(
        &self,
        name: impl Into<String>,
        started_at_unix_ms: Option<i64>,
    ) -> Result<(), MemoryError> {
        let start = StreamStart::new(name, started_at_unix_ms);
        self.change(Change::Begin(start)).map(drop)
    }

    /// Takes in an utterance. It is durable when this returns, and the next question sees it. A
    /// missing id becomes `#` and a number, a missing stream the only open one, and a missing time
    /// the estimated speaking time after all that was heard.
    ///
    /// # Errors
    /// [`MemoryError`], for example for an utterance without words or with a used id.
    pub fn hear(&self, utterance: Utterance) -> Result<(), MemoryError> {
        self.hear_all([utterance])
    }

    /// As [`Self::hear`], but with one commit for all utterances: faster for text that exists
    /// already.
    ///
    /// # Errors
    /// [`MemoryError`] of the first utterance refused; those before it are kept.
    pub fn hear_all(
        &self,
        utterances: impl IntoIterator<Item = Utterance>,
    ) -> Result<(), MemoryError> {
        Ok(self.handle().hear(utterances, None).map(drop)?)
    }

    /// Answers a question, and records the access, so that the statements used are kept longer.
    ///
    /// # Errors
    /// [`MemoryError`] if the question cannot be encoded.
    pub fn ask(&self, question: &str) -> Result<Answer, MemoryError> {
        Ok(self.ask_as(question, None)?.answer)
    }

    /// As [`Self::ask`], with the asker's name for "I" and "my". Also returns what the answer was
    /// made of, such as a context for a model of the caller's, and its check, if the memory was
    /// given one. A check that fails leaves the answer as it is.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn ask_as(&self, question: &str, asked_by: Option<&str>) -> Result<Answered, MemoryError> {
        self.ask_showing(question, asked_by, &mut |_| ())
    }

    /// As [`Self::ask_as`]; `show` gets the text of the answer while a model writes it. The answer
    /// that is returned counts.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn ask_showing(
        &self,
        question: &str,
        asked_by: Option<&str>,
        show: &mut dyn FnMut(AnswerText),
    ) -> Result<Answered, MemoryError> {
        let asking = AskRequest {
            id: "ask".to_owned(),
            stream: None,
            text: question.to_owned(),
            asked_by: asked_by.map(str::to_owned),
            at: QuestionTime::default(),
        };
        let pending = self.handle().start_to_ask(asking, None)?;
        pending.texts().iter().for_each(show);
        Ok(pending.wait()?)
    }

    /// Distils everything heard so far and records a pause: for the end of a conversation.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn flush(&self) -> Result<(), MemoryError> {
        self.change(Change::Flush).map(drop)
    }

    /// Pins a unit, so that it is neither forgotten nor shortened.
    ///
    /// # Errors
    /// [`MemoryError`] if there is no such unit, or if pinned units already fill their share of the
    /// budget.
    pub fn pin(&self, node: NodeId) -> Result<(), MemoryError> {
        let (nodes, pinned) = (vec![node], true);
        self.change(Change::Pin { nodes, pinned }).map(drop)
    }

    /// Lets a pinned unit be forgotten again.
    ///
    /// # Errors
    /// [`MemoryError`] if there is no such unit.
    pub fn unpin(&self, node: NodeId) -> Result<(), MemoryError> {
        let (nodes, pinned) = (vec![node], false);
        self.change(Change::Pin { nodes, pinned }).map(drop)
    }

    /// Pins what was distilled of an utterance. Returns why not all of it is pinned: pinned units
    /// have filled their share of a budget, or would take that of sources or pinned facts.
    pub(crate) fn pin_said(&self, stream: &str, id: &str) -> Result<Option<String>, MemoryError> {
        let session = self.session();
        let said = session.tree().of_kind(Kind::Unit).filter(|unit| {
            let mut evidence = unit.evidence.iter();
            evidence.any(|it| it.stream == stream && it.utterance == id)
        });
        let mut unpinned = None;
        for unit in said {
            match self.pin(unit.id) {
                Err(full) if full.class() == crate::pipeline::ErrorClass::Conflict => {
                    unpinned = Some(full.to_string());
                }
                pinned => pinned?,
            }
        }
        Ok(unpinned)
    }

    /// Adds text files as a source, whose passages answer questions beside what was heard. Cost:
    /// encodes each passage once.
    ///
    /// # Errors
    /// [`MemoryError`] if a file cannot be read as text, or the source does not fit its share of
    /// the budget; then nothing was added.
    pub fn add_source(
        &self,
        name: &str,
        weight: f32,
        files: &[PathBuf],
    ) -> Result<(), MemoryError> {
        let texts = read_texts(files)?;
        let source = Source::of(name, weight, texts, self.handle().encoder());
        let source = source.map_err(crate::pipeline::ServiceError::from)?;
        self.change(Change::AddSource(Box::new(source))).map(drop)
    }

    /// Changes the name of a speaker, also in what was said before. Encodes all that the speaker
    /// said again.
    ///
    /// # Errors
    /// [`MemoryError`] if nobody is called that, or the name is taken or none.
    pub fn change_speaker(&self, change: SpeakerChange) -> Result<(), MemoryError> {
        self.change(Change::Speaker(change)).map(drop)
    }

    /// Erases everything that traces back to the targets, also from every file of its directory:
    /// the files are written anew, and recorded audio is silenced. The receipt says what went.
    ///
    /// # Errors
    /// [`MemoryError`] if a target is not in memory: nothing is erased. If a file cannot be
    /// written, the memory is closed; open it and erase again to finish.
    pub fn erase(&self, targets: &[Target]) -> Result<Receipt, MemoryError> {
        self.erased(Change::Erase(targets.to_vec()))
    }

    /// Removes a source and erases it from every file of its directory, as [`Self::erase`] does.
    ///
    /// # Errors
    /// As [`Self::erase`].
    pub fn remove_source(&self, name: &str) -> Result<Receipt, MemoryError> {
        self.erased(Change::RemoveSource(name.to_owned()))
    }

    fn erased(&self, change: Change) -> Result<Receipt, MemoryError> {
        Ok(self.change(change)?.receipt.unwrap_or_default())
    }

    fn change(&self, change: Change) -> Result<Changed, MemoryError> {
        Ok(self.handle().change(change, None)?)
    }

    /// The session at this moment: its tree, its statistics, its export.
    #[must_use]
    pub fn session(&self) -> Arc<Session> {
        self.handle().session()
    }

    /// Makes a last snapshot and releases the directory. Dropping the memory does the same, but
    /// tells no error.
    ///
    /// # Errors
    /// [`MemoryError::Threads`].
    pub fn close(self) -> Result<Session, MemoryError> {
        drop(self.control);
        Ok(self.service.close()?.session)
    }
}
