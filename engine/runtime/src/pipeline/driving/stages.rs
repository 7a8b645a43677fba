//! The work of each thread of a [`crate::pipeline::Pipeline`], as functions over its edges.
//!
//! A stage owns its data and ends when its input ends. Invariant: everything a stage receives is
//! passed on, counted, or leads to an error.

use crate::index::{FactIndex, VectorIndex};
use crate::pipeline::ask::{Asker, Indexes, Learn};
use crate::pipeline::driving::edge::{Inner, QuestionQueue};
use crate::pipeline::driving::indexing::Indexing;
use crate::pipeline::driving::meters::{Meters, Unused};
use crate::pipeline::driving::stop::Stop;
use crate::pipeline::driving::transcript::SharedTranscript;
use crate::pipeline::error::PipelineError;
use crate::pipeline::event::Event;
use crate::pipeline::feed::{
    AskRequest, Feed, FeedFigures, FeedItem, InputDone, InputMark, Notice,
};
use crate::pipeline::hearing::unsettled::Unsettled;
use crate::results::Histogram;
use crossbeam_channel::{Receiver, Sender};
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::time::Instant;
use weir_core::distil::{Distil, DistilCounts, DistilError};
use weir_core::driver::heard_parts;
use weir_core::memory::NearestUnits;
use weir_core::profile::NearestFacts;
use weir_core::session::{Input, Session};
use weir_core::stream::Utterance;
use weir_core::talk::{Block, Distillate};
use weir_models::{CountTokens, Encode};

/// The state that questions read: replaced as a whole, never modified.
pub(crate) type Snapshot = Arc<RwLock<Arc<Session>>>;

/// Input of the memory stage.
pub(crate) enum Arrived {
    /// An encoded utterance, and when its words were known.
    Heard { heard: Input, since: Instant },
    /// Another input that changes the session.
    Change(Input),
    /// A voice was recognised: label and name.
    Recognised { label: String, name: String },
    /// An input was completed.
    InputDone(InputDone),
    /// Position in an input after the next item.
    Mark(InputMark),
}

/// Result of a stage.
pub(crate) enum StageEnd {
    /// The feed: its figures.
    Feed(FeedFigures),
    /// Encoding: no result.
    Nothing,
    /// The distiller: time per block, and its counts.
    Distil(Histogram, DistilCounts),
    /// The memory: the session, time per utterance, utterances heard, blocks distilled without the
    /// distiller, and its unused results for them.
    Memory {
        session: Box<Session>,
        ingest_us: Histogram,
        turns: u64,
        overtaken: u64,
        unused: Unused,
    },
    /// The queries: their measurements.
    Query(Box<Meters>),
}

/// Result for a block, and the distiller's counts for it.
pub(crate) type Distilled = Result<(Distillate, DistilCounts), DistilError>;

/// Sends an event; an owner that no longer receives is no reason to stop.
pub(crate) fn tell(events: &Sender<Event>, event: Event) {
    let _ = events.send(event);
}

/// Pulls the feed and sends each item to its stage.
pub(crate) struct FeedStage {
    pub(crate) feed: Box<dyn Feed>,
    pub(crate) stop: Stop,
    pub(crate) onward: Inner<(FeedItem, Instant)>,
    pub(crate) door: QuestionQueue<AskRequest>,
    pub(crate) events: Sender<Event>,
    pub(crate) figures: Arc<Mutex<FeedFigures>>,
}

impl FeedStage {
    pub(crate) fn run(mut self) -> Result<StageEnd, PipelineError> {
        let ended = |_| PipelineError::Downstream { stage: "feed" };
        let mut notices = Vec::new();
        loop {
            let fed = self.feed.next(&self.stop, &mut notices);
            for notice in notices.drain(..) {
                tell(&self.events, Event::Notice(notice));
            }
            *self.figures.lock() = self.feed.figures();
            match fed {
                None => return Ok(StageEnd::Feed(self.feed.figures())),
                Some(FeedItem::Idle) => {}
                // a question in a file must not be lost: the feed waits
                Some(FeedItem::Ask(asking)) => self.door.wait(asking).map_err(ended)?,
                Some(item) => self.onward.send((item, Instant::now())).map_err(ended)?,
            }
        }
    }
}

/// Splits long utterances and adds a vector to each.
pub(crate) struct EncodeStage {
    pub(crate) items: Receiver<(FeedItem, Instant)>,
    pub(crate) encoder: Arc<dyn Encode>,
    /// For the names of speakers.
    pub(crate) snapshot: Snapshot,
    pub(crate) counter: Arc<dyn CountTokens>,
    /// Longest utterance that the session takes, in tokens.
    pub(crate) utterance_tokens_max: usize,
    pub(crate) onward: Inner<Arrived>,
}

impl EncodeStage {
    pub(crate) fn run(self) -> Result<StageEnd, PipelineError> {
        let ended = |_| PipelineError::Downstream { stage: "encode" };
        let mut mark = None;
        for (fed, since) in &self.items {
            let arrived = match fed {
                FeedItem::Heard(utterance) => {
                    self.encode(*utterance, since, mark.take())?;
                    continue;
                }
                FeedItem::Mark(next) => {
                    mark = Some(next);
                    continue;
                }
                FeedItem::Begin(start) => Arrived::Change(Input::Begin(start)),
                FeedItem::Break { resumes_at_unix_ms } => {
                    if let Some(mark) = mark.take() {
                        self.onward.send(Arrived::Mark(mark)).map_err(ended)?;
                    }
                    Arrived::Change(Input::Break { resumes_at_unix_ms })
                }
                FeedItem::Recognised { label, name } => Arrived::Recognised { label, name },
                FeedItem::End { whole } => {
                    self.onward
                        .send(Arrived::Change(Input::Flush))
                        .map_err(ended)?;
                    let Some(whole) = whole else { continue };
                    Arrived::InputDone(whole)
                }
                // questions use their own queue
                FeedItem::Ask(_) | FeedItem::Idle => continue,
            };
            self.onward.send(arrived).map_err(ended)?;
        }
        Ok(StageEnd::Nothing)
    }

    fn encode(
        &self,
        utterance: Utterance,
        since: Instant,
        mut mark: Option<InputMark>,
    ) -> Result<(), PipelineError> {
        let ended = |_| PipelineError::Downstream { stage: "encode" };
        let (counter, encoder) = (self.counter.as_ref(), self.encoder.as_ref());
        let session = Arc::clone(&self.snapshot.read());
        let names = session.speaker_names();
        let tokens_max = self.utterance_tokens_max;
        let parts = heard_parts(utterance, names, tokens_max, counter, encoder)?;
        let last = parts.len().saturating_sub(1);
        for (nth, heard) in parts.into_iter().enumerate() {
            // an utterance is complete with its last part
            if let Some(mark) = mark.take_if(|_| nth == last) {
                self.onward.send(Arrived::Mark(mark)).map_err(ended)?;
            }
            self.onward
                .send(Arrived::Heard { heard, since })
                .map_err(ended)?;
        }
        Ok(())
    }
}

/// Distils one block at a time.
pub(crate) struct DistilStage {
    pub(crate) blocks: Receiver<Block>,
    pub(crate) distiller: Box<dyn Distil>,
    pub(crate) encoder: Arc<dyn Encode>,
    pub(crate) done: Inner<Distilled>,
    pub(crate) events: Sender<Event>,
}

impl DistilStage {
    /// The stage with its two edges.
    pub(crate) fn new(
        distiller: Box<dyn Distil>,
        encoder: Arc<dyn Encode>,
        blocks: Receiver<Block>,
        done: Inner<Distilled>,
        events: &Sender<Event>,
    ) -> Self {
        Self {
            blocks,
            distiller,
            encoder,
            done,
            events: events.clone(),
        }
    }

    pub(crate) fn run(mut self) -> Result<StageEnd, PipelineError> {
        let (mut distil_us, mut failures) = (Histogram::new(), Failures::default());
        for block in &self.blocks {
            let before = self.distiller.counts();
            let started = Instant::now();
            let distillate = self.distiller.distil(&block, self.encoder.as_ref());
            distil_us.record(crate::pipeline::micros(started.elapsed()));
            for notice in failures.of(self.distiller.as_mut()) {
                tell(&self.events, Event::Notice(notice));
            }
            let counts = self.distiller.counts().since(&before);
            let done = distillate.map(|distillate| (distillate, counts));
            if self.done.send(done).is_err() {
                return Err(PipelineError::Downstream { stage: "distil" });
            }
        }
        Ok(StageEnd::Distil(distil_us, self.distiller.counts()))
    }
}

/// Warnings when the distiller's model fails on a block, and when it is paused after several
/// failures. Each is sent once; the summary has the counts.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    failed: bool,
    left_alone: bool,
}

impl Failures {
    /// New warnings since the last call.
    pub(crate) fn of(&mut self, distiller: &mut dyn Distil) -> Vec<Notice> {
        let mut news = Vec::new();
        if let Some(why) = distiller.last_failure().filter(|_| !self.failed) {
            self.failed = true;
            news.push(Notice::Warning(format!(
                "the distiller's model failed, such blocks are kept verbatim: {why}"
            )));
        }
        if distiller.counts().blocks_unasked > 0 && !self.left_alone {
            self.left_alone = true;
            news.push(Notice::Warning(
                "the distiller's model failed several times in a row: it is tried again after some \
                 blocks, which are kept verbatim"
                    .to_owned(),
            ));
        }
        news
    }
}

/// Answers questions from the last snapshot.
pub(crate) struct QueryStage {
    pub(crate) questions: Receiver<AskRequest>,
    pub(crate) snapshot: Snapshot,
    pub(crate) asker: Asker,
    pub(crate) transcript: Option<Arc<SharedTranscript>>,
    pub(crate) unsettled: Option<Unsettled>,
    pub(crate) recalled: Inner<Input>,
    pub(crate) events: Sender<Event>,
}

impl QueryStage {
    pub(crate) fn run(mut self) -> Result<StageEnd, PipelineError> {
        let mut meters = Meters::default();
        let mut units = Indexing::<VectorIndex>::default();
        let mut facts = Indexing::<FactIndex>::default();
        for asking in &self.questions {
            let session = Arc::clone(&self.snapshot.read());
            let indexes = Indexes {
                units: units.index(&session).map(|it| it as &dyn NearestUnits),
                facts: facts.index(&session).map(|it| it as &dyn NearestFacts),
            };
            let transcript = self.transcript.as_deref();
            let event = match self.asker.ask(&session, indexes, transcript, &asking) {
                Ok(mut answered) => {
                    answered.unrecognised_ms = self.unsettled.as_ref().map_or(0, Unsettled::ms);
                    meters.count_question(&answered);
                    // an answer never waits for memory: when memory is busy, its access is not
                    // recorded
                    if self.asker.settings.learn == Learn::Yes
                        && !self.recalled.try_send(answered.recall.access_input())
                    {
                        log::info!(
                            "memory is busy: the access of {} is not recorded",
                            asking.id
                        );
                    }
                    Event::Answered(Box::new(answered))
                }
                Err(error) => Event::Unanswered {
                    id: asking.id,
                    why: error.to_string(),
                },
            };
            tell(&self.events, event);
        }
        Ok(StageEnd::Query(Box::new(meters)))
    }
}
