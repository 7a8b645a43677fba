//! What memory holds for a query within a filter.

use crate::support::{Served, folder};
use serde_json::{Value, json};

fn recalled(served: &Served, query: &Value) -> Value {
    let (status, recalled) = served.post("/v1/sessions/s/recall", query);
    assert_eq!(status, 200, "{recalled}");
    recalled
}

fn texts(recalled: &Value) -> Vec<&str> {
    let statements = recalled["statements"].as_array().expect("they are a list");
    statements
        .iter()
        .map(|it| it["text"].as_str().expect("words"))
        .collect()
}

/// What waits to be sorted is in a context as what is sorted, the best comes first, and only what
/// waits has no id.
#[test]
fn a_context_has_what_was_just_said_and_the_best_first() {
    let data = folder();
    let served = Served::of(data.path());
    for n in 0..20 {
        served.hear(
            "s",
            "Ana",
            &format!("The shelf number {n} holds jars of plums."),
        );
    }
    served.post("/v1/sessions/s/changes", &json!("flush"));
    served.hear("s", "Ben", "The key of the cellar is under the mat.");
    let found = recalled(
        &served,
        &json!({"query": "Where is the key of the cellar?"}),
    );
    assert_eq!(
        texts(&found)[0],
        "Ben: The key of the cellar is under the mat."
    );
    let statements = found["statements"].as_array().expect("they are a list");
    assert_eq!(statements[0]["id"], Value::Null, "it waits");
    assert!(
        statements[1..].iter().all(|it| it["id"].is_string()),
        "{found}"
    );
    let found = recalled(&served, &json!({"query": "What does shelf number 7 hold?"}));
    assert!(texts(&found)[0].contains("number 7 "), "{found}");
}

/// With a filter, nothing else is known: not for the context, not for citations, not for whether
/// memory supports an answer.
#[test]
fn a_filter_bounds_all_that_is_recalled() {
    let data = folder();
    let served = Served::of(data.path());
    tell_codes(&served);
    filtered(&served);
    served.post("/v1/sessions/s/changes", &json!("flush"));
    filtered(&served);
}

/// A locker code of Ana's and a later one; Ben speaks of something else.
fn tell_codes(served: &Served) {
    let begin = json!({"begin": {"name": "day", "started_at_unix_ms": 1_770_000_000_000_i64}});
    served.put("/v1/sessions/s", &json!({}));
    assert_eq!(served.post("/v1/sessions/s/changes", &begin).0, 200);
    let said = [
        ("Ana", "The locker code is 4711.", 0),
        ("Ben", "The soup was too salty.", 60_000),
        ("Ana", "The locker code is 9026 now.", 120_000),
    ];
    for (speaker, text, start) in said {
        let span = json!({"start_ms": start, "end_ms": start + 2_000});
        let one = json!({"speaker": speaker, "text": text, "span": span});
        let (status, heard) =
            served.post("/v1/sessions/s/utterances", &json!({"utterances": [one]}));
        assert_eq!(status, 200, "{heard}");
    }
}

fn filtered(served: &Served) {
    let query = |more: Value| {
        let mut query = json!({"query": "What is the locker code?"});
        let more = more.as_object().expect("members").clone();
        query.as_object_mut().expect("members").extend(more);
        recalled(served, &query)
    };
    let early = query(json!({"to_ms": 100_000, "speaker": "ana"}));
    assert_eq!(texts(&early), ["Ana: The locker code is 4711."], "{early}");
    assert_eq!(early["answerable"], true);
    let quotes = early["citations"].as_array().expect("they are a list");
    assert!(
        quotes
            .iter()
            .all(|it| it["quote"].as_str().is_some_and(|it| it.contains("4711")))
    );
    assert!(
        early["context"]
            .as_str()
            .is_some_and(|it| it.contains("4711") && !it.contains("9026"))
    );
    let late = query(json!({"from_ms": 100_000}));
    assert_eq!(
        texts(&late),
        ["Ana: The locker code is 9026 now."],
        "{late}"
    );
    let other = query(json!({"speaker": "Ben"}));
    assert_eq!(other["answerable"], false, "{other}");
    assert!(
        texts(&other).iter().all(|it| it.starts_with("Ben: ")),
        "{other}"
    );
    let nothing = query(json!({"from_ms": 500_000}));
    assert_eq!(
        (texts(&nothing).len(), &nothing["answerable"]),
        (0, &json!(false))
    );
    assert_eq!(nothing["citations"], json!([]));
}

/// A question of a megabyte is refused at once, whoever answers it.
#[test]
fn a_question_that_is_too_long_is_refused() {
    let data = folder();
    let served = Served::of(data.path());
    served.hear("s", "Ana", "The boat is green.");
    let long = "Where is the boat? ".repeat(1_000);
    for (path, body) in [
        ("ask", json!({"question": long})),
        ("ask", json!({"question": long, "conversation": "c"})),
        ("recall", json!({"query": long})),
    ] {
        let (status, refused) = served.post(&format!("/v1/sessions/s/{path}"), &body);
        assert_eq!(status, 400, "{refused}");
        let detail = refused["detail"].as_str().expect("it says why");
        assert!(
            detail.contains("19000 bytes") && detail.contains("16384"),
            "{detail}"
        );
    }
}
