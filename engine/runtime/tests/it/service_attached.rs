//! Feeds that are attached to a running service, beside clients and beside one another.

use crate::gated::{gated, recognition};
use crate::plain_memory::{asked, class, parts, service};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;
use weir_api::Unrecognised;
use weir_asr::{AudioError, AudioSource, SourceSpec, SourceWarning, open_file};
use weir_core::limits::AUDIO_BYTES_MIN;
use weir_core::session::Session;
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_core::talk::Evidence;
use weir_engine::pipeline::{
    Attached, Change, ErrorClass, Event, Feed, FeedFigures, FeedItem, ListFeed, Live, LiveModels,
    LiveParts, Notice, Recognition, ServiceError, SessionAudio, SessionHandle, SourceKind, Stop,
    Subscription, attach, clip_samples,
};
use weir_engine::store::unrecognised;
use weir_engine::{Memory, WordHashEncoder};

fn heard(stream: &str, n: u64, text: &str) -> FeedItem {
    FeedItem::Heard(Box::new(Utterance {
        id: format!("{stream}-{n}"),
        stream: stream.into(),
        span: Span::new(n * 3_000, n * 3_000 + 2_000),
        ..Utterance::new("Ana", text)
    }))
}

/// A stream of so many utterances.
fn stream(name: &str, count: u64) -> Vec<FeedItem> {
    let mut items = vec![FeedItem::Begin(StreamStart::new(name, None))];
    let said = |n| heard(name, n, &format!("The {name} boat has number {n}."));
    items.extend((0..count).map(said));
    items.push(FeedItem::End {
        stream: name.into(),
        whole: None,
    });
    items
}

fn attached(session: &SessionHandle, feed: impl Feed + 'static) -> Attached {
    attach(session, Box::new(feed), None, Stop::default()).expect("threads are to be had")
}

/// Ids of what is held of a stream, in the order in which it was heard.
fn ids(session: &Session, stream: &str) -> Vec<String> {
    let all = evidence(session, stream);
    all.into_iter().map(|it| it.utterance).collect()
}

fn evidence(session: &Session, stream: &str) -> Vec<Evidence> {
    let units = session.tree().nodes().flat_map(|it| it.evidence.clone());
    let raw = session.buffer().unmounted();
    let raw = raw.map(|(heard, _)| Evidence::of(heard, &heard.utterance.text));
    let mut all: Vec<Evidence> = units.chain(raw).filter(|it| it.stream == stream).collect();
    all.sort_by_key(|it| it.turn);
    all.dedup_by_key(|it| it.turn);
    all
}

fn sent(stream: &str, count: u64) -> Vec<String> {
    (0..count).map(|n| format!("{stream}-{n}")).collect()
}

/// The events that came until now.
fn told(news: &Subscription) -> Vec<Event> {
    news.events().try_iter().collect()
}

#[test]
fn feeds_are_heard_one_after_another_and_side_by_side_while_clients_hear_and_ask() {
    let service = service(parts());
    let session = service.handle();
    let news = session.subscribe();
    let mut first = stream("first", 12);
    let question = asked("q", "Which number has the first boat?");
    first.insert(8, FeedItem::Ask(question));
    let figures = attached(session, ListFeed::new(first)).finish();
    assert_eq!(figures.expect("it is fed").done, 15);
    let turns = |event: &Event| match event {
        Event::Answered(answered) => Some(answered.turns),
        _ => None,
    };
    let events = told(&news);
    let answers: Vec<u64> = events.iter().filter_map(turns).collect();
    // the question sees all that was said before it, and no client has to ask for the answer
    assert!(matches!(answers[..], [7..=12]), "{events:?}");
    let began = Change::Begin(StreamStart {
        beside: true,
        ..StreamStart::new("chat", None)
    });
    session.change(began, None).expect("beside");
    let feeds = ["left", "right"].map(|it| attached(session, ListFeed::new(stream(it, 40))));
    for n in 0..20 {
        let said = Utterance {
            id: format!("chat-{n}"),
            stream: "chat".into(),
            ..Utterance::new("Bob", format!("The bell has rung number {n}."))
        };
        session.hear([said], None).expect("it is heard");
        let answered = session.ask(asked("c", "What number has the bell rung?"), None);
        assert!(answered.expect("it answers").answer.text.contains("bell"));
    }
    for feed in feeds {
        assert_eq!(feed.finish().expect("it is fed").done, 42);
    }
    let held = service.close().expect("nothing failed").session;
    assert_eq!((held.turns(), held.check()), (12 + 2 * 40 + 20, Ok(())));
    for (name, count) in [("first", 12), ("left", 40), ("right", 40), ("chat", 20)] {
        assert_eq!(ids(&held, name), sent(name, count), "{name}");
    }
    let open: Vec<&str> = held.streams().map(|it| it.name.as_str()).collect();
    assert_eq!(open, ["chat"], "a feed ends its streams");
}

/// The session in a folder.
fn memory(dir: &Path) -> Memory {
    let memory = Memory::builder(WordHashEncoder::new());
    memory.open(dir).expect("it opens")
}

/// What its sources share.
fn audio(dir: &Path) -> SessionAudio {
    SessionAudio::open(dir, Some(AUDIO_BYTES_MIN)).expect("it opens")
}

/// A feed of what is sent to it; it ends when the sender is gone.
struct Sent {
    items: Receiver<FeedItem>,
    asked_for: Arc<AtomicU64>,
}

fn fed() -> (Sender<FeedItem>, Sent) {
    let (sender, items) = bounded(0);
    let asked_for = Arc::default();
    (sender, Sent { items, asked_for })
}

impl Feed for Sent {
    fn next(&mut self, stop: &Stop, _: &mut Vec<Notice>) -> Option<FeedItem> {
        self.asked_for.fetch_add(1, Ordering::SeqCst);
        loop {
            match self.items.recv_timeout(Duration::from_millis(5)) {
                Err(crossbeam_channel::RecvTimeoutError::Timeout) if !stop.is_set() => {}
                item => return item.ok(),
            }
        }
    }

    fn figures(&self) -> FeedFigures {
        FeedFigures::default()
    }
}

#[test]
fn no_client_takes_the_stream_of_a_feed_until_the_feed_has_ended() {
    let service = service(parts());
    let session = service.handle();
    let (items, feed) = fed();
    let feed = attached(session, feed);
    items.send(stream("mic", 0).remove(0)).expect("it is fed");
    items.send(heard("mic", 0, "One.")).expect("it is fed");
    items.send(heard("mic", 1, "Two.")).expect("it is fed");
    let end = || session.change(Change::End("mic".into()), None);
    let alone = || session.change(Change::Begin(StreamStart::new("alone", None)), None);
    assert_eq!(class(end()), ErrorClass::Conflict);
    assert_eq!(class(alone()), ErrorClass::Conflict);
    items.send(heard("mic", 2, "Three.")).expect("it is fed");
    assert!(!feed.is_finished());
    feed.stop();
    feed.finish().expect("it ends");
    assert_eq!(ids(&session.session(), "mic"), sent("mic", 3));
    // the feed has not ended its stream: it is open, and anybody's
    end().expect("it is open");
    alone().expect("nobody feeds");
}

#[test]
fn a_feed_that_fails_ends_alone_and_says_why() {
    struct Broken;
    impl Feed for Broken {
        fn next(&mut self, _: &Stop, _: &mut Vec<Notice>) -> Option<FeedItem> {
            panic!("no cheese left")
        }

        fn figures(&self) -> FeedFigures {
            FeedFigures::default()
        }
    }
    let service = service(parts());
    let session = service.handle();
    let news = session.subscribe();
    let error = attached(session, Broken).finish().expect_err("it panicked");
    assert_eq!(error.class(), ErrorClass::Internal);
    assert!(error.to_string().contains("no cheese left"), "{error}");
    // a stream that never began, beside one of a client
    let began = Change::Begin(StreamStart::new("chat", None));
    session.change(began, None).expect("it begins");
    let nowhere = ListFeed::new([heard("nowhere", 0, "Is anybody there?")]);
    let error = attached(session, nowhere).finish();
    assert_eq!(class(error), ErrorClass::Conflict);
    // what is wrong with single utterances is told
    let mut items = stream("odd", 3);
    items.insert(2, heard("odd", 9, "..."));
    items.insert(3, heard("odd", 0, "The same id with other words."));
    attached(session, ListFeed::new(items))
        .finish()
        .expect("it goes on");
    assert_eq!(ids(&session.session(), "odd"), sent("odd", 3));
    let skipped = told(&news);
    let skipped = skipped.iter().filter(
        |it| matches!(it, Event::Notice(Notice::Warning(text)) if text.ends_with("; skipped")),
    );
    assert_eq!(skipped.count(), 2);
    assert_eq!(service.close().expect("nothing failed").session.turns(), 3);
}

#[test]
fn a_service_that_closes_ends_the_feed_and_keeps_what_it_acknowledged() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(folder.path());
    let (items, feed) = fed();
    let asked_for = Arc::clone(&feed.asked_for);
    let feed = attached(memory.handle(), feed);
    let feeding = thread::spawn(move || {
        let all = stream("endless", 100_000);
        all.into_iter()
            .take_while(|it| items.send(it.clone()).is_ok())
            .count()
    });
    wait_until(|| memory.session().turns() >= 20);
    memory.close().expect("it closes");
    let error = feed.finish().expect_err("it had not ended");
    assert!(matches!(error, ServiceError::Closed), "{error}");
    feeding.join().expect("it does not panic");
    // all but the last item were acknowledged; the first is no utterance
    let acknowledged = asked_for.load(Ordering::SeqCst) - 2;
    let held = self::memory(folder.path()).close().expect("it closes");
    let turns = held.turns();
    assert!(turns >= 20, "{turns}");
    assert!(
        (acknowledged..=acknowledged + 1).contains(&turns),
        "{acknowledged} {turns}"
    );
    assert_eq!(held.check(), Ok(()));
}

fn wait_until(is: impl Fn() -> bool) {
    while !is() {
        thread::sleep(Duration::from_millis(1));
    }
}

fn spoken(n: usize) -> Box<dyn AudioSource> {
    let file = weir_fixtures::spoken_dir().join(format!("kitchen-table-{n}.wav"));
    open_file(&file).expect("the fixture")
}

fn live(session: &SessionHandle, audio: &SessionAudio, name: &str, hearing: Recognition) -> Live {
    Live::start(LiveParts {
        source: spoken(1),
        kind: SourceKind::Recording,
        hearing,
        start: StreamStart::new(name, None),
        session: &session.session(),
        audio: Some(audio),
        stop: Stop::default(),
    })
    .expect("it is captured")
}

fn heard_of(news: &Subscription, stream: &str) -> Vec<Utterance> {
    let heard = told(news).into_iter().filter_map(|event| match event {
        Event::Heard(said) if said.stream == stream => Some(*said),
        _ => None,
    });
    heard.collect()
}

#[test]
fn recordings_that_are_heard_side_by_side_can_be_played_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, audio) = (memory(folder.path()), audio(folder.path()));
    let session = memory.handle();
    let free = Arc::new(AtomicU64::new(0));
    let (all, one, two) = (
        session.subscribe(),
        session.subscribe(),
        session.subscribe(),
    );
    let feeds = ["one", "two"].map(|name| {
        let live = live(session, &audio, name, recognition(&free));
        let stop = Stop::default();
        attach(session, Box::new(live.feed), None, stop).expect("threads are to be had")
    });
    wait_until(|| feeds.iter().all(|it| it.unrecognised_ms() >= 5_000));
    let waiting = session.ask(asked("q", "What is known?"), None);
    assert!(waiting.expect("it answers").unrecognised_ms > 10_000);
    free.store(u64::MAX, Ordering::SeqCst);
    for feed in feeds {
        let figures = feed.finish().expect("it is fed");
        assert!(
            figures.audio_ms > 10_000 && figures.speech_ms > 5_000,
            "{figures:?}"
        );
    }
    assert_eq!(unrecognised(folder.path()), []);
    let (one, two) = (heard_of(&one, "one"), heard_of(&two, "two"));
    assert!(one.len() > 1);
    let same = one.iter().zip(&two).all(|(a, b)| a.text == b.text);
    assert!(
        same && one.len() == two.len(),
        "the same sound: {one:?} {two:?}"
    );
    let open = Arc::new(|path: &Path| open_file(path));
    for (a, b) in one.iter().zip(&two) {
        let clip = |of: &Utterance| {
            let span = of.audio.as_ref().expect("it was recorded");
            let samples = clip_samples(folder.path(), &of.stream, span, &{ open.clone() as _ });
            samples.expect("it is there")
        };
        let (of_a, of_b) = (clip(a), clip(b));
        assert_eq!(of_a.len() as u64, (a.span.end_ms - a.span.start_ms) * 16);
        assert!(of_a == of_b && of_a.iter().any(|it| it.abs() > 100));
    }
    let ids =
        |events: Vec<Utterance>| -> Vec<String> { events.into_iter().map(|it| it.id).collect() };
    let numbers: Vec<String> = (1..=one.len()).map(|n| format!("one#{n}")).collect();
    assert_eq!(ids(heard_of(&all, "one")), numbers);
    memory.close().expect("it closes");
}

/// A feed of "talk" that is dropped while its model is busy; returns what it left.
fn dropped_midway(folder: &Path) -> Vec<Unrecognised> {
    let (first, ears) = (memory(folder), audio(folder));
    let free = Arc::new(AtomicU64::new(2));
    let talk = live(first.handle(), &ears, "talk", recognition(&free));
    let feed = attached(first.handle(), talk.feed);
    wait_until(|| feed.unrecognised_ms() >= 15_000);
    wait_until(|| first.session().turns() >= 1);
    // the model is busy until it is cancelled
    drop(feed);
    let left = unrecognised(folder);
    assert!(left.len() == 1 && left[0].live, "{left:?}");
    drop(ears);
    first.close().expect("it closes");
    assert!(!unrecognised(folder)[0].live);
    left
}

#[test]
fn what_a_dropped_feed_did_not_recognise_is_heard_by_the_next_one_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = {
        let other = tempfile::tempdir().expect("a folder");
        let (memory, audio) = (memory(other.path()), audio(other.path()));
        let free = Arc::new(AtomicU64::new(u64::MAX));
        let talk = live(memory.handle(), &audio, "talk", recognition(&free));
        let figures = attached(memory.handle(), talk.feed).finish();
        figures.expect("it is fed");
        memory.close().expect("it closes")
    };
    let left = dropped_midway(folder.path());
    let free = Arc::new(AtomicU64::new(u64::MAX));
    let (again, ears) = (memory(folder.path()), audio(folder.path()));
    let next = live(again.handle(), &ears, "next", recognition(&free));
    assert_eq!(next.notices.len(), 1, "{:?}", next.notices);
    let figures = attached(again.handle(), next.feed).finish();
    figures.expect("it is fed");
    assert_eq!(unrecognised(folder.path()), []);
    let held = again.close().expect("it closes");
    let spans = |session: &Session, stream: &str| -> Vec<Span> {
        let all = evidence(session, stream);
        all.into_iter().map(|it| it.span).collect()
    };
    // what was captured is heard once, to its end
    let talk = spans(&held, "talk");
    let is_once = talk.windows(2).all(|it| it[0].end_ms <= it[1].start_ms);
    let captured_ms = left[0].from_ms + left[0].waiting_ms;
    let ends_ms = talk.last().map_or(0, |it| it.end_ms);
    assert!(
        is_once && ends_ms + 5_000 > captured_ms,
        "{captured_ms} {talk:?}"
    );
    assert_eq!(spans(&held, "next"), spans(&whole, "talk"));
    let numbers: Vec<String> = (1..=talk.len()).map(|n| format!("talk#{n}")).collect();
    assert_eq!(ids(&held, "talk"), numbers, "each has a number of its own");
}

/// What a process left is heard without another source, once.
#[test]
fn what_was_left_is_heard_by_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let waiting = dropped_midway(folder.path());
    let free = Arc::new(AtomicU64::new(u64::MAX));
    assert!(waiting[0].waiting_ms > 0);
    let (again, ears) = (memory(folder.path()), audio(folder.path()));
    let left = || {
        ears.left(&again.handle().session(), recognition(&free))
            .expect("read")
    };
    let figures = attached(again.handle(), left().expect("some")).finish();
    assert!(figures.expect("it is fed").speech_ms > 0);
    assert_eq!(unrecognised(folder.path()), []);
    assert!(left().is_none());
    let held = again.close().expect("it closes");
    assert!(!evidence(&held, "talk").is_empty() && evidence(&held, "nothing").is_empty());
}

/// A source that is slower than its models.
struct Slow(Box<dyn AudioSource>);

impl AudioSource for Slow {
    fn spec(&self) -> &SourceSpec {
        self.0.spec()
    }

    fn read(&mut self, out: &mut Vec<f32>) -> Result<usize, AudioError> {
        thread::sleep(Duration::from_millis(5));
        self.0.read(out)
    }

    fn take_warnings(&mut self, out: &mut Vec<SourceWarning>) {
        self.0.take_warnings(out);
    }
}

#[test]
fn text_while_somebody_speaks_goes_to_subscribers() {
    let service = service(parts());
    let session = service.handle();
    let news = session.subscribe();
    let free = Arc::new(AtomicU64::new(u64::MAX));
    let hearing = recognition(&free).with_live_models(LiveModels {
        preview: gated(&free),
        early: gated(&free),
    });
    let mut live = Live::start(LiveParts {
        source: Box::new(Slow(spoken(1))),
        kind: SourceKind::Live,
        hearing: hearing.expect("legal"),
        start: StreamStart::new("mic", None),
        session: &session.session(),
        audio: None,
        stop: Stop::default(),
    })
    .expect("it is captured");
    let stages = live.feed.live_stages();
    assert!(stages.is_some());
    let feed = attach(session, Box::new(live.feed), stages, Stop::default());
    feed.expect("threads").finish().expect("it is fed");
    let events = told(&news);
    let count = |is: fn(&Event) -> bool| events.iter().filter(|it| is(it)).count();
    assert!(count(|it| matches!(it, Event::Heard(_))) > 1);
    assert!(count(|it| matches!(it, Event::Live(_))) > 1);
    service.close().expect("nothing failed");
}
