//! A conversation with a memory: what its user says is stored, answered, or forgotten.

use crate::embed::{Memory, MemoryError};
use crate::pipeline::{Answered, Change, ServiceError};
use weir_api::{Heard, Receipt};
use weir_core::answer::AnswerText;
use weir_core::conversation::{Conversation, ForgetTarget, Intent};
use weir_core::session::{InputError, Target};
use weir_core::stream::{Span, StreamStart, Utterance};

/// What became of a turn.
#[derive(Debug)]
pub enum Reply {
    /// A question, with its answer.
    Answered {
        /// The question as it was searched for, if the turn left something to those before.
        understood: Option<String>,
        /// The answer; it may ask back, and then the next turn decides.
        answered: Box<Answered>,
    },
    /// It was stored.
    Stored,
    /// It was thanks or a farewell: there is nothing to store.
    SmallTalk,
    /// It was stored to be kept: no budget forgets it. If pinned statements have filled their share
    /// of the budget, it is stored like all else, and this says why it is not pinned.
    Remembered {
        /// Why it is not pinned.
        unpinned: Option<String>,
    },
    /// To forget these is asked for; the next turn decides.
    Confirm(Vec<ForgetTarget>),
    /// Nothing held says what is to be forgotten.
    NothingToForget,
    /// It was erased, also from every file.
    Erased(Box<Receipt>),
    /// What the user told last was erased, and other words stored in its place.
    Corrected {
        /// What was erased.
        before: Vec<ForgetTarget>,
        /// Where it was erased.
        receipt: Box<Receipt>,
    },
    /// The user had told nothing before that could be corrected. The new words were stored.
    NothingToCorrect,
    /// Nothing was erased, as the user wished.
    Kept,
    /// It was neither yes nor no, so nothing was erased yet.
    Unclear,
}

/// Turns of one user with a memory. Every turn is stored, except requests to forget, thanks and
/// farewells; its request decides only the reply.
pub struct Chat {
    memory: Memory,
    talk: Conversation,
    /// The stream of what is stored.
    start: StreamStart,
    /// When it began, in milliseconds of the conversation; `None` before the first turn is stored.
    began_ms: Option<u64>,
    /// Streams that were open before the conversation, and how far they were heard: one of which
    /// more was heard since belongs to a client beside it.
    before: Vec<(String, u64)>,
}

impl Chat {
    /// A conversation with a user; what it stores becomes the stream `start`.
    #[must_use]
    pub fn new(memory: Memory, user: impl Into<String>, start: StreamStart) -> Self {
        let session = memory.session();
        Self {
            before: session
                .streams()
                .map(|it| (it.name.clone(), it.heard_ms))
                .collect(),
            memory,
            talk: Conversation::new(user),
            start,
            began_ms: None,
        }
    }

    /// Takes a turn that was said or typed so many milliseconds after the conversation began.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn turn(&mut self, text: &str, at_ms: u64) -> Result<Reply, MemoryError> {
        self.turn_showing(text, at_ms, &mut |_| ())
    }

    /// As [`Self::turn`]; `show` gets the text of an answer while a model writes it. The reply that
    /// is returned counts.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn turn_showing(
        &mut self,
        text: &str,
        at_ms: u64,
        show: &mut dyn FnMut(AnswerText),
    ) -> Result<Reply, MemoryError> {
        match self.talk.turn(text) {
            Intent::Ask { question } => self.ask((text, at_ms), question, show),
            Intent::Tell => self.tell(text, at_ms).map(|_| Reply::Stored),
            Intent::SmallTalk => Ok(Reply::SmallTalk),
            Intent::Remember => self.remember(text, at_ms),
            Intent::Forget(about) => {
                let found = self.memory.session().saying(&about, self.talk.user());
                Ok(self.confirm(found))
            }
            Intent::ForgetLast(targets) => {
                let found = self.memory.session().said_in(&targets);
                Ok(self.confirm(found))
            }
            Intent::Correct { words, last } => self.correct(&words, &last, at_ms),
            Intent::Erase(targets) => {
                let receipt = self.memory.erase(&targets)?;
                Ok(Reply::Erased(Box::new(receipt)))
            }
            Intent::Keep => Ok(Reply::Kept),
            Intent::Unclear => Ok(Reply::Unclear),
        }
    }

    fn ask(
        &mut self,
        (text, at_ms): (&str, u64),
        question: String,
        show: &mut dyn FnMut(AnswerText),
    ) -> Result<Reply, MemoryError> {
        let user = Some(self.talk.user());
        let answered = self.memory.ask_showing(&question, user, show)?;
        // stored after the answer, which would quote it otherwise
        self.store(text, at_ms)?;
        let (answer, recall) = (&answered.answer, &answered.recall);
        self.talk.answered(&question, answer, recall);
        Ok(Reply::Answered {
            understood: (!text.contains(&question)).then_some(question),
            answered: Box::new(answered),
        })
    }

    /// Stores a turn that "that" may refer to.
    fn tell(&mut self, text: &str, at_ms: u64) -> Result<Option<String>, MemoryError> {
        let id = self.store(text, at_ms)?;
        if let Some(id) = &id {
            self.talk.stored(text, &self.start.name, id);
        }
        Ok(id)
    }

    /// Stores a turn; its id. A turn without words has none.
    fn store(&mut self, text: &str, at_ms: u64) -> Result<Option<String>, MemoryError> {
        if self.began_ms.is_none() {
            self.begin(0)?;
        }
        let heard = match self.hear(text, at_ms) {
            // a client that began a stream alone has ended this one
            Err(ServiceError::Input(
                InputError::NoStream { .. } | InputError::OtherStream { .. },
            )) => {
                self.begin(at_ms)?;
                self.hear(text, at_ms)
            }
            heard => heard,
        };
        match heard {
            Err(ServiceError::Input(InputError::NoWords { .. })) => Ok(None),
            heard => Ok(heard?.ids.into_iter().next()),
        }
    }

    fn hear(&self, text: &str, at_ms: u64) -> Result<Heard, ServiceError> {
        let said = Utterance {
            stream: self.start.name.clone(),
            ..Utterance::new(self.talk.user(), text)
        };
        let at_ms = at_ms.saturating_sub(self.began_ms.unwrap_or(0));
        // the first millisecond would count as no time at all
        let said = said.at(Span::new(at_ms, at_ms.max(1)));
        self.memory.handle().hear([said], None)
    }

    /// Begins the stream beside those of clients; those that nobody uses any more end.
    fn begin(&mut self, at_ms: u64) -> Result<(), ServiceError> {
        let (handle, session) = (self.memory.handle(), self.memory.session());
        let is_left = |(name, heard_ms): &(String, u64)| {
            let open = session.open_stream(name);
            open.is_some_and(|it| it.heard_ms == *heard_ms)
        };
        for (left, _) in std::mem::take(&mut self.before).into_iter().filter(is_left) {
            handle.change(Change::End(left), None)?;
        }
        let unix_ms = self.start.started_at_unix_ms;
        let start = StreamStart {
            beside: true,
            started_at_unix_ms: unix_ms.map(|it| it.saturating_add_unsigned(at_ms)),
            ..self.start.clone()
        };
        handle.change(Change::Begin(start), None)?;
        self.began_ms = Some(at_ms);
        Ok(())
    }

    fn remember(&mut self, text: &str, at_ms: u64) -> Result<Reply, MemoryError> {
        let Some(id) = self.tell(text, at_ms)? else {
            return Ok(Reply::Stored);
        };
        // only what is distilled can be pinned
        self.memory.flush()?;
        let unpinned = self.memory.pin_said(&self.start.name, &id)?;
        Ok(Reply::Remembered { unpinned })
    }

    /// Stores the corrected words, then erases what the user told last.
    fn correct(&mut self, words: &str, last: &[Target], at_ms: u64) -> Result<Reply, MemoryError> {
        let before = self.memory.session().said_in(last);
        self.tell(words, at_ms)?;
        if before.is_empty() {
            return Ok(Reply::NothingToCorrect);
        }
        let receipt = Box::new(self.memory.erase(last)?);
        Ok(Reply::Corrected { before, receipt })
    }

    fn confirm(&mut self, found: Vec<ForgetTarget>) -> Reply {
        if found.is_empty() {
            return Reply::NothingToForget;
        }
        let targets = found.iter().map(|it| it.target.clone());
        self.talk.confirm(targets.collect());
        Reply::Confirm(found)
    }

    /// Ends the conversation: what it stored is distilled. Returns its memory.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn end(self) -> Result<Memory, MemoryError> {
        self.memory.flush()?;
        Ok(self.memory)
    }
}
