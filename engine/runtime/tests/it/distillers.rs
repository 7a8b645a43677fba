//! Distillers with models in the pipeline: their input, and the effects of failures and delays.

use crate::plain_memory::{self, asked, parts};
use std::time::Duration;
use weir_core::answer::Written;
use weir_core::distil::{Distil, DistilCounts, DistilError, Extractive, Instructed};
use weir_core::memory::Kind;
use weir_core::talk::{Block, Distillate};
use weir_engine::pipeline::{
    ANSWERERS, Event, FeedItem, Finished, ListFeed, Lockstep, Notice, Pipeline, PipelineParts, Stop,
};
use weir_models::testing::Says;
use weir_models::{Encode, Request, Role};

const QUESTION: &str = "Which zebra wrote the symphony about Alice's green kettle?";
const REPLY: &str = r#"{"cite": ["1"], "text": "The kettle is green."}"#;
const WRITTEN: &str = r#"{"scene": "", "title": "", "triplets": []}"#;

/// A model that is slow with a short reply.
fn slow(pause: Duration) -> Says {
    Says::with(move |_| {
        std::thread::sleep(pause);
        Ok(WRITTEN.to_owned())
    })
}

/// The last user message of each request to a model.
fn prompts(model: &Says) -> Vec<String> {
    let asked = model.asked();
    let user = |request: &Request| {
        let mut users = request.messages.iter().filter(|m| m.role == Role::User);
        let last = users.next_back();
        last.map_or_else(String::new, |message| message.content.clone())
    };
    asked.iter().map(user).collect()
}

fn words(n: usize) -> String {
    let things = ["kettle", "violin", "ladder", "window", "bicycle"];
    let thing = things[n % things.len()];
    format!("My {thing} number {n} was painted green in the summer.")
}

fn talk(utterances: usize) -> Vec<FeedItem> {
    plain_memory::talk((0..utterances).map(|n| (n, words(n))))
}

fn ask(at: usize, items: &mut Vec<FeedItem>) {
    items.insert(at, FeedItem::Ask(asked(&format!("q{at}"), QUESTION)));
}

fn warnings(events: &[Event]) -> Vec<&String> {
    let text = |event| match event {
        &Event::Notice(Notice::Warning(ref text)) => Some(text),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

fn instructed(model: &Says) -> Box<Instructed> {
    Box::new(Instructed::new(Box::new(model.clone())))
}

fn lockstep(distiller: &Says, answerer: &Says, items: Vec<FeedItem>) -> (Finished, Vec<Event>) {
    let driver = Lockstep::new(PipelineParts {
        distiller: instructed(distiller),
        answerer: Box::new(Written::new(Box::new(answerer.clone()))),
        ..parts()
    });
    let mut events = Vec::new();
    let mut feed = ListFeed::new(items);
    let finished = driver.run(&mut feed, &Stop::default(), &mut |event| events.push(event));
    (finished.unwrap(), events)
}

#[test]
fn what_was_asked_recalled_or_answered_never_reaches_a_distiller() {
    let (distiller, answerer) = (Says::new(WRITTEN), Says::new(REPLY));
    let mut items = talk(60);
    for at in [50, 30, 20, 10] {
        ask(at, &mut items);
    }
    let (_, events) = lockstep(&distiller, &answerer, items);
    assert!(
        events
            .iter()
            .any(|event| matches!(event, Event::Answered(_)))
    );
    let mut lines = Vec::new();
    for prompt in prompts(&distiller) {
        lines.extend(prompt.lines().map(str::to_owned));
    }
    // every line once, as said, and nothing else: no question, no context, no answer
    let speaker = |n: usize| if n.is_multiple_of(2) { "Alice" } else { "Bob" };
    let heard: Vec<String> = (0..60)
        .map(|n| format!("{}: {}", speaker(n), words(n)))
        .collect();
    assert_eq!(lines, heard);
}

#[test]
fn a_model_that_fails_is_told_once_and_costs_no_memory() {
    let failing = || Says::failing("the device is out of memory");
    let (distiller, answerer) = (failing(), failing());
    let mut items = talk(60);
    ask(60, &mut items);
    let (finished, events) = lockstep(&distiller, &answerer, items);
    let did = finished.meters.distilled;
    let without = did.blocks_failed + did.blocks_unasked;
    assert!(did.blocks > 3 && without == did.blocks, "{did:?}");
    // three failures in a row, then only occasional requests
    assert!(did.blocks_failed >= 3 && did.blocks_unasked > 0, "{did:?}");
    assert_eq!(prompts(&distiller).len() as u64, did.blocks_failed);
    let warned = warnings(&events);
    assert_eq!(warned.len(), 2, "{warned:?}");
    assert!(warned[0].contains("out of memory"), "{warned:?}");
    assert!(warned[1].contains("tried again"), "{warned:?}");
    let mut items = talk(60);
    ask(60, &mut items);
    let plain = Lockstep::new(parts())
        .run(&mut ListFeed::new(items), &Stop::default(), &mut |_| {})
        .unwrap();
    assert_eq!(finished.session.digest(), plain.session.digest());
}

#[test]
fn a_model_that_lags_is_overtaken_and_nothing_waits() {
    let slow = slow(Duration::from_millis(300));
    let parts = PipelineParts {
        distiller: instructed(&slow),
        ..parts()
    };
    let pipeline =
        Pipeline::start(parts, Box::new(ListFeed::new(talk(400))), Stop::default()).unwrap();
    let finished = pipeline.finish(&mut |_| {}).unwrap();
    assert_eq!(finished.turns, 400);
    let meters = &finished.meters;
    assert!(meters.blocks_overtaken > 0, "{:?}", meters.distilled);
    assert!(meters.distilled.blocks > 0 && meters.distil_us.count() == meters.distilled.blocks);
    assert!(finished.session.held().len() >= 390);
}

/// A running pipeline that has heard a talk, with its events.
fn heard_by(distiller: &Says, utterances: usize, stop: &Stop) -> Pipeline {
    let parts = PipelineParts {
        distiller: instructed(distiller),
        ..parts()
    };
    let feed = Box::new(ListFeed::new(talk(utterances)));
    let pipeline = Pipeline::start(parts, feed, stop.clone()).unwrap();
    let last = format!("u{}", utterances - 1);
    let news = pipeline.events();
    let is_last = |event: Event| matches!(event, Event::Heard(heard) if heard.id == last);
    assert!(news.iter().any(is_last));
    pipeline
}

#[test]
fn who_interrupts_waits_for_the_block_in_work_and_for_no_other() {
    let slow = slow(Duration::from_millis(300));
    let stop = Stop::default();
    let pipeline = heard_by(&slow, 60, &stop);
    let before = prompts(&slow).len();
    stop.interrupt();
    let mut events = Vec::new();
    let finished = pipeline.finish(&mut |event| events.push(event)).unwrap();
    // one that ended just then may have let one more start
    let after = prompts(&slow).len() - before;
    assert!(after <= 1, "{after} more blocks were waited for");
    assert!(finished.meters.blocks_overtaken > 2);
    assert_eq!(finished.session.held().len(), 60);
    assert!(finished.session.next_block().is_none());
    let told = |event: &Event| match event {
        Event::Notice(Notice::Note(text)) => text.contains("without the distiller's model"),
        _ => false,
    };
    assert!(events.iter().any(told), "{events:?}");
}

/// Regression: Ctrl-C was ignored until every question of the run that waited was answered.
#[test]
fn who_interrupts_waits_for_the_answers_in_work_and_for_no_other() {
    let slow = Says::with(|_| {
        std::thread::sleep(Duration::from_millis(100));
        Ok(REPLY.to_owned())
    });
    let mut feed = talk(6);
    feed.pop();
    let question = |n: usize| FeedItem::Ask(asked(&format!("q{n}"), "What is my kettle like?"));
    feed.extend((0..40).map(question));
    let parts = PipelineParts {
        answerer: Box::new(Written::new(Box::new(slow.clone()))),
        ..parts()
    };
    let stop = Stop::default();
    let feed = Box::new(ListFeed::new(feed));
    let pipeline = Pipeline::start(parts, feed, stop.clone()).unwrap();
    let is_answer = |event: &Event| matches!(event, Event::Answered(_));
    assert!(pipeline.events().iter().any(|event| is_answer(&event)));
    stop.interrupt();
    let mut more = 0;
    let ended = pipeline.finish(&mut |event| more += usize::from(is_answer(&event)));
    ended.unwrap();
    assert!(more <= 2 * ANSWERERS, "{more} more answers were waited for");
}

#[test]
fn who_stops_in_no_hurry_has_every_block_distilled() {
    let slow = slow(Duration::from_millis(50));
    let pipeline = heard_by(&slow, 20, &Stop::default());
    pipeline.stop();
    let finished = pipeline.finish(&mut |_| {}).unwrap();
    assert!(prompts(&slow).len() > 1);
    assert_eq!(finished.meters.blocks_overtaken, 0);
}

/// Selects every statement, slowly, and counts it.
struct Slow {
    pause: Duration,
    counts: DistilCounts,
}

impl Distil for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        std::thread::sleep(self.pause);
        let mut made = Extractive.distil(block, encode)?;
        for unit in &mut made.units {
            unit.text = format!("kept: {}", unit.text);
        }
        self.counts.blocks += 1;
        self.counts.statements_kept += made.units.len() as u64;
        Ok(made)
    }

    fn counts(&self) -> DistilCounts {
        self.counts
    }
}

#[test]
fn statements_of_overtaken_blocks_are_not_counted_as_kept() {
    let parts = PipelineParts {
        distiller: Box::new(Slow {
            pause: Duration::from_millis(300),
            counts: DistilCounts::default(),
        }),
        ..parts()
    };
    let feed = Box::new(ListFeed::new(talk(200)));
    let pipeline = Pipeline::start(parts, feed, Stop::default()).unwrap();
    let finished = pipeline.finish(&mut |_| {}).unwrap();
    let meters = &finished.meters;
    assert!(meters.blocks_discarded > 0, "{meters:?}");
    assert!(meters.blocks_overtaken >= meters.blocks_discarded);
    let of_kind = finished.session.tree().of_kind(Kind::Unit);
    let held = of_kind.filter(|unit| unit.text.starts_with("kept: "));
    let held = held.count() as u64;
    assert!(held > 0);
    assert_eq!(meters.distilled.statements_kept, held);
    assert_eq!(meters.distil_us.count(), meters.distilled.blocks);
}
