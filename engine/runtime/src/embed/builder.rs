//! Creates a memory or opens the one in a directory.

use super::error::MemoryError;
use super::memory::Memory;
use crate::control::Control;
use crate::pipeline::{AskSettings, DistilWhen, PipelineParts, SessionService, SessionWriter};
use crate::store::{OpenOptions, StoreError, open_session, read_session_telling};
use std::path::Path;
use std::sync::Arc;
use weir_core::answer::{Answerer, CheckClaim, Quote};
use weir_core::config::{EncoderProfile, SessionConfig};
use weir_core::distil::{Distil, Extractive};
use weir_core::session::{EncoderStamp, Session};
use weir_models::{CountTokens, Encode, Rerank, WordPieceCounter};

/// The token counter of every budget.
fn counter() -> Arc<dyn CountTokens> {
    Arc::new(WordPieceCounter::shared())
}

/// Settings for creating or opening a memory.
pub struct MemoryBuilder {
    config: SessionConfig,
    profile: Option<EncoderProfile>,
    encoder: Arc<dyn Encode>,
    distiller: Box<dyn Distil>,
    answerer: Box<dyn Answerer>,
    reranker: Option<Arc<dyn Rerank>>,
    check: Option<Box<dyn CheckClaim>>,
    asking: AskSettings,
}

impl MemoryBuilder {
    /// Token budget for all text held; the default is
    /// [`BUDGET_TOKENS_DEFAULT`](weir_core::limits::BUDGET_TOKENS_DEFAULT).
    #[must_use]
    pub fn budget_tokens(mut self, tokens: usize) -> Self {
        self.config.budget_tokens = tokens;
        self
    }

    /// Keeps a word-for-word transcript of at most this many bytes on disk; by default none. Only
    /// for memories in a directory.
    #[must_use]
    pub fn transcript_bytes(mut self, bytes: u64) -> Self {
        self.config.transcript_bytes = bytes;
        self
    }

    /// Thresholds to use instead of those calibrated for the encoder.
    #[must_use]
    pub fn profile(self, profile: EncoderProfile) -> Self {
        Self {
            profile: Some(profile),
            ..self
        }
    }

    /// All settings; an existing session keeps its own.
    #[must_use]
    pub fn config(self, config: SessionConfig) -> Self {
        Self { config, ..self }
    }

    /// How questions are answered: tokens of the context, the character who answers, limits of
    /// time.
    #[must_use]
    pub fn asking(self, asking: AskSettings) -> Self {
        Self { asking, ..self }
    }

    /// The distiller; the default one selects statements without a model.
    #[must_use]
    pub fn distiller(self, distiller: Box<dyn Distil>) -> Self {
        Self { distiller, ..self }
    }

    /// The answerer; the default one quotes.
    #[must_use]
    pub fn answerer(self, answerer: Box<dyn Answerer>) -> Self {
        Self { answerer, ..self }
    }

    /// Checks the claims of every answer against the statements found, those cited, and what the
    /// asker said of themselves. The check changes no answer.
    /// [`LexicalCheck`](weir_core::answer::LexicalCheck) needs no model:
    ///
    /// ```
    /// use weir_engine::weir_core::answer::LexicalCheck;
    /// use weir_engine::{Memory, Utterance, WordHashEncoder};
    ///
    /// let builder = Memory::builder(WordHashEncoder::new());
    /// let memory = builder.check(Some(Box::new(LexicalCheck))).in_memory()?;
    /// memory.hear(Utterance::new("Ana", "The keys of the cabin hang behind the stove."))?;
    /// let asked = memory.ask_as("Where are the keys of the cabin?", None)?;
    /// let check = asked.check.expect("it is set")?;
    /// assert_eq!(check.shares.found.ratio(), Some(1.0), "all claims are supported");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn check(self, check: Option<Box<dyn CheckClaim>>) -> Self {
        Self { check, ..self }
    }

    /// Reranks the best statements and passages found; after the time limit they keep their order.
    #[must_use]
    pub fn reranker(self, reranker: Option<Arc<dyn Rerank>>) -> Self {
        Self { reranker, ..self }
    }

    /// Creates an empty memory that is not stored.
    ///
    /// # Errors
    /// [`MemoryError::Config`] names the first setting out of range.
    pub fn in_memory(self) -> Result<Memory, MemoryError> {
        let (config, warnings) = self.settings();
        let stamp = EncoderStamp::of(self.encoder.as_ref());
        let session = Session::new(config, stamp, counter())?;
        self.around(SessionWriter::in_memory(session), warnings)
    }

    /// Opens the memory in a directory, or creates an empty one there. Recovers what a killed
    /// program left, and migrates older formats.
    ///
    /// # Errors
    /// [`MemoryError::Open`] if another program has it open, if it is not a session, newer, damaged
    /// or of another encoder, or on an I/O error; [`MemoryError::Config`].
    pub fn open(self, dir: impl AsRef<Path>) -> Result<Memory, MemoryError> {
        let dir = dir.as_ref();
        let (config, mut warnings) = self.settings();
        let options = OpenOptions {
            config,
            encoder: EncoderStamp::of(self.encoder.as_ref()),
            counter: counter(),
        };
        let opened = open_session(dir, options)?;
        if !opened.created {
            warnings.clear();
        }
        let recovered = opened.warning();
        warnings.extend(recovered.map(|warning| format!("{}: {warning}", dir.display())));
        let (writer, failed) = SessionWriter::opened(opened);
        warnings.extend(failed.map(|error| format!("cannot write the transcript: {error}")));
        let mut memory = self.around(writer, warnings)?;
        match Control::serve(dir, memory.handle().clone())? {
            Ok(control) => memory.control = Some(control),
            Err(why) => log::info!("{}: no control socket: {why}", dir.display()),
        }
        Ok(memory)
    }

    /// The memory in a directory that cannot be written, for `why`: as it was published last,
    /// without the directory's lock. It answers; what is said to it is refused with `why`, and
    /// ends it.
    ///
    /// # Errors
    /// [`MemoryError::Open`] if it cannot be read either, or has the vectors of another encoder.
    pub fn read(self, dir: impl AsRef<Path>, why: String) -> Result<Memory, MemoryError> {
        let dir = dir.as_ref();
        let mut told = Vec::new();
        let mut tell = |it: &str| told.push(it.to_owned());
        let session = read_session_telling(dir, counter(), &mut tell)?;
        let found = EncoderStamp::of(self.encoder.as_ref());
        if !session.encoder().makes_vectors_of(&found) {
            let expected = Box::new(session.encoder().clone());
            return Err(MemoryError::Open(StoreError::EncoderMismatch {
                dir: dir.to_path_buf(),
                expected,
                found: Box::new(found),
            }));
        }
        told.push(format!("memory can only be read: {why}"));
        self.around(SessionWriter::reading(session, dir, why), told)
    }

    /// The settings with the encoder's thresholds, and warnings about them.
    fn settings(&self) -> (SessionConfig, Vec<String>) {
        let name = &self.encoder.identity().name;
        let known = self
            .profile
            .clone()
            .or_else(|| EncoderProfile::calibrated(name));
        let warnings = match known {
            Some(_) => Vec::new(),
            None => vec![format!(
                "no thresholds were calibrated for the encoder `{name}`; using those of \
                 all-MiniLM-L6-v2"
            )],
        };
        let config = SessionConfig {
            profile: known.unwrap_or_else(EncoderProfile::minilm),
            ..self.config.clone()
        };
        (config, warnings)
    }

    fn around(self, writer: SessionWriter, warnings: Vec<String>) -> Result<Memory, MemoryError> {
        for warning in &warnings {
            log::warn!("{warning}");
        }
        let parts = PipelineParts {
            distiller: self.distiller,
            answerer: self.answerer,
            reranker: self.reranker,
            check: self.check,
            settings: self.asking,
            ..PipelineParts::plain(writer, self.encoder, counter())
        };
        let service = SessionService::start(parts, DistilWhen::AtOnce)?;
        Ok(Memory {
            control: None,
            service,
            warnings,
        })
    }
}

impl Memory {
    /// Settings for a memory with this encoder; `WordHashEncoder` needs no model.
    #[must_use]
    pub fn builder(encoder: impl Encode + 'static) -> MemoryBuilder {
        Self::builder_with(Arc::new(encoder))
    }

    /// As [`Self::builder`], with an encoder that is shared.
    #[must_use]
    pub fn builder_with(encoder: Arc<dyn Encode>) -> MemoryBuilder {
        MemoryBuilder {
            config: SessionConfig::default(),
            profile: None,
            encoder,
            distiller: Box::new(Extractive),
            answerer: Box::new(Quote),
            reranker: None,
            check: None,
            asking: AskSettings::default(),
        }
    }
}
