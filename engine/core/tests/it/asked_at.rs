//! Questions with a time and a time zone: which day "yesterday" is, and which dates are shown.

use crate::support::{BagOfWords, config, counter};
use jiff::tz::TimeZone;
use weir_core::answer::{QuestionTime, Quote};
use weir_core::ask::{AskContext, QuestionText, ask};
use weir_core::driver::Driver;
use weir_core::stream::{Span, StreamStart, Utterance};

/// Unix milliseconds of a time as RFC 3339 has it.
pub(crate) fn at(time: &str) -> i64 {
    let time: jiff::Timestamp = time.parse().expect("it is a time");
    time.as_millisecond()
}

/// Central European time, by its rule: no database of zones is read.
fn berlin() -> TimeZone {
    TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("it is a rule")
}

/// A memory in which each statement was said at its time.
fn told(said: &[(&str, &str)]) -> Driver {
    let mut memory = Driver::new(config(4_000), BagOfWords::shared(), counter()).unwrap();
    let started_at_unix_ms = Some(at(said[0].0));
    let name = "s".to_owned();
    memory
        .begin(StreamStart::new(name, started_at_unix_ms))
        .unwrap();
    for (n, (time, text)) in (0..).zip(said) {
        memory.pause(Some(at(time))).unwrap();
        let span = Span::new(n * 1_000, n * 1_000 + 1_000);
        let said = Utterance {
            id: format!("u{n}"),
            stream: "s".into(),
            ..Utterance::new("Ana", *text)
        };
        memory.hear(said.at(span)).unwrap();
    }
    memory.flush().unwrap();
    memory
}

/// The answer to somebody, and the context.
pub(crate) fn asked_by(
    asked_by: Option<&str>,
    memory: &Driver,
    question: &str,
    at: &QuestionTime,
) -> (String, String) {
    let encoder = BagOfWords::shared();
    let mut context = AskContext {
        encoder: encoder.as_ref(),
        index: None,
        fact_index: None,
        transcript: None,
        profile_tokens: 0,
        character: None,
        window: None,
        reranker: None,
        answerer: &mut Quote,
    };
    let question = QuestionText {
        text: question,
        asked_by,
        at,
    };
    let asked = ask(memory.session(), &mut context, question, 400, &mut ()).unwrap();
    (asked.answer.text, asked.recall.context.text)
}

fn asked(memory: &Driver, question: &str, at: &QuestionTime) -> (String, String) {
    asked_by(None, memory, question, at)
}

const TREES: &str = "We planted seven apple trees behind the old barn.";
const VAN: &str = "The baker sold his delivery van to my neighbour tomorrow.";

#[track_caller]
fn talked_of(memory: &Driver, question: &str, at: &QuestionTime, trees: bool, van: bool) {
    let (answer, _) = asked(memory, question, at);
    let named = (
        answer.contains("apple trees"),
        answer.contains("delivery van"),
    );
    assert_eq!(named, (trees, van), "{question} {at:?}: {answer}");
}

/// The trees were talked of yesterday, and the van today.
fn talked_of_trees_then_van(memory: &Driver, at: &QuestionTime) {
    let about = |day: &str| format!("What did we talk about {day}?");
    talked_of(memory, &about("yesterday"), at, true, false);
    talked_of(memory, &about("today"), at, false, true);
}

#[test]
fn yesterday_ends_at_midnight_of_the_question() {
    let memory = told(&[
        ("2025-02-28T22:50:00Z", TREES),
        ("2025-02-28T23:20:00Z", VAN),
    ]);
    let mut question = QuestionTime {
        unix_ms: Some(at("2025-03-01T09:00:00Z")),
        zone: None,
    };
    talked_of(
        &memory,
        "What did we talk about yesterday?",
        &question,
        true,
        true,
    );
    question.zone = Some(berlin());
    talked_of_trees_then_van(&memory, &question);
    let (_, context) = asked(&memory, "Who sold the van?", &question);
    assert!(
        context.contains("28 February 2025 Ana: We planted"),
        "{context}"
    );
    assert!(context.contains("1 March 2025 Ana: The baker"), "{context}");
    assert!(context.contains("tomorrow (2 March 2025)"), "{context}");
}

#[test]
fn a_day_on_which_the_clocks_change_has_23_hours() {
    // in Berlin 30 March, 00:30, and 31 March, 00:30: an hour of the 30th is missing
    let memory = told(&[
        ("2025-03-29T23:30:00Z", TREES),
        ("2025-03-30T22:30:00Z", VAN),
    ]);
    let unix_ms = Some(at("2025-03-31T08:00:00Z"));
    let question = QuestionTime {
        unix_ms,
        zone: Some(berlin()),
    };
    talked_of_trees_then_van(&memory, &question);
    let winter = TimeZone::fixed(jiff::tz::offset(1));
    let question = QuestionTime {
        unix_ms,
        zone: Some(winter),
    };
    talked_of(
        &memory,
        "What did we talk about yesterday?",
        &question,
        true,
        true,
    );
}

#[test]
fn a_question_weeks_later_counts_from_its_own_day() {
    let memory = told(&[
        ("2025-03-01T10:00:00Z", TREES),
        ("2025-03-02T10:00:00Z", VAN),
    ]);
    let stream = QuestionTime::default();
    talked_of(
        &memory,
        "What did we talk about yesterday?",
        &stream,
        true,
        false,
    );
    let later = QuestionTime {
        unix_ms: Some(at("2025-03-23T10:00:00Z")),
        zone: None,
    };
    talked_of(
        &memory,
        "What did we talk about yesterday?",
        &later,
        false,
        false,
    );
    talked_of(
        &memory,
        "What did we talk about 3 weeks ago?",
        &later,
        true,
        true,
    );
    // a clock that was set back: the question comes before what it asks for
    let before = QuestionTime {
        unix_ms: Some(at("2025-03-01T23:00:00Z")),
        zone: None,
    };
    talked_of(
        &memory,
        "What did we talk about today?",
        &before,
        true,
        false,
    );
}
