//! A session with the vectors or the terms of another encoder.

use crate::interpreter::folded::FoldedWords;
use crate::support::{BagOfWords, config, counter, memory, said, start};
use weir_core::answer::Question;
use weir_core::config::{RecallPolicy, SessionConfig, Signals};
use weir_core::driver::Driver;
use weir_core::session::{Budgets, Session};
use weir_models::WordHashEncoder;

/// The best statement for a question by its terms.
fn best(session: &Session, question: &str) -> String {
    let question = Question {
        terms: FoldedWords::shared().terms(&[question]).unwrap().remove(0),
        text: question.to_owned(),
        vector: vec![0.0; session.encoder().dimension],
        asked_by: None,
        at: weir_core::answer::QuestionTime::default(),
    };
    session.search(&question).best(1).remove(0)
}

/// The first encoder makes no terms, so recall by terms finds nothing until they are made.
#[test]
fn statements_are_found_by_the_terms_of_the_new_encoder() {
    let by_terms = Signals {
        vectors: false,
        terms: true,
        words: false,
    };
    let config = SessionConfig {
        recall: RecallPolicy::Only(by_terms),
        ..config(4_096)
    };
    let mut memory = Driver::new(config, BagOfWords::shared(), counter()).unwrap();
    memory.begin(start("s")).unwrap();
    for (n, text) in [
        "The soup was cold.",
        "We paid two hundred dollars.",
        "The cabin keys hang behind the stove.",
    ]
    .into_iter()
    .enumerate()
    {
        memory.hear(said(n as u64, "Ana", text)).unwrap();
    }
    memory.flush().unwrap();
    // not distilled yet
    memory
        .hear(said(3, "Ana", "The violin needs new strings."))
        .unwrap();

    let before = memory.session();
    let new = FoldedWords::shared();
    let keys = "Where are the keys of the cabin?";
    assert_eq!(best(before, keys), "Ana: The soup was cold.", "the first");
    for after in [
        before.with_terms_of(new.as_ref(), None).unwrap(),
        before.reencoded(new.as_ref()).unwrap(),
    ] {
        assert_eq!(after.check(), Ok(()));
        assert_eq!(
            best(&after, keys),
            "Ana: The cabin keys hang behind the stove."
        );
        let strings = best(&after, "Which strings does the violin have?");
        assert_eq!(strings, "Ana: The violin needs new strings.");
    }
}

/// Larger vectors, or terms, need more bytes; what then exceeds the budget is forgotten.
#[test]
fn the_byte_budget_holds_with_the_new_encoder() {
    let budgets = Budgets {
        bytes: Some(64 << 10),
        ..Budgets::default()
    };
    let mut memory = memory(100_000);
    memory.set_budgets(budgets).unwrap();
    for n in 0..200 {
        let text = format!("The violin {n} needs new strings for {} dollars.", n * 7);
        memory.hear(said(n, "Ana", &text)).unwrap();
    }
    let before = memory.session();
    assert!(before.tree().held_bytes() > 60 << 10, "it is nearly full");
    for after in [
        before
            .with_terms_of(FoldedWords::shared().as_ref(), None)
            .unwrap(),
        before.reencoded(&WordHashEncoder::new()).unwrap(),
    ] {
        assert_eq!(after.check(), Ok(()));
        let read = Session::from_image(&after.to_image(), counter()).unwrap();
        assert_eq!(read.digest(), after.digest());
    }
}
