//! Starts the threads of a session service, and ends them in order.

use crate::pipeline::driving::meters::Meters;
use crate::pipeline::driving::parts::{Finished, PipelineParts};
use crate::pipeline::driving::session_writer::SessionWriter;
use crate::pipeline::driving::stages::DistilStage;
use crate::pipeline::driving::stop::Stop;
use crate::pipeline::driving::worker::{OnEnd, Worker};
use crate::pipeline::error::PipelineError;
use crate::pipeline::event::Event;
use crate::pipeline::feed::FeedFigures;
use crate::pipeline::hearing::unsettled::Unsettled;
use crate::pipeline::service::answering::{AnswerStage, Answerers};
use crate::pipeline::service::ask::Asker;
use crate::pipeline::service::handle::{Door, Ended, SessionHandle};
use crate::pipeline::service::messages::{
    Command, Distilled, FromFeed, OwnerCounts, StageEnd, Waiting,
};
use crate::pipeline::service::owner::{Distilling, Owner};
use crate::pipeline::service::stage::{Dismissal, OwnerStage};
use crate::pipeline::service::subscribers::{Announcer, Subscribers};
use crate::results::Histogram;
use crossbeam_channel::{Receiver, Sender};
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use weir_core::distil::{Distil, DistilCounts};
use weir_core::driver::{Driver, InputSink as _};
use weir_core::session::Session;
use weir_models::Encode;

/// Questions that wait for a thread; further ones are refused.
pub const QUESTIONS_MAX: usize = 8;
/// Questions answered at the same time.
pub const ANSWERERS: usize = 4;
/// Requests and accesses that wait for the owner: clients wait, accesses are dropped and logged.
const COMMANDS_MAX: usize = 64;

pub(crate) type Work = Box<dyn FnOnce() -> Result<StageEnd, PipelineError> + Send>;
/// Stages with their names, in the order in which they drain.
pub(crate) type Stages = Vec<(&'static str, Work)>;

/// When blocks are distilled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DistilWhen {
    /// Before the reply to what completed them: the same talk gives the same session.
    AtOnce,
    /// On a thread of their own, so that hearing does not wait.
    Meanwhile,
}

/// What surrounds the owner.
pub(crate) struct Around {
    /// Items of a feed; closed without one.
    pub(crate) inbox: Receiver<FromFeed>,
    /// Events of a run.
    pub(crate) events: Option<Sender<Event>>,
    pub(crate) unsettled: Option<Unsettled>,
    pub(crate) figures: Arc<Mutex<FeedFigures>>,
    pub(crate) stop: Stop,
}

/// The stages of a service, and the door to it.
pub(crate) struct Built {
    pub(crate) stages: Stages,
    pub(crate) handle: SessionHandle,
    pub(crate) answerers: Arc<Answerers>,
    /// For the stages around it.
    pub(crate) announcer: Announcer,
}

/// The door, and what comes through it: questions, and requests to the owner.
fn door(
    parts: &PipelineParts,
    unsettled: Option<Unsettled>,
) -> (Arc<Door>, Receiver<Waiting>, Receiver<Command>) {
    let (questions, waiting) = crossbeam_channel::bounded(QUESTIONS_MAX);
    let (commands, requests) = crossbeam_channel::bounded(COMMANDS_MAX);
    let session = parts.session_writer.session().clone();
    let door = Door {
        commands,
        questions,
        snapshot: Arc::new(RwLock::new(Arc::new(session))),
        subscribers: Subscribers::default(),
        encoder: Arc::clone(&parts.encoder),
        counter: Arc::clone(&parts.counter),
        unsettled: Mutex::new(unsettled.into_iter().collect()),
        closing: AtomicBool::new(false),
        owner_ended: Ended::default(),
        answerers_ended: Ended::default(),
    };
    (Arc::new(door), waiting, requests)
}

/// Makes the stages; nothing runs yet.
pub(crate) fn build(parts: PipelineParts, when: DistilWhen, around: Around) -> Built {
    let (door, waiting, requests) = door(&parts, around.unsettled);
    let answerers = Arc::new(Answerers {
        asker: Asker::new(Arc::clone(&parts.encoder), parts.answerer)
            .with_reranker(parts.reranker)
            .with_check(parts.check),
        settings: parts.settings,
        transcript: parts.session_writer.transcript(),
        stop: around.stop.clone(),
        meters: Mutex::new(Meters::default()),
        left: AtomicUsize::new(ANSWERERS),
        indexes: Mutex::default(),
        door: Arc::clone(&door),
    });
    let announcer = Announcer {
        run: around.events,
        subscribers: door.subscribers.clone(),
    };
    let answer = || AnswerStage {
        shared: Arc::clone(&answerers),
        questions: waiting.clone(),
        commands: door.commands.clone(),
        announcer: announcer.clone(),
    };
    let mut stages: Stages = std::iter::repeat_with(answer)
        .take(ANSWERERS)
        .map(|it| stage("query", &announcer, move || it.run()))
        .collect();
    let driver = Driver::around(parts.session_writer, Arc::clone(&parts.encoder));
    let (done, distilled) = crossbeam_channel::bounded(1);
    let distil = (parts.distiller, parts.encoder, done);
    let (driver, distilling, distil) = distilling(driver, when, distil, &announcer);
    let owner = OwnerStage {
        owner: Owner::new(driver, distilling, Some(Arc::clone(&door.snapshot))),
        inbox: around.inbox,
        commands: requests.clone(),
        distilled,
        answerers: Dismissal {
            door: Arc::clone(&door),
            requests,
            threads: ANSWERERS,
        },
        announcer: announcer.clone(),
        figures: around.figures,
        stop: around.stop,
    };
    stages.push(stage("memory", &announcer, move || owner.run()));
    stages.extend(distil.map(|distil| stage("distil", &announcer, move || distil.run())));
    Built {
        stages,
        handle: SessionHandle(door),
        answerers,
        announcer,
    }
}

/// Where blocks are distilled, and the stage that does it, if there is one.
fn distilling(
    driver: Driver<SessionWriter>,
    when: DistilWhen,
    (distiller, encoder, done): (Box<dyn Distil>, Arc<dyn Encode>, Sender<Distilled>),
    announcer: &Announcer,
) -> (Driver<SessionWriter>, Distilling, Option<DistilStage>) {
    match when {
        DistilWhen::AtOnce => (driver.with_distiller(distiller), Distilling::Inline, None),
        DistilWhen::Meanwhile => {
            let (blocks, next) = crossbeam_channel::bounded(1);
            let distilling = Distilling::Thread {
                blocks,
                may_overtake: distiller.uses_model(),
                busy: false,
            };
            let stage = DistilStage {
                blocks: next,
                distiller,
                encoder,
                done,
                announcer: announcer.clone(),
            };
            (driver, distilling, Some(stage))
        }
    }
}

/// A stage that tells its end.
pub(crate) fn stage(
    stage: &'static str,
    announcer: &Announcer,
    run: impl FnOnce() -> Result<StageEnd, PipelineError> + Send + 'static,
) -> (&'static str, Work) {
    let announcer = announcer.clone();
    let work = move || {
        let _end = OnEnd(|| announcer.tell(Event::StageEnded(stage)));
        run()
    };
    (stage, Box::new(work))
}

/// Starts the stages; those that had started are joined if one cannot.
pub(crate) fn spawn(
    stages: Stages,
    workers: &mut Vec<Worker<StageEnd>>,
) -> Result<(), PipelineError> {
    for (stage, work) in stages {
        workers.push(Worker::spawn(stage, work)?);
    }
    Ok(())
}

/// Joins all workers; the first error, in their order, that is not a consequence of another.
pub(crate) fn join(
    workers: &mut Vec<Worker<StageEnd>>,
    answerers: &Answerers,
) -> Result<Finished, PipelineError> {
    let (mut failed, mut ends) = (None, Ends::default());
    for worker in workers.drain(..) {
        match worker.join() {
            Ok(end) => ends.take(end),
            Err(error) => first(&mut failed, error),
        }
    }
    match failed {
        Some(error) => Err(error),
        None => ends.finished(answerers.meters.lock().clone()),
    }
}

/// Keeps the first root cause; keeps a consequence only until a root cause comes.
fn first(failed: &mut Option<PipelineError>, error: PipelineError) {
    match failed {
        Some(known) if !known.is_echo() || error.is_echo() => {}
        _ => *failed = Some(error),
    }
}

/// What the stages returned.
#[derive(Default)]
struct Ends {
    memory: Option<(Box<Session>, Box<OwnerCounts>)>,
    distilled: (Histogram, DistilCounts),
    figures: FeedFigures,
}

impl Ends {
    fn take(&mut self, end: StageEnd) {
        match end {
            StageEnd::Nothing => {}
            StageEnd::Feed(figures) => self.figures = figures,
            StageEnd::Distil(took_us, counts) => self.distilled = (took_us, counts),
            StageEnd::Memory { session, counts } => self.memory = Some((session, counts)),
        }
    }

    /// The result, with the measurements of the questions.
    fn finished(self, asked: Meters) -> Result<Finished, PipelineError> {
        let gone = PipelineError::Gone { stage: "memory" };
        let (session, counts) = self.memory.ok_or(gone)?;
        let (distil_us, distilled) = self.distilled;
        Ok(Finished {
            session: *session,
            meters: Meters {
                ingest_us: counts.ingest_us,
                distil_us,
                distilled: distilled.without(&counts.unused),
                blocks_overtaken: counts.overtaken,
                blocks_discarded: counts.discarded,
                ..asked
            },
            turns: counts.turns,
            figures: self.figures,
        })
    }
}

/// An open session without a feed: everything comes through its handles.
pub struct SessionService {
    handle: SessionHandle,
    answerers: Arc<Answerers>,
    workers: Vec<Worker<StageEnd>>,
}

impl SessionService {
    /// Starts its threads.
    ///
    /// # Errors
    /// [`PipelineError::Spawn`].
    pub fn start(parts: PipelineParts, when: DistilWhen) -> Result<Self, PipelineError> {
        let (_, inbox) = crossbeam_channel::bounded(0);
        let built = build(
            parts,
            when,
            Around {
                inbox,
                events: None,
                unsettled: None,
                figures: Arc::default(),
                stop: Stop::default(),
            },
        );
        let mut service = Self {
            handle: built.handle,
            answerers: built.answerers,
            workers: Vec::new(),
        };
        spawn(built.stages, &mut service.workers)?;
        Ok(service)
    }

    /// A handle; it may outlive the service, and then says that the session is closed.
    #[must_use]
    pub fn handle(&self) -> &SessionHandle {
        &self.handle
    }

    /// Answers what was asked, stores everything, and releases the session.
    ///
    /// # Errors
    /// [`PipelineError`]; what was acknowledged is stored.
    pub fn close(mut self) -> Result<Finished, PipelineError> {
        self.handle.end();
        join(&mut self.workers, &self.answerers)
    }
}

impl Drop for SessionService {
    fn drop(&mut self) {
        self.handle.end();
        // dropping a worker joins it
        self.workers.clear();
    }
}
