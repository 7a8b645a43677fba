//! The inline driver: one thread, one item at a time, every block mounted before the next item.
//!
//! Used by `--pace max` and the tests. It reads the clock only for measurements. Invariant: the
//! same feed and the same session give the same session and the same answers, byte for byte.

use super::ask::{AskSettings, Learn, ask_timed};
use super::error::PipelineError;
use super::event::{Event, Progress};
use super::feed::{AskRequest, Feed, FeedItem, Notice};
use super::meters::Meters;
use super::naming::recognised;
use super::session_writer::SessionWriter;
use super::stages::Failures;
use super::stop::Stop;
use super::timed::Timed;
use crate::results::Histogram;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Instant;
use weir_core::answer::{Answerer, Quote};
use weir_core::ask::AskContext;
use weir_core::distil::Distil;
use weir_core::driver::{Driver, DriverError};
use weir_core::session::{InputError, Session};
use weir_core::stream::Utterance;
use weir_core::transcript::Transcript;
use weir_models::{Encode, Rerank};

/// A memory driver without threads.
pub struct Lockstep {
    driver: Driver<SessionWriter>,
    encoder: Arc<dyn Encode>,
    answerer: Box<dyn Answerer>,
    reranker: Option<Arc<dyn Rerank>>,
    settings: AskSettings,
    meters: Meters,
    distil_us: Arc<Mutex<Histogram>>,
    turns: u64,
    said: Vec<Utterance>,
}

/// Result of a finished run.
pub struct Finished {
    /// The session as it was saved.
    pub session: Session,
    /// What was measured.
    pub meters: Meters,
    /// Utterances heard.
    pub turns: u64,
    /// Figures of the feed.
    pub figures: super::FeedFigures,
}

impl Lockstep {
    /// A driver for a memory with its encoder and distiller.
    #[must_use]
    pub fn new(
        session_writer: SessionWriter,
        encoder: Arc<dyn Encode>,
        distiller: Box<dyn Distil>,
        settings: AskSettings,
    ) -> Self {
        let (distiller, distil_us) = Timed::new(distiller);
        let driver = Driver::around(session_writer, Arc::clone(&encoder));
        Self {
            driver: driver.with_distiller(Box::new(distiller)),
            encoder,
            answerer: Box::new(Quote),
            reranker: None,
            settings,
            meters: Meters::default(),
            distil_us,
            turns: 0,
            said: Vec::new(),
        }
    }

    /// Sets the answerer; the default one quotes.
    #[must_use]
    pub fn with_answerer(self, answerer: Box<dyn Answerer>) -> Self {
        Self { answerer, ..self }
    }

    /// Sets a reranker.
    #[must_use]
    pub fn with_reranker(self, reranker: Option<Arc<dyn Rerank>>) -> Self {
        Self { reranker, ..self }
    }

    /// Processes a feed to its end, or until `stop` is set, and saves.
    ///
    /// # Errors
    /// The first [`PipelineError`]; earlier saved state stays saved.
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
            self.driver.inner_mut().commit_if_due(&mut self.said)?;
            self.tell_said(tell);
            for notice in failures.of(self.driver.distiller_mut()) {
                tell(Event::Notice(notice));
            }
            tell(Event::Progress(self.progress(feed)));
        }
        self.meters.distilled = self.driver.distiller().counts();
        self.meters.distil_us = self.distil_us.lock().clone();
        let figures = feed.figures();
        let session = self.driver.into_inner().close(&mut self.said)?;
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
        let session = self.driver.session();
        Progress {
            figures: feed.figures(),
            total: feed.total(),
            turns: self.turns,
            tokens: session.tree().tokens() as u64,
            budget_tokens: session.config().budget_tokens as u64,
        }
    }

    fn tell_said(&mut self, tell: &mut dyn FnMut(Event)) {
        for problem in self.driver.inner_mut().transcript_problems() {
            tell(Event::Notice(Notice::Warning(problem)));
        }
        for utterance in self.said.drain(..) {
            tell(Event::Heard(Box::new(utterance)));
        }
    }

    fn step(&mut self, fed: FeedItem, tell: &mut dyn FnMut(Event)) -> Result<(), PipelineError> {
        match fed {
            FeedItem::Heard(utterance) => self.hear(*utterance, tell)?,
            FeedItem::Ask(asking) => self.ask(&asking, tell)?,
            FeedItem::Recognised { label, name } => {
                let told = recognised(&mut self.driver, &label, &name)?;
                told.into_iter()
                    .for_each(|notice| tell(Event::Notice(notice)));
            }
            FeedItem::Idle => {}
            FeedItem::Mark(mark) => self.driver.inner_mut().mark(mark),
            FeedItem::Begin(start) => self.driver.begin(start)?,
            FeedItem::Break { resumes_at_unix_ms } => self.driver.pause(resumes_at_unix_ms)?,
            FeedItem::End { whole } => {
                self.driver.flush()?;
                if let Some(whole) = whole {
                    let writer = self.driver.inner_mut();
                    writer.remember(whole.input, &whole.stream, &mut self.said)?;
                }
            }
        }
        Ok(())
    }

    fn hear(
        &mut self,
        utterance: Utterance,
        tell: &mut dyn FnMut(Event),
    ) -> Result<(), PipelineError> {
        let started = Instant::now();
        match self.driver.hear(utterance) {
            Ok(_) => {}
            Err(DriverError::Input(InputError::NoWords { .. })) => return Ok(()),
            Err(DriverError::Input(error)) if is_about_the_words(&error) => {
                let text = format!("{error}; skipped");
                tell(Event::Notice(Notice::Warning(text)));
            }
            Err(error) => return Err(error.into()),
        }
        self.turns += 1;
        self.meters.ingested(started.elapsed());
        Ok(())
    }

    fn ask(
        &mut self,
        asking: &AskRequest,
        tell: &mut dyn FnMut(Event),
    ) -> Result<(), PipelineError> {
        // utterances before the question are reported before its answer
        self.driver.inner_mut().commit(&mut self.said)?;
        self.tell_said(tell);
        let transcript = self.driver.inner().transcript();
        let mut context = AskContext {
            encoder: self.encoder.as_ref(),
            index: None,
            fact_index: None,
            transcript: transcript.as_deref().map(|it| it as &dyn Transcript),
            context_from: self.settings.context_from,
            profile_tokens: self.settings.profile_tokens,
            character: None,
            reranker: self.reranker.as_deref(),
            answerer: self.answerer.as_mut(),
        };
        let session = self.driver.session();
        let mut answered = ask_timed(session, &mut context, asking, self.settings)?;
        answered.transcript = transcript.map(|transcript| transcript.stats());
        self.meters.asked(&answered);
        self.driver.inner_mut().reach();
        if self.settings.learn == Learn::Yes {
            self.driver.step(answered.recall.access_input())?;
        }
        tell(Event::Answered(Box::new(answered)));
        Ok(())
    }
}

/// Whether an input was refused for its content, not for a wrong call.
pub(super) fn is_about_the_words(error: &InputError) -> bool {
    matches!(
        error,
        InputError::SameId { .. } | InputError::NoWords { .. } | InputError::TooLong { .. }
    )
}
