//! A conversation with a memory: what its user says is stored, answered, or forgotten.

use crate::embed::{Memory, MemoryError};
use crate::store::Receipt;
use weir_core::answer::{Answer, AnswerCheck, CheckError, Recall};
use weir_core::conversation::{Conversation, Intent, ToForget};
use weir_core::session::Target;
use weir_core::stream::{Span, StreamStart, Utterance};

/// What became of a turn.
#[derive(Debug)]
pub enum Reply {
    /// A question, with its answer.
    Answered {
        /// The question as it was searched for, if the turn left something to those before.
        understood: Option<String>,
        /// Whether the turn was stored as well.
        stored: bool,
        /// The answer; it may ask back, and then the next turn decides.
        answer: Box<Answer>,
        /// What it was made of.
        recall: Box<Recall>,
        /// Why the requested reranking did not happen.
        not_reranked: Option<String>,
        /// The check of its claims, or why it failed; `None` without [`Memory::with_check`].
        check: Option<Result<AnswerCheck, CheckError>>,
    },
    /// It was stored.
    Stored,
    /// It was stored to be kept: no budget forgets it. If pinned statements have filled their share
    /// of the budget, it is stored like all else, and this says why it is not pinned.
    Remembered {
        /// Why it is not pinned.
        unpinned: Option<String>,
    },
    /// To forget these is asked for; the next turn decides.
    Confirm(Vec<ToForget>),
    /// Nothing held says what is to be forgotten.
    NothingToForget,
    /// It was erased, also from every file.
    Erased(Box<Receipt>),
    /// Nothing was erased, as the user wished.
    Kept,
    /// It was neither yes nor no, so nothing was erased yet.
    Unclear,
    /// Small talk: nothing was stored and nothing searched for.
    Nothing,
}

/// Turns of one user with a memory.
pub struct Chat {
    /// `None` after an erasure that failed.
    memory: Option<Memory>,
    talk: Conversation,
    /// The stream of what is stored, until the first turn is.
    start: Option<StreamStart>,
    /// Whether something was stored and not distilled.
    undistilled: bool,
}

impl Chat {
    /// A conversation with a user; what it stores becomes the stream `start`. Answers are checked
    /// if the memory was given a check ([`Memory::with_check`]).
    #[must_use]
    pub fn new(memory: Memory, user: impl Into<String>, start: StreamStart) -> Self {
        Self {
            memory: Some(memory),
            talk: Conversation::new(user),
            start: Some(start),
            undistilled: false,
        }
    }

    /// Takes a turn that was said or typed so many milliseconds after the conversation began.
    ///
    /// # Errors
    /// [`MemoryError`]. After a failed erasure the memory is closed: [`MemoryError::Closed`] from
    /// then on.
    pub fn turn(&mut self, text: &str, at_ms: u64) -> Result<Reply, MemoryError> {
        match self.talk.turn(text) {
            Intent::Ask { question, store } => self.ask(text, question, store, at_ms),
            Intent::Store => self.store(text, at_ms).map(|_| Reply::Stored),
            Intent::Remember => self.remember(text, at_ms),
            Intent::Forget(about) => {
                let user = self.talk.user().to_owned();
                let found = self.memory()?.session().saying(&about, &user);
                Ok(self.confirm(found))
            }
            Intent::ForgetLast(targets) => {
                let found = self.memory()?.session().said_in(&targets);
                Ok(self.confirm(found))
            }
            Intent::Erase(targets) => self.erase(&targets),
            Intent::Keep => Ok(Reply::Kept),
            Intent::Unclear => Ok(Reply::Unclear),
            Intent::Nothing => Ok(Reply::Nothing),
        }
    }

    fn ask(
        &mut self,
        text: &str,
        question: String,
        store: bool,
        at_ms: u64,
    ) -> Result<Reply, MemoryError> {
        let user = self.talk.user().to_owned();
        // beliefs and profiles are made of blocks that are distilled
        self.distil()?;
        let asked = self.memory()?.ask_checked(&question, Some(&user))?;
        // stored after the answer, which would quote it otherwise
        if store {
            self.store(text, at_ms)?;
        }
        self.talk.answered(&question, &asked.answer, &asked.recall);
        Ok(Reply::Answered {
            understood: (!text.contains(&question)).then_some(question),
            stored: store,
            answer: Box::new(asked.answer),
            recall: Box::new(asked.recall),
            not_reranked: asked.not_reranked,
            check: asked.check,
        })
    }

    /// Stores a turn; its stream and id.
    fn store(&mut self, text: &str, at_ms: u64) -> Result<(String, String), MemoryError> {
        let said = Utterance::new(self.talk.user(), text);
        let start = self.start.take();
        let memory = self.memory()?;
        if let Some(start) = start {
            memory.begin(start.name, start.started_at_unix_ms)?;
        }
        let id = format!("u{}", memory.session().turns() + 1);
        memory.hear(Utterance {
            id: id.clone(),
            span: Span::new(at_ms, at_ms),
            ..said
        })?;
        self.undistilled = true;
        let stream = self.memory()?.session().stream().map(|it| it.name.clone());
        let stream = stream.unwrap_or_default();
        self.talk.stored(text, &stream, &id);
        Ok((stream, id))
    }

    fn remember(&mut self, text: &str, at_ms: u64) -> Result<Reply, MemoryError> {
        let (stream, id) = self.store(text, at_ms)?;
        self.distil()?;
        let unpinned = self.memory()?.pin_said(&stream, &id)?;
        Ok(Reply::Remembered { unpinned })
    }

    fn confirm(&mut self, found: Vec<ToForget>) -> Reply {
        if found.is_empty() {
            return Reply::NothingToForget;
        }
        let targets = found.iter().map(|it| it.target.clone());
        self.talk.confirm(targets.collect());
        Reply::Confirm(found)
    }

    fn erase(&mut self, targets: &[Target]) -> Result<Reply, MemoryError> {
        let memory = self.memory.take().ok_or(MemoryError::Closed)?;
        let (memory, receipt) = memory.erase(targets)?;
        self.memory = Some(memory);
        Ok(Reply::Erased(Box::new(receipt)))
    }

    fn memory(&mut self) -> Result<&mut Memory, MemoryError> {
        self.memory.as_mut().ok_or(MemoryError::Closed)
    }

    /// Ends the conversation: what it stored is distilled. Returns its memory.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn end(mut self) -> Result<Memory, MemoryError> {
        self.distil()?;
        self.memory.ok_or(MemoryError::Closed)
    }

    /// Distils what was stored since it was last distilled.
    fn distil(&mut self) -> Result<(), MemoryError> {
        if std::mem::take(&mut self.undistilled) {
            self.memory()?.flush()?;
        }
        Ok(())
    }
}
