//! The experiment with scripted models on dialogues made here.

use super::*;
use dialogue::Needed;
use std::sync::Arc;
use weir_models::WordHashEncoder;
use weir_models::testing::Says;

fn plan(responder: Option<Says>, judge: Option<Says>) -> Plan {
    let boxed = |says: Says| Box::new(says) as Box<dyn Generate>;
    Plan {
        data: PathBuf::new(),
        sets: Vec::new(),
        labels: PathBuf::new(),
        systems: KINDS.to_vec(),
        settings: Settings {
            encoder: Arc::new(WordHashEncoder::new()),
            budget_tokens: 8_192,
            context_tokens: 400,
            profile_tokens: 100,
        },
        limit: usize::MAX,
        between: 0,
        seed: 1,
        responder: responder.map(boxed),
        judge: judge.map(boxed),
        reply_tokens: 32,
        is_choice_only: false,
        judge_replies: 4,
        out: None,
    }
}

/// A fact, five turns of other talk, and a question that needs it.
fn dialogue(options: &[&str]) -> Dialogue {
    let said = |text: &str| Turn {
        id: text.to_owned(),
        text: text.to_owned(),
        reply: Some("I see.".to_owned()),
        is_heard: true,
        ..Turn::default()
    };
    let mut turns = vec![said("My partner's name is Jamie.")];
    let between = [
        "Rain again.", "It was cold.", "So much snow.", "Then wind.", "Sun now.",
    ];
    turns.extend(between.map(said));
    turns.push(Turn {
        reply: None,
        asked: Some(Asked {
            needed: vec![Needed::new("name", "partner Jamie", 1.0)],
            persona: vec!["Secret persona.".to_owned()],
            options: options.iter().map(|it| (*it).to_owned()).collect(),
        }),
        ..said("What is my partner's name?")
    });
    Dialogue {
        data: "made",
        name: "one".to_owned(),
        user: "Ana".to_owned(),
        turns,
    }
}

fn rows(plan: &mut Plan, dialogue: Dialogue) -> Vec<Row> {
    let mut out = Vec::new();
    let rows = measured(plan, &[dialogue], &mut out).expect("measured");
    let lines = String::from_utf8(out).expect("text");
    assert_eq!(lines.lines().count(), rows.len(), "a line for every row");
    rows
}

#[test]
fn memory_alone_hands_over_what_was_said_long_ago() {
    let rows = rows(&mut plan(None, None), dialogue(&[]));
    let handed: Vec<_> = rows
        .iter()
        .map(|row| (row.system, row.in_memory, row.in_history, row.handed))
        .collect();
    assert_eq!(
        handed,
        [
            ("stateless", 0, 0, 0),
            ("buffer-4", 0, 0, 0),
            ("weir", 1, 0, 1)
        ]
    );
    assert_eq!(rows[0].missed, ["name"]);
    assert!(
        rows.iter()
            .all(|row| row.responder.is_none() && row.judge.is_none())
    );
}

#[test]
fn replies_are_judged_and_the_judge_is_named() {
    let knows = |request: &Request| request.messages[1].content.contains("Jamie");
    let responder = Says::with(move |request| {
        Ok(if knows(request) {
            "Jamie."
        } else {
            "I do not know."
        }
        .to_owned())
    });
    let judge = Says::with(|request| {
        let score = match request.messages[0].content.contains("Response: \"Jamie.\"") {
            true => 9,
            false => 4,
        };
        Ok(format!(r#"{{"score": {score}, "justification": "so"}}"#))
    });
    let mut plan = plan(Some(responder.clone()), Some(judge.clone()));
    let rows = rows(&mut plan, dialogue(&[]));
    let scores: Vec<_> = rows.iter().map(|row| row.score).collect();
    assert_eq!(scores, [Some(4), Some(4), Some(9)]);
    assert!(
        rows.iter()
            .all(|row| row.judge.as_deref() == Some("script"))
    );
    for request in responder.asked() {
        let told = request.messages.iter();
        assert!(told.clone().all(|it| !it.content.contains("Secret")));
    }
    for request in judge.asked() {
        assert!(
            request.messages[0]
                .content
                .contains("User Persona: Secret persona.")
        );
    }
    let table = row::markdown(&row::sums(&rows, &KINDS));
    assert!(
        table.contains(
            "| made | weir | 1 | 1 of 1 (1, 0) | 0 | 0 of 0 | script | script | 9.00 (1)"
        )
    );
}

#[test]
fn failures_are_counted_and_nothing_is_dropped() {
    let good = || Says::new("A reply.");
    for (responder, judge, answered) in [
        (good(), Says::new("no JSON"), true),
        (
            good(),
            Says::new(r#"{"score": 12, "justification": ""}"#),
            true,
        ),
        (good(), Says::failing("away"), true),
        (Says::failing("away"), good(), false),
        (Says::new(" "), good(), false),
    ] {
        let rows = rows(&mut plan(Some(responder), Some(judge)), dialogue(&[]));
        assert_eq!(rows.len(), 3);
        assert!(
            rows.iter()
                .all(|row| row.score.is_none() && row.not_judged.is_some())
        );
        assert!(
            rows.iter()
                .all(|row| row.not_answered.is_none() == answered)
        );
        let sums = serde_json::to_value(row::sums(&rows, &KINDS)).expect("sums");
        let of = |name: &str| sums[2][name].clone();
        assert_eq!(
            (of("turns"), of("judged"), of("not_judged")),
            (1.into(), 0.into(), 1.into())
        );
        assert_eq!(of("not_answered"), i32::from(!answered));
        assert!(of("score_mean").is_null());
    }
}

#[test]
fn choices_are_right_wherever_the_right_answer_is_shown() {
    let place = |request: &Request| {
        let text = &request.messages[1].content;
        let line = text.lines().find(|line| line.ends_with(". Right"));
        line.map(|line| line[..1].to_owned()).expect("offered")
    };
    let says = Says::with(move |request| Ok(format!(r#"{{"choice": "{}"}}"#, place(request))));
    let mut plan = plan(Some(says), None);
    plan.is_choice_only = true;
    for seed in 0..4 {
        plan.seed = seed;
        let rows = rows(&mut plan, dialogue(&["Right", "Wrong", "Other"]));
        assert!(
            rows.iter()
                .all(|row| row.chose_right == Some(true) && row.reply.is_none())
        );
    }
    plan.responder = Some(Box::new(Says::new("A")));
    let rows = rows(&mut plan, dialogue(&["Right", "Wrong"]));
    assert!(
        rows.iter()
            .all(|row| row.chose_right.is_none() && row.not_answered.is_some())
    );
}

#[test]
fn a_limit_spreads_over_dialogues() {
    let dialogues = || (0..6).map(|_| dialogue(&[])).collect::<Vec<_>>();
    assert_eq!(limited(dialogues(), 3).len(), 3);
    assert_eq!(limited(dialogues(), usize::MAX).len(), 6);
}
