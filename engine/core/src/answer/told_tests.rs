//! Notes beside an answer: a false premise of the question, and why no model was asked.

use super::tests::{memory, writes};
use super::*;
use crate::circuit_breaker::FAILURES_MAX;
use weir_models::testing::Says;

#[test]
fn a_partly_false_premise_is_named_beside_the_answer() {
    let question = "Did Alice and Zbigniew move to Paris?";
    let quoted = memory().ask(question, None, 600).expect("asked").0;
    let told = "I have heard nothing of Zbigniew. ";
    let both = format!("{told}Alice: I moved to Paris in May.");
    assert!(quoted.text.starts_with(&both), "{}", quoted.text);
    let writer = Written::new(Box::new(writes("Alice moved to Paris in May.")));
    let mut memory = memory().with_answerer(Box::new(writer));
    let written = memory.ask(question, None, 600).expect("asked").0;
    assert_eq!(written.text, format!("{told}Alice moved to Paris in May."));
    assert_eq!(
        (written.fallback, !written.kind.is_answered()),
        (None, false)
    );
}

#[test]
fn a_model_that_keeps_failing_is_asked_more_rarely() {
    let failing = Says::failing("nobody answers");
    let mut memory = memory().with_answerer(Box::new(Written::new(Box::new(failing.clone()))));
    let mut why = || {
        let answer = memory
            .ask("Where did Alice move to?", None, 600)
            .expect("asked")
            .0;
        assert_eq!(answer.text, "Alice: I moved to Paris in May.");
        answer.fallback.expect("it says why")
    };
    for _ in 0..FAILURES_MAX {
        assert!(why().contains("nobody answers"));
    }
    let resting = why();
    assert!(
        resting.contains("script") && resting.contains("asked again"),
        "{resting}"
    );
    assert_eq!(failing.asked().len() as u32, FAILURES_MAX);
    while !why().contains("nobody answers") {
        assert_eq!(failing.asked().len() as u32, FAILURES_MAX);
    }
}

/// Regression: "Not Nate, as far as I have heard." stood before what Nate said.
#[test]
fn nobody_is_denied_whom_the_answer_quotes() {
    let memory = memory();
    let vectors = memory
        .encoder()
        .encode_for_search(&["Where did Alice move?"]);
    let encoded = vectors.expect("encoded").remove(0);
    let question = Question::new("Where did Alice move?", encoded, None);
    let mut recall = memory.session().search(&question).assemble(600);
    let said = recall.heard.answers[0].clone();
    assert_eq!(said.speaker.as_deref(), Some("Alice"));
    for (asked, denied) in [("Alice", false), ("Bob", true)] {
        let asked = asked.to_owned();
        recall.reading.premise = Some(Premise::OtherPerson { asked });
        let answer = decision::quotes(&[&said], &recall);
        assert_eq!(answer.text.starts_with("Not "), denied, "{}", answer.text);
    }
}
