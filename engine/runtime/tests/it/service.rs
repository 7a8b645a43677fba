//! The session service: replies, classes of errors, retries, subscribers, and many threads at once.

use crate::killed::number;
use crate::plain_memory::{FullDisk, asked, class, parts, service, session};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use weir_core::answer::{Answer, Answerer, Draft, Question, Quote, Recall, Written};
use weir_core::memory::{Kind, NodeId};
use weir_core::session::{Input, SpeakerChange, Target};
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_engine::pipeline::{
    AnswerBy, AskRequest, AskSettings, Change, DistilWhen, ErrorClass, Event, PipelineParts,
    SUBSCRIBER_EVENTS_MAX, ServiceError, SessionHandle, SessionLog, SessionLogError,
    SessionService, SessionWriter,
};
use weir_models::{Flow, Generate, GenerateError, Generated, Request};

fn said(speaker: &str, text: &str) -> Utterance {
    Utterance::new(speaker, text)
}

fn hear(session: &SessionHandle, speaker: &str, text: &str) -> Vec<String> {
    let heard = session.hear([said(speaker, text)], None);
    heard.expect("it has words").ids
}

#[test]
fn what_was_heard_is_answered_and_a_wrong_request_leaves_the_session_open() {
    let service = service(parts());
    let session = service.handle();
    assert_eq!(
        hear(session, "Ana", "The keys hang behind the stove."),
        ["#1"]
    );
    let mut wrong = said("Ana", "Backwards.");
    wrong.span = Span {
        start_ms: 9_000,
        end_ms: 1_000,
    };
    assert_eq!(class(session.hear([wrong], None)), ErrorClass::BadInput);
    assert_eq!(
        class(session.hear([said("Ana", "...")], None)),
        ErrorClass::BadInput
    );
    let mut elsewhere = said("Ana", "Another stream.");
    elsewhere.stream = "other".into();
    assert_eq!(class(session.hear([elsewhere], None)), ErrorClass::Conflict);
    let nobody = Change::Speaker(SpeakerChange::Name {
        speaker: "Zoe".into(),
        name: "Zora".into(),
    });
    assert_eq!(class(session.change(nobody, None)), ErrorClass::Conflict);
    let nothing = Change::Erase(vec![Target::Speaker("Zoe".into())]);
    assert_eq!(class(session.change(nothing, None)), ErrorClass::Conflict);
    let mut reserved = said("Ana", "An id of the session's.");
    reserved.id = "#7".into();
    assert_eq!(class(session.hear([reserved], None)), ErrorClass::BadInput);
    let answered = session.ask(asked("q", "Where are the keys?"), None);
    assert!(answered.expect("it answers").answer.text.contains("stove"));
    assert_eq!(service.close().expect("nothing failed").session.turns(), 1);
}

/// Utterances before the one that is refused are kept, and told as such.
#[test]
fn a_request_with_one_wrong_utterance_keeps_those_before_it() {
    let service = service(parts());
    let mut again = said("Ana", "Two.");
    again.id = "a".into();
    let mut first = said("Ana", "One.");
    first.id = "a".into();
    let done = service.handle().hear([first.clone(), again], None);
    assert_eq!(class(done), ErrorClass::Conflict);
    assert_eq!(service.handle().session().turns(), 1);
    let heard = service.handle().hear([first], None).expect("sent again");
    assert_eq!((heard.ids, heard.turns), (vec!["a".to_owned()], 1));
}

#[test]
fn a_request_sent_again_is_carried_out_once() {
    let service = service(parts());
    let session = service.handle();
    let key = || Some("k1".to_owned());
    let once = session.hear([said("Ana", "The red boat leaves.")], key());
    let again = session.hear([said("Ana", "The red boat leaves.")], key());
    assert_eq!(once.expect("heard"), again.expect("known"));
    assert_eq!(session.session().turns(), 1);
    let other = session.hear([said("Ana", "The blue boat leaves.")], key());
    assert_eq!(class(other), ErrorClass::Conflict);
    let flush = || session.change(Change::Flush, Some("k2".to_owned()));
    assert!(flush().is_ok() && flush().is_ok());
}

/// Pins either all units named or none.
#[test]
fn a_change_is_made_as_a_whole_or_not_at_all() {
    let service = service(parts());
    let session = service.handle();
    hear(session, "Ana", "The keys hang behind the stove.");
    session.change(Change::Flush, None).expect("it distils");
    let held = session.session();
    let unit = held.tree().of_kind(Kind::Unit).next().expect("a unit");
    let missing: NodeId = "n999.0".parse().expect("a name");
    let pin = Change::Pin {
        nodes: vec![unit.id, missing],
        pinned: true,
    };
    assert_eq!(class(session.change(pin, None)), ErrorClass::Conflict);
    let now = session.session();
    assert!(!now.tree().node(unit.id).expect("it is held").pinned);
}

/// Regression: an edited statement kept the fact that its old words told.
#[test]
fn what_was_read_from_a_statement_is_read_anew_when_it_is_edited() {
    let service = service(parts());
    let session = service.handle();
    hear(session, "Ana", "I live in Rome.");
    hear(session, "Ana", "I work as a nurse.");
    session.change(Change::Flush, None).expect("it distils");
    let facts = || {
        let held = session.session();
        let facts = held.profiles().facts().iter().map(|it| it.value.clone());
        let mut facts: Vec<String> = facts.collect();
        facts.sort();
        facts
    };
    assert_eq!(facts(), ["I live in Rome.", "I work as a nurse."]);
    let held = session.session();
    let mut units = held.tree().of_kind(Kind::Unit);
    let unit = units.find(|it| it.text.contains("Rome")).expect("a unit");
    let (node, text) = (unit.id, "I live in Lome.".to_owned());
    let was = Some(unit.text.clone());
    let edit = Change::Edit { node, text, was };
    session.change(edit.clone(), None).expect("it edits");
    let again = session
        .change(edit, None)
        .expect_err("it has other words now");
    assert_eq!(again.class(), ErrorClass::Conflict, "{again}");
    assert!(again.to_string().contains("I live in Lome."), "{again}");
    assert_eq!(facts(), ["I live in Lome.", "I work as a nurse."]);
    let question = AskRequest {
        asked_by: Some("Ana".into()),
        ..asked("q", "Where do I live?")
    };
    let answer = session.ask(question, None).expect("it answers").answer.text;
    assert!(
        answer.contains("Lome") && !answer.contains("Rome"),
        "{answer}"
    );
}

#[test]
fn a_closed_session_says_so() {
    let service = service(parts());
    let session = service.handle().clone();
    service.close().expect("nothing failed");
    assert_eq!(
        class(session.hear([said("Ana", "Late.")], None)),
        ErrorClass::Gone
    );
    assert_eq!(class(session.change(Change::Flush, None)), ErrorClass::Gone);
    assert_eq!(
        class(session.ask(asked("q", "Who?"), None)),
        ErrorClass::Gone
    );
}

/// A subscriber that never reads delays nothing, and learns how much it missed.
#[test]
fn a_subscriber_that_never_reads_misses_events_and_delays_nothing() {
    let service = service(parts());
    let session = service.handle();
    let (idle, eager) = (session.subscribe(), session.subscribe());
    let (more, mut sent) = (40, 0);
    for n in 0..SUBSCRIBER_EVENTS_MAX + more {
        hear(session, "Ana", &format!("Boat number {n} sails."));
        let mut next = || loop {
            sent += 1;
            match eager.next_within(Duration::from_secs(10)) {
                Some(Event::Memory(_)) => {}
                event => return event,
            }
        };
        let heard = next();
        assert!(matches!(heard, Some(Event::Heard(_))), "{heard:?}");
        let progress = next();
        assert!(matches!(progress, Some(Event::Progress(_))), "{progress:?}");
    }
    assert_eq!(eager.missed(), 0);
    assert!(
        sent > 2 * (SUBSCRIBER_EVENTS_MAX + more),
        "the outline changes, too"
    );
    assert_eq!(idle.missed() as usize, sent - SUBSCRIBER_EVENTS_MAX);
    service.close().expect("nothing failed");
    assert_eq!(idle.events().iter().count(), SUBSCRIBER_EVENTS_MAX);
}

/// An answerer that waits for a gate.
pub(crate) struct Slow(pub(crate) Receiver<()>);

impl Answerer for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn answer_watched(
        &mut self,
        question: &Question,
        recall: &Recall,
        _watch: &mut dyn FnMut(&Draft<'_>) -> Flow,
    ) -> Answer {
        let _ = self.0.recv();
        Quote.answer(question, recall)
    }
}

#[test]
fn a_slow_answer_delays_neither_hearing_nor_questions_answered_by_quotes() {
    let (open, gate) = bounded(0);
    let parts = PipelineParts {
        answerer: Box::new(Slow(gate)),
        ..parts()
    };
    let service = service(parts);
    let session = service.handle();
    hear(session, "Ana", "The keys hang behind the stove.");
    let slow = session.start_to_ask(asked("slow", "Where are the keys?"), None);
    let slow = slow.expect("there is room");
    hear(session, "Ben", "The dog sleeps in the shed.");
    let quotes = AskSettings {
        answer_by: AnswerBy::Quotes,
        ..AskSettings::default()
    };
    let quick = session.ask(asked("quick", "Where does the dog sleep?"), Some(quotes));
    assert!(quick.expect("it quotes").answer.text.contains("shed"));
    let late = session.start_to_ask(asked("late", "Where are the keys?"), None);
    let late = late
        .expect("there is room")
        .wait_for(Duration::from_millis(10));
    assert_eq!(class(late), ErrorClass::Busy);
    drop(open);
    assert!(
        slow.wait()
            .expect("it answers")
            .answer
            .text
            .contains("stove")
    );
}

/// A model that writes the same sentence until it is stopped; it tells each time, and the end.
struct Endless(Sender<()>, Sender<()>);

impl Generate for Endless {
    fn name(&self) -> &'static str {
        "endless"
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
        while on_piece("The keys hang behind the stove. ") == Flow::On {
            let _ = self.0.try_send(());
            thread::sleep(Duration::from_millis(1));
        }
        let _ = self.1.send(());
        Err(GenerateError::Failed {
            model: self.name().to_owned(),
            reason: "it was stopped".to_owned(),
        })
    }
}

/// Text reaches whoever asked while it is written, one who does not read it delays nothing, and a
/// question that is given up stops the model.
#[test]
fn the_text_of_an_answer_is_shown_while_it_is_written_and_giving_up_stops_it() {
    let ((writing, has_written), (stopped, has_stopped)) = (bounded(0), bounded(2));
    let parts = PipelineParts {
        answerer: Box::new(Written::new(Box::new(Endless(writing, stopped)))),
        ..parts()
    };
    let service = service(parts);
    let session = service.handle();
    hear(session, "Ana", "The keys hang behind the stove.");
    let ask = || session.start_to_ask(asked("q", "Where do the keys hang?"), None);
    let pending = ask().expect("there is room");
    let texts = pending.texts().iter();
    let shown = texts.map(|it| it.checked).find(|it| !it.is_empty());
    assert_eq!(shown.as_deref(), Some("The keys hang behind the stove."));
    hear(session, "Ben", "The dog sleeps in the shed.");
    drop(pending);
    let limit = Duration::from_secs(10);
    has_stopped.recv_timeout(limit).expect("it was stopped");
    // nobody reads this one, and more is written than waits for a reader
    let pending = ask().expect("there is room");
    for _ in 0..20 {
        has_written.recv_timeout(limit).expect("it goes on");
    }
    assert!(pending.done().is_none());
    drop(pending);
    has_stopped.recv_timeout(limit).expect("it was stopped");
    service.close().expect("nothing failed");
}

/// Whoever waits for a commit that fails is told; what was acknowledged before stays so.
#[test]
fn a_full_disk_is_told_to_all_who_wait_and_closes_the_session() {
    let parts = PipelineParts {
        session_writer: SessionWriter::kept(session(), Box::new(FullDisk(2, Arc::default()))),
        ..parts()
    };
    let service = service(parts);
    let session = service.handle();
    hear(session, "Ana", "The keys hang behind the stove.");
    hear(session, "Ana", "The dog sleeps in the shed.");
    let full = session.hear([said("Ana", "The cat sleeps on the roof.")], None);
    let full = full.expect_err("the disk is full");
    assert_eq!(full.class(), ErrorClass::Storage, "{full}");
    assert!(full.to_string().contains("disk is full"), "{full}");
    let after = class(session.hear([said("Ana", "Anybody there?")], None));
    assert_eq!(after, ErrorClass::Gone);
    assert!(service.close().is_err());
}

/// Keeps all inputs, in order.
#[derive(Clone, Default)]
struct Journal(Arc<parking_lot::Mutex<Vec<Input>>>);

impl SessionLog for Journal {
    fn append(&mut self, inputs: &[Input]) -> Result<(), SessionLogError> {
        self.0.lock().extend_from_slice(inputs);
        Ok(())
    }

    fn due(&self, waiting: usize, _: Duration) -> bool {
        waiting > 16
    }
}

/// Asks until it is over.
fn ask_on(session: &SessionHandle, who: usize, over: &AtomicBool) {
    let question = format!("Who painted boat number {who}?");
    while !over.load(Ordering::Relaxed) {
        match session.ask(asked("q", &question), None) {
            Ok(_) | Err(ServiceError::Busy { .. }) => {}
            Err(failed) => panic!("{failed}"),
        }
    }
}

/// Pins or unpins a unit until it is over.
fn pin_on(session: &SessionHandle, nth: usize, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        let held = session.session();
        let Some(unit) = held.tree().of_kind(Kind::Unit).nth(nth) else {
            continue;
        };
        let pin = Change::Pin {
            nodes: vec![unit.id],
            pinned: nth.is_multiple_of(2),
        };
        // the unit may be gone by now, or the share of pins full
        let _ = session.change(pin, None);
    }
}

/// Threads that hear, each in a stream of its own, ask, change and subscribe at once: every
/// utterance acknowledged is held once, and replaying what the journal took gives the same session.
/// `WEIR_STRESS_SECONDS=60` goes on for a minute.
#[test]
fn many_threads_give_the_session_that_their_inputs_give_one_by_one() {
    let journal = Journal::default();
    let parts = PipelineParts {
        session_writer: SessionWriter::kept(session(), Box::new(journal.clone())),
        ..parts()
    };
    let service = SessionService::start(parts, DistilWhen::Meanwhile).expect("threads");
    let handle = service.handle();
    let over = &AtomicBool::new(false);
    let (hearers, each) = (8, 40);
    let (since, limit) = (Instant::now(), number("WEIR_STRESS_SECONDS", 0));
    for who in 0..hearers {
        let begin = StreamStart {
            beside: true,
            ..StreamStart::new(format!("s{who}"), None)
        };
        handle
            .change(Change::Begin(begin), None)
            .expect("it begins");
    }
    let mut heard = 0;
    thread::scope(|threads| {
        let listening = [handle.subscribe(), handle.subscribe()];
        let hearing = (0..hearers).map(|who| {
            threads.spawn(move || {
                let goes_on = |n: &u64| *n < each || since.elapsed().as_secs() < limit;
                let hear = |n| {
                    let text = format!("Speaker {who} painted boat number {n} green.");
                    let mut said = said(&format!("S{who}"), &text);
                    said.stream = format!("s{who}");
                    handle.hear([said], None).expect("it has words")
                };
                (0..).take_while(goes_on).map(hear).count() as u64
            })
        });
        let hearing: Vec<_> = hearing.collect();
        for nth in 0..16 {
            threads.spawn(move || ask_on(handle, nth, over));
        }
        for nth in 0..4 {
            threads.spawn(move || pin_on(handle, nth, over));
        }
        let all = hearing.into_iter().map(|it| it.join().expect("no panic"));
        heard = all.sum();
        over.store(true, Ordering::Relaxed);
        drop(listening);
    });
    let finished = service.close().expect("nothing failed");
    assert_eq!(finished.session.turns(), heard);
    assert!(heard >= hearers * each);
    assert_eq!(finished.session.check(), Ok(()));
    let mut again = session();
    for input in journal.0.lock().iter() {
        again.apply(input).expect("it was taken before");
    }
    assert_eq!(again.digest(), finished.session.digest());
}

/// Regression: a request that came while the owner ended waited for its reply for ever.
#[test]
fn a_request_that_comes_while_the_session_closes_is_answered() {
    for _ in 0..200 {
        let service = service(parts());
        let session = service.handle().clone();
        let asking = session.clone();
        let hearing = thread::spawn(move || {
            let talk = || session.hear([said("Ana", "The boat leaves.")], None);
            while talk().is_ok() {}
        });
        let asking = thread::spawn(move || {
            let ask = || asking.ask(asked("q", "What leaves?"), None);
            while ask().is_ok() {}
        });
        service.close().expect("nothing failed");
        hearing.join().expect("it is refused in the end");
        asking.join().expect("it is refused in the end");
    }
}
