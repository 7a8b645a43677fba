//! The inline driver: one thread, one item at a time, every block mounted before the next item.
//!
//! Used by `--pace max` and the tests. It reads the clock only for measurements. Invariant: the
//! same feed and the same session give the same session and the same answers, byte for byte.

use crate::pipeline::ask::{Asker, Indexes, Learn};
use crate::pipeline::driving::meters::Meters;
use crate::pipeline::driving::naming::recognised;
use crate::pipeline::driving::parts::{Finished, PipelineParts};
use crate::pipeline::driving::session_writer::SessionWriter;
use crate::pipeline::driving::stages::Failures;
use crate::pipeline::driving::stop::Stop;
use crate::pipeline::driving::timed::Timed;
use crate::pipeline::error::PipelineError;
use crate::pipeline::event::{Event, Progress};
use crate::pipeline::feed::{AskRequest, Feed, FeedItem, Notice};
use crate::results::Histogram;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Instant;
use weir_core::driver::{Driver, DriverError};
use weir_core::session::InputError;
use weir_core::stream::Utterance;

/// A memory driver without threads.
pub struct Lockstep {
    driver: Driver<SessionWriter>,
    asker: Asker,
    meters: Meters,
    distil_us: Arc<Mutex<Histogram>>,
    turns: u64,
    said: Vec<Utterance>,
}

impl Lockstep {
    /// A driver of these parts.
    #[must_use]
    pub fn new(parts: PipelineParts) -> Self {
        let (distiller, distil_us) = Timed::new(parts.distiller);
        let driver = Driver::around(parts.session_writer, Arc::clone(&parts.encoder));
        Self {
            driver: driver.with_distiller(Box::new(distiller)),
            asker: Asker {
                encoder: parts.encoder,
                answerer: parts.answerer,
                reranker: parts.reranker,
                character: None,
                settings: parts.settings,
            },
            meters: Meters::default(),
            distil_us,
            turns: 0,
            said: Vec::new(),
        }
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
        self.meters.count_utterance(started.elapsed());
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
        let (session, indexes) = (self.driver.session(), Indexes::default());
        let answered = self
            .asker
            .ask(session, indexes, transcript.as_deref(), asking)?;
        self.meters.count_question(&answered);
        self.driver.inner_mut().reach();
        if self.asker.settings.learn == Learn::Yes {
            self.driver.step(answered.recall.access_input())?;
        }
        tell(Event::Answered(Box::new(answered)));
        Ok(())
    }
}

/// Whether an input was refused for its content, not for a wrong call.
pub(crate) fn is_about_the_words(error: &InputError) -> bool {
    matches!(
        error,
        InputError::SameId { .. } | InputError::NoWords { .. } | InputError::TooLong { .. }
    )
}
