//! Conversations with a memory, turn by turn.

use super::*;
use crate::config::{EncoderProfile, SessionConfig};
use crate::driver::Driver;
use crate::stream::{Span, StreamStart, Utterance};
use std::sync::Arc;
use weir_models::WordPieceCounter;
use weir_models::testing::PlainReader;

/// A memory of some talk, every utterance a minute after the one before.
fn memory(talk: &[(&str, &str)]) -> Driver {
    let config = SessionConfig {
        profile: EncoderProfile::word_hash(),
        ..SessionConfig::default()
    };
    let encoder = PlainReader::with_words();
    let counter = Arc::new(WordPieceCounter::shared());
    let mut memory = Driver::new(config, encoder, counter).expect("legal");
    let start = StreamStart::new("talk", None);
    memory.begin(start).expect("begins");
    for (at, (speaker, text)) in talk.iter().enumerate() {
        let start_ms = at as u64 * 60_000;
        let said = Utterance {
            id: format!("u{at}"),
            stream: "talk".into(),
            span: Span::new(start_ms, start_ms + 2_000),
            ..Utterance::new(*speaker, *text)
        };
        memory.hear(said).expect("heard");
    }
    memory.flush().expect("flushed");
    memory
}

/// Asks what the turn asks; the question as understood, and the answer.
fn ask(memory: &mut Driver, with: &mut Conversation, turn: &str) -> (String, String) {
    let Intent::Ask { question } = with.turn(turn) else {
        panic!("{turn} asks something");
    };
    let (answer, recall) = memory
        .ask(&question, Some(with.user()), 600)
        .expect("asked");
    with.answered(&question, &answer, &recall);
    (question, answer.text)
}

const ANNAS: [(&str, &str); 4] = [
    ("Anna Ames", "I moved to Porto in May."),
    ("Anna Berg", "I moved to Oslo last winter."),
    ("Anna Berg", "My brother Erik teaches chemistry in Bergen."),
    ("Bob", "The boiler in the cellar leaks again."),
];

#[test]
fn a_name_of_two_people_is_asked_back_once() {
    let (mut memory, mut with) = (memory(&ANNAS), Conversation::new("Bob"));
    let (_, answer) = ask(&mut memory, &mut with, "Where did Anna move?");
    assert_eq!(answer, "Which Anna do you mean: Anna Ames or Anna Berg?");
    let (question, answer) = ask(&mut memory, &mut with, "Anna Berg");
    assert_eq!(question, "Where did Anna Berg move?");
    assert!(answer.starts_with("Anna Berg: I moved to Oslo"), "{answer}");
    let (question, _) = ask(&mut memory, &mut with, "When did Anna move?");
    assert_eq!(question, "When did Anna Berg move?");
    let (question, _) = ask(&mut memory, &mut with, "When did Anna Ames move?");
    assert_eq!(question, "When did Anna Ames move?");
}

#[test]
fn another_question_drops_the_one_asked_back() {
    let (mut memory, mut with) = (memory(&ANNAS), Conversation::new("Bob"));
    ask(&mut memory, &mut with, "Where did Anna move?");
    let (question, answer) = ask(&mut memory, &mut with, "What leaks in the cellar?");
    assert_eq!(question, "What leaks in the cellar?");
    // in a small memory everything is about as likely; the rest of it is not quoted beside
    assert_eq!(answer, "Bob: The boiler in the cellar leaks again.");
}

#[test]
fn a_follow_up_is_completed_from_the_answer_before() {
    let (mut memory, mut with) = (memory(&ANNAS), Conversation::new("Bob"));
    let (_, answer) = ask(&mut memory, &mut with, "Who is the brother of Anna Berg?");
    assert!(answer.contains("Erik"), "{answer}");
    let (question, answer) = ask(&mut memory, &mut with, "What does he teach?");
    assert_eq!(question, "What does Erik teach?");
    assert!(answer.contains("chemistry"), "{answer}");
}

#[test]
fn a_question_of_two_words_is_one_after_another() {
    let (mut memory, mut with) = (memory(&ANNAS), Conversation::new("Bob"));
    assert_eq!(with.turn("And Carla?"), Intent::Tell);
    ask(&mut memory, &mut with, "Where did Oscar move?");
    let (question, _) = ask(&mut memory, &mut with, "And Carla?");
    assert_eq!(question, "Where did Carla move?");
}

#[test]
fn turns_are_routed() {
    let mut with = Conversation::new("Bob");
    let ask = |question: &str| Intent::Ask {
        question: question.to_owned(),
    };
    for (turn, intent) in [
        ("My sister moved to Porto in May.", Intent::Tell),
        ("Where did Anna move?", ask("Where did Anna move?")),
        (
            "I bought a red Fiat on Monday. What did Carla buy?",
            ask("What did Carla buy?"),
        ),
        ("Remember that the locker code is 4711.", Intent::Remember),
        (
            "Forget that I live in Rome.",
            Intent::Forget("I live in Rome".to_owned()),
        ),
        ("Thanks, that's great!", Intent::Tell),
    ] {
        assert_eq!(with.turn(turn), intent, "{turn}");
    }
}

#[test]
fn nothing_is_erased_without_a_yes() {
    let targets = vec![Target::Speaker("Bob".to_owned())];
    let mut with = Conversation::new("Bob");
    with.confirm(targets.clone());
    assert_eq!(with.turn("Hm, what was it?"), Intent::Unclear);
    assert_eq!(with.turn("No!"), Intent::Keep);
    assert_eq!(with.turn("yes"), Intent::Tell);
    with.confirm(targets.clone());
    assert_eq!(with.turn("Yes, please."), Intent::Erase(targets));
    assert_eq!(with.turn("yes"), Intent::Tell);
}

#[test]
fn forget_that_is_about_what_was_last_stored_or_answered() {
    let (mut memory, mut with) = (memory(&ANNAS), Conversation::new("Bob"));
    assert_eq!(with.turn("Forget that."), Intent::ForgetLast(Vec::new()));
    ask(&mut memory, &mut with, "What leaks in the cellar?");
    let said = |id: &str| Target::Utterance {
        stream: "talk".to_owned(),
        id: id.to_owned(),
    };
    let last = vec![said("u3")];
    assert_eq!(with.turn("Please forget that."), Intent::ForgetLast(last));
    with.stored("The locker code is 4711.", "talk", "u9");
    assert_eq!(
        with.turn("Forget this"),
        Intent::ForgetLast(vec![said("u9")])
    );
}

#[test]
fn the_last_thing_told_is_deleted_or_corrected() {
    let (mut memory, mut with) = (memory(&ANNAS), Conversation::new("Bob"));
    let told = vec![Target::Utterance {
        stream: "talk".to_owned(),
        id: "u9".to_owned(),
    }];
    for turn in [
        "Delete the last thing I said.",
        "forget what I just told you",
        "Please delete my last message",
    ] {
        with.stored("The locker code is 4711.", "talk", "u9");
        // an answer in between is nothing that the user told
        ask(&mut memory, &mut with, "What leaks in the cellar?");
        assert_eq!(with.turn(turn), Intent::ForgetLast(told.clone()), "{turn}");
    }
    for about in ["what I said last week", "the last thing Ana said"] {
        let turn = format!("Forget {about}.");
        assert_eq!(with.turn(&turn), Intent::Forget(about.to_owned()));
    }
    let correct = |last: &[Target]| Intent::Correct {
        words: "The locker code is 4712. It is new.".to_owned(),
        last: last.to_vec(),
    };
    let turn = "Correct that: The locker code is 4712. It is new.";
    assert_eq!(with.turn(turn), correct(&[]), "it was deleted");
    with.stored("The locker code is 4711.", "talk", "u9");
    assert_eq!(with.turn(turn), correct(&told));
    let correction = "Oh, correction: The locker code is 4712. It is new.";
    assert_eq!(with.turn(correction), correct(&[]));
    let other = with.turn("The correct answer: seven.");
    assert!(!matches!(other, Intent::Correct { .. }), "{other:?}");
}

#[test]
fn what_says_it_is_found_and_nothing_else() {
    let talk = [
        ("Ana", "I live in Rome near the river."),
        ("Bob", "I live in Rome too, and I work in a bakery."),
        ("Ana", "Rome was hot this summer."),
        ("Ana", "I lived in Rome for nine years before that."),
    ];
    let memory = memory(&talk);
    let found = |about: &str| -> Vec<String> {
        let found = memory.session().saying(about, "Ana");
        found.into_iter().map(|it| it.text).collect()
    };
    assert_eq!(found("I live in Rome"), [talk[0].1, talk[3].1]);
    assert_eq!(found("everything about Rome").len(), 4);
    assert_eq!(found("what Bob said about the bakery"), [talk[1].1]);
    assert_eq!(found("my locker code"), Vec::<String>::new());
    assert_eq!(found("that"), Vec::<String>::new());
}

/// A question that says more than the request may hold what is to be forgotten.
#[test]
fn a_question_alone_is_nothing_to_forget() {
    let talk = [
        ("Ana", "The wifi password is hunter2."),
        ("Bob", "The boiler in the cellar leaks again."),
        ("Ana", "What is the wifi password?"),
        ("Bob", "Is the wifi password still hunter2?"),
    ];
    let mut memory = memory(&talk);
    let again = Utterance {
        id: "raw".into(),
        stream: "talk".into(),
        span: Span::new(600_000, 601_000),
        ..Utterance::new("Ana", talk[2].1)
    };
    memory.hear(again).expect("heard");
    let found = memory.session().saying("the wifi password", "Ana");
    let found: Vec<&str> = found.iter().map(|it| &*it.text).collect();
    assert_eq!(found, [talk[0].1, talk[3].1]);
}

/// Also while it is raw talk: nothing was distilled yet.
#[test]
fn raw_talk_is_found_once() {
    let mut memory = memory(&[]);
    let said = Utterance {
        id: "u1".into(),
        stream: "talk".into(),
        span: Span::new(0, 1_000),
        ..Utterance::new("Ana", "The locker code is 4711.")
    };
    memory.hear(said).expect("heard");
    let before = memory.session().saying("the locker code", "Ana");
    assert_eq!(before.len(), 1, "{before:?}");
    memory.flush().expect("flushed");
    let after = memory.session().saying("the locker code", "Ana");
    assert_eq!(after.len(), 1, "{after:?}");
}

#[test]
fn turns_and_choices_are_bounded() {
    let mut with = Conversation::new("Bob");
    for n in 0..100 {
        with.stored(&format!("Number {n} is red."), "talk", &format!("u{n}"));
        with.remember_who(format!("N{n}"), Vec::new(), String::new());
    }
    assert_eq!(with.turns.len(), TURNS_MAX);
    assert_eq!(with.meant.len(), MEANT_MAX);
    assert_eq!(with.last.len(), 1);
}

#[test]
fn what_is_told_in_another_language_is_found_again() {
    for (told, asked, answer) in [
        ("Ich wohne in Berlin.", "Wo wohne ich?", "Berlin"),
        ("Я живу в Москве.", "Где я живу?", "Москве"),
        (
            "私は東京に住んでいます。",
            "私はどこに住んでいますか？",
            "東京",
        ),
        ("J'habite à Lyon.", "Où est-ce que j'habite ?", "Lyon"),
    ] {
        let mut with = Conversation::new("Ana");
        assert_eq!(with.turn(told), Intent::Tell, "{told}");
        let mut memory = memory(&[("Ana", told)]);
        let (_, found) = ask(&mut memory, &mut with, asked);
        assert!(found.contains(answer), "{asked} {found}");
    }
}
