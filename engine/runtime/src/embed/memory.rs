//! The memory: takes in what is said, and changes what is held.

use super::error::MemoryError;
use super::options::AskOptions;
use crate::pipeline::{DiskLog, KeptTranscript, SessionWriter};
use crate::sourcefile::read_texts;
use crate::store::{Receipt, Writer, open_session_any};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_core::distil::Distil;
use weir_core::driver::{Driver, DriverError};
use weir_core::memory::{Kind, NodeId};
use weir_core::session::{Erasure, Input, InputError, Session, SpeakerChange, Target};
use weir_core::sources::Source;
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_core::transcript::Transcript;
use weir_models::{CountTokens, WordPieceCounter};

/// Name of the default stream.
const STREAM: &str = "talk";
/// Speaking time per letter: about 160 words of English per minute.
const LETTER_MS: u64 = 65;

/// The token counter of every budget.
pub(super) fn counter() -> Arc<dyn CountTokens> {
    Arc::new(WordPieceCounter::shared())
}

/// The session with its directory, and with its transcript where it keeps one.
pub(super) fn written_to(
    dir: &Path,
    session: Session,
    writer: Writer,
    warnings: &mut Vec<String>,
) -> SessionWriter {
    let transcript = KeptTranscript::beside(dir, &session).unwrap_or_else(|error| {
        warnings.push(format!("cannot write the transcript: {error}"));
        None
    });
    let log = DiskLog::new(writer, Vec::new());
    SessionWriter::kept(session, Box::new(log)).with_transcript(transcript)
}

/// A memory of bounded size that takes in utterances and answers questions.
pub struct Memory {
    pub(super) driver: Driver<SessionWriter>,
    pub(super) dir: Option<PathBuf>,
    pub(super) options: AskOptions,
    pub(super) warnings: Vec<String>,
}

impl Memory {
    /// Sets the distiller for what is heard from now on.
    #[must_use]
    pub fn with_distiller(self, distiller: Box<dyn Distil>) -> Self {
        Self {
            driver: self.driver.with_distiller(distiller),
            ..self
        }
    }

    /// Warnings for the user: an encoder without calibrated thresholds, a migrated session, a
    /// transcript that cannot be written.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Begins a stream, at a wall time in Unix milliseconds if known. Utterance ids are unique
    /// within their stream, and times count from its beginning.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn begin(
        &mut self,
        name: impl Into<String>,
        started_at_unix_ms: Option<i64>,
    ) -> Result<(), MemoryError> {
        self.driver.begin(StreamStart {
            name: name.into(),
            started_at_unix_ms,
        })?;
        self.written()
    }

    /// Takes in an utterance. It is durable when this returns, and the next question sees it. A
    /// missing id becomes the next id, a missing stream the current stream, and a missing time the
    /// estimated speaking time after the last utterance.
    ///
    /// # Errors
    /// [`MemoryError`], for example for an utterance without words or with a used id.
    pub fn hear(&mut self, utterance: Utterance) -> Result<(), MemoryError> {
        self.hear_all([utterance])
    }

    /// As [`Self::hear`], but with one commit for all utterances: faster for text that exists
    /// already.
    ///
    /// # Errors
    /// [`MemoryError`] of the first utterance refused; those before it are kept.
    pub fn hear_all(
        &mut self,
        utterances: impl IntoIterator<Item = Utterance>,
    ) -> Result<(), MemoryError> {
        let mut utterances = utterances.into_iter();
        let heard = utterances.try_for_each(|utterance| self.take_in(utterance));
        self.written()?;
        heard
    }

    fn take_in(&mut self, mut utterance: Utterance) -> Result<(), MemoryError> {
        if self.driver.session().stream().is_none() {
            let name = match utterance.stream.as_str() {
                "" => STREAM.to_owned(),
                named => named.to_owned(),
            };
            self.driver.begin(StreamStart {
                name,
                started_at_unix_ms: None,
            })?;
        }
        let session = self.driver.session();
        if utterance.stream.is_empty() {
            let running = session.stream().map(|stream| stream.name.clone());
            utterance.stream = running.unwrap_or_default();
        }
        if utterance.id.is_empty() {
            utterance.id = format!("u{}", session.turns() + 1);
        }
        if utterance.span == Span::new(0, 0) {
            let now_ms = session.stream_ms();
            let length_ms = utterance.text.len() as u64 * LETTER_MS;
            utterance.span = Span::new(now_ms, now_ms + length_ms);
        }
        Ok(self.driver.hear(utterance).map(drop)?)
    }

    /// Distils everything heard so far and records a pause: for the end of a conversation.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn flush(&mut self) -> Result<(), MemoryError> {
        self.driver.step(Input::Flush).map_err(MemoryError::Step)?;
        self.written()
    }

    /// Pins a unit, so that it is neither forgotten nor shortened, or unpins it; then writes a
    /// snapshot.
    ///
    /// # Errors
    /// [`MemoryError`] if there is no such unit, or if pinned units already fill their share of the
    /// budget.
    pub fn pin(&mut self, node: NodeId, pinned: bool) -> Result<(), MemoryError> {
        self.driver.pin(node, pinned)?;
        self.written()
    }

    /// Pins what was distilled of an utterance. Returns why not all of it is pinned: pinned units
    /// have filled their share of a budget, or would take that of sources or pinned facts.
    pub(crate) fn pin_said(
        &mut self,
        stream: &str,
        id: &str,
    ) -> Result<Option<String>, MemoryError> {
        let units = self.session().tree().of_kind(Kind::Unit);
        let said = units.filter(|unit| {
            let mut evidence = unit.evidence.iter();
            evidence.any(|it| it.stream == stream && it.utterance == id)
        });
        let said: Vec<NodeId> = said.map(|unit| unit.id).collect();
        let mut unpinned = None;
        for node in said {
            match self.driver.pin(node, true) {
                Err(DriverError::Input(
                    full @ (InputError::Pin(_) | InputError::Profile(_) | InputError::Source(_)),
                )) => unpinned = Some(full.to_string()),
                pinned => pinned?,
            }
        }
        self.written()?;
        Ok(unpinned)
    }

    /// Adds text files as a source, whose passages answer questions beside what was heard. Cost:
    /// encodes each passage once.
    ///
    /// # Errors
    /// [`MemoryError`] if a file cannot be read as text, or the source does not fit its share of
    /// the budget; then nothing was added.
    pub fn add_source(
        &mut self,
        name: &str,
        weight: f32,
        files: &[PathBuf],
    ) -> Result<(), MemoryError> {
        let source = Source::of(name, weight, read_texts(files)?, self.driver.encoder());
        let source = source.map_err(DriverError::Encode)?;
        self.driver.step(Input::AddSource(Box::new(source)))?;
        self.written()
    }

    /// Changes the name of a speaker, also in what was said before; then writes a snapshot. Encodes
    /// all that the speaker said again.
    ///
    /// # Errors
    /// [`MemoryError`] if nobody is called that, or the name is taken or none.
    pub fn change_speaker(&mut self, change: SpeakerChange) -> Result<(), MemoryError> {
        let transcript = self.driver.inner().transcript();
        let transcript = transcript.as_deref().map(|it| it as &dyn Transcript);
        self.driver.change_speaker(change, transcript)?;
        self.written()
    }

    /// Erases everything that traces back to the targets, also from every file of its directory:
    /// the files are written anew, and recorded audio is silenced. The receipt says what went.
    ///
    /// # Errors
    /// [`MemoryError`] if a target is not in memory or a file cannot be written. The memory is then
    /// closed; open it and erase again to finish.
    pub fn erase(self, targets: &[Target]) -> Result<(Self, Receipt), MemoryError> {
        let transcript = self.driver.inner().transcript();
        let transcript = transcript.as_deref().map(|it| it as &dyn Transcript);
        let erasure = self.driver.erasure(targets, transcript)?;
        let mut inputs = vec![Input::Erase(Box::new(erasure.clone()))];
        inputs.extend(self.driver.session().forgetting(targets));
        self.erased(&inputs, &erasure)
    }

    /// Removes a source and erases it from every file of its directory, as [`Self::erase`] does.
    ///
    /// # Errors
    /// [`MemoryError`] if there is no such source or a file cannot be written. The memory is then
    /// closed; open it and remove the source again to finish.
    pub fn remove_source(self, name: &str) -> Result<(Self, Receipt), MemoryError> {
        let inputs = [Input::RemoveSource(name.to_owned())];
        self.erased(&inputs, &Erasure::default())
    }

    /// Applies inputs, of which the first erases, and writes every file anew.
    fn erased(
        mut self,
        inputs: &[Input],
        erasure: &Erasure,
    ) -> Result<(Self, Receipt), MemoryError> {
        let Some(dir) = self.dir.clone() else {
            let mut erased = None;
            for input in inputs {
                erased = erased.or(self.driver.step(input.clone())?.erased);
            }
            return Ok((self, Receipt::of(erased.unwrap_or_default())));
        };
        let session = self.driver.session().clone();
        let (driver, open) = self.driver.with_inner(SessionWriter::in_memory(session));
        open.close(&mut Vec::new())?;
        let mut opened = open_session_any(&dir, counter())?;
        let mut erased = None;
        for input in inputs {
            let done = opened.session.apply(input).map_err(DriverError::Input)?;
            erased = erased.or(done.erased);
        }
        let erased = erased.unwrap_or_default();
        let (writer, receipt) = opened.writer.erase(&opened.session, erasure, erased)?;
        let writer = written_to(&dir, opened.session, writer, &mut self.warnings);
        let (driver, _) = driver.with_inner(writer);
        Ok((Self { driver, ..self }, receipt))
    }

    /// The session: its tree, its statistics, its export.
    #[must_use]
    pub fn session(&self) -> &Session {
        self.driver.session()
    }

    /// Makes a last snapshot and releases the directory. Without it nothing is lost, but the next
    /// opening takes a little longer.
    ///
    /// # Errors
    /// [`MemoryError::Write`].
    pub fn close(self) -> Result<Session, MemoryError> {
        Ok(self.driver.into_inner().close(&mut Vec::new())?)
    }

    /// Commits what was changed.
    pub(super) fn written(&mut self) -> Result<(), MemoryError> {
        Ok(self.driver.inner_mut().commit(&mut Vec::new())?)
    }
}
