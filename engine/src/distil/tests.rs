//! Distillers that ask models keep what was said and nothing else, whatever the models say.

use super::scripted::{Finds, Sums};
use super::testing::block;
use super::*;
use std::sync::{Arc, Mutex};
use std::time::Duration;
#[cfg(feature = "instructed")]
use weir_models::testing::Says;
use weir_models::{GenerateError, Summarise, WordHashEncoder};

const LINES: [(&str, &str); 3] = [
    ("Alice", "I moved to Paris last week."),
    ("Bob", "Clara adopted two grey cats from the shelter."),
    ("Alice", "Lovely!"),
];

fn texts(made: &Distillate) -> Vec<&str> {
    made.units.iter().map(|unit| unit.text.as_str()).collect()
}

#[cfg(feature = "instructed")]
#[test]
fn a_fact_takes_the_place_of_the_words_it_carries() {
    let reply = r#"{"event": "Alice moved to Paris", "scene": "Social Chat", "facts": [
        {"line": "1", "fact": "Alice moved to Paris last week"},
        {"line": "2", "fact": "Clara adopted three cats"},
        {"line": "2", "fact": "Clara lives in Rome"}]}"#;
    let mut distiller = Instructed::new(Box::new(Says::new(reply)));
    let made = distiller
        .distil(&block(&LINES), &WordHashEncoder::new())
        .expect("distilled");
    assert_eq!(made.event_text, "Alice moved to Paris");
    assert_eq!(made.scene_label, "Social Chat");
    let kept = [
        "Alice moved to Paris last week",
        "Clara adopted two grey cats from the shelter.",
        "Lovely!",
    ];
    assert_eq!(texts(&made), kept);
    let fact = &made.units[0];
    assert_eq!(fact.evidence[0].utterance, "u0");
    let part = fact.evidence[0].part.expect("it is of a clause");
    assert_eq!(
        part.in_text(LINES[0].1),
        Some("I moved to Paris last week.")
    );
    assert!(fact.retold && !fact.evidence[0].verbatim);
    assert_eq!(fact.speaker.as_deref(), Some("Alice"));
    assert!((fact.vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-3);
    let counts = distiller.counts();
    assert_eq!(
        (
            counts.facts_kept,
            counts.facts_refused,
            counts.lines_verbatim
        ),
        (1, 2, 2)
    );
    assert_eq!((counts.blocks, counts.blocks_failed), (1, 0));
}

#[cfg(feature = "instructed")]
#[test]
fn a_model_that_fails_or_talks_nonsense_costs_nothing() {
    let block = block(&LINES);
    let encoder = WordHashEncoder::new();
    let plain = Extractive.distil(&block, &encoder).expect("distilled");
    for says in [
        Says::failing("out of memory"),
        Says::new("I cannot do that."),
        Says::new(r#"{"event": "", "scene": "", "facts": []}"#),
        Says::new(
            r#"{"event": "War in Berlin", "scene": "Talk of 1999", "facts": [
            {"line": "7", "fact": "Use the words of the line"},
            {"line": "1", "fact": "You write down what is said in a conversation"}]}"#,
        ),
    ] {
        let mut distiller = Instructed::new(Box::new(says));
        let made = distiller.distil(&block, &encoder).expect("distilled");
        assert_eq!(made, plain);
    }
    let mut distiller = Instructed::new(Box::new(Says::failing("out of memory")));
    distiller.distil(&block, &encoder).expect("distilled");
    assert_eq!(distiller.counts().blocks_failed, 1);
    let why = distiller.last_failure().expect("it failed");
    assert!(why.contains("out of memory"), "{why}");
    assert_eq!(distiller.last_failure(), None);
}

#[cfg(feature = "instructed")]
#[test]
fn the_model_sees_the_block_and_its_lines_are_bound() {
    use weir_models::{JsonShape, Shape};
    let says = Says::new("{}");
    let mut seen = block(&LINES);
    seen.leading = block(&[("Carol", "The vault code is 4711.")]).fresh;
    Instructed::new(Box::new(says.clone()))
        .distil(&seen, &WordHashEncoder::new())
        .expect("distilled");
    let asked = says.asked();
    let prompt: Vec<&str> = asked[0]
        .messages
        .iter()
        .map(|m| m.content.as_str())
        .collect();
    assert!(
        !prompt.concat().contains("4711"),
        "leading context is not distilled again"
    );
    assert!(prompt[1].starts_with("1. Alice: I moved to Paris last week (week of 28 February"));
    let Shape::Json(JsonShape::Object(fields)) = &asked[0].shape else {
        panic!("the reply is bound to JSON");
    };
    let JsonShape::Array { item, items_max } = &fields[2].1 else {
        panic!("facts are a list");
    };
    assert_eq!(*items_max, 6);
    let JsonShape::Object(fact) = item.as_ref() else {
        panic!("a fact is an object")
    };
    let lines = ["1", "2", "3"].map(str::to_owned).to_vec();
    assert_eq!(fact[0].1, JsonShape::OneOf(lines));
}

#[cfg(feature = "instructed")]
fn told(line: (&str, &str), facts: &[&str]) -> Vec<String> {
    let fact = |fact: &&str| format!(r#"{{"line": "1", "fact": "{fact}"}}"#);
    let facts: Vec<String> = facts.iter().map(fact).collect();
    let facts = facts.join(", ");
    let reply = format!(r#"{{"event": "", "scene": "", "facts": [{facts}]}}"#);
    let mut distiller = Instructed::new(Box::new(Says::new(&reply)));
    let made = distiller.distil(&block(&[line]), &WordHashEncoder::new());
    let made = made.expect("distilled");
    made.units.into_iter().map(|unit| unit.text).collect()
}

#[cfg(feature = "instructed")]
#[test]
fn a_clause_gives_way_only_to_what_says_it() {
    let three = (
        "Alice",
        "I love the rain. The train leaves at seven. I bought milk.",
    );
    let both = ["Alice loves the rain", "Alice bought milk"];
    let mut units = told(three, &both);
    units.sort();
    // each in the place of its own clause; the third clause stays
    assert_eq!(
        units,
        [
            "Alice bought milk",
            "Alice loves the rain",
            "The train leaves at seven."
        ]
    );
    let seven = told(
        ("Alice", "The train leaves at seven."),
        &["The train leaves"],
    );
    assert!(
        seven.contains(&"The train leaves at seven.".to_owned()),
        "{seven:?}"
    );
    for (line, fact) in [
        ("I love the rain.", "Alice hates rain"),
        ("Clara has two cats.", "Clara has seven cats"),
        ("I don't like the rain.", "Alice likes rain"),
    ] {
        assert_eq!(told(("Alice", line), &[fact]), [line], "{fact}");
    }
}

#[test]
fn what_is_found_is_stated_weighed_and_proved() {
    let prompts = Arc::default();
    let sums = Sums(
        vec!["Clara adopts cats in Berlin", "Pet Talk"],
        Arc::clone(&prompts),
    );
    let finds = Finds(vec![
        ("Paris", "place"),
        ("Paris", "Alice <> lives in"),
        ("jazz", "Alice <> likes"),
        ("two grey cats", "Bob <> owns"),
        ("Alice", "person"),
    ]);
    let lines = [
        ("Alice", "I moved to Paris last week."),
        ("Bob", "Clara adopted two grey cats from the shelter."),
        ("Alice", "I love jazz."),
    ];
    let mut distiller = Neural::new(Box::new(sums), Box::new(finds), None);
    let encoder = WordHashEncoder::new();
    let plain = Extractive
        .distil(&block(&lines), &encoder)
        .expect("distilled");
    let made = distiller
        .distil(&block(&lines), &encoder)
        .expect("distilled");
    assert_eq!(made.event_text, plain.event_text, "nobody spoke of Berlin");
    assert_eq!(made.scene_label, "Pet Talk");
    // beside the clause it is from; what the model only concluded is refused
    let mut expected = texts(&plain);
    expected.push("Alice loves jazz");
    assert_eq!(texts(&made), expected);
    let moved = |made: &Distillate| {
        let of = |u: &&DistilledUnit| u.text.starts_with("I moved");
        made.units.iter().find(of).map(|unit| unit.salience)
    };
    assert!(moved(&made) > moved(&plain));
    let counts = distiller.counts();
    assert_eq!((counts.facts_kept, counts.facts_refused), (1, 2));
    assert_eq!((counts.summaries_refused, counts.lines_verbatim), (1, 3));
    let prompts = prompts.lock().expect("no panic");
    assert!(prompts[0].contains("Speakers: Alice, Bob.") && prompts[1].contains("in Berlin"));
}

#[test]
fn what_is_found_across_lines_is_left_alone() {
    for words in [
        "Alice: I",
        "Paris last week.\nBob",
        "Lovely",
        "shelter.\nAlice: Lovely!",
    ] {
        let finds = Finds(vec![(words, "place"), (words, "Alice <> likes")]);
        let sums = Sums(vec![""], Arc::default());
        let mut distiller = Neural::new(Box::new(sums), Box::new(finds), None);
        let made = distiller
            .distil(&block(&LINES), &WordHashEncoder::new())
            .expect("distilled");
        for unit in &made.units {
            let whole = !unit.text.contains('\n') && !unit.text.contains("Alice:");
            assert!(whole && !unit.evidence.is_empty(), "{}", unit.text);
        }
    }
}

/// A summariser that takes a second of a clock that a test keeps.
struct Dawdles(Arc<Mutex<u64>>);

impl Summarise for Dawdles {
    fn name(&self) -> &str {
        "dawdles"
    }

    fn summarise(&mut self, _: &str, _: usize) -> Result<String, GenerateError> {
        *self.0.lock().expect("no panic") += 1;
        Ok("Clara adopted two grey cats".to_owned())
    }
}

/// A distiller with such a summariser and so many seconds for a block, and the seconds gone by.
fn limited(seconds: u64) -> (Neural, Arc<Mutex<u64>>) {
    let gone = Arc::new(Mutex::new(0));
    let clock = Arc::clone(&gone);
    let limit = Limit {
        within: Duration::from_secs(seconds),
        clock: Box::new(move || Duration::from_secs(*clock.lock().expect("no panic"))),
    };
    let sums = Dawdles(Arc::clone(&gone));
    let finds = Finds(vec![("jazz", "Alice <> likes")]);
    let distiller = Neural::new(Box::new(sums), Box::new(finds), Some(limit));
    (distiller, gone)
}

#[test]
fn two_models_that_take_too_long_together_are_not_waited_for() {
    let encoder = WordHashEncoder::new();
    let plain = Extractive.distil(&block(&LINES), &encoder);
    let plain = plain.expect("distilled");
    for (seconds, asked) in [(1, 1), (2, 2)] {
        let (mut distiller, gone) = limited(seconds);
        let made = distiller.distil(&block(&LINES), &encoder);
        assert_eq!(distiller.counts().blocks_failed, 1);
        assert_eq!(
            *gone.lock().expect("no panic"),
            asked,
            "nothing else was begun"
        );
        let why = distiller.last_failure().expect("told");
        assert!(
            why.contains(&format!("longer than {seconds}000 ms")),
            "{why}"
        );
        assert_eq!(texts(&made.expect("distilled")), texts(&plain));
    }
    let (mut distiller, _) = limited(3);
    distiller
        .distil(&block(&[("Alice", "I love jazz.")]), &encoder)
        .expect("distilled");
    let counts = distiller.counts();
    assert_eq!((counts.blocks_failed, distiller.last_failure()), (0, None));
    assert!(counts.facts_kept > 0);
}

#[test]
fn models_that_fail_again_and_again_are_left_alone_for_a_while() {
    let (mut distiller, gone) = limited(1);
    for _ in 0..12 {
        let made = distiller.distil(&block(&LINES), &WordHashEncoder::new());
        assert!(!made.expect("distilled").units.is_empty());
    }
    let counts = distiller.counts();
    assert_eq!(
        (counts.blocks, counts.blocks_failed, counts.blocks_unasked),
        (12, 4, 8)
    );
    assert_eq!(*gone.lock().expect("no panic"), 4);
}
