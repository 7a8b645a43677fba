//! Questions about memory itself, and informally typed questions.

use super::tests::memory;
use super::*;

fn asked(question: &str, asked_by: Option<&str>) -> Answer {
    memory().ask(question, asked_by, 600).expect("asked").0
}

#[test]
fn memory_says_how_much_it_heard_and_whom() {
    for question in [
        "How long have we talked?",
        "how many conversations have we had",
        "When did we first talk?",
    ] {
        let answer = asked(question, None);
        assert_eq!(
            answer.text,
            "I have heard 7 utterances within a minute. I heard Alice and Bob."
        );
        assert!(
            answer.kind.is_answered() && answer.citations.is_empty(),
            "{question}"
        );
    }
}

#[test]
fn what_is_known_of_somebody_is_what_they_said() {
    let alice = asked("What do you know about Alice?", None);
    assert!(
        alice.text.starts_with("Alice: I moved to Paris in May."),
        "{}",
        alice.text
    );
    assert!(!alice.text.contains("Fiat") && !alice.citations.is_empty());
    assert_eq!(
        asked("what do you know about me", Some("Alice")).text,
        alice.text
    );
    let nobody = asked("What do you know about me?", None).text;
    assert!(
        nobody.starts_with("I do not know who is asking. I heard Alice and Bob."),
        "{nobody}"
    );
    // about a thing, or more than a name: a question about what was said
    let piano = asked("Tell me about Alice's piano lessons.", None).text;
    assert!(
        piano.starts_with("Alice: My piano lessons begin at seven."),
        "{piano}"
    );
}

#[test]
fn what_was_talked_about_is_told_from_the_whole() {
    let talk = asked("What did we talk about?", None).text;
    assert!(talk.contains("Paris") && talk.contains("Fiat"), "{talk}");
    // with a topic it is a question about what was said
    let sunday = asked("What did we talk about Bob's car on Monday?", None).text;
    assert!(
        sunday.starts_with("Bob: My new car is a red Fiat"),
        "{sunday}"
    );
    let cats = asked("What did we talk about cats?", None).text;
    assert!(!cats.contains("Paris"), "{cats}");
}

#[test]
fn what_asks_nothing_is_told_what_memory_is_for() {
    for nothing in ["hi", "Hello there!", "???", "who", "Who are you?", "help"] {
        let answer = asked(nothing, None);
        assert!(
            answer.text.starts_with("I remember what is said near me."),
            "{nothing}"
        );
    }
    let empty = crate::driver::Driver::new(
        crate::config::SessionConfig::default(),
        std::sync::Arc::new(weir_models::WordHashEncoder::new()),
        std::sync::Arc::new(weir_models::WordPieceCounter::shared()),
    );
    let answer = empty.expect("legal").ask("hi", None, 600).expect("asked").0;
    assert_eq!(
        (answer.text.as_str(), !answer.kind.is_answered()),
        ("I have heard nothing yet.", true)
    );
}

#[test]
fn a_name_spelt_nearly_right_is_taken_for_it_and_said() {
    let answer = asked("Where did Alise move to?", None);
    let told = "I take Alise to be Alice. Alice: I moved to Paris in May.";
    assert!(answer.text.starts_with(told), "{}", answer.text);
    let other = asked("Where did Zbigniew move to?", None).text;
    assert!(
        other.starts_with("I have heard nothing of Zbigniew."),
        "{other}"
    );
}

#[test]
fn capitals_are_no_names() {
    let answer = asked("WHERE DID ALICE MOVE TO?", None).text;
    assert_eq!(answer, "Alice: I moved to Paris in May.");
}

/// Regression: "I have heard nothing of Aug."
#[test]
fn a_month_in_short_is_no_name() {
    let answer = asked("What did Alice say in Aug?", None).text;
    assert!(!answer.contains("nothing of Aug"), "{answer}");
}

#[test]
fn a_title_before_a_name_is_none() {
    let answer = asked("Did Dr. Alice move to Paris?", None).text;
    assert_eq!(answer, "Alice: I moved to Paris in May.");
}

#[test]
fn another_language_and_none_are_told() {
    for (question, words) in [("Wohin zog Alice?", "Wohin, zog"), ("asdfgh", "asdfgh")] {
        let answer = asked(question, None);
        let told = format!(
            "I have not heard the words {words}. Ask in other words, or in the language of the \
             talk."
        );
        assert!(
            !answer.kind.is_answered() && answer.text.starts_with(&told),
            "{}",
            answer.text
        );
    }
}

#[test]
fn short_forms_are_no_other_language() {
    let answer = asked("What's the doctor's surname?", None);
    assert_eq!(answer.text, "Nothing I have heard answers that.");
}

#[test]
fn of_two_that_answer_alike_the_later_comes_first() {
    const DAY_MS: i64 = 86_400_000;
    let begun = 1_740_830_400_000;
    let mut memory = crate::driver::Driver::new(
        crate::config::SessionConfig::default(),
        std::sync::Arc::new(weir_models::WordHashEncoder::new()),
        std::sync::Arc::new(weir_models::WordPieceCounter::shared()),
    )
    .expect("legal");
    let start = crate::stream::StreamStart::new("talk", Some(begun));
    memory.begin(start).expect("begins");
    let said = [
        "The cello stands in the hall, beside the coats.",
        "The neighbours are loud again.",
        "The cello stands in the cellar, beside the boiler.",
    ];
    for (at, text) in said.iter().enumerate() {
        let start_ms = at as u64 * 3_000;
        memory
            .pause(Some(begun + at as i64 * 30 * DAY_MS))
            .expect("later");
        memory
            .hear(crate::stream::Utterance {
                id: format!("u{at}"),
                stream: "talk".into(),
                speaker: Some("Ida".into()),
                span: crate::stream::Span::new(start_ms, start_ms + 2_000),
                audio: None,
                confidence: None,
                text: (*text).into(),
            })
            .expect("heard");
    }
    memory.flush().expect("flushed");
    let answer = |memory: &mut crate::driver::Driver, question| {
        memory.ask(question, None, 600).expect("asked").0.text
    };
    let now = answer(&mut memory, "Where does the cello stand?");
    assert!(
        now.starts_with("Ida: The cello stands in the cellar, beside the boiler."),
        "{now}"
    );
    let may = answer(&mut memory, "What did we talk about in May 2024?");
    let nothing = "I remember nothing that was said from 1 May 2024 to 31 May 2024, or that tells \
        of it.";
    assert_eq!(may, nothing);
    let last = answer(&mut memory, "What did we talk about last time?");
    assert_eq!(
        last,
        "Ida: The cello stands in the cellar, beside the boiler."
    );
    let before = answer(&mut memory, "Where did the cello stand originally?");
    assert!(
        before.starts_with("Ida: The cello stands in the hall"),
        "{before}"
    );
}

/// A model is offered what is at least 0.62 as strong as the strongest statement, however weak
/// that is, and nothing twice.
#[test]
fn only_statements_near_the_strongest_are_offered_to_a_model() {
    let asked = memory().ask("Where did Alice move to?", None, 600);
    let mut recall = asked.expect("asked").1;
    assert!(
        recall.heard.statements.len() >= 3,
        "{:?}",
        recall.heard.statements
    );
    recall.heard.statements.truncate(3);
    recall.heard.answers = Vec::new();
    for (statement, strength) in recall.heard.statements.iter_mut().zip([0.5, 0.32, 0.30]) {
        statement.strength = strength;
    }
    let offered = check::offered(&recall);
    let texts: Vec<&str> = offered.iter().map(|it| it.text.as_str()).collect();
    let wanted: Vec<&str> = recall.heard.statements[..2]
        .iter()
        .map(|it| it.text.as_str())
        .collect();
    assert_eq!(texts, wanted);
}
