//! The session service under bad input: ids used twice, deadlines, crowds, and clocks.

use crate::plain_memory::{asked, class, files_with, parts, service, session};
use crate::service::Slow;
use crossbeam_channel::{Receiver, Sender, bounded};
use jiff::tz::TimeZone;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use weir_core::session::{Input, Target};
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_engine::pipeline::{
    AskRequest, Change, DiskLog, ErrorClass, PipelineParts, SessionHandle, SessionLog,
    SessionLogError, SessionWriter,
};
use weir_engine::store::{CommitPolicy, OpenOptions, open_session, read_session};
use weir_engine::{Memory, QuestionTime, WordHashEncoder};
use weir_models::WordPieceCounter;

fn said(id: &str, text: &str) -> Utterance {
    Utterance {
        id: id.into(),
        ..Utterance::new("Ana", text)
    }
}

/// Regression: the stream of a refused first utterance ran on, and refused all others.
#[test]
fn a_first_utterance_that_is_refused_begins_no_stream() {
    let service = service(parts());
    let session = service.handle();
    let mut wrong = said("a", "Backwards.");
    wrong.stream = "wrong".into();
    wrong.span = Span {
        start_ms: 9_000,
        end_ms: 1_000,
    };
    assert_eq!(class(session.hear([wrong], None)), ErrorClass::BadInput);
    assert_eq!(session.session().stream(), None);
    let mut right = said("a", "Forwards.");
    right.stream = "right".into();
    assert_eq!(session.hear([right], None).expect("it begins").ids, ["a"]);
}

/// Regression: ids were known only since the session was opened.
#[test]
fn an_id_is_known_after_the_session_was_closed() {
    for transcript_bytes in [1 << 20, 0] {
        let folder = tempfile::tempdir().expect("a folder");
        let open = || {
            let builder = Memory::builder(WordHashEncoder::new());
            let builder = builder.transcript_bytes(transcript_bytes);
            builder.open(folder.path()).expect("it opens")
        };
        let memory = open();
        let first = said("a", "The keys hang behind the stove.");
        memory.hear(first.clone()).expect("it is new");
        memory
            .hear(Utterance::new("Ana", "The dog sleeps."))
            .expect("it is new");
        memory.close().expect("it closes");
        let memory = open();
        let other = said("a", "The keys hang behind the door.");
        let session = memory.handle();
        assert_eq!(class(session.hear([other], None)), ErrorClass::Conflict);
        match transcript_bytes {
            // without its words nobody can tell whether it is the same
            0 => assert_eq!(class(session.hear([first], None)), ErrorClass::Conflict),
            _ => assert_eq!(session.hear([first], None).expect("again").turns, 2),
        }
        let next = session.hear([said("", "The cat sleeps too.")], None);
        assert_eq!(next.expect("it is new").ids, ["#3"]);
    }
}

/// A log that waits for a gate at each commit, and says when it does.
struct Gated(Sender<()>, Receiver<()>);

impl SessionLog for Gated {
    fn append(&mut self, _: &[Input]) -> Result<(), SessionLogError> {
        let _ = self.0.send(());
        let _ = self.1.recv();
        Ok(())
    }

    fn due(&self, _: usize, _: Duration) -> bool {
        false
    }
}

#[test]
fn what_is_not_begun_within_its_limit_is_not_heard() {
    let ((waits, waiting), (open, gate)) = (bounded(9), bounded(0));
    let log = Box::new(Gated(waits, gate));
    let service = service(PipelineParts {
        session_writer: SessionWriter::kept(session(), log),
        ..parts()
    });
    let session = service.handle();
    let limit = Duration::from_millis(50);
    thread::scope(|threads| {
        let first = threads.spawn(|| session.hear([said("a", "The first boat sails.")], None));
        waiting.recv().expect("the first is at its commit");
        let late = session.hear_within([said("b", "The second boat sails.")], None, limit);
        let late = late.expect_err("the disk is slow");
        assert_eq!(late.class(), ErrorClass::Busy, "{late}");
        assert!(late.to_string().contains("nothing was changed"), "{late}");
        let begin = Change::Begin(StreamStart::new("late", None));
        let late = session.change_within(begin, None, limit);
        assert_eq!(class(late), ErrorClass::Busy);
        drop(open);
        assert_eq!(first.join().expect("no panic").expect("heard").turns, 1);
    });
    let third = session.hear_within([said("c", "The third boat sails.")], None, limit * 100);
    assert_eq!(third.expect("there is time").turns, 2);
    let stream = session.session().stream().map(|it| it.name.clone());
    assert_eq!(
        stream.as_deref(),
        Some("talk"),
        "the late change was not made"
    );
    assert_eq!(service.close().expect("nothing failed").session.turns(), 2);
}

/// What is begun within its limit is heard, also if the commit takes longer.
#[test]
fn what_is_begun_within_its_limit_is_acknowledged_with_its_commit() {
    let ((waits, waiting), (open, gate)) = (bounded(9), bounded(0));
    let log = Box::new(Gated(waits, gate));
    let service = service(PipelineParts {
        session_writer: SessionWriter::kept(session(), log),
        ..parts()
    });
    thread::scope(|threads| {
        let limit = Duration::from_millis(200);
        let session = service.handle();
        let heard = threads.spawn(move || session.hear_within([said("a", "Slow.")], None, limit));
        waiting.recv().expect("it is at its commit");
        thread::sleep(limit * 2);
        drop(open);
        assert_eq!(heard.join().expect("no panic").expect("heard").turns, 1);
    });
}

#[test]
fn ten_thousand_questions_at_once_are_answered_or_told_to_wait() {
    let (open, gate) = bounded(0);
    let service = service(PipelineParts {
        answerer: Box::new(Slow(gate)),
        ..parts()
    });
    let session = service.handle();
    session
        .hear([said("a", "The keys hang behind the stove.")], None)
        .expect("heard");
    let ask = |n: usize| session.start_to_ask(asked(&n.to_string(), "Where are the keys?"), None);
    let (taken, refused): (Vec<_>, Vec<_>) = (0..10_000).map(ask).partition(Result::is_ok);
    assert!(
        !taken.is_empty() && refused.len() > 9_900,
        "{}",
        refused.len()
    );
    let busy = refused.into_iter().map(class);
    assert!(busy.into_iter().all(|it| it == ErrorClass::Busy));
    session
        .hear([said("b", "The dog sleeps in the shed.")], None)
        .expect("it is heard meanwhile");
    drop(open);
    for answer in taken {
        let answered = answer.expect("taken").wait().expect("it is answered");
        assert!(answered.answer.text.contains("stove"));
    }
}

/// A snapshot is in the making at almost every erasure here.
#[test]
fn what_is_erased_while_a_snapshot_is_made_stays_erased() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = session();
    let options = OpenOptions {
        config: plain.config().clone(),
        encoder: plain.encoder().clone(),
        counter: Arc::new(WordPieceCounter::shared()),
    };
    let opened = open_session(folder.path(), options).expect("it opens");
    let log = DiskLog::new(opened.writer, Vec::new()).with_policy(CommitPolicy {
        snapshot_entries_max: 1,
        ..CommitPolicy::default()
    });
    let service = service(PipelineParts {
        session_writer: SessionWriter::kept(opened.session, Box::new(log)),
        ..parts()
    });
    let session = service.handle();
    for n in 0..20 {
        let id = format!("u{n}");
        let secret = said(&id, &format!("The number of the safe is xyzzy{n}."));
        let kept = said("", &format!("The cat number {n} sleeps."));
        session.hear([secret, kept], None).expect("stored");
        let stream = "talk".to_owned();
        let erase = Change::Erase(vec![Target::Utterance { stream, id }]);
        session.change(erase, None).expect("erased");
        assert!(files_with(folder.path(), &["xyzzy"]).is_empty());
    }
    service.close().expect("it closes");
    assert!(files_with(folder.path(), &["xyzzy"]).is_empty());
    let counter = Arc::new(WordPieceCounter::shared());
    let session = read_session(folder.path(), counter).expect("it reads");
    assert_eq!((session.turns(), session.held().len()), (40, 20));
}

/// Regression: what was heard after the folder was deleted was acknowledged, and gone.
#[cfg(unix)]
#[test]
fn nothing_is_acknowledged_into_a_folder_that_was_deleted() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("session");
    let memory = Memory::builder(WordHashEncoder::new());
    let memory = memory.open(&dir).expect("it opens");
    memory.hear(said("a", "The dog sleeps.")).expect("stored");
    std::fs::remove_dir_all(&dir).expect("deleted");
    let session = memory.handle();
    let lost = session.hear([said("b", "The cat sleeps too.")], None);
    let lost = lost.expect_err("nothing stores it");
    assert_eq!(lost.class(), ErrorClass::Storage);
    assert!(lost.to_string().contains("was deleted while"), "{lost}");
    assert_eq!(
        class(session.hear([said("c", "Hello?")], None)),
        ErrorClass::Gone
    );
    assert!(memory.close().is_err());
    assert!(!dir.exists());
}

fn now_unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.expect("it is later").as_millis() as i64
}

fn told_of_yesterday(session: &SessionHandle, unix_ms: Option<i64>) -> bool {
    let question = AskRequest {
        at: QuestionTime {
            unix_ms,
            zone: Some(TimeZone::UTC),
        },
        ..asked("q", "What did we talk about yesterday?")
    };
    let answered = session.ask(question, None).expect("it answers");
    answered.answer.text.contains("stove")
}

/// Regression: "yesterday" was the day before the last utterance.
#[test]
fn a_live_question_is_asked_now() {
    const DAY_MS: i64 = 86_400_000;
    let service = service(parts());
    let session = service.handle();
    let now = now_unix_ms();
    let begin = Change::Begin(StreamStart::new("s", Some(now - DAY_MS)));
    session.change(begin, None).expect("it begins");
    session
        .hear([said("a", "The keys hang behind the old stove.")], None)
        .expect("heard");
    assert!(told_of_yesterday(session, None));
    assert!(!told_of_yesterday(session, Some(now + 21 * DAY_MS)));
    // the client's clock was set back by a year: what was said keeps its order
    let back = Change::Pause {
        stream: None,
        resumes_at_unix_ms: Some(now - 365 * DAY_MS),
    };
    session.change(back, None).expect("it pauses");
    session
        .hear([said("b", "The dog sleeps in the shed.")], None)
        .expect("heard");
    assert!(told_of_yesterday(session, None));
    let held = session.session();
    assert!(held.now_ms() > 0 && held.check().is_ok());
}
