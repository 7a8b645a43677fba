//! The story fed to every session of the kill test, and the result without kills.
//!
//! The journal's length says how far a killed session came. An uninterrupted run in memory counts
//! the inputs after each item, so a session can continue exactly where it ended.

use crate::plain_memory;
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use weir_core::config::{EncoderProfile, SessionConfig};
use weir_core::session::{EncoderStamp, Input, Session};
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_engine::pipeline::{
    AskRequest, Feed, FeedFigures, FeedItem, InputDone, Lockstep, Notice, PipelineParts,
    SessionLog, SessionLogError, SessionWriter, Stop,
};
use weir_engine::store::{OpenOptions, Opened, StoreError, open_session};
use weir_fixtures::Rng;
use weir_fixtures::talk::{Plan, talk};
use weir_models::{CountTokens, SpaceCounter, WordHashEncoder};

pub(crate) const STREAM: &str = "story";
const TURNS: usize = 120;
/// A turn that must be split, if the story can continue at any turn.
const LONG_TURN: usize = 50;

pub(crate) fn counter() -> Arc<dyn CountTokens> {
    Arc::new(SpaceCounter)
}

pub(crate) fn config(budget_tokens: usize) -> SessionConfig {
    SessionConfig {
        budget_tokens,
        profile: EncoderProfile::word_hash(),
        ..SessionConfig::default()
    }
}

pub(crate) fn stamp() -> EncoderStamp {
    EncoderStamp::of(&WordHashEncoder::new())
}

pub(crate) fn open(dir: &Path, budget_tokens: usize) -> Result<Opened, StoreError> {
    open_session(
        dir,
        OpenOptions {
            config: config(budget_tokens),
            encoder: stamp(),
            counter: counter(),
        },
    )
}

/// Where speakers say in turn that they live, so that profiles change.
const HOMES: [&str; 3] = ["Lisbon", "Oslo", "Porto"];

/// Talk with an occasional planted fact, feelings, homes, a break, a question and one very long
/// turn. The last words of each turn are unique, so that with a large budget every turn stays
/// held.
pub(crate) fn items(with_long_turn: bool) -> Vec<FeedItem> {
    let plan = Plan {
        turns: TURNS,
        ..Plan::default()
    };
    let talk = talk(plan, &mut Rng::new(17));
    let mut items = vec![FeedItem::Begin(StreamStart::new(
        STREAM,
        Some(1_740_823_200_000),
    ))];
    for (n, turn) in talk.turns.iter().enumerate() {
        let mut text = format!("{} I noted that as number {n}.", turn.text);
        text = match n % 12 {
            3 => format!("I love the new harbour. {text}"),
            7 => format!("I hate the noise of the harbour. {text}"),
            10 => format!("I live in {}. {text}", HOMES[n / 12 % HOMES.len()]),
            _ => text,
        };
        if with_long_turn && n == LONG_TURN {
            let words = (0..700).map(|word| format!("pebble{word}"));
            text = format!("{text} {}.", words.collect::<Vec<_>>().join(" "));
        }
        items.push(FeedItem::Heard(Box::new(Utterance {
            id: turn.id.clone(),
            stream: STREAM.into(),
            speaker: Some(turn.speaker.into()),
            span: Span::new(turn.start_ms, turn.end_ms),
            audio: None,
            confidence: None,
            text,
        })));
        if n % 37 == 36 {
            items.push(FeedItem::Break {
                stream: STREAM.into(),
                resumes_at_unix_ms: Some(1_740_900_000_000 + n as i64),
            });
        }
        if n % 11 == 10 {
            items.push(FeedItem::Ask(AskRequest {
                at: weir_core::answer::QuestionTime::default(),
                id: format!("q{n}"),
                stream: Some(STREAM.into()),
                text: talk.facts[n / 11 % talk.facts.len()].question.clone(),
                asked_by: None,
            }));
        }
    }
    let stream = STREAM.to_owned();
    let whole = Some(InputDone {
        input: 0,
        stream: stream.clone(),
    });
    items.push(FeedItem::End { stream, whole });
    items
}

/// The result of an uninterrupted run.
pub(crate) struct Told {
    pub(crate) items: Vec<FeedItem>,
    /// Inputs journalled after each item.
    pub(crate) marks: Vec<u64>,
    /// Turns heard after each item; the parts of a split one count once.
    pub(crate) turns: Vec<u64>,
    pub(crate) digest: String,
}

impl Told {
    pub(crate) fn in_memory(budget_tokens: usize, with_long_turn: bool) -> Self {
        let items = items(with_long_turn);
        let counted = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
        let marks = Arc::new(Mutex::new(Vec::new()));
        let mut feed = Marking {
            items: items.clone().into_iter(),
            counted: Arc::clone(&counted),
            marks: Arc::clone(&marks),
        };
        let session = Session::new(config(budget_tokens), stamp(), counter()).unwrap();
        let session_writer = SessionWriter::kept(session, Box::new(Counting(counted)));
        let finished = Lockstep::new(parts(session_writer))
            .run(&mut feed, &Stop::default(), &mut |_| {})
            .unwrap();
        // the first mark is before the first item
        let marks = marks.lock().split_off(1);
        let (beliefs, profiles) = (finished.session.beliefs(), finished.session.profiles());
        let observed = (beliefs.held().len(), profiles.facts().len());
        assert!(observed.0 > 0 && observed.1 > 0, "{observed:?}");
        assert_eq!(marks.len(), items.len());
        Self {
            items,
            marks: marks.iter().map(|mark| mark.0).collect(),
            turns: marks.iter().map(|mark| mark.1).collect(),
            digest: finished.session.digest(),
        }
    }

    /// Number of items in a session whose journal ends at `last_seq`; `None` if it ends within an
    /// item. The end may be journalled more than once, since repeating it changes nothing.
    pub(crate) fn items_in(&self, last_seq: u64) -> Option<usize> {
        let held = self.marks.partition_point(|&mark| mark <= last_seq);
        let end = held.checked_sub(1).map_or(0, |at| self.marks[at]);
        (end == last_seq || held == self.items.len()).then_some(held)
    }
}

/// The parts of either driver.
pub(crate) fn parts(session_writer: SessionWriter) -> PipelineParts {
    PipelineParts {
        session_writer,
        counter: counter(),
        ..plain_memory::parts()
    }
}

/// Counts stored inputs, and utterances among them.
struct Counting(Arc<(AtomicU64, AtomicU64)>);

impl SessionLog for Counting {
    fn append(&mut self, inputs: &[Input]) -> Result<(), SessionLogError> {
        let heard = inputs.iter().filter(|i| matches!(i, Input::Heard { .. }));
        let (all, turns) = &*self.0;
        all.fetch_add(inputs.len() as u64, Ordering::Relaxed);
        turns.fetch_add(heard.count() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn due(&self, _: usize, _: Duration) -> bool {
        true
    }
}

/// Feeds the items and records the counts at each request for the next.
struct Marking {
    items: std::vec::IntoIter<FeedItem>,
    counted: Arc<(AtomicU64, AtomicU64)>,
    marks: Arc<Mutex<Vec<(u64, u64)>>>,
}

impl Feed for Marking {
    fn next(&mut self, _: &Stop, _: &mut Vec<Notice>) -> Option<FeedItem> {
        let (all, turns) = &*self.counted;
        let mark = (all.load(Ordering::Relaxed), turns.load(Ordering::Relaxed));
        self.marks.lock().push(mark);
        self.items.next()
    }

    fn figures(&self) -> FeedFigures {
        FeedFigures::default()
    }
}
