//! The owner of a session: takes in talk and changes, mounts blocks, stores, publishes.
//!
//! It has no thread and no queue. Whoever steps it passes one message at a time and then calls
//! [`Owner::settle`]. Invariant: messages are applied in order, and nothing is reported or
//! acknowledged before it is durable.

use crate::pipeline::driving::session_writer::SessionWriter;
use crate::pipeline::error::PipelineError;
use crate::pipeline::event::{Event, Progress};
use crate::pipeline::feed::{FeedFigures, Notice};
use crate::pipeline::service::change::Change;
use crate::pipeline::service::keys::{GivenIds, Keys};
use crate::pipeline::service::messages::{Arrived, Distilled, OwnerCounts, Snapshot};
use crate::pipeline::service::news::News;
use crossbeam_channel::Sender;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_api::{Changed, Heard};
use weir_core::distil::DistilCounts;
use weir_core::driver::{Driver, InputSink as _};
use weir_core::session::{Input, InputError, Session};
use weir_core::stream::Utterance;
use weir_core::talk::Block;
use weir_core::transcript::HeldTranscript;

/// Maximum age of the snapshot that questions see while talk keeps coming.
const SNAPSHOT_EVERY: Duration = Duration::from_millis(100);

/// Where blocks are distilled.
pub(crate) enum Distilling {
    /// By the driver's distiller, before the next message.
    Inline,
    /// On a thread, one block at a time; the driver's distiller helps out.
    Thread {
        blocks: Sender<Block>,
        /// Whether the driver's distiller takes the oldest block if that thread lags.
        may_overtake: bool,
        /// Whether that thread has a block.
        busy: bool,
    },
}

/// Sends a reply after the commit of what it acknowledges, or the error of that commit.
pub(super) type Owed = Box<dyn FnOnce(Option<&PipelineError>) + Send>;

/// A session with everything that changes it.
pub(crate) struct Owner {
    pub(super) driver: Driver<SessionWriter>,
    distilling: Distilling,
    /// What questions on other threads see, if there are any.
    snapshot: Option<Snapshot>,
    pub(super) stale: bool,
    snapped: Instant,
    /// Talk of a feed that waits for room, and when its words were known.
    held: Option<(Input, Instant)>,
    said: Vec<Utterance>,
    events: Vec<Event>,
    pub(super) news: News,
    pub(super) owed: Vec<Owed>,
    pub(super) heard_keys: Keys<Heard>,
    pub(super) change_keys: Keys<Changed>,
    pub(super) given_ids: GivenIds,
    /// Names of streams that clients began beside others.
    pub(super) beside: BTreeSet<String>,
    /// Streams that clients began with a time that is not now: what was said in them is not said
    /// now.
    pub(super) of_another_time: BTreeSet<String>,
    /// Names of the streams of attached feeds.
    pub(super) attached: BTreeSet<String>,
    counts: OwnerCounts,
    /// Stream and id of the last utterance counted, so that the parts of one count once.
    last: (String, String),
}

impl Owner {
    pub(crate) fn new(
        driver: Driver<SessionWriter>,
        distilling: Distilling,
        snapshot: Option<Snapshot>,
    ) -> Self {
        Self {
            news: News::of(driver.session()),
            distilling,
            snapshot,
            stale: false,
            snapped: Instant::now(),
            held: None,
            said: Vec::new(),
            events: Vec::new(),
            owed: Vec::new(),
            heard_keys: Keys::default(),
            change_keys: Keys::default(),
            given_ids: GivenIds::default(),
            beside: BTreeSet::new(),
            of_another_time: driver.inner().streams_apart(),
            driver,
            attached: BTreeSet::new(),
            counts: OwnerCounts::default(),
            last: Default::default(),
        }
    }

    /// The session and its storage.
    pub(crate) fn driver(&self) -> &Driver<SessionWriter> {
        &self.driver
    }

    /// The same, for the distiller's failures.
    pub(crate) fn driver_mut(&mut self) -> &mut Driver<SessionWriter> {
        &mut self.driver
    }

    /// Events since the last call.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Whether talk of the feed waits for room; then nothing more of the feed may be passed.
    pub(crate) fn is_full(&self) -> bool {
        self.held.is_some()
    }

    /// Whether a block is on the distiller's thread.
    pub(crate) fn is_distilling(&self) -> bool {
        matches!(self.distilling, Distilling::Thread { busy: true, .. })
    }

    /// Time by which [`Self::settle`] must be called again, if something is due.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.driver.inner().deadline()
    }

    /// How far the run is.
    pub(crate) fn progress(&self, figures: FeedFigures) -> Progress {
        let session = self.driver.session();
        Progress {
            figures,
            turns: self.counts.turns,
            tokens: session.tree().tokens() as u64,
            budget_tokens: session.config().budget_tokens as u64,
        }
    }

    /// Takes an item of the feed.
    pub(crate) fn arrived(&mut self, arrived: Arrived) -> Result<(), PipelineError> {
        match arrived {
            Arrived::Heard { heard, since } => self.hear(heard, since),
            Arrived::Change(Input::Begin(start)) => self.feed_begins(start),
            Arrived::Change(input) => {
                self.change(input)?;
                self.driver.inner_mut().reach();
                Ok(())
            }
            Arrived::Recognised { label, name } => self.recognised(&label, &name),
            Arrived::Mark(mark) => {
                self.driver.inner_mut().mark(mark);
                Ok(())
            }
            Arrived::InputDone(whole) => {
                let writer = self.driver.inner_mut();
                writer.remember(whole.input, &whole.stream, &mut self.said)
            }
        }
    }

    /// Takes a result of the distiller's thread.
    pub(crate) fn distilled(&mut self, done: Distilled) -> Result<(), PipelineError> {
        let (distillate, counts) = done?;
        if let Distilling::Thread { busy, .. } = &mut self.distilling {
            *busy = false;
        }
        // a block distilled here is in the tree already
        if self.driver.session().buffer().next_id() == Some(distillate.block) {
            self.change(Input::Mount(distillate))?;
        } else {
            self.counts.discard(&counts);
        }
        match self.held.take() {
            Some((input, since)) => self.hear(input, since),
            None => Ok(()),
        }
    }

    /// Gives a recognised voice its name, unless the user gave it one.
    pub(super) fn recognised(&mut self, label: &str, name: &str) -> Result<(), PipelineError> {
        let Some(change) = self.driver.session().recognising(label, name) else {
            return Ok(());
        };
        let told = change.to_string();
        let notice = match self.changed(Change::Speaker(change))? {
            Ok(_) => Notice::Note(told),
            Err(refused) => Notice::Warning(refused.to_string()),
        };
        self.events.push(Event::Notice(notice));
        Ok(())
    }

    /// Passes the oldest waiting block to the distiller's thread, if that is idle.
    pub(crate) fn dispatch(&mut self) -> Result<(), PipelineError> {
        if let Distilling::Thread { blocks, busy, .. } = &mut self.distilling
            && let Some(block) = self.driver.session().next_block().filter(|_| !*busy)
        {
            blocks
                .send(block)
                .map_err(|_| PipelineError::Downstream { stage: "memory" })?;
            *busy = true;
        }
        Ok(())
    }

    /// Distils what waits, if that is done inline.
    pub(super) fn distil_inline(&mut self) -> Result<(), PipelineError> {
        if let Distilling::Inline = self.distilling {
            while self.driver.mount_next()?.is_some() {
                self.stale = true;
            }
        }
        Ok(())
    }

    /// Distils all blocks that wait behind the one on the thread: after an interrupt the run does
    /// not wait for each.
    pub(crate) fn overtake_all(&mut self) -> Result<(), PipelineError> {
        if self.is_distilling() {
            return Ok(());
        }
        let before = self.counts.overtaken;
        while self.overtake()? {}
        let blocks = self.counts.overtaken - before;
        if blocks > 0 {
            let text = format!("{blocks} waiting blocks were kept without the distiller's model");
            self.events.push(Event::Notice(Notice::Note(text)));
        }
        Ok(())
    }

    /// Distils the oldest waiting block here, so that a slow distiller delays nothing. Returns
    /// whether it did.
    fn overtake(&mut self) -> Result<bool, PipelineError> {
        let Distilling::Thread { may_overtake, .. } = self.distilling else {
            return Ok(false);
        };
        Ok(may_overtake && self.mount_here()?)
    }

    pub(super) fn mount_here(&mut self) -> Result<bool, PipelineError> {
        if self.driver.mount_next()?.is_none() {
            return Ok(false);
        }
        self.stale = true;
        self.counts.overtaken += 1;
        log::info!("the distiller lags: a block was distilled without it");
        Ok(true)
    }

    pub(super) fn change(&mut self, input: Input) -> Result<(), PipelineError> {
        self.driver.inner_mut().apply(input)?;
        self.stale = true;
        self.distil_inline()
    }

    /// Takes in an utterance of the feed.
    fn hear(&mut self, input: Input, since: Instant) -> Result<(), PipelineError> {
        let (error, input) = match self.driver.inner_mut().offer(input) {
            Ok(_) => {
                self.driver.inner_mut().reach();
                self.count(since);
                return self.distil_inline();
            }
            Err(refused) => *refused,
        };
        match error {
            InputError::PendingFull { .. } if self.overtake()? => self.hear(input, since),
            InputError::PendingFull { .. } if self.dispatched()? => {
                self.held = Some((input, since));
                Ok(())
            }
            error if is_about_the_words(&error) => {
                let text = format!("{error}; skipped");
                self.events.push(Event::Notice(Notice::Warning(text)));
                Ok(())
            }
            error => Err(error.into()),
        }
    }

    /// Whether the distiller's thread has a block, after sending it one if there is one.
    fn dispatched(&mut self) -> Result<bool, PipelineError> {
        self.dispatch()?;
        Ok(self.is_distilling())
    }

    /// Counts the utterance that was just taken in.
    pub(super) fn count(&mut self, since: Instant) {
        self.stale = true;
        let Some(heard) = self.driver.session().buffer().raw().last() else {
            return;
        };
        let utterance = &heard.utterance;
        if utterance.id != self.last.1 || utterance.stream != self.last.0 {
            self.counts.turns += 1;
            self.last = (utterance.stream.clone(), utterance.id.clone());
            let took = crate::pipeline::micros(since.elapsed());
            self.counts.ingest_us.record(took);
        }
    }

    /// The feed's last question was answered: a run that resumes does not ask it again.
    pub(crate) fn answered(&mut self) {
        self.driver.inner_mut().reach();
    }

    /// Stores everything that waits.
    pub(crate) fn commit(&mut self) -> Result<(), PipelineError> {
        self.driver.inner_mut().commit(&mut self.said)
    }

    /// Stores what is due and renews the snapshot; then reports and acknowledges. `more` says
    /// whether another message waits already, so that one commit serves several.
    pub(crate) fn settle(&mut self, more: bool) -> Result<(), PipelineError> {
        let writer = self.driver.inner_mut();
        let stored = match self.owed.is_empty() || more {
            true => writer.commit_if_due(&mut self.said),
            false => writer.commit(&mut self.said),
        };
        stored?;
        let all_stored = !self.driver.inner().waits();
        self.renew(!more || all_stored);
        for problem in self.driver.inner_mut().transcript_problems() {
            self.events.push(Event::Notice(Notice::Warning(problem)));
        }
        let heard = self.said.drain(..).map(|it| Event::Heard(Box::new(it)));
        self.events.extend(heard);
        if all_stored {
            self.events.extend(self.news.take());
            if let Some(changes) = self.driver.inner_mut().take_changes() {
                self.events.push(Event::Memory(changes));
                let beliefs = match self.driver.inner().transcript() {
                    Some(transcript) => self.news.beliefs(self.driver.session(), &*transcript),
                    None => {
                        let none = HeldTranscript::default();
                        self.news.beliefs(self.driver.session(), &none)
                    }
                };
                self.events.extend(beliefs);
            }
            self.owed.drain(..).for_each(|owed| owed(None));
        }
        Ok(())
    }

    /// Renews the snapshot of questions: before an utterance is reported, so that its reader can
    /// ask about it; at once when nothing else is due; otherwise soon.
    fn renew(&mut self, due: bool) {
        let due = due || !self.said.is_empty() || self.snapped.elapsed() >= SNAPSHOT_EVERY;
        if let Some(snapshot) = self.snapshot.as_ref().filter(|_| self.stale && due) {
            self.driver.inner_mut().flush_transcript();
            let new = Arc::new(self.driver.session().clone());
            // the old one goes after the lock is released
            let _old = std::mem::replace(&mut *snapshot.write(), new);
            self.stale = false;
            self.snapped = Instant::now();
        }
    }

    /// Stores everything and releases the storage; `failed` is why the owner ends, if it failed.
    pub(crate) fn close(
        mut self,
        failed: Option<PipelineError>,
    ) -> (Vec<Event>, Result<(Session, OwnerCounts), PipelineError>) {
        let closed = self.driver.into_inner().close(&mut self.said);
        let heard = self.said.drain(..).map(|it| Event::Heard(Box::new(it)));
        self.events.extend(heard);
        let ended = match (failed, closed) {
            (Some(failed), _) | (None, Err(failed)) => Err(failed),
            (None, Ok(session)) => Ok((session, self.counts)),
        };
        let why = ended.as_ref().err();
        self.owed.drain(..).for_each(|owed| owed(why));
        (self.events, ended)
    }

    /// The counts of the driver's own distiller.
    pub(crate) fn distil_counts(&self) -> DistilCounts {
        self.driver.distiller().counts()
    }
}

/// Whether an input was refused for its content, not for a wrong call.
pub(super) fn is_about_the_words(error: &InputError) -> bool {
    matches!(
        error,
        InputError::SameId { .. } | InputError::NoWords { .. } | InputError::TooLong { .. }
    )
}
