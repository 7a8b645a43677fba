//! The threaded driver: one thread per stage, bounded edges between them, joined in order.
//!
//! ```text
//! feed ──inner──> encode ──inner──> memory ──inner──> distil ─┐
//!   └──door──> query <──snapshot──────┘ <───────inner─────────┘
//! ```
//! The feed reads, segments and recognises; questions never wait for it. `finish` drains in order.
//! Dropping a pipeline stops the feed, processes queued items, waits for a slow distiller only for
//! its current block, and joins.

use crate::pipeline::ask::Asker;
use crate::pipeline::driving::edge::{Busy, Inner, QuestionQueue};
use crate::pipeline::driving::memory::MemoryStage;
use crate::pipeline::driving::meters::{Meters, Unused};
use crate::pipeline::driving::parts::{Finished, PipelineParts};
use crate::pipeline::driving::stages::{
    DistilStage, EncodeStage, FeedStage, QueryStage, Snapshot, StageEnd, tell,
};
use crate::pipeline::driving::stop::Stop;
use crate::pipeline::driving::worker::{OnEnd, Worker};
use crate::pipeline::error::PipelineError;
use crate::pipeline::event::Event;
use crate::pipeline::feed::{AskRequest, Feed, FeedFigures};
use crate::pipeline::hearing::recognition::LiveStages;
use crossbeam_channel::{Receiver, Sender};
use parking_lot::RwLock;
use std::sync::Arc;
use weir_core::distil::DistilCounts;
use weir_core::driver::{Driver, TakesInputs as _};
use weir_core::session::{Session, SpeakerChange};

/// Items queued between two stages.
const ITEMS_MAX: usize = 32;
/// Queued questions; further ones are refused.
pub const QUESTIONS_MAX: usize = 8;
/// Accesses queued for memory; further ones are dropped and logged.
const RECALLED_MAX: usize = 64;
/// Events that the owner has not read; the stages wait for the owner.
const EVENTS_MAX: usize = 256;

type Work = Box<dyn FnOnce() -> Result<StageEnd, PipelineError> + Send>;

/// A memory driven by threads.
pub struct Pipeline {
    stop: Stop,
    door: Option<QuestionQueue<AskRequest>>,
    events: Option<Receiver<Event>>,
    /// Kept until the threads have ended.
    names: Sender<SpeakerChange>,
    workers: Vec<Worker<StageEnd>>,
}

impl Pipeline {
    /// Starts all stages; setting `stop` ends the feed. After an interrupt and the end of the feed,
    /// blocks that wait for a slow distiller are distilled without it, and counted.
    ///
    /// # Errors
    /// [`PipelineError::Spawn`]; the stages that had started are stopped and joined.
    pub fn start(
        mut parts: PipelineParts,
        feed: Box<dyn Feed>,
        stop: Stop,
    ) -> Result<Self, PipelineError> {
        let (door, questions) = QuestionQueue::bounded(QUESTIONS_MAX);
        let (events, news) = crossbeam_channel::bounded(EVENTS_MAX);
        let (names, named) = crossbeam_channel::bounded(QUESTIONS_MAX);
        let session = parts.session_writer.session();
        let entrance = Entrance {
            stop: stop.clone(),
            door: door.clone(),
            questions,
            names: named,
            snapshot: Arc::new(RwLock::new(Arc::new(session.clone()))),
            events,
        };
        let mut started = Self {
            stop,
            door: Some(door),
            events: Some(news),
            names,
            workers: Vec::new(),
        };
        // all ends of all edges are in these closures: if a thread cannot start, dropping them ends
        // the others
        let live = parts.live.take();
        let live = live.map(|live| live_stages(live, &entrance));
        let stages = stages(parts, feed, entrance);
        for (stage, work) in stages.into_iter().chain(live.into_iter().flatten()) {
            started.workers.push(Worker::spawn(stage, work)?);
        }
        Ok(started)
    }

    /// Asks a question; the answer comes as an [`Event`].
    ///
    /// # Errors
    /// [`Busy`] when too many wait already.
    pub fn ask(&self, asking: AskRequest) -> Result<(), Busy> {
        self.door
            .as_ref()
            .map_or(Err(Busy::Closing), |door| door.try_send(asking))
    }

    /// Changes the name of a speaker; a notice says what became of it. Returns `false` when too
    /// many changes wait already, or the session is closing.
    #[must_use]
    pub fn change_speaker(&self, change: SpeakerChange) -> bool {
        self.names.try_send(change).is_ok()
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
        self.door = None;
        if let Some(events) = self.events.take() {
            for event in &events {
                tell(event);
            }
        }
        let (mut failed, mut ends) = (None, Ends::default());
        for worker in self.workers.drain(..) {
            match worker.join() {
                Ok(end) => ends.take(end),
                Err(error) => first(&mut failed, error),
            }
        }
        match failed {
            Some(error) => Err(error),
            None => ends.finished(),
        }
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        if self.workers.is_empty() {
            return;
        }
        self.stop.interrupt();
        self.door = None;
        // somebody may hold the events and not read them, and no stage must wait for that
        self.events.take().iter().flatten().for_each(drop);
        // dropping a worker joins it
        self.workers.clear();
    }
}

/// Keeps the first root cause; keeps a consequence only until a root cause comes.
fn first(failed: &mut Option<PipelineError>, error: PipelineError) {
    match failed {
        Some(known) if !known.is_echo() || error.is_echo() => {}
        _ => *failed = Some(error),
    }
}

#[derive(Default)]
struct Ends {
    session: Option<Box<Session>>,
    meters: Meters,
    distilled: DistilCounts,
    unused: Unused,
    turns: u64,
    figures: FeedFigures,
}

impl Ends {
    fn take(&mut self, end: StageEnd) {
        match end {
            StageEnd::Nothing => {}
            StageEnd::Feed(figures) => self.figures = figures,
            StageEnd::Query(meters) => self.meters.take_asked(*meters),
            StageEnd::Distil(distil_us, counts) => {
                self.meters.distil_us = distil_us;
                self.distilled = counts;
            }
            StageEnd::Memory {
                session,
                ingest_us,
                turns,
                overtaken,
                unused,
            } => {
                self.session = Some(session);
                self.meters.ingest_us = ingest_us;
                self.turns = turns;
                self.meters.blocks_overtaken = overtaken;
                self.unused = unused;
            }
        }
    }

    fn finished(mut self) -> Result<Finished, PipelineError> {
        self.meters.take_distilled(&self.distilled, &self.unused);
        let session = self
            .session
            .ok_or(PipelineError::Gone { stage: "memory" })?;
        Ok(Finished {
            session: *session,
            meters: self.meters,
            turns: self.turns,
            figures: self.figures,
        })
    }
}

/// The owner's ends of the edges.
struct Entrance {
    stop: Stop,
    door: QuestionQueue<AskRequest>,
    questions: Receiver<AskRequest>,
    names: Receiver<SpeakerChange>,
    snapshot: Snapshot,
    events: Sender<Event>,
}

/// Stages with their names.
type Stages = Vec<(&'static str, Work)>;

/// The stages in draining order.
fn stages(parts: PipelineParts, feed: Box<dyn Feed>, entrance: Entrance) -> Stages {
    let (to_encode, items) = Inner::bounded(ITEMS_MAX);
    let (to_memory, inbox) = Inner::bounded(ITEMS_MAX);
    let ((to_distil, blocks), (done, distilled)) = (Inner::bounded(1), Inner::bounded(1));
    let (access_input, recalled) = Inner::bounded(RECALLED_MAX);
    let limits = parts.session_writer.session().config().raw_limits();
    let (figures, events, snapshot) = (Arc::default(), entrance.events, entrance.snapshot);
    let query = QueryStage {
        questions: entrance.questions,
        snapshot: Arc::clone(&snapshot),
        asker: Asker {
            encoder: Arc::clone(&parts.encoder),
            answerer: parts.answerer,
            reranker: parts.reranker,
            character: None,
            settings: parts.settings,
        },
        transcript: parts.session_writer.transcript(),
        unsettled: feed.unsettled(),
        recalled: access_input,
        events: events.clone(),
    };
    let feed = FeedStage {
        feed,
        stop: entrance.stop.clone(),
        onward: to_encode,
        door: entrance.door,
        events: events.clone(),
        figures: Arc::clone(&figures),
    };
    let encode = EncodeStage {
        items,
        encoder: Arc::clone(&parts.encoder),
        snapshot: Arc::clone(&snapshot),
        counter: parts.counter,
        utterance_tokens_max: limits.utterance,
        onward: to_memory,
    };
    let memory = MemoryStage {
        driver: Driver::around(parts.session_writer, Arc::clone(&parts.encoder)),
        may_overtake: parts.distiller.uses_model(),
        stop: entrance.stop,
        inbox,
        recalled,
        names: entrance.names,
        blocks: to_distil,
        distilled,
        snapshot,
        events: events.clone(),
        figures,
    };
    let distil = DistilStage::new(parts.distiller, parts.encoder, blocks, done, &events);
    vec![
        stage("feed", &events, move || feed.run()),
        stage("encode", &events, move || encode.run()),
        stage("query", &events, move || query.run()),
        stage("memory", &events, move || memory.run()),
        stage("distil", &events, move || distil.run()),
    ]
}

/// The stages that decode speech before it is over.
fn live_stages(live: LiveStages, entrance: &Entrance) -> [(&'static str, Work); 2] {
    let events = &entrance.events;
    let (told, snapshot) = (events.clone(), Arc::clone(&entrance.snapshot));
    [
        stage("preview", events, move || {
            live.preview.run(&told, &snapshot)
        }),
        stage("early", events, move || live.early.run()),
    ]
}

fn stage(
    stage: &'static str,
    events: &Sender<Event>,
    run: impl FnOnce() -> Result<StageEnd, PipelineError> + Send + 'static,
) -> (&'static str, Work) {
    let events = events.clone();
    let work = move || {
        let _end = OnEnd(|| tell(&events, Event::StageEnded(stage)));
        run()
    };
    (stage, Box::new(work))
}
