//! The owner's thread: waits for talk, clients, answers and distillates, and steps the owner.

use crate::pipeline::driving::stop::Stop;
use crate::pipeline::error::PipelineError;
use crate::pipeline::event::Event;
use crate::pipeline::feed::FeedFigures;
use crate::pipeline::service::handle::Door;
use crate::pipeline::service::messages::{
    Command, Distilled, FromFeed, Question, StageEnd, Waiting,
};
use crate::pipeline::service::owner::Owner;
use crate::pipeline::service::subscribers::Announcer;
use crossbeam_channel::{Receiver, TrySendError, never, select};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest sleep without work: publishing for other processes continues meanwhile.
const IDLE: Duration = Duration::from_millis(1_000);
/// Questions of a file that wait for a thread; the feed waits while there are more.
const ASKED_MAX: usize = 64;

/// The owner and its edges.
pub(crate) struct OwnerStage {
    pub(crate) owner: Owner,
    /// The feed's items; closed when the feed has ended.
    pub(crate) inbox: Receiver<FromFeed>,
    pub(crate) commands: Receiver<Command>,
    pub(crate) distilled: Receiver<Distilled>,
    pub(crate) answerers: Dismissal,
    pub(crate) announcer: Announcer,
    pub(crate) figures: Arc<Mutex<FeedFigures>>,
    pub(crate) stop: Stop,
}

/// Ends the threads that answer, also if the owner panics or never starts, and tells requests that
/// came too late.
pub(crate) struct Dismissal {
    pub(crate) door: Arc<Door>,
    pub(crate) requests: Receiver<Command>,
    /// Number of these threads.
    pub(crate) threads: usize,
}

impl Drop for Dismissal {
    fn drop(&mut self) {
        self.door.end();
        self.door.owner_ended.end(&self.requests);
        // once the threads have ended, this sends nothing
        for _ in 0..self.threads {
            let _ = self.door.questions.send(Waiting::Dismissed);
        }
    }
}

/// What woke the thread.
enum Woken {
    Fed(FromFeed),
    Command(Command),
    Distilled(Distilled),
    InboxClosed,
    DistillerGone,
    Nothing,
}

/// State of the running thread.
struct Running {
    stage: OwnerStage,
    inbox_open: bool,
    /// Threads told to end.
    dismissed: usize,
    /// Threads that have ended.
    ended: usize,
    /// Questions of the feed on their way to a thread.
    asked: VecDeque<Question>,
}

impl OwnerStage {
    pub(crate) fn run(self) -> Result<StageEnd, PipelineError> {
        let mut running = Running {
            stage: self,
            inbox_open: true,
            dismissed: 0,
            ended: 0,
            asked: VecDeque::new(),
        };
        let failed = running.run().err();
        let OwnerStage {
            owner,
            announcer,
            commands,
            ..
        } = running.stage;
        // save what was taken in, whatever ended the thread
        let (events, ended) = owner.close(failed);
        events.into_iter().for_each(|event| announcer.tell(event));
        announcer.subscribers.end();
        drop(commands);
        let (session, counts) = ended?;
        Ok(StageEnd::Memory {
            session: Box::new(session),
            counts: Box::new(counts),
        })
    }
}

impl Running {
    fn run(&mut self) -> Result<(), PipelineError> {
        loop {
            if !self.inbox_open && self.stage.stop.is_interrupted() {
                self.stage.owner.overtake_all()?;
            }
            self.stage.owner.dispatch()?;
            self.pass_on();
            if self.is_done() {
                return Ok(());
            }
            match self.wait() {
                Woken::Fed(fed) => self.fed(fed)?,
                Woken::Command(command) => self.command(command)?,
                Woken::Distilled(done) => self.stage.owner.distilled(done)?,
                Woken::InboxClosed => self.inbox_open = false,
                Woken::DistillerGone => {
                    return Err(PipelineError::Downstream { stage: "memory" });
                }
                Woken::Nothing => {}
            }
            let more = !self.stage.commands.is_empty() || !self.stage.inbox.is_empty();
            self.stage.owner.settle(more)?;
            self.tell();
        }
    }

    /// Whether everything is taken in, answered and distilled.
    fn is_done(&self) -> bool {
        let owner = &self.stage.owner;
        let fed = !self.inbox_open && !owner.is_full();
        let answered =
            self.stage.answerers.door.is_closing() && self.ended == self.stage.answerers.threads;
        fed && answered && self.stage.commands.is_empty() && !owner.is_distilling()
    }

    /// Waits for the next message. While the owner is full, the feed waits.
    fn wait(&self) -> Woken {
        let (no_item, no_result) = (never(), never());
        let stage = &self.stage;
        let takes = self.inbox_open && !stage.owner.is_full() && self.asked.len() < ASKED_MAX;
        let inbox = if takes { &stage.inbox } else { &no_item };
        let distilled = match stage.owner.is_distilling() {
            true => &stage.distilled,
            false => &no_result,
        };
        let timeout = match (stage.owner.deadline(), self.asked.is_empty()) {
            (Some(deadline), true) => deadline.saturating_duration_since(Instant::now()),
            (None, true) => IDLE,
            // a thread may be free soon
            (_, false) => Duration::from_millis(5),
        };
        select! {
            recv(inbox) -> item => item.map_or(Woken::InboxClosed, Woken::Fed),
            recv(stage.commands) -> it => it.map_or(Woken::Command(Command::Close), Woken::Command),
            recv(distilled) -> done => done.map_or(Woken::DistillerGone, Woken::Distilled),
            default(timeout) => Woken::Nothing,
        }
    }

    fn fed(&mut self, fed: FromFeed) -> Result<(), PipelineError> {
        match fed {
            FromFeed::Item(item) => self.stage.owner.arrived(*item),
            FromFeed::Ask(question) => {
                // all talk before it is stored, and the thread that answers sees it
                self.stage.owner.commit()?;
                self.stage.owner.settle(false)?;
                self.tell();
                self.asked.push_back(question.waited());
                Ok(())
            }
        }
    }

    fn command(&mut self, command: Command) -> Result<(), PipelineError> {
        let (owner, is_run) = (&mut self.stage.owner, self.stage.announcer.run.is_some());
        match command {
            Command::AnswererEnded => self.ended += 1,
            Command::Change(request) => match owner.beside_feed(&request.what, is_run) {
                Ok(()) => owner.obey(Command::Change(request))?,
                Err(refused) => {
                    let _ = request.reply.send(Err(refused));
                }
            },
            command => owner.obey(command)?,
        }
        Ok(())
    }

    /// Passes questions of the feed to the threads that answer, and dismisses these at the end.
    fn pass_on(&mut self) {
        let Dismissal { door, threads, .. } = &self.stage.answerers;
        while let Some(question) = self.asked.pop_front() {
            let question = Waiting::Question(Box::new(question));
            match door.questions.try_send(question) {
                Ok(()) => {}
                Err(TrySendError::Full(Waiting::Question(question))) => {
                    self.asked.push_front(*question);
                    return;
                }
                Err(_) => return,
            }
        }
        let closing = door.is_closing() && !self.inbox_open;
        while closing && self.dismissed < *threads {
            if door.questions.try_send(Waiting::Dismissed).is_err() {
                return;
            }
            self.dismissed += 1;
        }
    }

    fn tell(&mut self) {
        let events = self.stage.owner.take_events();
        let heard = events.iter().any(|event| matches!(event, Event::Heard(_)));
        for event in events {
            self.stage.announcer.tell(event);
        }
        if heard {
            let figures = *self.stage.figures.lock();
            let progress = self.stage.owner.progress(figures);
            self.stage.announcer.tell(Event::Progress(progress));
        }
    }
}
