//! `weir memory pin|edit|delete|budget|export|import` as a user types them.
use crate::cli_support::{Place, Ran, files_with, talk};
use serde_json::Value;
use std::path::PathBuf;

/// A session `s` with the talk in it.
fn told() -> Place {
    let place = Place::new();
    place.write("kitchen.stream.jsonl", talk());
    place
        .weir(&[
            "replay", "kitchen.stream.jsonl", "--encoder", "words", "--session", "s",
        ])
        .ended(0);
    place
}

fn memory(place: &Place, args: &[&str]) -> Ran {
    let mut all = vec!["memory"];
    all.extend(args);
    all.extend(["--session", "s"]);
    place.weir(&all)
}

/// Name and words of every unit.
fn units(place: &Place, session: &str) -> Vec<(String, String)> {
    let tree = place
        .weir(&["memory", "tree", "--session", session, "--json"])
        .ended(0)
        .json();
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

fn digest(place: &Place, session: &str) -> Value {
    let stats = place.weir(&["memory", "stats", "--session", session, "--json"]);
    stats.ended(0).json()["digest"].clone()
}

#[test]
fn doctor_looks_into_the_store_of_a_session() {
    let place = told();
    let look = ["doctor", "--session", "s"];
    place.weir(&look).ended(0);
    let store = std::fs::OpenOptions::new()
        .write(true)
        .open(place.path("s/memory.redb"));
    store.and_then(|store| store.set_len(1_000)).expect("cut");
    let cut = place.weir(&look).ended(2);
    assert!(cut.out.contains("memory.redb"), "{}", cut.out);
}

#[test]
fn what_is_no_file_is_not_replaced() {
    let place = told();
    std::os::unix::fs::symlink(place.path("mine"), place.path("link")).expect("linked");
    let refused = memory(&place, &["export", "link"]).ended(2);
    assert!(refused.err.contains("link is a link"), "{}", refused.err);
    memory(&place, &["export", "/dev/null"]).ended(0);
}

#[test]
fn a_unit_is_pinned_set_right_and_let_go() {
    let place = told();
    let (id, _) = units(&place, "s")[0].clone();
    let pinned = memory(&place, &["pin", &id]).ended(0);
    assert!(
        pinned.err.contains(&format!("pinned {id}")),
        "{}",
        pinned.err
    );
    memory(&place, &["edit", &id, "The cat is called Minka."]).ended(0);
    let shown = memory(&place, &["show", &id]).ended(0);
    for line in ["The cat is called Minka.", "pinned: kept", "edited by hand"] {
        assert!(shown.out.contains(line), "{line}: {}", shown.out);
    }
    let asked = place
        .weir(&["ask", "What is the cat called?", "--session", "s"])
        .ended(0);
    assert!(asked.out.contains("Minka"), "{}", asked.out);
    memory(&place, &["unpin", &id]).ended(0);
    assert!(
        !memory(&place, &["show", &id])
            .ended(0)
            .out
            .contains("pinned")
    );
    let none = memory(&place, &["pin", "n999.0"]).ended(2);
    assert!(
        none.err.contains("memory holds no unit n999.0"),
        "{}",
        none.err
    );
    let wrong = memory(&place, &["edit", &id, " ... "]).ended(2);
    assert!(
        wrong.err.contains("between 1 and 64 tokens"),
        "{}",
        wrong.err
    );
}

#[test]
fn the_default_budget_is_smaller_with_a_transcript() {
    let place = told();
    let alone = [
        "--encoder", "words", "--transcript-bytes", "0", "--session", "alone",
    ];
    let replay = ["replay", "kitchen.stream.jsonl"];
    place.weir(&[&replay[..], &alone[..]].concat()).ended(0);
    for (session, tokens) in [("s", 32_768), ("alone", 131_072)] {
        let stats = place.weir(&["memory", "stats", "--session", session, "--json"]);
        let stats = stats.ended(0).json();
        assert_eq!(stats["memory"]["budget_tokens"], tokens, "{stats}");
    }
}

#[test]
fn a_budget_is_set_and_wrong_ones_are_refused() {
    let place = told();
    place.write(
        "again.stream.jsonl",
        talk().replace("kitchen", "again").replace("the", "another"),
    );
    let again = ["replay", "again.stream.jsonl", "--session", "s"];
    place.weir(&again).ended(0);
    let before = units(&place, "s").len();
    assert!(before > 6, "{before} units");
    let set = memory(&place, &["budget", "--tokens", "300", "--nodes", "8"]).ended(0);
    assert!(set.err.contains("budget: 300 tokens"), "{}", set.err);
    // each unit has an event and a scene above it
    let after = units(&place, "s").len();
    assert!((1..=6).contains(&after), "{after} units of {before}");
    let low = memory(&place, &["budget", "--tokens", "1"]).ended(2);
    assert!(
        low.err
            .contains("budget-tokens is 1; it must be between 256"),
        "{}",
        low.err
    );
    let none = memory(&place, &["budget"]).ended(2);
    assert!(none.err.contains("--tokens N"), "{}", none.err);
}

#[test]
fn deleting_shows_first_and_then_leaves_no_trace() {
    let place = told();
    let before = digest(&place, "s");
    let (id, text) = units(&place, "s")[0].clone();
    let shown = memory(&place, &["delete", &id]).ended(0);
    assert!(
        shown.out.contains(&text) && shown.err.contains("add --yes"),
        "{shown:?}"
    );
    assert_eq!(digest(&place, "s"), before, "nothing was erased");
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
    assert!(units(&place, "s").iter().all(|(_, other)| *other != text));
    assert_eq!(
        files_with(&place.path("s"), &said),
        Vec::<PathBuf>::new(),
        "{said}"
    );
    let nobody = memory(&place, &["delete", "--speaker", "Zebedee"]).ended(2);
    assert!(
        nobody.err.contains("nothing of speaker `Zebedee`"),
        "{}",
        nobody.err
    );
    memory(&place, &["delete"]).ended(2);
}

#[test]
fn a_damaged_view_heals_and_is_told_of_once() {
    let place = told();
    let before = digest(&place, "s");
    place.write("s/view.bin", "no view");
    let ran = memory(&place, &["tree"]).ended(0);
    assert!(ran.err.contains("rebuilt from memory.redb"), "{}", ran.err);
    let ran = memory(&place, &["tree"]).ended(0);
    assert!(!ran.err.contains("rebuilt"), "{}", ran.err);
    assert_eq!(digest(&place, "s"), before);
    std::fs::remove_file(place.path("s/view.bin")).expect("the file existed");
    let ran = place.weir(&["doctor", "--session", "s"]);
    assert!(ran.out.contains("view.bin was missing"), "{}", ran.out);
}

#[test]
fn what_was_exported_is_imported_the_same() {
    let place = told();
    memory(&place, &["export", "s.jsonl"]).ended(0);
    let piped = memory(&place, &["export"]).ended(0);
    assert_eq!(
        std::fs::read_to_string(place.path("s.jsonl")).expect("a file"),
        piped.out
    );
    let import =
        |from: &str, into: &str| place.weir(&["memory", "import", from, "--session", into]);
    let taken = import("s.jsonl", "copy").ended(0);
    assert!(taken.err.contains("as it was exported"), "{}", taken.err);
    assert_eq!(digest(&place, "copy"), digest(&place, "s"));
    let again = import("s.jsonl", "copy").ended(2);
    assert!(
        again.err.contains("give another directory"),
        "{}",
        again.err
    );
    place.write("half.jsonl", &piped.out[..piped.out.len() / 2]);
    let half = import("half.jsonl", "half").ended(2);
    assert!(
        half.err.contains("half.jsonl is not an exported session"),
        "{}",
        half.err
    );
    assert!(!place.path("half").exists(), "nothing half-written");
    import("absent.jsonl", "absent").ended(2);
}

#[test]
fn a_session_keeps_the_policy_it_was_made_with() {
    let place = Place::new();
    place.write("kitchen.stream.jsonl", talk());
    let replay = |policy: &str| {
        let args = [
            "replay", "kitchen.stream.jsonl", "--encoder", "words", "--session", "s",
        ];
        place.weir(&[&args[..], &["--force", "--policy", policy]].concat())
    };
    replay("prostream-paper").ended(0);
    replay("prostream-paper").ended(0);
    let other = replay("forgetting-curve").ended(2);
    assert!(other.err.contains("remove --policy"), "{}", other.err);
    let unknown = replay("best").ended(2);
    assert!(unknown.err.contains("prostream-paper"), "{}", unknown.err);
}

#[test]
fn a_profile_is_read_from_a_file_and_kept() {
    let place = Place::new();
    place.write("kitchen.stream.jsonl", talk());
    let profile = |scene: &str| {
        format!(
            r#"{{"name": "mine", "drift_cosine": 0.1, "novelty_cosine": 0.9, "merge_cosine": 0.85,
            "scene_cosine": {scene}, "recall_cosine": 0.25, "support_cosine": 0.65}}"#
        )
    };
    place.write("mine.json", profile("0.4"));
    place.write("other.json", profile("0.3"));
    place.write("wrong.json", profile("1.5"));
    place.write("extra.json", profile("0.4, \"gain\": 1"));
    let replay = |file: &str| {
        let input = ["replay", "kitchen.stream.jsonl", "--encoder", "words"];
        let session = ["--session", "s", "--force", "--profile", file];
        place.weir(&[&input[..], &session].concat())
    };
    let wrong = replay("wrong.json").ended(2);
    let told = ["wrong.json", "scene-cosine is 1.5", "between -1 and 1"];
    assert!(
        told.iter().all(|part| wrong.err.contains(part)),
        "{}",
        wrong.err
    );
    let extra = replay("extra.json").ended(2);
    assert!(extra.err.contains("gain"), "{}", extra.err);
    replay("absent.json").ended(2);
    assert!(!place.path("s").exists(), "nothing half-written");
    replay("mine.json").ended(0);
    replay("mine.json").ended(0);
    let other = replay("other.json").ended(2);
    assert!(other.err.contains("remove --profile"), "{}", other.err);
}
