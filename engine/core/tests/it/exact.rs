//! What a question names exactly is not answered by what is near it: numbers, days, whose "my".

use crate::asked_at::{asked_by, at};
use crate::support::{BagOfWords, config, counter};
use weir_core::answer::QuestionTime;
use weir_core::driver::Driver;
use weir_core::stream::{Span, StreamStart, Utterance};

const ZOE: &str = "Zoe";

fn told(said: &[(&str, &str, &str)]) -> Driver {
    let mut memory = Driver::new(config(4_000), BagOfWords::shared(), counter()).unwrap();
    memory
        .begin(StreamStart::new("talk", Some(at(said[0].0))))
        .unwrap();
    for (n, (when, speaker, text)) in said.iter().enumerate() {
        if n > 0 && said[n - 1].0 != *when {
            memory.pause(Some(at(when))).unwrap();
        }
        let start_ms = memory.session().stream_ms() + 4_000;
        let heard = Utterance {
            id: format!("u{n}"),
            stream: "talk".into(),
            span: Span::new(start_ms, start_ms + 2_000),
            ..Utterance::new(*speaker, *text)
        };
        memory.hear(heard).unwrap();
    }
    memory.flush().unwrap();
    memory
}

/// The answer to a question of Zoe.
fn answer(memory: &Driver, question: &str, asked: &str) -> String {
    let time = QuestionTime {
        unix_ms: Some(at(asked)),
        zone: None,
    };
    asked_by(Some(ZOE), memory, question, &time).0
}

#[test]
fn a_number_is_not_answered_by_its_neighbour() {
    let memory = told(&[
        (
            "2025-06-10T09:00:00Z",
            ZOE,
            "Ticket QX-77 is about the printer.",
        ),
        (
            "2025-06-10T09:00:00Z",
            ZOE,
            "Gate 14 is closed for repairs.",
        ),
        (
            "2025-06-10T09:00:00Z",
            "Max",
            "Omar owes me 350 euros for the tent.",
        ),
        (
            "2025-06-10T09:00:00Z",
            "Max",
            "Flight KL 1009 lands at noon.",
        ),
        (
            "2025-06-10T09:00:00Z",
            "Max",
            "Speaker 2 was the loudest one.",
        ),
    ]);
    let of = |question: &str| answer(&memory, question, "2025-06-10T18:00:00Z");
    for (question, code) in [
        ("What is ticket QX-78 about?", "QX-78"),
        ("What is wrong with gate 41?", "41"),
        ("Who owes 530 euros for the tent?", "530"),
        ("When does KL 1090 land?", "KL 1090"),
    ] {
        let told = of(question);
        assert!(
            told.starts_with(&format!("I have heard nothing of {code}.")),
            "{told}"
        );
    }
    for (question, words) in [
        ("What is ticket qx77 about?", "printer"),
        ("What is wrong with gate 14?", "repairs"),
        ("Who owes 350 euros?", "Omar"),
        ("When does KL1009 land?", "noon"),
    ] {
        let told = of(question);
        assert!(told.contains(words), "{question}: {told}");
    }
}

#[test]
fn a_day_that_is_asked_for_is_a_filter() {
    let memory = told(&[
        (
            "2025-06-10T09:00:00Z",
            ZOE,
            "I fixed the gutter of the shed.",
        ),
        ("2025-06-11T09:00:00Z", ZOE, "I sold the old tent."),
        ("2025-06-11T09:00:00Z", "Max", "I baked a lemon cake."),
    ]);
    let of = |question: &str| answer(&memory, question, "2025-06-12T18:00:00Z");
    for question in [
        "What did I do on Tuesday?",
        "What did I do between 9 and 10 June?",
    ] {
        assert_eq!(
            of(question),
            "Zoe: I fixed the gutter of the shed.",
            "{question}"
        );
    }
    assert_eq!(of("What did I do yesterday?"), "Zoe: I sold the old tent.");
    let nothing = of("What did I do on Monday?");
    assert!(
        nothing.contains("nothing") && nothing.contains("on 9 June 2025"),
        "{nothing}"
    );
    let nothing = of("Who baked a cake on Monday?");
    assert!(
        nothing.contains("nothing") && nothing.contains("on 9 June 2025"),
        "{nothing}"
    );
    assert!(of("Who baked a cake yesterday?").contains("Max: I baked a lemon cake."));
    // two years later it is June of the talk
    let then = answer(
        &memory,
        "What did we talk about in June?",
        "2027-08-01T10:00:00Z",
    );
    assert!(
        then.contains("Zoe, 10 June 2025: I fixed the gutter"),
        "{then}"
    );
}

#[test]
fn what_somebody_else_says_of_themselves_is_not_mine() {
    let memory = told(&[
        ("2025-06-10T09:00:00Z", "Max", "My boat is called Swift."),
        ("2025-06-10T09:00:00Z", ZOE, "That is a fine name."),
        ("2025-06-10T09:00:00Z", "Eva", "Thanks!"),
    ]);
    let told = answer(&memory, "What is my boat called?", "2025-06-10T18:00:00Z");
    assert!(
        told.starts_with("Not you, as far as I have heard."),
        "{told}"
    );
}

#[test]
fn a_question_stands_among_other_sentences_and_a_meeting_may_be_a_topic() {
    let memory = told(&[
        (
            "2025-06-10T09:00:00Z",
            ZOE,
            "Nora keeps the ladder in the barn.",
        ),
        (
            "2025-06-10T09:00:00Z",
            ZOE,
            "The discussion with the landlord was long and bitter.",
        ),
    ]);
    let of = |question: &str| answer(&memory, question, "2025-06-10T18:00:00Z");
    let among = "I was out all day and my feet hurt a lot. It rained on us. Where is the ladder?";
    assert!(of(among).contains("in the barn"), "{}", of(among));
    let topic = of("How was the discussion?");
    assert!(topic.contains("long and bitter"), "{topic}");
    assert!(of("How many people spoke?").contains("One speaker"));
}
