//! The inline driver: one thread, one item after the other, everything mounted before the next.
//!
//! `--pace max` and the tests run on it. It reads the clock only to measure. Invariant: the same
//! feed and the same session give the same session and the same answers, byte for byte.

use super::ask::{AskContext, AskSettings, Learn, ask_by};
use super::error::PipelineError;
use super::event::{Event, Progress};
use super::feed::{AskRequest, Feed, FeedItem, Notice};
use super::meters::{Meters, micros};
use super::session_writer::SessionWriter;
use super::split::split;
use super::stages::Failures;
use super::stop::Stop;
use std::sync::Arc;
use std::time::Instant;
use weir_core::answer::{Answerer, Quote};
use weir_core::distil::Distil;
use weir_core::session::{Input, InputError, Session};
use weir_core::stream::Utterance;
use weir_models::{Encode, Rerank};

/// A memory at work, without threads.
pub struct Lockstep {
    session_writer: SessionWriter,
    encoder: Arc<dyn Encode>,
    distiller: Box<dyn Distil>,
    answerer: Box<dyn Answerer>,
    reranker: Option<Arc<dyn Rerank>>,
    settings: AskSettings,
    meters: Meters,
    turns: u64,
    said: Vec<Utterance>,
}

/// What a finished run leaves.
pub struct Finished {
    /// The session as it was saved.
    pub session: Session,
    /// What was measured.
    pub meters: Meters,
    /// Utterances heard.
    pub turns: u64,
    /// What the feed read.
    pub figures: super::FeedFigures,
}

impl Lockstep {
    /// A memory with its encoder and distiller.
    #[must_use]
    pub fn new(
        session_writer: SessionWriter,
        encoder: Arc<dyn Encode>,
        distiller: Box<dyn Distil>,
        settings: AskSettings,
    ) -> Self {
        Self {
            session_writer,
            encoder,
            distiller,
            answerer: Box::new(Quote),
            reranker: None,
            settings,
            meters: Meters::default(),
            turns: 0,
            said: Vec::new(),
        }
    }

    /// The same with another answerer than the one that quotes.
    #[must_use]
    pub fn with_answerer(self, answerer: Box<dyn Answerer>) -> Self {
        Self { answerer, ..self }
    }

    /// The same with a reranker.
    #[must_use]
    pub fn with_reranker(self, reranker: Option<Arc<dyn Rerank>>) -> Self {
        Self { reranker, ..self }
    }

    /// Works a feed through to its end, or until `stop` is set, and saves.
    ///
    /// # Errors
    /// The first [`PipelineError`]; what was saved before stays saved.
    pub fn run(
        mut self,
        feed: &mut dyn Feed,
        stop: &Stop,
        tell: &mut dyn FnMut(Event),
    ) -> Result<Finished, PipelineError> {
        let (mut notices, mut failures) = (Vec::new(), Failures::default());
        loop {
            let fed = feed.next(stop, &mut notices);
            for notice in notices.drain(..) {
                tell(Event::Notice(notice));
            }
            let Some(fed) = fed else { break };
            self.step(fed, tell)?;
            self.session_writer.commit_if_due(&mut self.said)?;
            self.tell_said(tell);
            for notice in failures.of(self.distiller.as_mut()) {
                tell(Event::Notice(notice));
            }
            tell(Event::Progress(self.progress(feed)));
        }
        self.meters.distilled = self.distiller.counts();
        let figures = feed.figures();
        let session = self.session_writer.close(&mut self.said)?;
        for utterance in self.said.drain(..) {
            tell(Event::Heard(Box::new(utterance)));
        }
        Ok(Finished {
            session,
            meters: self.meters,
            turns: self.turns,
            figures,
        })
    }

    fn progress(&self, feed: &dyn Feed) -> Progress {
        let session = self.session_writer.session();
        Progress {
            figures: feed.figures(),
            total: feed.total(),
            turns: self.turns,
            tokens: session.tree().tokens() as u64,
            budget_tokens: session.config().budget_tokens as u64,
        }
    }

    fn tell_said(&mut self, tell: &mut dyn FnMut(Event)) {
        for problem in self.session_writer.transcript_problems() {
            tell(Event::Notice(Notice::Warning(problem)));
        }
        for utterance in self.said.drain(..) {
            tell(Event::Heard(Box::new(utterance)));
        }
    }

    fn step(&mut self, fed: FeedItem, tell: &mut dyn FnMut(Event)) -> Result<(), PipelineError> {
        match fed {
            FeedItem::Heard(utterance) => self.hear(*utterance, tell),
            FeedItem::Ask(asking) => self.ask(&asking, tell),
            FeedItem::Idle => Ok(()),
            FeedItem::Begin(start) => self.change(Input::Begin(start)),
            FeedItem::Break { resumes_at_unix_ms } => {
                self.change(Input::Break { resumes_at_unix_ms })
            }
            FeedItem::End { whole } => {
                self.change(Input::Flush)?;
                match whole {
                    Some(whole) => self
                        .session_writer
                        .remember(whole.input, &whole.stream, &mut self.said),
                    None => Ok(()),
                }
            }
        }
    }

    fn change(&mut self, input: Input) -> Result<(), PipelineError> {
        self.session_writer.apply(input)?;
        while self.mount()? {}
        Ok(())
    }

    /// Distils and mounts the oldest waiting block; whether there was one.
    fn mount(&mut self) -> Result<bool, PipelineError> {
        let Some(block) = self.session_writer.session().next_block() else {
            return Ok(false);
        };
        let started = Instant::now();
        let distillate = self.distiller.distil(&block, self.encoder.as_ref())?;
        self.meters.distil_us.record(micros(started.elapsed()));
        self.session_writer
            .apply(Input::Mount(Box::new(distillate)))?;
        Ok(true)
    }

    fn hear(
        &mut self,
        utterance: Utterance,
        tell: &mut dyn FnMut(Event),
    ) -> Result<(), PipelineError> {
        let started = Instant::now();
        let session = self.session_writer.session();
        let tokens_max = session.config().raw_limits().utterance;
        let parts = split(utterance, tokens_max, session.counter());
        let heard = !parts.is_empty();
        for part in parts {
            let spoken = part.rendered();
            let found = self.encoder.encode_for_search(&[&spoken])?.pop();
            self.take_in(Input::heard(part, found.unwrap_or_default()), tell)?;
            while self.mount()? {}
        }
        if heard {
            self.turns += 1;
            self.meters.ingested(started.elapsed());
        }
        Ok(())
    }

    fn take_in(&mut self, input: Input, tell: &mut dyn FnMut(Event)) -> Result<(), PipelineError> {
        let refused = match self.session_writer.apply(input.clone()) {
            Err(InputError::PendingFull { .. }) if self.mount()? => {
                self.session_writer.apply(input)
            }
            outcome => outcome,
        };
        match refused {
            Ok(_) => Ok(()),
            Err(error) if is_about_the_words(&error) => {
                tell(Event::Notice(Notice::Warning(format!(
                    "{error}; it was left out"
                ))));
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    fn ask(
        &mut self,
        asking: &AskRequest,
        tell: &mut dyn FnMut(Event),
    ) -> Result<(), PipelineError> {
        // what was said before the question is told before its answer
        self.session_writer.commit(&mut self.said)?;
        self.tell_said(tell);
        let transcript = self.session_writer.transcript();
        let mut means = AskContext {
            transcript: transcript.as_deref(),
            encoder: self.encoder.as_ref(),
            index: None,
            reranker: self.reranker.as_deref(),
            answerer: self.answerer.as_mut(),
        };
        let answered = ask_by(
            self.session_writer.session(),
            &mut means,
            asking,
            self.settings,
        )?;
        self.meters.asked(&answered);
        if self.settings.learn == Learn::Yes {
            self.session_writer.apply(answered.access_input())?;
        }
        tell(Event::Answered(Box::new(answered)));
        Ok(())
    }
}

/// Whether an input was refused for what it says rather than for how it was handed in.
pub(super) fn is_about_the_words(error: &InputError) -> bool {
    matches!(
        error,
        InputError::SameId { .. } | InputError::NoWords { .. } | InputError::TooLong { .. }
    )
}
