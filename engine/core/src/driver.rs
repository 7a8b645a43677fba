//! Drives a session with its encoder and distiller, step by step on the caller's thread.
//!
//! Every call returns when its work is done, so a question sees everything said before it,
//! distilled and mounted. It opens no file, reads no clock and starts no thread. To store a
//! session, implement [`InputSink`] and use that in place of the [`Session`].

use crate::answer::{Answer, Answerer, QuestionTime, Quote, Recall};
use crate::ask::{AnswerWithRecall, AskContext, QuestionText, Watch, ask};
use crate::character::Character;
use crate::config::{ConfigError, SessionConfig};
use crate::distil::{Distil, DistilError, Extractive};
use crate::limits;
use crate::memory::NodeId;
use crate::session::{
    Budgets, EncoderStamp, EraseError, Erased, Erasure, Input, InputError, NamingError, Outcome,
    Session, SpeakerChange, SpeakerNames, Target,
};
use crate::stream::{StreamStart, Utterance};
use crate::talk::split;
use crate::transcript::Transcript;
use std::sync::Arc;
use weir_models::{CountTokens, Encode, EncodeError, Rerank};

/// A session that takes inputs, alone or with its storage.
pub trait InputSink {
    /// The session as it is now.
    fn session(&self) -> &Session;

    /// Applies an input.
    ///
    /// # Errors
    /// [`InputError`]; then nothing was changed.
    fn apply(&mut self, input: Input) -> Result<Outcome, InputError>;
}

impl InputSink for Session {
    fn session(&self) -> &Session {
        self
    }

    fn apply(&mut self, input: Input) -> Result<Outcome, InputError> {
        Self::apply(self, &input)
    }
}

/// Why a step of a [`Driver`] failed.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The session refused the input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The encoder failed.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The erasure failed.
    #[error(transparent)]
    Erase(#[from] EraseError),
    /// The distiller failed.
    #[error(transparent)]
    Distil(#[from] DistilError),
}

/// Options of a question to a [`Driver`].
#[derive(Clone, Copy)]
pub struct AskOptions<'a> {
    /// The asker's name, for "I" and "my".
    pub asked_by: Option<&'a str>,
    /// Tokens of memory given to the answerer.
    pub context_tokens: usize,
    /// Tokens of the asker's profile in every context; 0 for one only where it is asked for.
    pub profile_tokens: usize,
    /// The character who answers, if there is one.
    pub character: Option<&'a Character>,
    /// Reranks the best candidates, if there is one.
    pub reranker: Option<&'a dyn Rerank>,
    /// The transcript for looking up words, if one is kept.
    pub transcript: Option<&'a dyn Transcript>,
}

impl Default for AskOptions<'_> {
    fn default() -> Self {
        Self {
            asked_by: None,
            context_tokens: limits::CONTEXT_TOKENS_DEFAULT,
            profile_tokens: 0,
            character: None,
            reranker: None,
            transcript: None,
        }
    }
}

/// A memory driven on the caller's thread.
pub struct Driver<S = Session> {
    session: S,
    encoder: Arc<dyn Encode>,
    distiller: Box<dyn Distil>,
    answerer: Box<dyn Answerer>,
}

impl Driver {
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
}

impl<S: InputSink> Driver<S> {
    /// Continues a session; its vectors must come from `encoder`.
    #[must_use]
    pub fn around(session: S, encoder: Arc<dyn Encode>) -> Self {
        Self {
            session,
            encoder,
            distiller: Box::new(Extractive),
            answerer: Box::new(Quote),
        }
    }

    /// Sets the distiller for what is heard from now on.
    #[must_use]
    pub fn with_distiller(self, distiller: Box<dyn Distil>) -> Self {
        Self { distiller, ..self }
    }

    /// Sets the answerer; the default one quotes.
    #[must_use]
    pub fn with_answerer(self, answerer: Box<dyn Answerer>) -> Self {
        Self { answerer, ..self }
    }

    /// Begins a stream: its name and the wall time of its time 0.
    ///
    /// # Errors
    /// [`DriverError`].
    pub fn begin(&mut self, start: StreamStart) -> Result<(), DriverError> {
        self.step(Input::Begin(start)).map(drop)
    }

    /// Takes in an utterance; blocks it completes are distilled and mounted before this returns. A
    /// long utterance is taken in parts; the outcome is that of the last one.
    /// # Errors
    /// [`DriverError`]; of a long utterance, earlier parts may have been taken in.
    pub fn hear(&mut self, utterance: Utterance) -> Result<Outcome, DriverError> {
        let id = utterance.id.clone();
        let session = self.session.session();
        let tokens_max = session.config().raw_limits().utterance;
        let encoder = self.encoder.as_ref();
        let names = session.speaker_names();
        let parts = heard_parts(utterance, names, tokens_max, session.counter(), encoder)?;
        let mut outcome = Err(InputError::NoWords { id }.into());
        for part in parts {
            outcome = Ok(self.take_in(part)?);
        }
        outcome
    }

    /// Records a pause; `resumes_at_unix_ms` is the wall time when the recording resumes.
    ///
    /// # Errors
    /// [`DriverError`].
    pub fn pause(&mut self, resumes_at_unix_ms: Option<i64>) -> Result<(), DriverError> {
        let pause = Input::Break {
            resumes_at_unix_ms,
            stream: None,
        };
        self.step(pause).map(drop)
    }

    /// Ends the input: open blocks are distilled and mounted.
    ///
    /// # Errors
    /// [`DriverError`].
    pub fn flush(&mut self) -> Result<(), DriverError> {
        self.step(Input::Flush).map(drop)
    }

    /// Answers a question, and records the access to what was recalled.
    ///
    /// # Errors
    /// [`DriverError`].
    pub fn ask(
        &mut self,
        text: &str,
        asked_by: Option<&str>,
        context_tokens: usize,
    ) -> Result<(Answer, Recall), DriverError> {
        let asking = AskOptions {
            asked_by,
            context_tokens,
            ..AskOptions::default()
        };
        let asked = self.ask_with(text, asking, &mut ())?;
        Ok((asked.answer, asked.recall))
    }

    /// As [`Self::ask`], with all that a question may be given; `watch` keeps the time of a
    /// reranker.
    ///
    /// # Errors
    /// [`DriverError`].
    pub fn ask_with(
        &mut self,
        text: &str,
        asking: AskOptions<'_>,
        watch: &mut dyn Watch,
    ) -> Result<AnswerWithRecall, DriverError> {
        let mut context = AskContext {
            encoder: self.encoder.as_ref(),
            index: None,
            fact_index: None,
            transcript: asking.transcript,
            profile_tokens: asking.profile_tokens,
            character: asking.character,
            window: None,
            reranker: asking.reranker,
            answerer: self.answerer.as_mut(),
        };
        let session = self.session.session();
        let question = QuestionText {
            text,
            asked_by: asking.asked_by,
            at: &QuestionTime::default(),
        };
        let tokens = asking.context_tokens;
        let asked = ask(session, &mut context, question, tokens, watch)?;
        if let Some(access) = asked.recall.access_input(&asked.answer) {
            self.session.apply(access)?;
        }
        Ok(asked)
    }

    /// Pins a unit, so that it is neither forgotten nor shortened.
    ///
    /// # Errors
    /// [`DriverError::Input`] if there is no such unit, or pinned units already fill their share of
    /// a budget.
    pub fn pin(&mut self, node: NodeId) -> Result<(), DriverError> {
        let pinned = true;
        self.step(Input::Pin { node, pinned }).map(drop)
    }

    /// Lets a pinned unit be forgotten again.
    ///
    /// # Errors
    /// [`DriverError::Input`] if there is no such unit.
    pub fn unpin(&mut self, node: NodeId) -> Result<(), DriverError> {
        let pinned = false;
        self.step(Input::Pin { node, pinned }).map(drop)
    }

    /// Edits the words of a unit; its evidence keeps the words as heard.
    ///
    /// # Errors
    /// [`DriverError`] if there is no such unit, or the new words are empty or too long.
    pub fn edit(&mut self, node: NodeId, text: &str) -> Result<(), DriverError> {
        let session = self.session.session();
        let input = session.editing(node, text, self.encoder.as_ref())?;
        self.step(input).map(drop)
    }

    /// Changes the name of a speaker, also in what was said before. Encodes all that the speaker
    /// said again; statements kept as key words are read from `transcript`.
    ///
    /// # Errors
    /// [`DriverError::Input`] if nobody is called that, or the name is taken or none.
    pub fn change_speaker(
        &mut self,
        change: SpeakerChange,
        transcript: Option<&dyn Transcript>,
    ) -> Result<Outcome, DriverError> {
        let input = self.naming(change, transcript)?;
        self.step(input)
    }

    /// The input of [`Self::change_speaker`].
    ///
    /// # Errors
    /// As there.
    pub fn naming(
        &self,
        change: SpeakerChange,
        transcript: Option<&dyn Transcript>,
    ) -> Result<Input, DriverError> {
        let encoder = Some(self.encoder.as_ref());
        let naming = self.session.session().naming(change, encoder, transcript);
        let naming = naming.map_err(|wrong| match wrong {
            NamingError::Speaker(wrong) => InputError::from(wrong).into(),
            NamingError::Encode(failed) => DriverError::Encode(failed),
        })?;
        Ok(Input::Speaker(Box::new(naming)))
    }

    /// Sets new budgets and enforces them before it returns.
    ///
    /// # Errors
    /// [`DriverError::Input`] if one is out of range, or too small for the pinned units.
    pub fn set_budgets(&mut self, budgets: Budgets) -> Result<Outcome, DriverError> {
        self.step(Input::Budget(budgets))
    }

    /// Erases everything derived from the targets, and the names of erased speakers; afterwards
    /// nothing of it can be recalled.
    ///
    /// # Errors
    /// [`DriverError`] if a target does not exist.
    pub fn erase(&mut self, targets: &[Target]) -> Result<Erased, DriverError> {
        let erasure = self.erasure(targets, None)?;
        let names = self.session.session().forgetting(targets);
        let outcome = self.step(Input::Erase(Box::new(erasure)))?;
        for name in names {
            self.step(name)?;
        }
        Ok(outcome.erased.unwrap_or_default())
    }

    /// Everything derived from the targets; nothing is erased yet.
    ///
    /// # Errors
    /// [`DriverError`] if a target does not exist.
    pub fn erasure(
        &self,
        targets: &[Target],
        transcript: Option<&dyn Transcript>,
    ) -> Result<Erasure, DriverError> {
        let encoder = Some(self.encoder.as_ref());
        let session = self.session.session();
        Ok(session.erasure(targets, encoder, transcript)?)
    }

    /// Distils and mounts the oldest waiting block; `None` if there is none.
    ///
    /// # Errors
    /// [`DriverError`]; then the block still waits.
    pub fn mount_next(&mut self) -> Result<Option<Outcome>, DriverError> {
        let Some(block) = self.session.session().next_block() else {
            return Ok(None);
        };
        let made = self.distiller.distil(&block, self.encoder.as_ref())?;
        Ok(Some(self.session.apply(Input::Mount(Box::new(made)))?))
    }

    /// Applies an input, then distils and mounts every waiting block.
    ///
    /// # Errors
    /// [`DriverError`].
    pub fn step(&mut self, input: Input) -> Result<Outcome, DriverError> {
        let mut outcome = self.session.apply(input)?;
        while let Some(more) = self.mount_next()? {
            outcome.mounted = more.mounted;
        }
        Ok(outcome)
    }

    /// As [`Self::step`], for a part that may have to wait until a block is mounted.
    fn take_in(&mut self, part: Input) -> Result<Outcome, DriverError> {
        match self.step(part.clone()) {
            Err(DriverError::Input(InputError::PendingFull { .. }))
                if self.mount_next()?.is_some() =>
            {
                self.step(part)
            }
            done => done,
        }
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &Session {
        self.session.session()
    }

    /// The encoder of its vectors.
    #[must_use]
    pub fn encoder(&self) -> &dyn Encode {
        self.encoder.as_ref()
    }

    /// The inner session.
    #[must_use]
    pub fn inner(&self) -> &S {
        &self.session
    }

    /// The inner session, for its storage.
    pub fn inner_mut(&mut self) -> &mut S {
        &mut self.session
    }

    /// Returns the inner session.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.session
    }

    /// The distiller, for its counts.
    #[must_use]
    pub fn distiller(&self) -> &dyn Distil {
        self.distiller.as_ref()
    }

    /// The distiller, for its last failure.
    pub fn distiller_mut(&mut self) -> &mut dyn Distil {
        self.distiller.as_mut()
    }
}

/// The inputs of one utterance: its parts of at most `tokens_max` tokens each, each with its
/// vector. An utterance without words gives none. Tokens and vectors are those under the speaker's
/// name; the inputs keep the label.
///
/// # Errors
/// [`EncodeError`].
pub fn heard_parts(
    utterance: Utterance,
    names: &SpeakerNames,
    tokens_max: usize,
    counter: &dyn CountTokens,
    encoder: &dyn Encode,
) -> Result<Vec<Input>, EncodeError> {
    let label = utterance.speaker.clone();
    let speaker = label.as_deref().map(|it| names.current(it).to_owned());
    let named = Utterance {
        speaker,
        ..utterance
    };
    split(named, tokens_max, counter)
        .into_iter()
        .map(|part| {
            let found = encoder.encode_for_search(&[&part.rendered()])?.pop();
            let part = Utterance {
                speaker: label.clone(),
                ..part
            };
            Ok(Input::heard(part, found.unwrap_or_default()))
        })
        .collect()
}
