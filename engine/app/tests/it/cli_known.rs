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
    place.done(&replay);
    place
}

/// Name of the fact with this value.
fn fact(place: &Place, value: &str) -> String {
    let facts = place.done(&["profile", "--json", "--past"]).json();
    let facts = facts.as_array().expect("a list").iter();
    let says = |it: &&Value| it["value"].as_str().is_some_and(|it| it.contains(value));
    let mut found = facts.filter(says);
    found.next().expect(value)["id"]
        .as_str()
        .expect("a name")
        .to_owned()
}

#[test]
fn beliefs_are_listed_with_their_last_remark() {
    let place = told();
    let listed = place.done(&["beliefs"]);
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
    let of = place.done(&["beliefs", "--of", "bob", "--about", "office"]);
    assert_eq!(of.out.lines().count(), 2, "{}", of.out);
    let none = place.done(&["beliefs", "--about", "weather"]);
    assert_eq!(none.out, "");
    none.err_has("no such belief");
}

#[test]
fn beliefs_as_json_have_their_history() {
    let place = told();
    let value = place.done(&["beliefs", "--json", "--of", "Ana"]).json();
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
    place.done(&plot);
    let svg = std::fs::read_to_string(place.path("office.svg")).expect("a picture");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("What Ana feels about new office"));
    assert_eq!(svg.matches("<polyline").count(), 3);
    place.refused(
        &["beliefs", "--about", "weather", "--plot", "x.svg"],
        "no such belief to draw",
    );
    assert!(!place.path("x.svg").exists());
}

#[test]
fn a_profile_shows_statements_under_headings_newest_first() {
    let started = "2025-03-01T10:00:00Z";
    let place = began(json!({"weir_stream": 1, "name": "desk", "started_at": started}));
    let listed = place.done(&["profile", "ana"]);
    listed.out_has("  home\n    I live in Porto.  1 March 2025");
    let at = |words: &str| listed.out.find(words).expect(words);
    assert!(at("Porto") < at("Lisbon"));
    listed.out_lacks("Oslo");
    let bob = told().on_s(&["profile", "bob"]).ended(0);
    bob.out_has("I live in Oslo.  00:25.0");
}

#[test]
fn a_fact_is_edited_pinned_and_exported() {
    let place = told();
    let porto = fact(&place, "Porto");
    let edited = place.done(&["profile", "edit", &porto, "I live in Faro."]);
    edited.err_has("Faro");
    place.done(&["profile", "pin", &porto]);
    place.refused(
        &["profile", "edit", &porto, "Braga"],
        "is pinned to \"I live in Faro.\"",
    );
    place.done(&["profile", "pin", &porto, "--off"]);
    let export = place.done(&["profile", "export", "Ana"]);
    export.out_has("I live in Faro.");
    export.out_lacks("Porto");
    let short = place.done(&["profile", "export", "--tokens", "9"]);
    short.err_has("--tokens takes more");
    place.refused(&["profile", "edit", "x9", "Faro"], "no name of a fact");
    place.refused(
        &["profile", "edit", "f99", "Faro"],
        "no profile holds fact f99",
    );
}

#[test]
fn a_deleted_fact_is_in_no_file() {
    let place = told();
    let oslo = fact(&place, "Oslo");
    assert!(!files_with(&place.path("s"), "Oslo").is_empty());
    let listed = place.done(&["profile", "delete", &oslo]);
    listed.err_has("nothing was erased");
    let receipt = place.done(&["profile", "delete", &oslo, "--yes"]);
    receipt.out_has("0 beliefs and 1 fact erased");
    assert_eq!(files_with(&place.path("s"), "Oslo"), Vec::<PathBuf>::new());
}

#[test]
fn a_deleted_belief_takes_its_remarks_along() {
    let place = told();
    let value = place.done(&["beliefs", "--json", "--of", "Bob"]).json();
    let id = value["beliefs"][0]["id"]
        .as_str()
        .expect("a name")
        .to_owned();
    place.done(&["memory", "delete", &id, "--yes"]);
    let left = place.done(&["beliefs", "--of", "Bob"]);
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

/// The reader that is built in finds the names.
#[test]
fn entities_are_listed_and_shown_with_their_statements() {
    let place = told();
    let listed = place.done(&["memory", "entities"]);
    listed.out_has("place        Lisbon  1 statement");
    let one = place.done(&["memory", "entities", "oslo"]);
    one.out_has("Oslo: place");
    one.out_has("Bob: I live in Oslo.");
    let json = place.done(&["memory", "entities", "--kind", "place", "--json"]);
    let json = json.json();
    let names = json["entities"].as_array().expect("a list").iter();
    let names: Vec<&str> = names.filter_map(|it| it["name"].as_str()).collect();
    for name in ["Lisbon", "Oslo", "Porto"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let none = ["memory", "entities", "Prague"];
    place.refused(&none, "no statement that memory holds names Prague");
}
