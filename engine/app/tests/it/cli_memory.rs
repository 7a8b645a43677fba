//! `weir memory pin|edit|delete|budget|export|import` as a user types them.
use crate::cli_support::{Place, Ran, files_with, talk};
use std::path::PathBuf;

fn memory(place: &Place, args: &[&str]) -> Ran {
    place.on_s(&[&["memory"], args].concat())
}

/// Name and words of every unit.
fn units(place: &Place) -> Vec<(String, String)> {
    let tree = memory(place, &["tree", "--json"]).ended(0).json();
    let mut found = Vec::new();
    let mut next = vec![tree["scenes"].clone()];
    while let Some(nodes) = next.pop() {
        for node in nodes.as_array().expect("a list") {
            let text = |field: &str| node[field].as_str().expect("text").to_owned();
            if node["kind"] == "unit" {
                found.push((text("id"), text("shown")));
            } else {
                next.push(node["children"].clone());
            }
        }
    }
    found
}

/// A reader mends a damaged view, and says so; a store that is cut is told of.
#[test]
fn doctor_looks_into_the_files_of_a_session() {
    let place = Place::told();
    let before = place.digest("s");
    place.write("s/view.bin", "no view");
    let mended = place.done(&["doctor"]);
    mended.out_has("view.bin was damaged");
    assert_eq!(place.digest("s"), before);
    let store = std::fs::OpenOptions::new()
        .write(true)
        .open(place.path("s/memory.redb"));
    store.and_then(|store| store.set_len(1_000)).expect("cut");
    place.on_s(&["doctor"]).ended(2).out_has("memory.redb");
}

/// Times of two recordings do not run on: each is named.
#[test]
fn the_tree_names_the_recordings() {
    let place = Place::new();
    for (name, text) in [
        ("desk", "The train to Lisbon leaves at nine."),
        ("car", "It is red."),
    ] {
        let start = format!(r#"{{"weir_stream": 1, "name": "{name}"}}"#);
        let said = r#""id": "u1", "speaker": "Ana", "start_ms": 62000, "end_ms": 64000"#;
        let said = format!(r#"{{"utterance": {{{said}, "text": "{text}"}}}}"#);
        let file = format!("{name}.stream.jsonl");
        place.write(&file, format!("{start}\n{said}\n"));
        place.done(&["replay", &file, "--encoder", "words"]);
    }
    let tree = memory(&place, &["tree", "--all"]).ended(0);
    tree.out_has("desk");
    tree.out_has("car");
    tree.out_has("01:02");
    // the second one began 64 seconds later in the session
    tree.out_lacks("02:0");
}

#[test]
fn a_clip_of_an_answer_without_evidence_is_no_error() {
    let place = Place::told();
    let ask = [
        "ask",
        "Who won the chess tournament in Oslo?",
        "--clip",
        "c.wav",
    ];
    let asked = place.done(&ask);
    asked.err_has("not written, the answer cites no speech");
    assert!(!place.path("c.wav").exists());
    let ask = ["ask", "Who feeds the cat?", "--clip", "c.wav"];
    place.refused(&ask, "only speech has audio");
}

#[test]
fn a_unit_is_pinned_set_right_and_let_go() {
    let place = Place::told();
    let (id, _) = units(&place)[0].clone();
    let pinned = memory(&place, &["pin", &id]).ended(0);
    pinned.err_has(&format!("pinned {id}"));
    memory(&place, &["edit", &id, "The cat is called Minka."]).ended(0);
    let shown = memory(&place, &["show", &id]).ended(0);
    for line in ["The cat is called Minka.", "pinned: kept", "edited by hand"] {
        shown.out_has(line);
    }
    let asked = place.on_s(&["ask", "What is the cat called?"]);
    asked.ended(0).out_has("Minka");
    memory(&place, &["unpin", &id]).ended(0);
    memory(&place, &["show", &id]).ended(0).out_lacks("pinned");
    let none = memory(&place, &["pin", "n999.0"]).ended(2);
    none.err_has("memory holds no unit n999.0");
    let wrong = memory(&place, &["edit", &id, " ... "]).ended(2);
    wrong.err_has("between 1 and 64 tokens");
}

#[test]
fn the_default_budget_is_smaller_with_a_transcript() {
    let place = Place::told();
    let alone = ["--transcript-bytes", "0", "--session", "alone"];
    place.replay(&alone).ended(0);
    for (session, tokens) in [("s", 32_768), ("alone", 131_072)] {
        let stats = place.stats(session);
        assert_eq!(stats["memory"]["budget_tokens"], tokens, "{stats}");
    }
}

#[test]
fn a_budget_is_set_and_wrong_ones_are_refused() {
    let place = Place::told();
    place.write(
        "again.stream.jsonl",
        talk().replace("kitchen", "again").replace("the", "another"),
    );
    let again = ["replay", "again.stream.jsonl", "--session", "s"];
    place.weir(&again).ended(0);
    let before = units(&place).len();
    assert!(before > 6, "{before} units");
    let set = memory(&place, &["budget", "--tokens", "300", "--nodes", "8"]).ended(0);
    set.err_has("budget: 300 tokens");
    // each unit has an event and a scene above it
    let after = units(&place).len();
    assert!((1..=6).contains(&after), "{after} units of {before}");
    let low = memory(&place, &["budget", "--tokens", "1"]).ended(2);
    low.err_has("budget-tokens is 1; it must be between 256");
    let none = memory(&place, &["budget"]).ended(2);
    none.err_has("--tokens N");
}

#[test]
fn deleting_shows_first_and_then_leaves_no_trace() {
    let place = Place::told();
    let before = place.digest("s");
    let (id, text) = units(&place)[0].clone();
    let shown = memory(&place, &["delete", &id]).ended(0);
    assert!(
        shown.out.contains(&text) && shown.err.contains("add --yes"),
        "{shown:?}"
    );
    assert_eq!(place.digest("s"), before, "nothing was erased");
    let node = memory(&place, &["show", &id, "--json"]).ended(0).json();
    let said = node["text"].as_str().expect("text").to_owned();
    let holding = files_with(&place.path("s"), &said);
    assert!(
        holding.len() >= 2,
        "memory and transcript hold it: {holding:?}"
    );
    let receipt = memory(&place, &["delete", &id, "--yes", "--json"])
        .ended(0)
        .json();
    assert!(
        receipt["utterances"].as_u64().expect("a number") >= 1,
        "{receipt}"
    );
    assert_eq!(receipt["files"].as_array().expect("a list").len(), 4);
    assert!(units(&place).iter().all(|(_, other)| *other != text));
    assert_eq!(
        files_with(&place.path("s"), &said),
        Vec::<PathBuf>::new(),
        "{said}"
    );
    let nobody = memory(&place, &["delete", "--speaker", "Zebedee"]).ended(2);
    nobody.err_has("nothing of speaker `Zebedee`");
    memory(&place, &["delete"]).ended(2);
}

#[test]
fn what_was_exported_is_imported_the_same() {
    let place = Place::told();
    memory(&place, &["export", "s.jsonl"]).ended(0);
    let piped = memory(&place, &["export"]).ended(0);
    assert_eq!(
        std::fs::read_to_string(place.path("s.jsonl")).expect("a file"),
        piped.out
    );
    let import =
        |from: &str, into: &str| place.weir(&["memory", "import", from, "--session", into]);
    let taken = import("s.jsonl", "copy").ended(0);
    taken.err_has("as it was exported");
    assert_eq!(place.digest("copy"), place.digest("s"));
    let again = import("s.jsonl", "copy").ended(2);
    again.err_has("give another directory");
    place.write("half.jsonl", &piped.out[..piped.out.len() / 2]);
    let half = import("half.jsonl", "half").ended(2);
    half.err_has("cannot import half.jsonl: it is not an exported session");
    assert!(!place.path("half").exists(), "nothing half-written");
    import("absent.jsonl", "absent").ended(2);
}

#[test]
fn a_profile_is_read_from_a_file_and_kept() {
    let place = Place::new();
    let replay = |scene: &str| {
        let profile = format!(
            r#"{{"name": "mine", "drift_cosine": 0.1, "novelty_cosine": 0.9, "merge_cosine": 0.85,
            "scene_cosine": {scene}, "recall_cosine": 0.25, "support_cosine": 0.65}}"#
        );
        place.write("mine.json", profile);
        place.replay(&["--session", "s", "--force", "--profile", "mine.json"])
    };
    let wrong = replay("1.5").ended(2);
    for part in ["mine.json", "scene-cosine is 1.5", "between -1 and 1"] {
        wrong.err_has(part);
    }
    replay("0.4, \"gain\": 1").ended(2).err_has("gain");
    place
        .replay(&["--session", "s", "--profile", "absent.json"])
        .ended(2);
    assert!(!place.path("s").exists(), "nothing half-written");
    replay("0.4").ended(0);
    replay("0.4").ended(0);
    replay("0.3").ended(2).err_has("remove --profile");
}

#[test]
fn the_rules_of_the_paper_are_chosen_once_and_remembered() {
    let place = Place::new();
    let paper = ["--session", "p", "--policy", "paper"];
    let refused = place.replay(&[&paper[..], &["--transcript-bytes", "2000000"]].concat());
    refused.ended(2).err_has("keeps no transcript");
    place.replay(&paper).ended(0);
    place.replay(&["--session", "w"]).ended(0);
    let rules = |session: &str| {
        let export = ["memory", "export", "rules.jsonl", "--session", session];
        place.weir(&export).ended(0);
        let first = place.lines("rules.jsonl").remove(0);
        first["config"]["recall"].clone()
    };
    assert_eq!([rules("p"), rules("w")], ["top-down", "hybrid"]);
    assert!(!place.path("p/transcript").exists());
    // the rules of a session are fixed
    let again = |session, policy| place.replay(&["--session", session, "--policy", policy]);
    again("p", "weir")
        .ended(2)
        .err_has("--policy paper, which cannot change");
    again("w", "paper")
        .ended(2)
        .err_has("--policy weir, which cannot change");
    again("p", "paper").ended(0);
}
