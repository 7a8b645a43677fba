//! A session, its encoder and its distiller in one hand, driven step by step on the caller's
//! thread.
//!
//! The shortest way to embed the memory: text in, answers with evidence out. Every call returns
//! when its work is done, so a question sees all that was said before it, distilled and mounted.
//! Threads, files and audio are elsewhere.

use crate::answer::{Answer, Answerer, Question, Quote, Recall};
use crate::config::{ConfigError, SessionConfig};
use crate::distil::{Distil, DistilError, Extractive};
use crate::memory::NodeId;
use crate::session::{
    Budgets, EncoderStamp, EraseError, Erased, Input, InputError, Outcome, Session, Target,
};
use crate::stream::{StreamStart, Utterance};
use std::sync::Arc;
use weir_models::{CountTokens, Encode, EncodeError};

/// Why a step of [`Memory`] failed; the session is as it was before the step.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The session refused the input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The encoder failed.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// Nothing could be erased.
    #[error(transparent)]
    Erase(#[from] EraseError),
    /// The distiller failed.
    #[error(transparent)]
    Distil(#[from] DistilError),
}

/// A memory to be driven inline.
pub struct Memory {
    session: Session,
    encoder: Arc<dyn Encode>,
    distiller: Box<dyn Distil>,
    answerer: Box<dyn Answerer>,
}

impl Memory {
    /// An empty memory with the extractive distiller.
    ///
    /// # Errors
    /// [`ConfigError`] names the first setting out of range.
    pub fn new(
        config: SessionConfig,
        encoder: Arc<dyn Encode>,
        counter: Arc<dyn CountTokens>,
    ) -> Result<Self, ConfigError> {
        let session = Session::new(config, EncoderStamp::of(encoder.as_ref()), counter)?;
        Ok(Self::around(session, encoder))
    }

    /// Goes on with a session; its vectors must come from `encoder`.
    #[must_use]
    pub fn around(session: Session, encoder: Arc<dyn Encode>) -> Self {
        Self {
            session,
            encoder,
            distiller: Box::new(Extractive),
            answerer: Box::new(Quote),
        }
    }

    /// The same memory with another distiller, for what is heard from now on.
    #[must_use]
    pub fn with_distiller(self, distiller: Box<dyn Distil>) -> Self {
        Self { distiller, ..self }
    }

    /// The same memory with another answerer than the one that quotes.
    #[must_use]
    pub fn with_answerer(self, answerer: Box<dyn Answerer>) -> Self {
        Self { answerer, ..self }
    }

    /// A stream begins: its name and the wall time of its time 0.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn begin(&mut self, start: StreamStart) -> Result<(), MemoryError> {
        self.step(&Input::Begin(start)).map(drop)
    }

    /// Something was said; what it completes is distilled and mounted before this returns.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn hear(&mut self, utterance: Utterance) -> Result<Outcome, MemoryError> {
        let spoken = utterance.rendered();
        let found = self.encoder.encode_for_search(&[&spoken])?.pop();
        self.step(&Input::heard(utterance, found.unwrap_or_default()))
    }

    /// The recording pauses; `resumes_at_unix_ms` is the wall time at which it goes on.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn pause(&mut self, resumes_at_unix_ms: Option<i64>) -> Result<(), MemoryError> {
        self.step(&Input::Break { resumes_at_unix_ms }).map(drop)
    }

    /// The input ended: what is still open is distilled and mounted.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn flush(&mut self) -> Result<(), MemoryError> {
        self.step(&Input::Flush).map(drop)
    }

    /// Answers a question, and counts what it recalled as used.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn ask(
        &mut self,
        text: &str,
        asked_by: Option<&str>,
        context_tokens: usize,
    ) -> Result<(Answer, Recall), MemoryError> {
        let encoded = self.encoder.encode_queries_for_search(&[text])?.pop();
        let asked_by = asked_by.map(str::to_owned);
        let question = Question::new(text, encoded.unwrap_or_default(), asked_by);
        let recall = self.session.recall(&question, context_tokens);
        let answer = self.answerer.answer(&question, &recall);
        let (nodes, session_ms) = (recall.nodes.clone(), recall.session_ms);
        self.session.apply(&Input::Recalled { nodes, session_ms })?;
        Ok((answer, recall))
    }

    /// Pins a unit, so that it is neither forgotten nor shortened, or lets it go.
    ///
    /// # Errors
    /// [`MemoryError::Input`] when there is no such unit, or pins already take their part of a
    /// budget.
    pub fn pin(&mut self, node: NodeId, pinned: bool) -> Result<(), MemoryError> {
        self.step(&Input::Pin { node, pinned }).map(drop)
    }

    /// Sets the words of a unit right; its proof still says what was heard.
    ///
    /// # Errors
    /// [`MemoryError`] when there is no such unit, the words are none or too many.
    pub fn edit(&mut self, node: NodeId, text: &str) -> Result<(), MemoryError> {
        let input = self.session.editing(node, text, self.encoder.as_ref())?;
        self.step(&input).map(drop)
    }

    /// Sets other budgets, and fits the memory to them before it returns.
    ///
    /// # Errors
    /// [`MemoryError::Input`] when one is out of range, or too small for what is pinned.
    pub fn set_budgets(&mut self, budgets: Budgets) -> Result<Outcome, MemoryError> {
        self.step(&Input::Budget(budgets))
    }

    /// Erases everything that traces back to the targets; nothing of it can be recalled after.
    ///
    /// # Errors
    /// [`MemoryError`] when a target is nowhere.
    pub fn erase(&mut self, targets: &[Target]) -> Result<Erased, MemoryError> {
        let erasure = self
            .session
            .erasure(targets, Some(self.encoder.as_ref()), None)?;
        let outcome = self.step(&Input::Erase(Box::new(erasure)))?;
        Ok(outcome.erased.unwrap_or_default())
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The distiller, for what it counted.
    #[must_use]
    pub fn distiller(&self) -> &dyn Distil {
        self.distiller.as_ref()
    }

    /// Gives the session back.
    #[must_use]
    pub fn into_session(self) -> Session {
        self.session
    }

    fn step(&mut self, input: &Input) -> Result<Outcome, MemoryError> {
        let mut outcome = self.session.apply(input)?;
        while let Some(block) = self.session.next_block() {
            let distillate = self.distiller.distil(&block, self.encoder.as_ref())?;
            outcome.mounted = self
                .session
                .apply(&Input::Mount(Box::new(distillate)))?
                .mounted;
        }
        Ok(outcome)
    }
}
