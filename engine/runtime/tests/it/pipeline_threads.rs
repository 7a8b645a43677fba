//! The threaded pipeline under faults: full queues, slow stages, panics, a failing disk.
//!
//! Every test ends by joining all threads; a hang fails by the test runner's timeout.
use crate::plain_memory::{self, FullDisk, asked, begin, finished, parts, session, utterance};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use weir_core::answer::Written;
use weir_core::distil::{Distil, DistilError, Extractive};
use weir_core::talk::{Block, Distillate};
use weir_engine::pipeline::{
    ANSWERERS, Change, ErrorClass, Event, Feed, FeedFigures, FeedItem, ListFeed, Lockstep, Notice,
    Pipeline, PipelineError, PipelineParts, QUESTIONS_MAX, SessionWriter, Stop,
};
use weir_models::{
    CountTokens, Encode, EncodeError, EncoderIdentity, Flow, Generate, GenerateError, Generated,
    Request, WordHashEncoder, WordPieceCounter,
};

fn words(n: usize) -> String {
    let subjects = [
        "garden", "harbour", "violin", "kitchen", "mountain", "library",
    ];
    let subject = subjects[n % subjects.len()];
    format!("My {subject} number {n} was painted green last summer.")
}

fn talk(utterances: usize) -> Vec<FeedItem> {
    plain_memory::talk((1..=utterances).map(|n| (n, words(n))))
}

fn started(parts: PipelineParts, feed: impl Feed + 'static) -> Pipeline {
    Pipeline::start(parts, Box::new(feed), Stop::default()).expect("threads are to be had")
}

/// Runs a pipeline to its end and returns all its events.
fn run(parts: PipelineParts, feed: Vec<FeedItem>) -> (Vec<Event>, Result<u64, PipelineError>) {
    let pipeline = started(parts, ListFeed::new(feed));
    let mut events = Vec::new();
    let finished = finished(pipeline, &mut |event| events.push(event));
    (events, finished.map(|finished| finished.turns))
}

fn heard(events: &[Event]) -> Vec<String> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Heard(utterance) => Some(utterance.id.clone()),
            _ => None,
        })
        .collect()
}

#[test]
fn finish_drains_everything_in_order() {
    let (events, turns) = run(parts(), talk(300));
    assert_eq!(turns.expect("nothing fails"), 300);
    let expected: Vec<String> = (1..=300).map(|n| format!("u{n}")).collect();
    assert_eq!(heard(&events), expected);
}

#[test]
fn lockstep_is_the_same_byte_for_byte() {
    let once = || {
        let driver = Lockstep::new(parts());
        let mut items = talk(120);
        items.insert(60, FeedItem::Ask(asked("q1", "What was painted green?")));
        let mut answers = Vec::new();
        let finished = driver
            .run(&mut ListFeed::new(items), &Stop::default(), &mut |event| {
                if let Event::Answered(answered) = event {
                    answers.push((
                        answered.answer.clone(),
                        answered.recall.context.text.clone(),
                    ));
                }
            })
            .expect("nothing fails");
        assert_eq!(answers.len(), 1);
        (finished.session.digest(), answers)
    };
    assert_eq!(once(), once());
}

#[test]
fn a_question_in_the_feed_is_answered_from_what_is_committed() {
    let mut items = talk(40);
    let question = asked("q1", "What happened to violin number 2?");
    items.insert(31, FeedItem::Ask(question));
    let (events, turns) = run(parts(), items);
    assert_eq!(turns.expect("nothing fails"), 40);
    let answers = events
        .iter()
        .filter(|event| matches!(event, Event::Answered(a) if a.asking.id == "q1"))
        .count();
    assert_eq!(answers, 1);
}

/// A distiller that panics on its second block.
struct Fragile(usize);

impl Distil for Fragile {
    fn name(&self) -> &str {
        "fragile"
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        self.0 += 1;
        assert!(self.0 < 2, "the second block is too much");
        Extractive.distil(block, encode)
    }
}

#[test]
fn a_panic_of_a_stage_becomes_an_error_that_names_it() {
    let parts = PipelineParts {
        distiller: Box::new(Fragile(0)),
        ..parts()
    };
    let (_, ended) = run(parts, talk(500));
    let error = ended.expect_err("the distiller panicked");
    let text = error.to_string();
    assert!(matches!(error, PipelineError::Panicked { .. }), "{text}");
    assert!(text.contains("distil"), "{text}");
}

/// An encoder that a test can block or break.
struct Gated {
    inner: WordHashEncoder,
    gate: Receiver<()>,
    held_back: &'static str,
    breaks: bool,
}

impl Encode for Gated {
    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn identity(&self) -> &EncoderIdentity {
        self.inner.identity()
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        if texts.iter().any(|text| text.contains(self.held_back)) {
            assert!(!self.breaks, "the encoder broke");
            // the gate stays open after its sender is dropped
            let _ = self.gate.recv();
        }
        self.inner.encode(texts)
    }
}

fn gated(held_back: &'static str, breaks: bool) -> (Sender<()>, Arc<Gated>) {
    let (open, gate) = bounded(0);
    let encoder = Gated {
        inner: WordHashEncoder::new(),
        gate,
        held_back,
        breaks,
    };
    (open, Arc::new(encoder))
}

#[test]
fn a_panic_while_encoding_names_the_stage_and_keeps_what_came_before() {
    let (_open, encoder) = gated("number 50 ", true);
    let parts = PipelineParts { encoder, ..parts() };
    let (events, ended) = run(parts, talk(500));
    let error = ended.expect_err("the encoder panicked");
    assert!(error.to_string().contains("`encode`"), "{error}");
    assert!(matches!(error, PipelineError::Panicked { .. }), "{error}");
    assert_eq!(heard(&events).len(), 49);
}

/// A feed that never ends by itself, and counts its items.
struct Endless {
    given: Arc<AtomicUsize>,
    ended: Arc<AtomicBool>,
}

impl Feed for Endless {
    fn next(&mut self, stop: &Stop, _notices: &mut Vec<Notice>) -> Option<FeedItem> {
        if stop.is_set() {
            return None;
        }
        match self.given.fetch_add(1, Ordering::SeqCst) {
            0 => Some(begin()),
            n => Some(FeedItem::Heard(Box::new(utterance(n, words(n))))),
        }
    }

    fn figures(&self) -> FeedFigures {
        FeedFigures::default()
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
    }
}

fn endless() -> (Endless, Arc<AtomicUsize>, Arc<AtomicBool>) {
    let (given, ended) = (Arc::default(), Arc::default());
    let feed = Endless {
        given: Arc::clone(&given),
        ended: Arc::clone(&ended),
    };
    (feed, given, ended)
}

#[test]
fn dropping_a_pipeline_stops_and_joins_every_thread() {
    let (feed, given, ended) = endless();
    let pipeline = started(parts(), feed);
    for event in &pipeline.events() {
        if matches!(event, Event::Heard(_)) {
            break;
        }
    }
    drop(pipeline);
    assert!(ended.load(Ordering::SeqCst), "the feed's thread was joined");
    let then = given.load(Ordering::SeqCst);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(given.load(Ordering::SeqCst), then, "nothing runs on");
}

#[test]
fn dropping_a_pipeline_whose_events_nobody_reads_joins_every_thread() {
    let (feed, _, ended) = endless();
    let pipeline = started(parts(), feed);
    let unread = pipeline.events();
    while !unread.is_full() {
        std::thread::yield_now();
    }
    drop(pipeline);
    assert!(ended.load(Ordering::SeqCst), "the feed's thread was joined");
}

#[test]
fn stop_ends_an_endless_feed_and_what_it_gave_is_kept() {
    let (feed, given, _) = endless();
    let pipeline = started(parts(), feed);
    let mut told = 0;
    for event in &pipeline.events() {
        told += usize::from(matches!(event, Event::Heard(_)));
        if told == 20 {
            break;
        }
    }
    pipeline.stop();
    let finished = pipeline.finish(&mut |_| {}).expect("nothing fails");
    // the first item was the beginning, and the last call returned nothing
    assert_eq!(finished.turns as usize, given.load(Ordering::SeqCst) - 1);
}

#[test]
fn a_full_door_refuses_and_never_blocks() {
    let (open, encoder) = gated("slowly", false);
    let (feed, _, _) = endless();
    let parts = PipelineParts { encoder, ..parts() };
    let pipeline = started(parts, feed);
    let news = pipeline.events();
    let reader = std::thread::spawn(move || {
        news.iter()
            .filter(|event| matches!(event, Event::Answered(_)))
            .count()
    });
    let mut taken = 0;
    let refused = (0..QUESTIONS_MAX + ANSWERERS + 1).find_map(|n| {
        let asking = asked(&format!("q{n}"), "What went slowly?");
        match pipeline.ask(asking) {
            Ok(_) => {
                taken += 1;
                None
            }
            Err(busy) => Some(busy),
        }
    });
    let refused = refused.expect("the queue is full");
    assert_eq!(refused.class(), ErrorClass::Busy, "{refused}");
    drop(open);
    pipeline.stop();
    pipeline.finish(&mut |_| {}).expect("nothing fails");
    let _ = reader.join().expect("the reader does not panic");
    assert!(taken >= QUESTIONS_MAX);
}

/// A model that takes a while to write, and fails in the end.
struct Writes;

impl Generate for Writes {
    fn name(&self) -> &'static str {
        "writes"
    }

    fn context_tokens(&self) -> usize {
        4_096
    }

    fn generate(
        &mut self,
        _request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        let _ = on_piece(r#"{"cite": ["1"], "text": ""#);
        for piece in ["It was painted", " green. "].iter().cycle().take(200) {
            let _ = on_piece(piece);
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(GenerateError::Failed {
            model: self.name().to_owned(),
            reason: "that was all".to_owned(),
        })
    }
}

/// A question typed while a run goes on shows its answer while a model writes it.
#[test]
fn the_text_of_an_answer_in_a_run_reaches_who_asked() {
    let (feed, _, _) = endless();
    let pipeline = started(
        PipelineParts {
            answerer: Box::new(Written::new(Box::new(Writes))),
            ..parts()
        },
        feed,
    );
    let news = pipeline.events();
    let answers = |event: &Event| usize::from(matches!(event, Event::Answered(_)));
    let reader = std::thread::spawn(move || news.iter().map(|it| answers(&it)).sum::<usize>());
    while pipeline.handle().session().turns() < 6 {
        std::thread::yield_now();
    }
    let asking = asked("q", "What was painted green last summer?");
    let texts = pipeline.ask(asking).expect("there is room");
    let mut texts = texts.iter().map(|it| it.checked + &it.tentative);
    let shown = texts.any(|text| text.contains("painted"));
    assert!(shown, "before the answer is there");
    pipeline.stop();
    let mut answered = 0;
    let ended = pipeline.finish(&mut |event| answered += answers(&event));
    ended.expect("nothing fails");
    answered += reader.join().expect("the reader does not panic");
    assert_eq!(answered, 1);
}

/// A distiller that waits for a gate.
struct Slow(Receiver<()>);

impl Distil for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        let _ = self.0.recv();
        Extractive.distil(block, encode)
    }
}

#[test]
fn a_distiller_that_hangs_delays_neither_hearing_nor_answering() {
    let (open, gate) = bounded(0);
    let parts = PipelineParts {
        distiller: Box::new(Slow(gate)),
        ..parts()
    };
    let feed = ListFeed::new(talk(200));
    let pipeline = started(parts, feed);
    let mut events = Vec::new();
    let news = pipeline.events();
    // the first block hangs, but everything is heard
    for event in &news {
        let last = matches!(&event, Event::Heard(utterance) if utterance.id == "u200");
        events.push(event);
        if last {
            break;
        }
    }
    for n in [6, 200] {
        let asking = asked(
            "q",
            &format!("Was garden number {n} painted green last summer?"),
        );
        pipeline.ask(asking).expect("the door is open");
        let answered = news
            .iter()
            .find(|event| matches!(event, Event::Answered(_)));
        events.extend(answered);
    }
    drop(open);
    let finished = pipeline
        .finish(&mut |event| events.push(event))
        .expect("nothing fails");
    assert_eq!(finished.turns, 200);
    assert_eq!(heard(&events).len(), 200);
    assert!(finished.meters.blocks_overtaken > 0);
    assert_eq!(finished.session.check(), Ok(()));
    assert_eq!(
        finished.session.held().len(),
        200,
        "each turn once, none lost"
    );
    let answers = events.iter().filter_map(|event| match event {
        Event::Answered(answered) => Some(answered.answer.text.as_str()),
        _ => None,
    });
    let first = answers.collect::<Vec<_>>();
    assert!(first[0].contains("garden number 6"), "{first:?}");
}

#[test]
fn nothing_is_told_as_heard_that_the_disk_did_not_take() {
    let kept = Arc::new(AtomicUsize::new(0));
    let disk = FullDisk(100, Arc::clone(&kept));
    let parts = PipelineParts {
        session_writer: SessionWriter::kept(session(), Box::new(disk)),
        ..parts()
    };
    let (events, ended) = run(parts, talk(500));
    let error = ended.expect_err("the disk was full");
    assert!(error.to_string().contains("disk is full"), "{error}");
    assert_eq!(heard(&events).len(), kept.load(Ordering::SeqCst));
}

#[test]
fn a_long_utterance_is_split_and_counts_once() {
    let counter = WordPieceCounter::shared();
    let text: Vec<String> = (0..1_500).map(|n| format!("word{n}")).collect();
    let text = text.join(" ");
    assert!(counter.count(&text) > 1_500);
    let mut items = talk(1);
    if let Some(FeedItem::Heard(utterance)) = items.get_mut(1) {
        utterance.text = text;
    }
    let (events, turns) = run(parts(), items);
    assert_eq!(turns.expect("nothing fails"), 1);
    let parts: Vec<String> = heard(&events);
    assert!(
        parts.len() > 3 && parts.iter().all(|id| id == "u1"),
        "{parts:?}"
    );
}

/// A client of a running feed may neither begin a stream nor end the run by trying.
#[test]
fn a_client_cannot_take_the_stream_of_a_feed() {
    let (feed, _, _) = endless();
    let pipeline = started(parts(), feed);
    let news = pipeline.events();
    let reader = std::thread::spawn(move || news.iter().for_each(drop));
    let start = weir_core::stream::StreamStart::new("mine", None);
    let refused = pipeline.handle().change(Change::Begin(start), None);
    let refused = refused.expect_err("a feed runs");
    assert_eq!(refused.class(), ErrorClass::Conflict, "{refused}");
    let flushed = pipeline.handle().change(Change::Flush, None);
    assert!(flushed.is_ok());
    pipeline.stop();
    pipeline.finish(&mut |_| {}).expect("nothing fails");
    reader.join().expect("the reader does not panic");
}
