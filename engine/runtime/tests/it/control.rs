//! Changing a session that is open elsewhere, through the socket in its folder.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;
use weir_api::{Change, ErrorClass, Reply, Said, Span, Target};
use weir_core::memory::Kind;
use weir_engine::control::{ChangeError, Client, ControlError, carry_out};
use weir_engine::store::StoreError;
use weir_engine::{Memory, Utterance, WordHashEncoder};

fn open(dir: &Path) -> Memory {
    let memory = Memory::builder(WordHashEncoder::new()).open(dir).unwrap();
    for text in ["The keys hang behind the stove.", "Omar sold his violin."] {
        memory.hear(Utterance::new("Ana", text)).unwrap();
    }
    memory.flush().unwrap();
    memory
}

/// One line to the socket, and the reply.
fn asked(dir: &Path, line: &str) -> Reply {
    let mut stream = UnixStream::connect(dir.join("control.sock")).unwrap();
    stream.write_all(line.as_bytes()).unwrap();
    let mut reply = String::new();
    BufReader::new(&stream).read_line(&mut reply).unwrap();
    serde_json::from_str(&reply).unwrap()
}

/// The same changes are made whether the session is open elsewhere or not.
#[test]
fn a_session_that_is_open_elsewhere_is_changed_there() {
    let dir = tempfile::tempdir().unwrap();
    let memory = open(dir.path());
    let unit = memory
        .session()
        .tree()
        .of_kind(Kind::Unit)
        .next()
        .unwrap()
        .id;
    let nodes = || vec![unit.to_string()];
    let pinned = |pinned| Change::Pin {
        nodes: nodes(),
        pinned,
    };
    let done = carry_out(dir.path(), pinned(true), None).unwrap();
    assert_eq!(done.now[0].text, "Ana: The keys hang behind the stove.");
    assert!(memory.session().tree().node(unit).unwrap().pinned);
    let named = Change::NameSpeaker {
        speaker: "Ana".into(),
        name: "Anna".into(),
    };
    carry_out(dir.path(), named, None).unwrap();
    assert_eq!(memory.session().speakers(), ["Anna"]);
    let mode = dir
        .path()
        .join("control.sock")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    drop(memory);
    assert!(!dir.path().join("control.sock").exists());
    carry_out(dir.path(), pinned(false), None).unwrap();
    let memory = Memory::builder(WordHashEncoder::new())
        .open(dir.path())
        .unwrap();
    assert!(!memory.session().tree().node(unit).unwrap().pinned);
}

/// What is erased through the socket is in no file of the session.
#[test]
fn an_erasure_asked_for_elsewhere_rewrites_the_files() {
    let dir = tempfile::tempdir().unwrap();
    let memory = open(dir.path());
    let targets = vec![Target::Speaker("Ana".into())];
    let done = carry_out(dir.path(), Change::Erase { targets }, None).unwrap();
    assert_eq!(done.receipt.unwrap().erased.utterances, 2);
    let none: [std::path::PathBuf; 0] = [];
    assert_eq!(
        crate::plain_memory::files_with(dir.path(), &["violin"]),
        none
    );
    memory
        .hear(Utterance::new("Ben", "The boat is green."))
        .unwrap();
    assert!(memory.ask("What is green?").unwrap().text.contains("boat"));
}

#[test]
fn what_is_refused_has_a_class_and_the_session_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let memory = open(dir.path());
    for (line, class) in [
        ("hello\n", ErrorClass::BadInput),
        (
            "{\"change\": {\"pin\": {\"nodes\": [\"7\"], \"pinned\": true}}}\n",
            ErrorClass::BadInput,
        ),
        (
            "{\"change\": {\"pin\": {\"nodes\": [\"n9.9\"], \"pinned\": true}}}\n",
            ErrorClass::Conflict,
        ),
        ("\n", ErrorClass::BadInput),
    ] {
        match asked(dir.path(), line) {
            Reply::Failed(failure) => assert_eq!(failure.class, class, "{}", failure.message),
            done => panic!("{line}: {done:?}"),
        }
    }
    let flushed = "{\"change\": \"flush\", \"key\": \"a\"}\n";
    assert!(matches!(asked(dir.path(), flushed), Reply::Changed(_)));
    assert_eq!(memory.session().turns(), 2);
}

/// Talk for a stream of its own, sent again with its key; a request is one thing.
#[test]
fn talk_is_heard_through_the_socket_once_and_in_time() {
    let dir = tempfile::tempdir().unwrap();
    let memory = open(dir.path());
    let begin = "{\"change\": {\"begin\": {\"name\": \"b\", \"started_at_unix_ms\": null, \
                 \"zone\": \"Europe/Berlin\", \"beside\": true}}, \"within_ms\": 60000}\n";
    assert!(matches!(asked(dir.path(), begin), Reply::Changed(_)));
    assert_eq!(memory.session().zone(), Some("Europe/Berlin"));
    let hear = || {
        let said = Said {
            text: "The boat is green.".into(),
            stream: Some("b".into()),
            span: Some(Span {
                start_ms: 1_000,
                end_ms: 2_000,
            }),
            ..Said::default()
        };
        let client = Client::connect(dir.path()).unwrap();
        client.hear(vec![said], Some("k".into()), Duration::from_secs(60))
    };
    let (once, again) = (hear().unwrap(), hear().unwrap());
    assert_eq!((&once.ids, once.turns), (&vec!["#3".to_owned()], 3));
    assert_eq!((once, memory.session().turns()), (again, 3));
    let held = memory.session();
    let last = &held.buffer().raw().last().unwrap().utterance;
    assert_eq!((&*last.stream, last.span.start_ms), ("b", 1_000));
    let nowhere = "{\"hear\": [{\"text\": \"Where?\", \"stream\": \"c\"}]}\n";
    let nothing = "{\"key\": \"a\"}\n";
    let both = "{\"change\": \"flush\", \"hear\": [{\"text\": \"Both.\"}]}\n";
    for (line, class) in [
        (nowhere, ErrorClass::Conflict),
        (nothing, ErrorClass::BadInput),
        (both, ErrorClass::BadInput),
    ] {
        let Reply::Failed(failure) = asked(dir.path(), line) else {
            panic!("{line}");
        };
        assert_eq!(failure.class, class, "{}", failure.message);
    }
    let ended = "{\"change\": {\"end\": {\"stream\": \"b\"}}}\n";
    assert!(matches!(asked(dir.path(), ended), Reply::Changed(_)));
    assert_eq!(memory.session().streams().count(), 1);
}

/// A process that has the session open and serves no socket is named, as before.
#[test]
fn who_has_the_session_is_told_if_nobody_answers() {
    let dir = tempfile::tempdir().unwrap();
    let _memory = open(dir.path());
    std::fs::remove_file(dir.path().join("control.sock")).unwrap();
    let refused = carry_out(dir.path(), Change::Flush, None).unwrap_err();
    let ChangeError::Open(StoreError::InUse { pid, .. }) = refused else {
        panic!("{refused}");
    };
    assert_eq!(pid, Some(std::process::id()));
    let refused = carry_out(&dir.path().join("none"), Change::Flush, None).unwrap_err();
    assert!(
        !matches!(refused, ChangeError::Elsewhere(ControlError::Io(_))),
        "{refused}"
    );
}

/// A client that watches gets what memory holds and what happens, one reply a line, until the
/// session is closed; the process answers others meanwhile.
#[test]
fn a_session_that_is_open_elsewhere_is_watched_and_asked() {
    let dir = tempfile::tempdir().unwrap();
    let memory = open(dir.path());
    let (sender, replies) = crossbeam_channel::unbounded();
    let client = Client::connect(dir.path()).unwrap();
    let watching =
        std::thread::spawn(move || client.watch(&mut |reply| sender.send(reply).is_ok()));
    let next = |wanted: &dyn Fn(&Reply) -> bool| {
        let until = std::time::Instant::now() + Duration::from_secs(20);
        std::iter::from_fn(|| replies.recv_deadline(until).ok())
            .find(|it| wanted(it))
            .expect("it comes")
    };
    let Reply::Outline(outline) = next(&|it| matches!(it, Reply::Outline(_))) else {
        unreachable!()
    };
    let held = |text: &str| outline.nodes.iter().any(|row| row.text == text);
    assert!(held("The keys hang behind the stove."), "{outline:?}");
    let Reply::Pulse(pulse) = next(&|it| matches!(it, Reply::Pulse(_))) else {
        unreachable!()
    };
    assert_eq!((pulse.turns, pulse.heard_after_ms), (2, None));
    memory
        .hear(Utterance::new("Ben", "The boat is green."))
        .unwrap();
    next(&|it| {
        matches!(it, Reply::Event(event) if matches!(**event,
        weir_api::Event::Utterance { ref text, .. } if text == "The boat is green."))
    });
    let asked = weir_api::Asked {
        question: "What is green?".into(),
        asked_by: None,
    };
    let answered = Client::connect(dir.path()).unwrap().ask(asked).unwrap();
    assert!(answered.result.answer.contains("boat"), "{answered:?}");
    next(&|it| {
        matches!(it, Reply::Event(event) if matches!(**event,
        weir_api::Event::Answer(_)))
    });
    drop(memory);
    watching.join().unwrap().expect("it ends with the session");
}

/// Those who watch are bounded, and one that reads nothing holds nobody back.
#[test]
fn who_watches_and_does_not_read_holds_nobody_back() {
    let dir = tempfile::tempdir().unwrap();
    let memory = open(dir.path());
    let watcher = || {
        let mut stream = UnixStream::connect(dir.path().join("control.sock")).unwrap();
        stream.write_all(b"{\"watch\": true}\n").unwrap();
        stream
    };
    let mut all: Vec<UnixStream> = (0..16).map(|_| watcher()).collect();
    for stream in &all {
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
    }
    let Reply::Failed(full) = asked(dir.path(), "{\"watch\": true}\n") else {
        panic!("there is no room")
    };
    assert_eq!(full.class, ErrorClass::Busy);
    let flushed = carry_out(dir.path(), Change::Flush, None);
    assert!(flushed.is_ok(), "changes are still made: {flushed:?}");
    for n in 0..150 {
        // more than the sockets hold
        let text = format!("The boat has number {n}{}.", " and floats".repeat(200));
        memory.hear(Utterance::new("Ben", text)).unwrap();
    }
    all.truncate(1);
    drop(memory);
}
