//! A session service with a feed: the feed's threads send talk and questions to the owner.
//!
//! ```text
//! feed ──inner──> encode ──inner──> owner ──inner──> distil ─┐
//!          question queue ──> query <──snapshot──┘ <──inner──┘
//! ```
//! The feed reads, segments and recognises. A question of the feed waits until everything before
//! it is in memory; other questions never wait for the feed. `finish` drains in order. Dropping a
//! pipeline stops the feed, processes queued items, waits for a slow distiller only for its current
//! block, and joins.

use crate::pipeline::driving::parts::{Finished, PipelineParts};
use crate::pipeline::driving::stages::{EncodeStage, Encoding, FeedStage};
use crate::pipeline::driving::stop::Stop;
use crate::pipeline::driving::worker::Worker;
use crate::pipeline::error::PipelineError;
use crate::pipeline::event::Event;
use crate::pipeline::feed::{AskRequest, Feed};
use crate::pipeline::hearing::recognition::LiveStages;
use crate::pipeline::service::answering::Answerers;
use crate::pipeline::service::error::ServiceError;
use crate::pipeline::service::handle::SessionHandle;
use crate::pipeline::service::messages::{Snapshot, StageEnd};
use crate::pipeline::service::start::{self, Around, DistilWhen, Stages, stage};
use crate::pipeline::service::subscribers::Announcer;
use crossbeam_channel::Receiver;
use std::sync::Arc;
use weir_core::answer::AnswerText;

/// Items queued between two stages.
const ITEMS_MAX: usize = 32;
/// Events that the owner has not read; the stages wait for the owner.
const EVENTS_MAX: usize = 256;

/// A memory driven by threads.
pub struct Pipeline {
    stop: Stop,
    handle: SessionHandle,
    events: Option<Receiver<Event>>,
    answerers: Arc<Answerers>,
    workers: Vec<Worker<StageEnd>>,
}

impl Pipeline {
    /// Starts all stages. With a distiller that uses a model, talk is never held back for it:
    /// blocks that wait for a slow distiller are distilled without it, and counted.
    ///
    /// # Errors
    /// [`PipelineError::Spawn`]; the stages that had started are stopped and joined.
    pub fn start(
        mut parts: PipelineParts,
        feed: Box<dyn Feed>,
        stop: Stop,
    ) -> Result<Self, PipelineError> {
        let (events, news) = crossbeam_channel::bounded(EVENTS_MAX);
        let (to_encode, items) = crossbeam_channel::bounded(ITEMS_MAX);
        let (onward, inbox) = crossbeam_channel::bounded(ITEMS_MAX);
        let figures = Arc::default();
        let live = parts.live.take();
        let encoding = Encoding::new(Arc::clone(&parts.encoder), Arc::clone(&parts.counter));
        let around = Around {
            inbox,
            events: Some(events),
            unsettled: feed.unsettled(),
            figures: Arc::clone(&figures),
            stop: stop.clone(),
        };
        let built = start::build(parts, DistilWhen::Meanwhile, around);
        let announcer = built.announcer;
        let snapshot = Arc::clone(&built.handle.0.snapshot);
        let feed = FeedStage {
            feed,
            stop: stop.clone(),
            onward: to_encode,
            announcer: announcer.clone(),
            figures,
        };
        let encode = EncodeStage {
            items,
            encoding,
            snapshot: Arc::clone(&snapshot),
            onward,
        };
        // all ends of all edges are in these closures: if a thread cannot start, dropping them ends
        // the others
        let mut stages = vec![
            stage("feed", &announcer, move || feed.run()),
            stage("encode", &announcer, move || encode.run()),
        ];
        stages.extend(built.stages);
        stages.extend(
            live.into_iter()
                .flat_map(|live| live_stages(live, announcer.clone(), Arc::clone(&snapshot))),
        );
        // the run's events end with the last stage
        drop(announcer);
        let mut started = Self {
            stop,
            handle: built.handle,
            events: Some(news),
            answerers: built.answerers,
            workers: Vec::new(),
        };
        start::spawn(stages, &mut started.workers)?;
        Ok(started)
    }

    /// A handle of the session.
    #[must_use]
    pub fn handle(&self) -> &SessionHandle {
        &self.handle
    }

    /// Asks a question; the answer comes as an [`Event`]. Returns its text while a model writes it,
    /// as [`PendingAnswer::texts`](crate::pipeline::PendingAnswer::texts) does.
    ///
    /// # Errors
    /// [`ServiceError::Busy`] when too many wait already.
    pub fn ask(&self, asking: AskRequest) -> Result<Receiver<AnswerText>, ServiceError> {
        self.handle.ask_in_run(asking)
    }

    /// Events of the stages. Read until [`Event::StageEnded`], then call [`Self::finish`].
    #[must_use]
    pub fn events(&self) -> Receiver<Event> {
        self.events.clone().unwrap_or_else(crossbeam_channel::never)
    }

    /// Asks the feed to end; queued items are still processed.
    pub fn stop(&self) {
        self.stop.set();
    }

    /// Waits until everything fed is in memory, every question is answered and the session is
    /// saved; passes events to `tell` meanwhile. Call [`Self::stop`] before to end a feed that does
    /// not end by itself.
    ///
    /// # Errors
    /// The first error, in stage order, that is not a consequence of another.
    pub fn finish(mut self, tell: &mut dyn FnMut(Event)) -> Result<Finished, PipelineError> {
        self.handle.end();
        if let Some(events) = self.events.take() {
            for event in &events {
                tell(event);
            }
        }
        start::join(&mut self.workers, &self.answerers)
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        if self.workers.is_empty() {
            return;
        }
        self.stop.interrupt();
        self.handle.end();
        // somebody may hold the events and not read them, and no stage must wait for that
        self.events.take().iter().flatten().for_each(drop);
        // dropping a worker joins it
        self.workers.clear();
    }
}

/// The stages that decode speech before it is over.
fn live_stages(live: LiveStages, announcer: Announcer, snapshot: Snapshot) -> Stages {
    let early = stage("early", &announcer, move || live.early.run());
    let preview = stage("preview", &announcer.clone(), move || {
        live.preview.run(&announcer, &snapshot)
    });
    vec![preview, early]
}
