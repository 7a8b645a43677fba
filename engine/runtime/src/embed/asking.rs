//! Answers questions from a memory, and checks the answers.

use super::error::MemoryError;
use super::memory::Memory;
use crate::pipeline::Stopwatch;
use std::sync::Arc;
use std::time::Duration;
use weir_core::answer::{Answer, AnswerCheck, Answerer, CheckClaim, CheckError, Recall};
use weir_core::ask::{Asker, checked, persona};
use weir_core::character::Character;
use weir_core::driver::Asking;
use weir_core::transcript::Transcript;
use weir_models::Rerank;

/// An answer with what it was made of, and its check.
#[derive(Debug, Clone)]
pub struct AskedMemory {
    /// The answer.
    pub answer: Answer,
    /// What it was made of, such as a context for a model of the caller's.
    pub recall: Recall,
    /// Why the requested reranking did not happen.
    pub not_reranked: Option<String>,
    /// The check of its claims, or why it failed; `None` without [`Memory::with_check`].
    pub check: Option<Result<AnswerCheck, CheckError>>,
}

impl Memory {
    /// Sets the answerer; the default one quotes.
    #[must_use]
    pub fn with_answerer(self, answerer: Box<dyn Answerer>) -> Self {
        Self {
            driver: self.driver.with_answerer(answerer),
            ..self
        }
    }

    /// Checks the claims of every answer against the statements found, those cited, and what the
    /// asker said of themselves. The check changes no answer; [`Self::ask_checked`] returns it.
    /// [`LexicalCheck`](weir_core::answer::LexicalCheck) needs no model:
    ///
    /// ```
    /// use weir_engine::core::answer::LexicalCheck;
    /// use weir_engine::{Memory, Utterance, WordHashEncoder};
    ///
    /// let memory = Memory::builder(WordHashEncoder::new()).in_memory()?;
    /// let mut memory = memory.with_check(Box::new(LexicalCheck));
    /// memory.hear(Utterance::new("Ana", "The keys of the cabin hang behind the stove."))?;
    /// let asked = memory.ask_checked("Where are the keys of the cabin?", None)?;
    /// let check = asked.check.expect("it is set")?;
    /// assert_eq!(check.shares.found.ratio(), Some(1.0), "all claims are supported");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_check(mut self, check: Box<dyn CheckClaim>) -> Self {
        self.options.check = Some(check);
        self
    }

    /// Has a character answer; its memories fade, and each answer strengthens those it recalls.
    #[must_use]
    pub fn with_character(mut self, character: Character) -> Self {
        self.options.character = Some(character);
        self
    }

    /// Tokens of the asker's profile that every question gets; by default none, and only questions
    /// that concern the asker get it.
    #[must_use]
    pub fn with_profile_tokens(mut self, tokens: usize) -> Self {
        self.options.profile_tokens = tokens;
        self
    }

    /// Reranks the best statements and passages found; after the time limit they keep their order.
    #[must_use]
    pub fn with_reranker(mut self, reranker: Arc<dyn Rerank>, limit: Duration) -> Self {
        self.options.reranker = Some((reranker, limit));
        self
    }

    /// Answers a question, and records the access, so that the statements used are kept longer.
    ///
    /// # Errors
    /// [`MemoryError`] if the question cannot be encoded or the access cannot be stored.
    pub fn ask(&mut self, question: &str) -> Result<Answer, MemoryError> {
        Ok(self.answer(question, None)?.answer)
    }

    /// As [`Self::ask`], with the asker's name for "I" and "my". Also returns what the answer was
    /// made of, such as a context for a model of the caller's, and its check, if one is set with
    /// [`Self::with_check`]. A check that fails leaves the answer as it is.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn ask_checked(
        &mut self,
        question: &str,
        asked_by: Option<&str>,
    ) -> Result<AskedMemory, MemoryError> {
        let mut asked = self.answer(question, asked_by)?;
        if let Some(check) = &mut self.options.check {
            let own = persona(self.driver.session(), asked_by);
            let asker = Asker {
                name: asked_by,
                persona: &own,
            };
            let done = checked(&asked.answer, &asked.recall, asker, check.as_mut());
            asked.check = Some(done);
        }
        Ok(asked)
    }

    /// The answer, not checked.
    fn answer(
        &mut self,
        question: &str,
        asked_by: Option<&str>,
    ) -> Result<AskedMemory, MemoryError> {
        let transcript = self.driver.inner().transcript();
        let options = &self.options;
        let (reranker, limit) = options.reranker.as_ref().map_or_else(
            || (None, Duration::MAX),
            |(reranker, limit)| (Some(reranker.as_ref()), *limit),
        );
        let asking = Asking {
            asked_by,
            context_tokens: options.context_tokens,
            profile_tokens: options.profile_tokens,
            character: options.character.as_ref(),
            reranker,
            transcript: transcript.as_deref().map(|it| it as &dyn Transcript),
        };
        let mut watch = Stopwatch::started(limit);
        let asked = self.driver.ask_with(question, asking, &mut watch)?;
        self.written()?;
        Ok(AskedMemory {
            answer: asked.answer,
            recall: asked.recall,
            not_reranked: asked.not_reranked,
            check: None,
        })
    }
}
