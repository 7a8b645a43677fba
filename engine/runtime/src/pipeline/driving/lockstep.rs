//! A session service without threads: the owner is stepped inline, one item of the feed at a time.
//!
//! Used by `--pace max` and the tests. It reads the clock only for measurements. Invariant: the
//! same feed and the same session give the same session and the same answers, byte for byte.

use crate::pipeline::driving::meters::Meters;
use crate::pipeline::driving::parts::{Finished, PipelineParts};
use crate::pipeline::driving::stages::{Encoding, Failures};
use crate::pipeline::driving::stop::Stop;
use crate::pipeline::driving::timed::Timed;
use crate::pipeline::error::PipelineError;
use crate::pipeline::event::Event;
use crate::pipeline::feed::{AskRequest, Feed, FeedItem};
use crate::pipeline::service::ask::{AskSettings, Asker, Indexes, Learn, SessionView};
use crate::pipeline::service::messages::{Command, FromFeed};
use crate::pipeline::service::owner::{Distilling, Owner};
use crate::results::Histogram;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Instant;
use weir_core::driver::Driver;

/// A session and its feed on one thread.
pub struct Lockstep {
    owner: Owner,
    encoding: Encoding,
    asker: Asker,
    settings: AskSettings,
    meters: Meters,
    distil_us: Arc<Mutex<Histogram>>,
}

impl Lockstep {
    /// A driver of these parts.
    #[must_use]
    pub fn new(parts: PipelineParts) -> Self {
        let (distiller, distil_us) = Timed::new(parts.distiller);
        let driver = Driver::around(parts.session_writer, Arc::clone(&parts.encoder));
        let driver = driver.with_distiller(Box::new(distiller));
        let asker = Asker::new(Arc::clone(&parts.encoder), parts.answerer);
        Self {
            owner: Owner::new(driver, Distilling::Inline, None),
            encoding: Encoding::new(parts.encoder, parts.counter),
            asker: asker.with_reranker(parts.reranker).with_check(parts.check),
            settings: parts.settings,
            meters: Meters::default(),
            distil_us,
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
            for notice in failures.of(self.owner.driver_mut().distiller_mut()) {
                tell(Event::Notice(notice));
            }
            tell(Event::Progress(self.owner.progress(feed.figures())));
        }
        self.meters.distilled = self.owner.distil_counts();
        self.meters.distil_us = self.distil_us.lock().clone();
        let (events, ended) = self.owner.close(None);
        events.into_iter().for_each(&mut *tell);
        let (session, counts) = ended?;
        self.meters.ingest_us = counts.ingest_us;
        Ok(Finished {
            session,
            meters: self.meters,
            turns: counts.turns,
            figures: feed.figures(),
        })
    }

    fn step(&mut self, fed: FeedItem, tell: &mut dyn FnMut(Event)) -> Result<(), PipelineError> {
        let mut made = Vec::new();
        let session = self.owner.driver().session();
        self.encoding
            .made_of(fed, Instant::now(), session, &mut |item| made.push(item))?;
        for item in made {
            match item {
                FromFeed::Item(item) => self.owner.arrived(*item)?,
                FromFeed::Ask(question) => self.ask(&question.asking, tell)?,
            }
        }
        self.settle(tell)
    }

    fn settle(&mut self, tell: &mut dyn FnMut(Event)) -> Result<(), PipelineError> {
        self.owner.settle(false)?;
        self.owner.take_events().into_iter().for_each(tell);
        Ok(())
    }

    fn ask(
        &mut self,
        asking: &AskRequest,
        tell: &mut dyn FnMut(Event),
    ) -> Result<(), PipelineError> {
        // utterances before the question are reported before its answer
        self.owner.commit()?;
        self.settle(tell)?;
        let transcript = self.owner.driver().inner().transcript();
        let of = SessionView {
            session: self.owner.driver().session(),
            indexes: Indexes::default(),
            transcript: transcript.as_deref(),
        };
        let answered = self.asker.ask(of, asking, &self.settings)?;
        self.meters.count_question(&answered);
        self.owner.answered();
        let access = answered.recall.access_input(&answered.answer);
        if let Some(access) = access.filter(|_| self.settings.learn == Learn::Yes) {
            self.owner.obey(Command::Access(Box::new(access)))?;
        }
        tell(Event::Answered(Box::new(answered)));
        Ok(())
    }
}
