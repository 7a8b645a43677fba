//! The work of each thread of a [`crate::pipeline::Pipeline`], as functions over its edges.
//!
//! A stage owns its data and ends when its input ends. Invariant: everything a stage receives is
//! passed on, counted, or leads to an error.

use crate::pipeline::driving::stop::Stop;
use crate::pipeline::error::PipelineError;
use crate::pipeline::event::Event;
use crate::pipeline::feed::{Feed, FeedFigures, FeedItem, InputMark, Notice};
use crate::pipeline::service::messages::{
    Arrived, Distilled, FromFeed, Question, Snapshot, StageEnd,
};
use crate::pipeline::service::subscribers::Announcer;
use crate::results::Histogram;
use crossbeam_channel::{Receiver, Sender};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Instant;
use weir_core::distil::Distil;
use weir_core::driver::heard_parts;
use weir_core::session::{Input, Session};
use weir_core::stream::Utterance;
use weir_core::talk::Block;
use weir_models::{CountTokens, Encode, EncodeError};

/// Pulls the feed and sends each item to its stage.
pub(crate) struct FeedStage {
    pub(crate) feed: Box<dyn Feed>,
    pub(crate) stop: Stop,
    pub(crate) onward: Sender<(FeedItem, Instant)>,
    pub(crate) announcer: Announcer,
    pub(crate) figures: Arc<Mutex<FeedFigures>>,
}

impl FeedStage {
    pub(crate) fn run(mut self) -> Result<StageEnd, PipelineError> {
        let ended = |_| PipelineError::Downstream { stage: "feed" };
        let mut notices = Vec::new();
        loop {
            let fed = self.feed.next(&self.stop, &mut notices);
            for notice in notices.drain(..) {
                self.announcer.tell(Event::Notice(notice));
            }
            *self.figures.lock() = self.feed.figures();
            match fed {
                None => return Ok(StageEnd::Feed(self.feed.figures())),
                Some(FeedItem::Idle) => {}
                Some(item) => self.onward.send((item, Instant::now())).map_err(ended)?,
            }
        }
    }
}

/// Splits long utterances and adds a vector to each.
pub(crate) struct EncodeStage {
    pub(crate) items: Receiver<(FeedItem, Instant)>,
    pub(crate) encoding: Encoding,
    /// For the names of speakers.
    pub(crate) snapshot: Snapshot,
    pub(crate) onward: Sender<FromFeed>,
}

impl EncodeStage {
    pub(crate) fn run(mut self) -> Result<StageEnd, PipelineError> {
        for (fed, since) in &self.items {
            let session = Arc::clone(&self.snapshot.read());
            let mut sent = Ok(());
            self.encoding.made_of(fed, since, &session, &mut |made| {
                if sent.is_ok() {
                    sent = self.onward.send(made);
                }
            })?;
            sent.map_err(|_| PipelineError::Downstream { stage: "encode" })?;
        }
        Ok(StageEnd::Nothing)
    }
}

/// Makes inputs of the items of a feed.
pub(crate) struct Encoding {
    encoder: Arc<dyn Encode>,
    counter: Arc<dyn CountTokens>,
    /// The feed's position after its next item.
    mark: Option<InputMark>,
}

impl Encoding {
    pub(crate) fn new(encoder: Arc<dyn Encode>, counter: Arc<dyn CountTokens>) -> Self {
        Self {
            encoder,
            counter,
            mark: None,
        }
    }

    /// Passes on what an item becomes for a session.
    pub(crate) fn made_of(
        &mut self,
        fed: FeedItem,
        since: Instant,
        session: &Session,
        pass: &mut dyn FnMut(FromFeed),
    ) -> Result<(), EncodeError> {
        let mut item = |item| pass(FromFeed::Item(Box::new(item)));
        match fed {
            FeedItem::Heard(utterance) => self.heard(*utterance, since, session, &mut item)?,
            FeedItem::Mark(next) => self.mark = Some(next),
            FeedItem::Begin(start) => item(Arrived::Change(Input::Begin(start))),
            FeedItem::Break {
                stream,
                resumes_at_unix_ms,
            } => {
                self.mark
                    .take()
                    .map(Arrived::Mark)
                    .into_iter()
                    .for_each(&mut item);
                item(Arrived::Change(Input::Break {
                    resumes_at_unix_ms,
                    stream: Some(stream),
                }));
            }
            FeedItem::Recognised { label, name } => item(Arrived::Recognised { label, name }),
            FeedItem::End { whole, .. } => {
                item(Arrived::Change(Input::Flush));
                whole
                    .map(Arrived::InputDone)
                    .into_iter()
                    .for_each(&mut item);
            }
            FeedItem::Ask(asking) => {
                self.mark
                    .take()
                    .map(Arrived::Mark)
                    .into_iter()
                    .for_each(&mut item);
                pass(FromFeed::Ask(Question {
                    since,
                    ..Question::of_run(asking)
                }));
            }
            FeedItem::Idle => {}
        }
        Ok(())
    }

    fn heard(
        &mut self,
        utterance: Utterance,
        since: Instant,
        session: &Session,
        item: &mut dyn FnMut(Arrived),
    ) -> Result<(), EncodeError> {
        let (counter, encoder) = (self.counter.as_ref(), self.encoder.as_ref());
        let names = session.speaker_names();
        let tokens_max = session.config().raw_limits().utterance;
        let parts = heard_parts(utterance, names, tokens_max, counter, encoder)?;
        let last = parts.len().saturating_sub(1);
        let mut mark = self.mark.take();
        for (nth, heard) in parts.into_iter().enumerate() {
            // an utterance is complete with its last part
            let mark = mark.take_if(|_| nth == last);
            mark.map(Arrived::Mark).into_iter().for_each(&mut *item);
            item(Arrived::Heard { heard, since });
        }
        Ok(())
    }
}

/// Distils one block at a time.
pub(crate) struct DistilStage {
    pub(crate) blocks: Receiver<Block>,
    pub(crate) distiller: Box<dyn Distil>,
    pub(crate) encoder: Arc<dyn Encode>,
    pub(crate) done: Sender<Distilled>,
    pub(crate) announcer: Announcer,
}

impl DistilStage {
    pub(crate) fn run(mut self) -> Result<StageEnd, PipelineError> {
        let (mut distil_us, mut failures) = (Histogram::new(), Failures::default());
        for block in &self.blocks {
            let before = self.distiller.counts();
            let started = Instant::now();
            let distillate = self.distiller.distil(&block, self.encoder.as_ref());
            distil_us.record(crate::pipeline::micros(started.elapsed()));
            for notice in failures.of(self.distiller.as_mut()) {
                self.announcer.tell(Event::Notice(notice));
            }
            let counts = self.distiller.counts().since(&before);
            let done = distillate.map(|distillate| (Box::new(distillate), counts));
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
