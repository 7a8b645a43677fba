//! Creates a memory or opens the one in a directory.

use super::error::MemoryError;
use super::memory::{Memory, counter, written_to};
use super::options::AskOptions;
use crate::pipeline::SessionWriter;
use crate::store::{OpenOptions, open_session};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_core::config::{EncoderProfile, SessionConfig};
use weir_core::driver::Driver;
use weir_core::limits;
use weir_core::session::{EncoderStamp, Session};
use weir_models::Encode;

/// Settings for creating or opening a memory.
pub struct MemoryBuilder {
    config: SessionConfig,
    profile: Option<EncoderProfile>,
    encoder: Arc<dyn Encode>,
    context_tokens: usize,
}

impl MemoryBuilder {
    /// Token budget for all text held; the default is [`limits::BUDGET_TOKENS_DEFAULT`].
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

    /// Tokens of memory given to the answerer; the default is [`limits::CONTEXT_TOKENS_DEFAULT`].
    #[must_use]
    pub fn context_tokens(self, context_tokens: usize) -> Self {
        Self {
            context_tokens,
            ..self
        }
    }

    /// Creates an empty memory that is not stored.
    ///
    /// # Errors
    /// [`MemoryError::Config`] names the first setting out of range.
    pub fn in_memory(self) -> Result<Memory, MemoryError> {
        let (config, warnings) = self.settings();
        let stamp = EncoderStamp::of(self.encoder.as_ref());
        let session = Session::new(config, stamp, counter())?;
        Ok(self.around(SessionWriter::in_memory(session), None, warnings))
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
        let writer = written_to(dir, opened.session, opened.writer, &mut warnings);
        Ok(self.around(writer, Some(dir.to_path_buf()), warnings))
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

    fn around(self, writer: SessionWriter, dir: Option<PathBuf>, warnings: Vec<String>) -> Memory {
        for warning in &warnings {
            log::warn!("{warning}");
        }
        Memory {
            dir,
            driver: Driver::around(writer, self.encoder),
            options: AskOptions::of(self.context_tokens),
            warnings,
        }
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
            context_tokens: limits::CONTEXT_TOKENS_DEFAULT,
        }
    }
}
