//! A context has the number of tokens it reports, also where lines or days could be counted twice.

use crate::support::{BagOfWords, STARTED, config, counter, said, start};
use weir_core::driver::Driver;
use weir_core::stream::{Span, StreamStart};

const DAY_MS: i64 = 86_400_000;

/// Begins a stream this many days after the first.
fn begin(memory: &mut Driver, day: i64) {
    let begun = StreamStart {
        started_at_unix_ms: Some(STARTED + day * DAY_MS),
        ..start("s")
    };
    memory.begin(begun).unwrap();
}

/// The context of a question; checks its token count and limit.
fn paid_context(memory: &mut Driver, question: &str, room: usize) -> String {
    let (_, recall) = memory.ask(question, None, room).unwrap();
    let cost = counter().count(&recall.context.text);
    assert_eq!(recall.context.tokens, cost, "{}", recall.context.text);
    assert!(cost <= room, "{cost} of {room}");
    recall.context.text
}

/// Regression: two people who began at the same moment shared the tokens of one line but had
/// several.
#[test]
fn people_who_begin_at_once_are_paid_for() {
    let mut memory = Driver::new(config(4_000), BagOfWords::shared(), counter()).unwrap();
    for (sitting, day) in [0, 1, 0, 1].into_iter().enumerate() {
        begin(&mut memory, day);
        for (n, speaker) in ["Alice", "Bob", "Maria"].into_iter().enumerate() {
            let id = (sitting * 3 + n) as u64;
            let text = format!(
                "I painted the garden gate {id}, and I bought a bicycle {id}, and my train leaves \
                 at {id} tomorrow, and the garden has a pond."
            );
            let mut utterance = said(id, speaker, &text);
            utterance.span = Span::new(1_000, 9_000);
            memory.hear(utterance).unwrap();
        }
        memory.flush().unwrap();
    }
    for question in [
        "Who painted the garden gate?",
        "When does the train of Bob leave?",
    ] {
        for room in [64, 100, 160, 400, 1_000] {
            paid_context(&mut memory, question, room);
        }
    }
}

/// Most statements that match the question are of one day, so days are headings. Regression: a day
/// that was resumed later was named twice and counted once.
#[test]
fn days_heard_of_twice_are_paid_for() {
    let mut memory = Driver::new(config(20_000), BagOfWords::shared(), counter()).unwrap();
    let mut turn = 0..;
    for (day, statements) in [(0, 80), (1, 3), (0, 80)] {
        begin(&mut memory, day);
        for n in turn.by_ref().take(statements) {
            let what = if day == 0 {
                "painted the garden gate"
            } else {
                "slept"
            };
            let mut utterance = said(n, "Alice", &format!("I {what} {n} times."));
            utterance.span = Span::new(n * 1_000, n * 1_000 + 900);
            memory.hear(utterance).unwrap();
        }
        memory.flush().unwrap();
    }
    for room in [64, 400, 4_000] {
        let context = paid_context(&mut memory, "Who painted the garden gate?", room);
        let days = context.lines().filter(|line| line.starts_with('['));
        let days: Vec<&str> = days.collect();
        let all = ["[1 March 2025]", "[2 March 2025]"];
        assert_eq!(days, all[..if room == 4_000 { 2 } else { 1 }]);
    }
}
