//! A replay that was killed or interrupted resumes at the same place.

use crate::cli_support::{Place, Ran, interrupt, spoken};
use std::fmt::Write as _;
use std::process::{Child, Stdio};
use std::time::Duration;
use weir_fixtures::wav::{Shape, write_wav};

/// Enough talk that a kill comes in the middle of it. The memory is small, since a debug build
/// checks all of it after each turn.
const TURNS: u64 = 2_000;
const SMALL: [&str; 2] = ["--budget-tokens", "2048"];
/// Number of turns for a replay at a limited pace.
const PACED_TURNS: u64 = 300;

/// A line of a stream file.
fn said(turn: u64, text: &str) -> String {
    let (start, end) = (turn * 400, turn * 400 + 300);
    format!(
        "{{\"utterance\": {{\"id\": \"u{turn}\", \"speaker\": \"Ann\", \"start_ms\": {start}, \
         \"end_ms\": {end}, \"text\": \"{text}\"}}}}\n"
    )
}

/// Talk with a question in every hundredth line and a break in the middle.
fn long_talk(place: &Place, name: &str, turns: u64) -> String {
    let mut text = format!("{{\"weir_stream\": 1, \"name\": \"{name}\", \"started_at\": null}}\n");
    for turn in 0..turns {
        text.push_str(&said(
            turn,
            &format!("In {name} box {turn} holds {} apples.", turn * 7),
        ));
        if turn % 100 == 50 {
            writeln!(
                text,
                "{{\"probe\": {{\"id\": \"q{turn}\", \
                 \"question\": \"What does box {turn} hold?\"}}}}"
            )
            .expect("a string accepts it");
        }
        if turn == turns / 2 {
            text.push_str("{\"break\": {\"started_at\": \"2025-03-04T18:30:00Z\"}}\n");
        }
    }
    let file = format!("{name}.stream.jsonl");
    place.write(&file, text);
    file
}

/// Runs a replay until part of it is in the session.
fn begun(place: &Place, args: &[&str], session: &str) -> Child {
    let enough = place.turns(session) + 20;
    let mut child = place.start(args, Stdio::null());
    while place.turns(session) < enough {
        assert!(
            child.try_wait().expect("asked").is_none(),
            "too fast to be killed"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

/// Starts a replay and kills it midway; returns the number of turns in the session.
fn killed(place: &Place, args: &[&str], session: &str) -> u64 {
    let mut child = begun(place, args, session);
    child.kill().expect("it runs");
    let ended = child.wait().expect("it ended");
    assert!(!ended.success(), "too fast to be killed");
    place.turns(session)
}

fn says_where_it_goes_on(ran: &Ran, held: u64) {
    let told = format!("this session holds the first {held} utterances of it");
    assert!(ran.err.contains(&told), "{held}: {}", ran.err);
}

/// Ids of the questions answered in a file of results.
fn answered(place: &Place, file: &str) -> Vec<String> {
    let lines = place.lines(file).into_iter();
    lines
        .map(|line| line["probe"].as_str().unwrap_or("summary").to_owned())
        .collect()
}

#[test]
fn a_killed_replay_goes_on_and_comes_to_the_same_memory() {
    let place = Place::new();
    let file = long_talk(&place, "cellar", TURNS);
    let args = |session, results| {
        let all = [
            "replay", &file, "--encoder", "words", "--session", session, "--results", results,
        ];
        [&all[..], &SMALL].concat()
    };
    let (whole, resumed) = (args("whole", "whole.jsonl"), args("s", "r.jsonl"));
    place.weir(&whole).ended(0);
    let first = killed(&place, &resumed, "s");
    // kill it a second time
    let second = killed(&place, &resumed, "s");
    assert!(second >= first);
    let ran = place.weir(&resumed).ended(0);
    says_where_it_goes_on(&ran, second);
    assert_eq!(place.turns("s"), TURNS);
    assert_eq!(place.digest("s"), place.digest("whole"));
    // answers given before the kill are still there; at most the last one is given again
    let mut ids = answered(&place, "r.jsonl");
    ids.dedup();
    assert_eq!(ids, answered(&place, "whole.jsonl"));
    // now the session has the whole input
    let ran = place.weir(&resumed).ended(0);
    ran.err_has("heard it already");
    assert_eq!(place.turns("s"), TURNS);
}

#[test]
fn ctrl_c_and_a_kill_at_a_pace_lose_and_double_nothing() {
    let place = Place::new();
    let file = long_talk(&place, "cellar", PACED_TURNS);
    let paced = [
        "replay", &file, "--encoder", "words", "--session", "s", "--pace", "4x",
    ];
    killed(&place, &paced, "s");
    let mut child = begun(&place, &paced, "s");
    interrupt(&child);
    child.wait().expect("it ends");
    let held = place.turns("s");
    // other talk in between makes no difference
    let header = "{\"weir_stream\": 1, \"name\": \"other\", \"started_at\": null}\n";
    let other = header.to_owned() + &said(0, "Hello there.");
    let other = place.write("other.stream.jsonl", other);
    let other = other.to_str().expect("text");
    let fast = |inputs: &[&str]| {
        let more = ["--encoder", "words", "--session", "s"];
        place
            .weir(&[&["replay"], inputs, &more[..]].concat())
            .ended(0)
    };
    fast(&[other]);
    let ran = fast(&[other, &file]);
    says_where_it_goes_on(&ran, held);
    assert_eq!(place.turns("s"), PACED_TURNS + 1);
    // --force processes it a second time
    fast(&[&file, "--force"]);
    assert_eq!(place.turns("s"), 2 * PACED_TURNS + 1);
}

#[test]
fn a_recording_goes_on_where_it_was() {
    let place = Place::new();
    // three windows
    let name = "talk.wav";
    write_wav(&place.path(name), Shape::default(), &spoken(60)).expect("written");
    let args = |session| ["replay", name, "--encoder", "words", "--session", session];
    place.weir(&args("whole")).ended(0);
    let whole = place.turns("whole");
    let mut child = place.start(&args("s"), Stdio::null());
    while place.turns("s") < 3 {
        assert!(
            child.try_wait().expect("asked").is_none(),
            "too fast to be killed"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ended");
    let held = place.turns("s");
    assert!(held < whole, "too fast to be killed");
    let ran = place.weir(&args("s")).ended(0);
    says_where_it_goes_on(&ran, held);
    assert_eq!(place.turns("s"), whole);
    assert_eq!(place.digest("s"), place.digest("whole"));
}
