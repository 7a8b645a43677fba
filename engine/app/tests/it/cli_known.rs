//! `weir beliefs` and `weir profile` as a user types them.

use crate::cli_support::{Place, files_with};
use serde_json::{Value, json};
use std::path::PathBuf;

const TALK: [(&str, &str); 7] = [
    ("Ana", "I love the new office."),
    ("Bob", "I hate the new office."),
    ("Ana", "I live in Lisbon."),
    ("Bob", "The train leaves at nine."),
    ("Ana", "The new office is wonderful."),
    ("Bob", "I live in Oslo."),
    ("Ana", "I live in Porto."),
];

/// A session `s` with the talk in it.
fn told() -> Place {
    began(json!({"weir_stream": 1, "name": "desk"}))
}

/// The same after this beginning of the stream.
fn began(start: Value) -> Place {
    let place = Place::new();
    let mut lines = vec![start];
    for (n, (speaker, text)) in TALK.iter().enumerate() {
        lines.push(json!({"utterance": {
            "id": format!("u{n}"), "speaker": speaker, "start_ms": n * 5_000,
            "end_ms": n * 5_000 + 3_000, "text": text,
        }}));
    }
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    place.write("desk.stream.jsonl", lines.join("\n") + "\n");
    let replay = ["replay", "desk.stream.jsonl", "--encoder", "words"];
    place.on_s(&replay).ended(0);
    place
}

/// Name of the fact with this value.
fn fact(place: &Place, value: &str) -> String {
    let facts = place.on_s(&["profile", "--json", "--past"]).ended(0).json();
    let facts = facts.as_array().expect("a list").iter();
    let mut found = facts.filter(|it| it["value"] == value);
    found.next().expect(value)["id"]
        .as_str()
        .expect("a name")
        .to_owned()
}

#[test]
fn beliefs_are_listed_with_their_last_remark() {
    let place = told();
    let listed = place.on_s(&["beliefs"]).ended(0);
    let lines: Vec<&str> = listed.out.lines().collect();
    assert!(
        lines[0].contains("positive") && lines[0].contains("Ana, new office"),
        "{lines:?}"
    );
    assert!(
        lines[1].contains("2 remarks") && lines[1].contains("wonderful"),
        "{lines:?}"
    );
    assert!(
        lines[2].contains("negative") && lines[2].contains("Bob, new office"),
        "{lines:?}"
    );
    let of = place
        .on_s(&["beliefs", "--of", "bob", "--about", "office"])
        .ended(0);
    assert_eq!(of.out.lines().count(), 2, "{}", of.out);
    let none = place.on_s(&["beliefs", "--about", "weather"]).ended(0);
    assert_eq!(none.out, "");
    none.err_has("no such belief");
}

#[test]
fn beliefs_as_json_have_their_history() {
    let place = told();
    let value = place
        .on_s(&["beliefs", "--json", "--of", "Ana"])
        .ended(0)
        .json();
    let belief = &value["beliefs"][0];
    assert_eq!(belief["object"], "new office");
    assert_eq!(belief["observations"], 2);
    let history = belief["history"].as_array().expect("a list");
    assert_eq!(history.len(), 2);
    assert_eq!(history[0]["source"]["quote"], "I love the new office.");
    assert_eq!(value["counts"]["observed"], 3);
}

#[test]
fn a_belief_is_drawn() {
    let place = told();
    let plot = [
        "beliefs", "--of", "Ana", "--about", "office", "--plot", "office.svg",
    ];
    place.on_s(&plot).ended(0);
    let svg = std::fs::read_to_string(place.path("office.svg")).expect("a picture");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("What Ana feels about new office"));
    assert_eq!(svg.matches("<polyline").count(), 3);
    let refused = place
        .on_s(&["beliefs", "--about", "weather", "--plot", "x.svg"])
        .ended(2);
    refused.err_has("no such belief to draw");
    assert!(!place.path("x.svg").exists());
}

#[test]
fn a_profile_shows_what_holds_and_what_contradicts() {
    let place = told();
    let listed = place.on_s(&["profile"]).ended(0);
    listed.out_has("Porto");
    listed.out_has("Oslo");
    let contradiction = listed
        .out
        .lines()
        .find(|line| line.contains("contradiction"));
    let contradiction = contradiction.expect("nobody said that Ana moved");
    assert!(contradiction.contains("Lisbon") && contradiction.contains("Porto"));
    let past = place.on_s(&["profile", "ana", "--past"]).ended(0);
    past.out_has("Lisbon");
    past.out_has("until");
    assert!(!past.out.contains("Oslo"));
}

#[test]
fn a_fact_is_known_since_a_day_where_there_is_one() {
    let started = "2025-03-01T10:00:00Z";
    let place = began(json!({"weir_stream": 1, "name": "desk", "started_at": started}));
    let listed = place.on_s(&["profile", "--past"]).ended(0);
    listed.out_has("since 1 March 2025");
    listed.out_has("until 1 March 2025");
    listed.out_lacks("00:");
    told()
        .on_s(&["profile", "bob"])
        .ended(0)
        .out_has("since 00:25.0");
}

#[test]
fn a_fact_is_edited_pinned_and_exported() {
    let place = told();
    let porto = fact(&place, "Porto");
    let edited = place.on_s(&["profile", "edit", &porto, "Faro"]).ended(0);
    edited.err_has("Faro");
    place.on_s(&["profile", "pin", &porto]).ended(0);
    let refused = place.on_s(&["profile", "edit", &porto, "Braga"]).ended(2);
    refused.err_has("is pinned to \"Faro\"");
    place.on_s(&["profile", "pin", &porto, "--off"]).ended(0);
    let export = place.on_s(&["profile", "export", "Ana"]).ended(0);
    export.out_has("I live in Faro.");
    export.out_lacks("Lisbon");
    let short = place.on_s(&["profile", "export", "--tokens", "9"]).ended(0);
    short.err_has("--tokens takes more");
    let wrong = place.on_s(&["profile", "edit", "x9", "Faro"]).ended(2);
    wrong.err_has("no name of a fact");
    let missing = place.on_s(&["profile", "edit", "f99", "Faro"]).ended(2);
    missing.err_has("no profile holds fact f99");
}

#[test]
fn a_deleted_fact_is_in_no_file() {
    let place = told();
    let oslo = fact(&place, "Oslo");
    assert!(!files_with(&place.path("s"), "Oslo").is_empty());
    let listed = place.on_s(&["profile", "delete", &oslo]).ended(0);
    listed.err_has("nothing was erased");
    let receipt = place.on_s(&["profile", "delete", &oslo, "--yes"]).ended(0);
    receipt.out_has("0 beliefs and 1 fact erased");
    assert_eq!(files_with(&place.path("s"), "Oslo"), Vec::<PathBuf>::new());
}

#[test]
fn a_deleted_belief_takes_its_remarks_along() {
    let place = told();
    let value = place
        .on_s(&["beliefs", "--json", "--of", "Bob"])
        .ended(0)
        .json();
    let id = value["beliefs"][0]["id"]
        .as_str()
        .expect("a name")
        .to_owned();
    place.on_s(&["memory", "delete", &id, "--yes"]).ended(0);
    let left = place.on_s(&["beliefs", "--of", "Bob"]).ended(0);
    assert_eq!(left.out, "");
    assert_eq!(
        files_with(&place.path("s"), "I hate the new office"),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn a_profile_needs_a_session() {
    let place = Place::new();
    let refused = place.weir(&["profile"]).ended(2);
    refused.err_has("--session");
    let empty = place.weir(&["beliefs", "--session", "none"]).ended(2);
    empty.err_has("none");
}
