//! Several streams at once through the service: clients beside one another, and beside a feed.

use crate::plain_memory::{asked, parts, service, utterance};
use jiff::tz::TimeZone;
use std::collections::BTreeSet;
use std::thread;
use weir_core::limits::STREAMS_OPEN_MAX;
use weir_core::session::{Session, Target};
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_core::talk::Evidence;
use weir_engine::chat::Chat;
use weir_engine::pipeline::{
    AskRequest, Change, ErrorClass, Event, Feed, FeedFigures, FeedItem, Notice, Pipeline,
    ServiceError, SessionHandle, Stop,
};
use weir_engine::{Memory, QuestionTime, WordHashEncoder};

const HOUR_MS: u64 = 3_600_000;

fn beside(name: &str) -> Change {
    Change::Begin(StreamStart {
        beside: true,
        ..StreamStart::new(name, None)
    })
}

fn change(session: &SessionHandle, change: Change) {
    session.change(change, None).expect("it is carried out");
}

fn said(stream: &str, text: &str) -> Utterance {
    Utterance {
        stream: stream.into(),
        ..Utterance::new("Ana", text)
    }
}

fn refused(done: Result<impl Sized, ServiceError>) -> (ErrorClass, String) {
    let refused = done.err().expect("it is refused");
    (refused.class(), refused.to_string())
}

/// The evidence of everything held of a stream, by utterance.
fn evidence(session: &Session, stream: &str) -> Vec<Evidence> {
    let units = session
        .tree()
        .nodes()
        .flat_map(|node| node.evidence.clone());
    let raw = session.buffer().unmounted();
    let raw = raw.map(|(heard, _)| Evidence::of(heard, &heard.utterance.text));
    let mut all: Vec<Evidence> = units.chain(raw).filter(|it| it.stream == stream).collect();
    all.sort_by_key(|it| it.turn);
    all.dedup_by_key(|it| it.turn);
    all
}

/// Each client's talk has its own stream, ids and times, in the order in which it was sent.
#[test]
fn clients_at_once_hear_in_streams_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = Memory::builder(WordHashEncoder::new());
    let memory = memory.open(folder.path()).expect("it opens");
    let handle = memory.handle();
    let streams = ["mic", "socket", "chat"];
    thread::scope(|threads| {
        for stream in streams {
            change(handle, beside(stream));
            threads.spawn(move || {
                for n in 0..30_u64 {
                    let text = format!("The {stream} said number {n} of many.");
                    let mut said = said(stream, &text);
                    said.id = format!("u{n}");
                    // the chat has no clock
                    if stream != "chat" {
                        said.span = Span::new(n * 5_000, n * 5_000 + 2_000);
                    }
                    handle.hear([said], None).expect("it is heard");
                }
            });
        }
    });
    memory.close().expect("it closes");
    let memory = Memory::builder(WordHashEncoder::new());
    let memory = memory.open(folder.path()).expect("it opens");
    let held = memory.session();
    assert_eq!((held.turns(), held.check()), (90, Ok(())));
    assert_eq!(held.streams().count(), 3, "a restart ends no stream");
    for stream in streams {
        let all = evidence(&held, stream);
        let ids: Vec<&str> = all.iter().map(|it| it.utterance.as_str()).collect();
        let sent: Vec<String> = (0..30).map(|n| format!("u{n}")).collect();
        assert_eq!(ids, sent, "{stream}");
        let starts = all.iter().map(|it| it.span.start_ms);
        match stream {
            "chat" => assert!(starts.is_sorted(), "{all:?}"),
            _ => assert!(starts.eq((0..30).map(|n| n * 5_000)), "{all:?}"),
        }
    }
    let answer = memory
        .ask("What did the socket say as number 7?")
        .expect("it answers");
    let cited = &answer.citations[0].evidence;
    assert_eq!((&*cited.stream, &*cited.utterance), ("socket", "u7"));
}

#[test]
fn what_names_no_open_stream_is_refused_with_a_class() {
    let service = service(parts());
    let session = service.handle();
    change(session, beside("a"));
    session
        .hear([said("", "Only one is open.")], None)
        .expect("it is heard");
    change(session, beside("b"));
    let (class, which) = refused(session.hear([said("", "Which one?")], None));
    assert_eq!(class, ErrorClass::Conflict);
    assert!(
        which.contains("must name its stream") && which.contains("`a`, `b`"),
        "{which}"
    );
    let (class, unknown) = refused(session.hear([said("c", "Which one?")], None));
    assert_eq!(class, ErrorClass::Conflict);
    assert!(unknown.contains("`c`, which is not open"), "{unknown}");
    change(session, Change::End("a".into()));
    let gone = refused(session.hear([said("a", "It has ended.")], None));
    assert_eq!(gone.0, ErrorClass::Conflict);
    (1..STREAMS_OPEN_MAX).for_each(|n| change(session, beside(&format!("s{n}"))));
    assert_eq!(
        refused(session.change(beside("a"), None)).0,
        ErrorClass::Busy
    );
    let mars = Change::Begin(StreamStart {
        zone: Some("Mars/Olympus".into()),
        ..StreamStart::new("m", None)
    });
    let (class, mars) = refused(session.change(mars, None));
    assert_eq!(
        (class, mars.contains("`Mars/Olympus`")),
        (ErrorClass::BadInput, true)
    );
    assert_eq!(session.session().streams().count(), STREAMS_OPEN_MAX);
}

/// A conversation stores its turns in its own stream, and leaves that of another client open.
#[test]
fn a_conversation_goes_on_beside_another_client() {
    let memory = Memory::builder(WordHashEncoder::new()).in_memory();
    let memory = memory.expect("it opens");
    memory.begin("old", None).expect("it begins");
    let session = memory.handle().clone();
    let mut chat = Chat::new(memory, "Ana", StreamStart::new("chat", None));
    change(&session, beside("mine"));
    chat.turn("My bike is green.", 0).expect("it is stored");
    let mine = session.hear([said("mine", "The bell rings.")], None);
    mine.expect("it is heard");
    chat.turn("My boat is red.", 1_000).expect("it is stored");
    let held = session.session();
    let of = |stream| evidence(&held, stream).len();
    assert_eq!((of("chat"), of("mine")), (2, 1));
    // the stream that nobody used any more was ended
    assert!(held.open_stream("old").is_none());
}

/// Regression: the first turn of a conversation ended the stream that another client spoke in, and
/// a client that began a stream alone ended the conversation's, which then took no turn any more.
#[test]
fn a_conversation_and_a_client_end_no_stream_of_each_other() {
    let memory = Memory::builder(WordHashEncoder::new()).in_memory();
    let memory = memory.expect("it opens");
    memory.begin("old", None).expect("it begins");
    let session = memory.handle().clone();
    let hear = |stream: &str, text: &str| {
        let heard = session.hear([said(stream, text)], None);
        heard.expect("it is heard");
    };
    let mut chat = Chat::new(memory, "Ana", StreamStart::new("chat", None));
    hear("old", "The bell rings.");
    chat.turn("My bike is green.", 0).expect("it is stored");
    hear("old", "The bell rings again.");
    change(&session, Change::Begin(StreamStart::new("alone", None)));
    hear("alone", "The dog barks.");
    chat.turn("My boat is red.", 60_000).expect("it is stored");
    hear("alone", "The dog barks again.");
    chat.turn("My coat is blue.", 61_000).expect("it is stored");
    let held = session.session();
    let of = |stream| evidence(&held, stream).len();
    assert_eq!((of("chat"), of("old"), of("alone")), (3, 2, 2));
    // the second stream of the conversation counts its own time
    assert!(held.now_ms() < 60_000, "{}", held.now_ms());
}

/// A question that names no zone is asked where the talk was.
#[test]
fn yesterday_follows_the_zone_of_the_stream() {
    let at = |text: &str| -> i64 {
        let time: jiff::Timestamp = text.parse().expect("a time");
        time.as_millisecond()
    };
    let service = service(parts());
    let session = service.handle();
    let started = at("2025-02-28T22:30:00Z");
    change(
        session,
        Change::Begin(StreamStart {
            zone: Some("Europe/Berlin".into()),
            ..StreamStart::new("s", Some(started))
        }),
    );
    // an hour apart, around midnight in Berlin
    for (n, text) in ["We planted seven apple trees.", "The baker sold his van."]
        .iter()
        .enumerate()
    {
        let start_ms = n as u64 * HOUR_MS;
        let said = said("s", text).at(Span::new(start_ms, start_ms + 3_000));
        session.hear([said], None).expect("it is heard");
    }
    let told = |zone: Option<TimeZone>| {
        let question = AskRequest {
            at: QuestionTime {
                unix_ms: Some(at("2025-03-01T10:00:00Z")),
                zone,
            },
            ..asked("q", "What did we talk about yesterday?")
        };
        let text = session.ask(question, None).expect("it answers").answer.text;
        (text.contains("apple trees"), text.contains("van"))
    };
    assert_eq!(told(None), (true, false));
    assert_eq!(told(Some(TimeZone::UTC)), (true, true));
}

/// A feed of short streams that never ends by itself.
struct Files(usize);

impl Feed for Files {
    fn next(&mut self, stop: &Stop, _: &mut Vec<Notice>) -> Option<FeedItem> {
        let (n, stream) = (self.0, format!("file {}", self.0 / 20));
        self.0 += 1;
        (!stop.is_set()).then(|| match n % 20 {
            0 => FeedItem::Begin(StreamStart::new(stream, None)),
            _ => FeedItem::Heard(Box::new(Utterance {
                stream,
                ..utterance(n % 20, format!("The boat has number {n}."))
            })),
        })
    }

    fn figures(&self) -> FeedFigures {
        FeedFigures::default()
    }
}

/// A client's stream stays open while the feed begins one stream after another, and neither can
/// end the other's.
#[test]
fn a_client_hears_beside_a_feed() {
    let pipeline = Pipeline::start(parts(), Box::new(Files(0)), Stop::default()).expect("threads");
    let news = pipeline.events();
    let (sender, told) = crossbeam_channel::unbounded();
    let reader = thread::spawn(move || {
        for event in &news {
            if let Event::Heard(said) = event {
                let _ = sender.send(said.stream.clone());
            }
        }
    });
    let session = pipeline.handle();
    let first = told.recv().expect("the feed is heard");
    change(session, beside("mine"));
    let (class, _) = refused(session.change(Change::End(first.clone()), None));
    assert_eq!(class, ErrorClass::Conflict);
    let mut seen = BTreeSet::new();
    while seen.len() < 4 {
        session
            .hear([said("mine", "The bell rings again.")], None)
            .expect("it is heard");
        seen.insert(told.recv().expect("the feed goes on"));
    }
    let open = session.session();
    let open: BTreeSet<&str> = open.streams().map(|it| it.name.as_str()).collect();
    assert!(open.len() <= 2 && open.contains("mine"), "{open:?}");
    change(session, Change::End("mine".into()));
    pipeline.stop();
    let finished = pipeline.finish(&mut |_| {}).expect("nothing fails");
    reader.join().expect("the reader does not panic");
    assert!(finished.session.turns() > 38 && finished.session.check().is_ok());
}

/// Talk that is heard without times goes on from the time at which its stream began, also in a
/// session that was closed meanwhile and from which something was erased.
#[test]
fn talk_of_another_time_is_dated_then() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = || {
        Memory::builder(WordHashEncoder::new())
            .open(folder.path().join("s").as_path())
            .expect("open")
    };
    let mut memory = open();
    let began = 1_000_000_000_000;
    let begin = Change::Begin(StreamStart::new("letters", Some(began)));
    change(memory.handle(), begin);
    for text in ["The boat is old.", "The oar is lost.", "The mast is new."] {
        let heard = memory.handle().hear_now([said("letters", text)], None);
        let id = heard.expect("it is heard").ids.remove(0);
        if text.contains("oar") {
            let stream = "letters".to_owned();
            let target = Target::Utterance { stream, id };
            change(memory.handle(), Change::Erase(vec![target]));
        }
        memory.close().expect("closed");
        memory = open();
    }
    let session = memory.session();
    let evidence = evidence(&session, "letters");
    let days: Vec<Option<i64>> = evidence.iter().map(|it| it.said_at_unix_ms).collect();
    let near = |at: &Option<i64>| at.is_some_and(|at| (0..60_000).contains(&(at - began)));
    assert!(days.len() == 2 && days.iter().all(near), "{days:?}");
    assert!(session.stats().stream_ms < 60_000);
}

/// A clock that was hours ahead once dates what it dated, and nothing after it.
#[test]
fn a_clock_that_was_ahead_dates_no_later_talk() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = Memory::builder(WordHashEncoder::new())
        .open(folder.path().join("s").as_path())
        .expect("open");
    let now = || jiff::Timestamp::now().as_millisecond();
    change(
        memory.handle(),
        Change::Begin(StreamStart::new("desk", Some(now()))),
    );
    let ahead = Utterance {
        span: Span::new(10 * HOUR_MS, 10 * HOUR_MS + 2_000),
        ..said("desk", "The boat is old.")
    };
    memory.handle().hear([ahead], None).expect("it is heard");
    for text in ["The mast is new.", "The sail is red."] {
        memory
            .handle()
            .hear_now([said("desk", text)], None)
            .expect("it is heard");
    }
    let evidence = evidence(&memory.session(), "desk");
    let days: Vec<i64> = evidence
        .iter()
        .filter_map(|it| it.said_at_unix_ms)
        .collect();
    assert!(days[0] > now() + 9 * HOUR_MS as i64, "{days:?}");
    assert!(
        days[1..].iter().all(|at| at.abs_diff(now()) < 120_000),
        "{days:?}"
    );
    assert_eq!(days.len(), 3);
}
