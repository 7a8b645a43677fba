//! Properties of every baseline: it finds what was said, stays in its bounds, and is deterministic.

use super::registry::{BASELINES, build};
use super::testing::{ask, hear, kit, talk, turn};
use super::{Method, MethodContext, Recalled};
use crate::options::Model;
use crate::stream::Turn;
use std::collections::HashSet;
use std::sync::Arc;
use weir_models::testing::Says;
use weir_models::{CountTokens, WordHashEncoder, WordPieceCounter};

const QUESTIONS: [&str; 3] = [
    "Where did Clara buy the bicycle?",
    "Who fixed the camera and what did Dan see in Porto?",
    "",
];

fn made(name: &str, budget_tokens: Option<usize>) -> Box<dyn Method> {
    build(name, kit(budget_tokens)).expect("a known name")
}

/// Small talk with one fact, and pauses.
fn story() -> Vec<Turn> {
    let mut turns = talk(3, 40);
    let fact = "My sister Eleonora keeps seven alpacas in Winterthur.";
    turns.push(turn(40, "Ana", fact));
    turns.push(turn(41, "Bob", "Alpacas! I had no idea."));
    turns
}

fn told(name: &str, budget_tokens: Option<usize>, turns: &[Turn]) -> Box<dyn Method> {
    let mut method = made(name, budget_tokens);
    for (index, turn) in turns.iter().enumerate() {
        if index % 17 == 16 {
            method.pause(None).expect("a pause is taken in");
        }
        hear(&mut *method, turn);
    }
    method.settle().expect("it settles");
    method
}

#[test]
fn an_obvious_fact_is_found() {
    for name in BASELINES.iter().filter(|name| **name != "stateless") {
        let method = told(name, None, &story());
        let found = ask(&*method, "Who keeps alpacas in Winterthur?", 300);
        assert!(found.context.contains("Eleonora"), "{name}: {found:?}");
        assert!(found.turns.contains(&"u40".to_owned()), "{name}: {found:?}");
    }
    let nothing = ask(&*told("stateless", None, &story()), "Who?", 300);
    assert_eq!(nothing, Recalled::default());
}

#[test]
fn a_model_writes_where_one_is_given() {
    let reply = r#"{"cite": ["1"], "text": "Eleonora keeps seven alpacas. They fly."}"#;
    let (model, encoder) = (Says::new(reply), Arc::new(WordHashEncoder::new()));
    let kit = MethodContext::plain(encoder, Some(2_000));
    let kit = kit.with_model(Some(Model::new(Box::new(model.clone()), None)));
    let mut method = build("weir-llm", Arc::new(kit)).expect("a known name");
    story().iter().for_each(|turn| hear(&mut *method, turn));
    let distilled = model.asked().len();
    let answer = ask(&*method, "Who keeps alpacas in Winterthur?", 300).answer;
    let answer = answer.expect("it answers");
    assert!(distilled > 0 && model.asked().len() == distilled + 1);
    assert_eq!(answer.cut_quoted, Some((true, false)), "{answer:?}");
    assert!(answer.cited.contains(&"u40".to_owned()), "{answer:?}");
    build("weir-llm", self::kit(None))
        .map(drop)
        .expect_err("it has no model");
}

#[test]
fn what_is_stored_is_never_over_the_budget() {
    for name in BASELINES {
        for (seed, budget) in [(1, 0), (2, 30), (3, 150), (4, 700)] {
            let turns = talk(seed, 120);
            let mut method = made(name, Some(budget));
            for (index, turn) in turns.iter().enumerate() {
                hear(&mut *method, turn);
                let stored = method.stored_tokens();
                assert!(stored <= budget, "{name}: {stored} of {budget} at {index}");
                if index % 31 == 30 {
                    method.settle().expect("it settles");
                    let stored = method.stored_tokens();
                    assert!(stored <= budget, "{name}: {stored} of {budget}, settled");
                }
            }
            method.settle().expect("it settles");
            let held: HashSet<String> = method.held().into_iter().flatten().collect();
            let heard: HashSet<String> = turns.iter().map(|turn| turn.id.clone()).collect();
            assert!(held.is_subset(&heard), "{name}");
            assert!(held.len() < heard.len(), "{name}: all in {budget} tokens");
            for question in QUESTIONS {
                let found = ask(&*method, question, 200);
                let known = found.turns.iter().all(|id| held.contains(id));
                assert!(known, "{name}: shows what it does not hold");
            }
        }
    }
}

#[test]
fn a_context_is_never_over_its_tokens() {
    for name in BASELINES.iter().filter(|name| **name != "full-context") {
        let method = told(name, None, &story());
        for tokens in [0, 8, 20, 64, 300] {
            for question in QUESTIONS {
                let context = ask(&*method, question, tokens).context;
                let real = WordPieceCounter::shared().count(&context);
                assert!(real <= tokens, "{name}: {real} of {tokens}");
            }
        }
    }
}

#[test]
fn the_same_stream_gives_the_same_contexts() {
    for name in BASELINES {
        let contexts = || {
            let method = told(name, Some(1500), &talk(9, 150));
            let found = QUESTIONS.map(|question| ask(&*method, question, 250));
            (found, method.held(), method.stored_tokens())
        };
        assert_eq!(contexts(), contexts(), "{name}");
    }
}

#[test]
fn an_empty_memory_answers_with_nothing() {
    for name in BASELINES {
        let mut method = made(name, None);
        method.settle().expect("it settles");
        assert_eq!(ask(&*method, "Who?", 100), Recalled::default(), "{name}");
        assert_eq!(method.stored_tokens(), 0, "{name}");
        assert!(method.held().is_none_or(|held| held.is_empty()), "{name}");
    }
}

#[test]
fn asking_changes_nothing_and_settling_again_nothing_more() {
    for name in BASELINES {
        let mut method = told(name, None, &story());
        let first = QUESTIONS.map(|question| ask(&*method, question, 250));
        method.settle().expect("it settles");
        let second = QUESTIONS.map(|question| ask(&*method, question, 250));
        assert_eq!(first, second, "{name}");
    }
}
