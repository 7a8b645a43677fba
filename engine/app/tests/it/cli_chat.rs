//! `weir chat` as a user types it.

use crate::cli_support::{Place, Ran, files_with};
use serde_json::Value;
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A conversation of Ana with the session `s`.
fn said(place: &Place, flags: &[&str], turns: &[&str]) -> Ran {
    let args = [
        "chat", "--session", "s", "--asked-by", "Ana", "--encoder", "words",
    ];
    let turns = turns.join("\n") + "\n";
    let args = [&args, flags].concat();
    place.fed(&args, turns.as_bytes(), turns.len()).ended(0)
}

/// The replies to the turns of a conversation with the session `s`.
fn chat_with(place: &Place, flags: &[&str], turns: &[&str]) -> Vec<Value> {
    said(place, &[&["--json"], flags].concat(), turns).json_lines()
}

fn chat(place: &Place, turns: &[&str]) -> Vec<Value> {
    chat_with(place, &[], turns)
}

fn kinds(replies: &[Value]) -> Vec<&str> {
    replies
        .iter()
        .map(|it| it["reply"].as_str().expect("a kind"))
        .collect()
}

#[test]
fn a_chat_is_searched_whatever_the_accents_and_capitals() {
    let place = Place::new();
    chat(&place, &["Zoë wohnt in der Großen Straße 5."]);
    for words in ["zoe", "STRASSE", "großen strasse", "Zoë"] {
        let found = place.done(&["search", words]);
        found.out_has("Ana: Zoë wohnt in der Großen Straße 5.");
    }
}

#[test]
fn the_last_words_are_corrected_in_place() {
    let place = Place::new();
    let turns = [
        "My bike lock opens with 4711.",
        "Correct that: my bike lock opens with 5822.",
        "What opens my bike lock?",
        "Delete the last thing I said.",
    ];
    let told = chat(&place, &turns);
    let expected = ["stored", "corrected", "answered", "confirm"];
    assert_eq!(kinds(&told), expected);
    assert_eq!(told[1]["before"][0]["text"], turns[0]);
    let answer = told[2]["answer"].as_str().expect("an answer");
    assert!(answer.contains("5822"), "{answer}");
    assert_eq!(
        files_with(&place.path("s"), "4711"),
        Vec::<std::path::PathBuf>::new()
    );
    assert_eq!(told[3]["found"][0]["text"], "my bike lock opens with 5822.");
}

#[test]
fn what_is_told_is_answered_also_later_and_of_whom_the_turns_before_spoke() {
    let place = Place::new();
    let told = chat(
        &place,
        &[
            "Thanks, bye!",
            "My sister Carla moved to Porto in May.",
            "Where did Carla move?",
            "When did she move there?",
        ],
    );
    assert_eq!(
        kinds(&told),
        ["small_talk", "stored", "answered", "answered"]
    );
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

const SISTER: [&str; 2] = ["My sister Carla moved to Porto.", "Where did Carla move?"];

/// An answer is followed by its check; one without claims, and all else, by none.
#[test]
fn answers_are_checked_and_what_has_no_claim_is_not() {
    let place = Place::new();
    let turns = [SISTER[0], SISTER[1], "Which violin did the dentist sell?"];
    let out = said(&place, &["--check"], &turns).out;
    let checked = "  checked by lexical: its claim is supported";
    let lines: Vec<&str> = out.lines().collect();
    let at = lines.iter().position(|it| *it == checked);
    let at = at.unwrap_or_else(|| panic!("{out}"));
    assert!(lines[at - 1].contains("\"My sister Carla moved"), "{out}");
    assert_eq!(out.matches("checked").count(), 1, "{out}");
    let replies = chat_with(&place, &["--check=lexical"], &[SISTER[1]]);
    assert_eq!(
        replies[0]["check"]["claims"][0]["found"]["verdict"],
        "supported"
    );
    assert_eq!(chat(&place, &[SISTER[1]])[0]["check"], Value::Null);
    let refused = place.weir(&["chat", "--session", "new", "--check=nli"]);
    refused.ended(2).err_has("--check-model");
    assert!(!place.path("new").exists());
}

#[test]
fn a_character_answers_and_a_wrong_file_changes_nothing() {
    let place = Place::new();
    chat(&place, &SISTER[..1]);
    place.write(
        "ben.toml",
        "name = \"Ben\"\nstability_hours = 1e-9\nboost = 1.0\n",
    );
    // time passes from one line to the next: a millisecond is enough
    let turns = [
        "Hm, the bus is late.", "It was cold today.", "The soup is ready.", SISTER[1],
    ];
    let ran = said(&place, &["--as", "ben.toml"], &turns);
    ran.out_has("  Ben has forgotten what fits best");
    for (file, told) in [
        (
            "name = \"Ben\"\nmood = 3\n",
            "bad.toml: line 2: unknown field `mood`",
        ),
        ("name = \"Ben\"\nsources = [\"attic\"]\n", "no source"),
    ] {
        place.write("bad.toml", file);
        for session in ["s", "new"] {
            let chat = [
                "chat", "--session", session, "--encoder", "words", "--as", "bad.toml",
            ];
            let refused = place.weir(&chat).ended(2);
            refused.err_has(told);
        }
    }
    assert!(!place.path("new").exists());
}

/// What Ana said of herself has no word of the question, and is still in its context.
#[test]
fn every_question_may_get_the_profile() {
    let place = Place::new();
    chat(&place, &["I live in Lisbon with two cats.", SISTER[0]]);
    let tokens = |flags: &[&str]| {
        let replies = chat_with(&place, flags, &[SISTER[1]]);
        replies[0]["context_tokens"].as_u64().expect("a count")
    };
    assert!(tokens(&["--profile-tokens", "100"]) > tokens(&[]));
}

#[test]
fn a_conversation_in_another_language_is_kept_and_asked() {
    for (told, asked, answer) in [
        ("Ich wohne in Berlin.", "Wo wohne ich?", "Berlin"),
        ("Я живу в Москве.", "Где я живу?", "Москве"),
        (
            "私は東京に住んでいます。",
            "私はどこに住んでいますか？",
            "東京",
        ),
    ] {
        let replies = chat(&Place::new(), &[told, asked]);
        assert_eq!(kinds(&replies), ["stored", "answered"], "{told}");
        let found = replies[1]["answer"].as_str().expect("words");
        assert!(found.contains(answer), "{asked} {found}");
    }
}

/// A conversation with the session `s` after a turn that was replied to.
fn talking(place: &Place, turn: &str) -> (Child, ChildStdin, Lines<BufReader<ChildStdout>>) {
    let mut running = place.piped(&CHAT, Stdio::piped());
    let mut stdin = running.stdin.take().expect("a pipe");
    writeln!(stdin, "{turn}").expect("written");
    let mut lines = BufReader::new(running.stdout.take().expect("a pipe")).lines();
    lines.next().expect("a reply").expect("UTF-8");
    (running, stdin, lines)
}

const CHAT: [&str; 6] = ["chat", "--session", "s", "--encoder", "words", "--json"];

/// A second conversation with a session is refused with the process that has it, and the first one
/// goes on.
#[test]
fn of_two_conversations_the_second_is_told_who_has_the_session() {
    let place = Place::new();
    let (mut first, mut stdin, mut lines) = talking(&place, "The key is under the mat.");
    let refused = place.weir(&CHAT).ended(2);
    refused.err_has(&format!("process {}", first.id()));
    writeln!(stdin, "Where is the key?").expect("written");
    let reply = lines.next().expect("a reply").expect("UTF-8");
    assert!(reply.contains("under the mat"), "{reply}");
    drop(stdin);
    assert!(first.wait().expect("ends").success());
}

/// Whoever opens a session while the process that has it dies is told so, or finds everything.
#[test]
fn a_session_whose_owner_is_being_killed_opens_whole_or_says_who_has_it() {
    let place = Place::new();
    for n in 0..5 {
        let (mut owner, _stdin, _) = talking(&place, &format!("Parcel {n} lies in the shed."));
        owner.kill().expect("it lives");
        // not waited for: it may still be dying
        loop {
            let next = place.weir(&["memory", "unpin", "n999.0", "--session", "s"]);
            if next.err.contains("n999.0") {
                break;
            }
            next.ended(2).err_has("process");
        }
        owner.wait().expect("it ends");
        assert_eq!(place.turns("s"), n + 1);
    }
}
