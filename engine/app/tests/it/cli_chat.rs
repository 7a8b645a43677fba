//! `weir chat` as a user types it.

use crate::cli_support::{Place, files_with};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

/// The replies to the turns of a conversation with the session `s`.
fn chat(place: &Place, turns: &[&str]) -> Vec<Value> {
    let args = [
        "chat", "--session", "s", "--asked-by", "Ana", "--encoder", "words", "--json",
    ];
    let mut child = place
        .command(&args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut stdin = child.stdin.take().expect("piped");
    for turn in turns {
        writeln!(stdin, "{turn}").expect("written");
    }
    drop(stdin);
    let done = child.wait_with_output().expect("ends");
    assert!(done.status.success(), "{done:?}");
    let out = String::from_utf8(done.stdout).expect("UTF-8");
    let lines = out.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn kinds(replies: &[Value]) -> Vec<&str> {
    replies
        .iter()
        .map(|it| it["reply"].as_str().expect("a kind"))
        .collect()
}

#[test]
fn what_is_told_is_answered_also_later_and_of_whom_the_turns_before_spoke() {
    let place = Place::new();
    let told = chat(
        &place,
        &[
            "Hi there!",
            "My sister Carla moved to Porto in May.",
            "Where did Carla move?",
            "When did she move there?",
        ],
    );
    assert_eq!(kinds(&told), ["nothing", "stored", "answered", "answered"]);
    assert_eq!(told[2]["understood"], Value::Null);
    assert_eq!(told[3]["understood"], "When did Carla move to Porto?");
    let later = chat(&place, &["Where did Carla move?"]);
    let answer = later[0]["answer"].as_str().expect("words");
    assert!(answer.contains("Porto"), "{answer}");
    assert_eq!(later[0]["citations"][0]["speaker"], "Ana");
}

#[test]
fn what_is_to_be_kept_is_pinned_and_what_is_to_be_forgotten_is_in_no_file() {
    let place = Place::new();
    let replies = chat(
        &place,
        &[
            "Remember that the locker code is 4711.",
            "Forget that the locker code is 4711.",
            "What locker?",
            "no",
        ],
    );
    assert_eq!(
        kinds(&replies),
        ["remembered", "confirm", "unclear", "kept"]
    );
    assert_eq!(replies[0]["unpinned"], Value::Null);
    let found = replies[1]["found"].as_array().expect("a list");
    assert!(
        found[0]["text"]
            .as_str()
            .is_some_and(|it| it.contains("4711"))
    );
    assert!(!files_with(&place.path("s"), "4711").is_empty());
    let tree = place.weir(&["memory", "tree", "--all", "--json", "--session", "s"]);
    assert!(tree.ended(0).out.contains(r#""pinned":true"#));
    let again = chat(
        &place,
        &[
            "Forget the locker code.",
            "yes",
            "What is the locker code?",
            "Forget that.",
        ],
    );
    assert_eq!(kinds(&again)[..2], ["confirm", "erased"]);
    assert_eq!(again[1]["receipt"]["utterances"], 1);
    assert_eq!(again[2]["kind"], "not_known");
    assert_eq!(again[3]["reply"], "nothing_to_forget");
    assert!(files_with(&place.path("s"), "4711").is_empty());
}

/// Fifty statements are asked about once, and all go or none.
#[test]
fn many_statements_are_one_question() {
    let place = Place::new();
    let told: Vec<String> = (0..50)
        .map(|n| format!("The garden has {n} roses."))
        .collect();
    let mut turns: Vec<&str> = told.iter().map(String::as_str).collect();
    turns.extend(["Forget everything about the garden.", "yes"]);
    let replies = chat(&place, &turns);
    let (confirm, erased) = (&replies[50], &replies[51]);
    let found = confirm["found"].as_array().expect("a list").len();
    assert!((1..=50).contains(&found), "{confirm}");
    assert_eq!(erased["receipt"]["utterances"], 50);
    assert!(files_with(&place.path("s"), "roses").is_empty());
}
