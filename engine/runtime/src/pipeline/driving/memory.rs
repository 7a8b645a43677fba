//! The thread that owns the session: takes in utterances, mounts distillates, saves, publishes.
//!
//! Only this thread changes the session. It waits for the distiller only when raw talk is full.
//! Invariant: inputs are applied in order of arrival, and an utterance is reported only after it is
//! durable.

use crate::pipeline::driving::edge::Inner;
use crate::pipeline::driving::lockstep::is_about_the_words;
use crate::pipeline::driving::meters::Unused;
use crate::pipeline::driving::naming::{change_speaker, recognised};
use crate::pipeline::driving::session_writer::SessionWriter;
use crate::pipeline::driving::stages::{Arrived, Distilled, Snapshot, StageEnd, tell};
use crate::pipeline::driving::stop::Stop;
use crate::pipeline::error::PipelineError;
use crate::pipeline::event::{Event, Progress};
use crate::pipeline::feed::{FeedFigures, Notice};
use crate::results::Histogram;
use crossbeam_channel::{Receiver, Sender, never, select};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_core::distil::DistilCounts;
use weir_core::driver::{Driver, TakesInputs as _};
use weir_core::session::{Input, InputError, SpeakerChange};
use weir_core::stream::Utterance;
use weir_core::talk::{Block, Distillate};

/// Maximum age of the snapshot that questions see while utterances keep coming.
const SNAPSHOT_EVERY: Duration = Duration::from_millis(100);
/// Longest sleep without work: publishing for other processes continues meanwhile.
const IDLE: Duration = Duration::from_millis(1_000);

/// Inputs and outputs of the memory stage.
pub(crate) struct MemoryStage {
    /// The session, with the extractive distiller.
    pub(crate) driver: Driver<SessionWriter>,
    pub(crate) inbox: Receiver<Arrived>,
    pub(crate) recalled: Receiver<Input>,
    /// Names given by the user.
    pub(crate) names: Receiver<SpeakerChange>,
    pub(crate) blocks: Inner<Block>,
    pub(crate) distilled: Receiver<Distilled>,
    pub(crate) snapshot: Snapshot,
    pub(crate) events: Sender<Event>,
    pub(crate) figures: Arc<Mutex<FeedFigures>>,
    /// Whether the driver distils the oldest block itself if the distiller lags.
    pub(crate) may_overtake: bool,
    pub(crate) stop: Stop,
}

/// State of the running stage.
struct AtWork {
    stage: MemoryStage,
    /// Whether the distiller has a block.
    distilling: bool,
    /// Blocks distilled here because the distiller lagged.
    overtaken: u64,
    /// Distillates that arrived for such blocks anyway.
    unused: Unused,
    /// An utterance that waits for space, with its vector and its arrival time.
    held: Option<(Input, Instant)>,
    said: Vec<Utterance>,
    ingest_us: Histogram,
    turns: u64,
    /// Id of the last utterance counted, so that the parts of one count once.
    last_id: String,
    stale: bool,
    snapped: Instant,
}

/// The event that woke the memory stage.
enum Woken {
    Arrived(Arrived),
    Learnt(Input),
    Named(SpeakerChange),
    Distilled(Distilled),
    InboxClosed,
    RecalledClosed,
    DistillerGone,
    Nothing,
}

impl MemoryStage {
    pub(crate) fn run(self) -> Result<StageEnd, PipelineError> {
        let mut work = AtWork {
            stage: self,
            distilling: false,
            overtaken: 0,
            unused: Unused::default(),
            held: None,
            said: Vec::new(),
            ingest_us: Histogram::new(),
            turns: 0,
            last_id: String::new(),
            stale: false,
            snapped: Instant::now(),
        };
        let ran = work.run();
        // save what was taken in, whatever ended the stage
        let AtWork { stage, .. } = work;
        let closed = stage.driver.into_inner().close(&mut work.said);
        for utterance in work.said {
            tell(&stage.events, Event::Heard(Box::new(utterance)));
        }
        ran?;
        Ok(StageEnd::Memory {
            session: Box::new(closed?),
            ingest_us: work.ingest_us,
            turns: work.turns,
            overtaken: work.overtaken,
            unused: work.unused,
        })
    }
}

impl AtWork {
    fn run(&mut self) -> Result<(), PipelineError> {
        let (mut inbox_open, mut recalled_open) = (true, true);
        loop {
            if !inbox_open && self.stage.stop.is_interrupted() {
                self.overtake_all()?;
            }
            self.dispatch()?;
            if !inbox_open && !recalled_open && !self.distilling && self.held.is_none() {
                return Ok(());
            }
            match self.wait(inbox_open, recalled_open) {
                Woken::Arrived(arrived) => self.arrived(arrived)?,
                Woken::Learnt(input) => self.change(input)?,
                Woken::Named(change) => {
                    let told = change_speaker(&mut self.stage.driver, change)?;
                    self.stale = true;
                    tell(&self.stage.events, Event::Notice(told));
                }
                Woken::Distilled(done) => {
                    let (distillate, counts) = done?;
                    self.mount(distillate, &counts)?;
                }
                Woken::InboxClosed => inbox_open = false,
                Woken::RecalledClosed => recalled_open = false,
                Woken::DistillerGone => {
                    return Err(PipelineError::Downstream { stage: "memory" });
                }
                Woken::Nothing => {}
            }
            self.stage
                .driver
                .inner_mut()
                .commit_if_due(&mut self.said)?;
            self.publish();
            self.tell_said();
        }
    }

    /// Waits for the next event. While an utterance is held back, no new one is received.
    fn wait(&self, inbox_open: bool, recalled_open: bool) -> Woken {
        let (no_item, no_input, no_result) = (never(), never(), never());
        let stage = &self.stage;
        let inbox = if inbox_open && self.held.is_none() {
            &stage.inbox
        } else {
            &no_item
        };
        let recalled = if recalled_open {
            &stage.recalled
        } else {
            &no_input
        };
        let distilled = if self.distilling {
            &stage.distilled
        } else {
            &no_result
        };
        let timeout = stage.driver.inner().deadline().map_or(IDLE, |deadline| {
            deadline.saturating_duration_since(Instant::now())
        });
        select! {
            recv(inbox) -> item => item.map_or(Woken::InboxClosed, Woken::Arrived),
            recv(recalled) -> input => input.map_or(Woken::RecalledClosed, Woken::Learnt),
            recv(stage.names) -> change => change.map_or(Woken::Nothing, Woken::Named),
            recv(distilled) -> done => done.map_or(Woken::DistillerGone, Woken::Distilled),
            default(timeout) => Woken::Nothing,
        }
    }

    /// Sends the oldest waiting block to the distiller, if the distiller is idle.
    fn dispatch(&mut self) -> Result<(), PipelineError> {
        if self.distilling {
            return Ok(());
        }
        if let Some(block) = self.stage.driver.session().next_block() {
            self.stage
                .blocks
                .send(block)
                .map_err(|_| PipelineError::Downstream { stage: "memory" })?;
            self.distilling = true;
        }
        Ok(())
    }

    fn arrived(&mut self, arrived: Arrived) -> Result<(), PipelineError> {
        match arrived {
            Arrived::Heard { heard, since } => self.hear(heard, since),
            Arrived::Change(input) => self.change(input),
            Arrived::Recognised { label, name } => {
                let told = recognised(&mut self.stage.driver, &label, &name)?;
                self.stale = true;
                if let Some(notice) = told {
                    tell(&self.stage.events, Event::Notice(notice));
                }
                Ok(())
            }
            Arrived::Mark(mark) => {
                self.stage.driver.inner_mut().mark(mark);
                Ok(())
            }
            Arrived::InputDone(whole) => self
                .stage
                .driver
                .inner_mut()
                .remember(whole.input, &whole.stream, &mut self.said),
        }
    }

    fn change(&mut self, input: Input) -> Result<(), PipelineError> {
        self.stage.driver.inner_mut().apply(input)?;
        self.stale = true;
        Ok(())
    }

    fn mount(
        &mut self,
        distillate: Distillate,
        counts: &DistilCounts,
    ) -> Result<(), PipelineError> {
        self.distilling = false;
        // a block distilled here is in the tree already
        if self.stage.driver.session().buffer().next_id() == Some(distillate.block) {
            self.change(Input::Mount(Box::new(distillate)))?;
        } else {
            self.unused.note(counts);
        }
        match self.held.take() {
            Some((input, since)) => self.hear(input, since),
            None => Ok(()),
        }
    }

    fn hear(&mut self, input: Input, since: Instant) -> Result<(), PipelineError> {
        match self.stage.driver.inner_mut().apply(input.clone()) {
            Ok(_) => {
                self.counted(&input, since);
                Ok(())
            }
            Err(InputError::PendingFull { .. }) if self.overtake()? => self.hear(input, since),
            Err(InputError::PendingFull { .. }) if self.is_distilling()? => {
                self.held = Some((input, since));
                Ok(())
            }
            Err(error) if is_about_the_words(&error) => {
                let text = format!("{error}; skipped");
                tell(&self.stage.events, Event::Notice(Notice::Warning(text)));
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Distils the oldest waiting block on this thread, so that a slow distiller delays nothing.
    /// Returns whether it did.
    fn overtake(&mut self) -> Result<bool, PipelineError> {
        if !self.stage.may_overtake || self.stage.driver.mount_next()?.is_none() {
            return Ok(false);
        }
        self.stale = true;
        self.overtaken += 1;
        log::info!("the distiller lags: a block was distilled without it");
        Ok(true)
    }

    /// Distils all blocks that wait behind the distiller's current one on this thread: after an
    /// interrupt the run does not wait for each.
    fn overtake_all(&mut self) -> Result<(), PipelineError> {
        if self.distilling {
            return Ok(());
        }
        let before = self.overtaken;
        while self.overtake()? {}
        let blocks = self.overtaken - before;
        if blocks > 0 {
            let text = format!("{blocks} waiting blocks were kept without the distiller's model");
            tell(&self.stage.events, Event::Notice(Notice::Note(text)));
        }
        Ok(())
    }

    /// Whether the distiller has a block, after sending it one if there is one.
    fn is_distilling(&mut self) -> Result<bool, PipelineError> {
        self.dispatch()?;
        Ok(self.distilling)
    }

    fn counted(&mut self, input: &Input, since: Instant) {
        self.stale = true;
        let Input::Heard { utterance, .. } = input else {
            return;
        };
        if utterance.id != self.last_id {
            self.turns += 1;
            self.last_id.clone_from(&utterance.id);
            self.ingest_us
                .record(crate::pipeline::micros(since.elapsed()));
        }
    }

    fn tell_said(&mut self) {
        for problem in self.stage.driver.inner_mut().transcript_problems() {
            tell(&self.stage.events, Event::Notice(Notice::Warning(problem)));
        }
        if self.said.is_empty() {
            return;
        }
        for utterance in self.said.drain(..) {
            tell(&self.stage.events, Event::Heard(Box::new(utterance)));
        }
        let session = self.stage.driver.session();
        let figures = *self.stage.figures.lock();
        // drop progress events when the owner lags
        let _ = self.stage.events.try_send(Event::Progress(Progress {
            figures,
            turns: self.turns,
            tokens: session.tree().tokens() as u64,
            budget_tokens: session.config().budget_tokens as u64,
        }));
    }

    /// Publishes the current state for questions: before an utterance is reported, so that its
    /// reader can ask about it; at once when nothing else is due; otherwise soon.
    fn publish(&mut self) {
        let due = !self.said.is_empty() || self.stage.inbox.is_empty();
        if self.stale && (due || self.snapped.elapsed() >= SNAPSHOT_EVERY) {
            self.stage.driver.inner_mut().flush_transcript();
            *self.stage.snapshot.write() = Arc::new(self.stage.driver.session().clone());
            self.stale = false;
            self.snapped = Instant::now();
        }
    }
}
