//! `weir speakers` as a user types it, and names in what other commands show.

use crate::cli_support::{Place, Ran, files_with, talk};
use serde_json::json;
use std::path::PathBuf;

/// A name that is in no other text.
const RARE: &str = "Xanthippe";

/// A session `s` in which two voices without names have talked.
fn told() -> Place {
    let place = Place::new();
    let talk = talk().replace("Alice", "Speaker 1");
    let talk = talk.replace("Bob", "Speaker 2");
    place.write("kitchen.stream.jsonl", talk);
    let replay = ["replay", "kitchen.stream.jsonl", "--encoder", "words"];
    place.done(&replay);
    place
}

fn speakers(place: &Place, args: &[&str]) -> Ran {
    place.on_s(&[&["speakers"], args].concat())
}

/// The same with voices of this file.
fn voices(place: &Place, text: &str, args: &[&str]) -> Ran {
    place.write("own.json", text);
    place.weir(&[&["speakers"], args, &["--voices", "own.json"]].concat())
}

fn name(place: &Place, speaker: &str, name: &str) {
    let ran = speakers(place, &["name", speaker, name]).ended(0);
    let said = format!("is {name} now, also in what was said before");
    ran.err_has(&said);
}

/// Expects a refusal in one message with these words, and the same session after it.
#[track_caller]
fn refused(place: &Place, args: &[&str], words: &[&str]) {
    let before = place.digest("s");
    let ran = speakers(place, args).ended(2);
    for word in words {
        ran.err_has(word);
    }
    assert_eq!(ran.err.matches("error:").count(), 1, "{}", ran.err);
    assert_eq!(ran.out, "");
    assert_eq!(place.digest("s"), before, "nothing was changed");
}

/// A file with one enrolled voice.
fn enrolled(name: &str) -> String {
    let voice = json!({"name": name, "samples": 2, "seconds": 40.0, "voice": [0.6, 0.8]});
    json!({"weir_voices": 1, "model": "m", "digest": "d", "voices": [voice]}).to_string()
}

#[test]
fn everybody_heard_is_listed() {
    let place = told();
    let listed = speakers(&place, &["list"]).ended(0);
    let lines: Vec<&str> = listed.out.lines().collect();
    assert!(lines[0].starts_with("Speaker 1  3 statements, last at "));
    assert!(lines[2].starts_with("Speaker 2  3 statements, last at "));
    assert_eq!(lines.len(), 4, "a quote each: {}", listed.out);
    for line in [lines[1], lines[3]] {
        let quote = line.trim().trim_matches('"');
        assert!(talk().contains(quote) && !quote.is_empty(), "{line}");
    }
    let silent = speakers(&place, &["clip", "1", "voice.wav"]).ended(2);
    silent.err_has("only speech has audio");
    speakers(&place, &["clip", "7", "voice.wav"])
        .ended(2)
        .err_has("nothing that `Speaker 7` said");
    name(&place, "1", RARE);
    let listed = speakers(&place, &["list"]).ended(0);
    let named = listed.out.lines().find(|line| line.starts_with(RARE));
    let named = named.expect(&listed.out);
    assert!(named.ends_with(", heard as Speaker 1"), "{named}");

    place.write("voices.json", enrolled(RARE));
    let listed = speakers(&place, &["list", "--json"]).ended(0).json();
    let of = |name: &str| {
        let mut all = listed["speakers"].as_array().expect("a list").iter();
        all.find(|it| it["name"] == name).expect(name).clone()
    };
    assert_eq!(of(RARE)["heard_as"], json!(["Speaker 1"]));
    assert_eq!(of(RARE)["statements"], 3);
    assert_eq!(of(RARE)["last_ms"], 12_000);
    assert_eq!(of(RARE)["enrolled"], true);
    assert_eq!(of("Speaker 2")["heard_as"], json!([]));
    assert_eq!(of("Speaker 2")["enrolled"], false);
    let voice = json!([{"name": RARE, "samples": 2, "seconds": 40.0}]);
    assert_eq!(listed["enrolled"], voice);
}

#[test]
fn voices_are_listed_without_a_session() {
    let place = Place::new();
    let none = place.weir(&["speakers", "list"]).ended(0);
    none.err_has("no voice is enrolled");
    assert!(
        !place.path("voices.json").exists(),
        "listing writes nothing"
    );
    let listed = voices(&place, &enrolled("Ana"), &["list"]).ended(0);
    let line = "Ana  voice enrolled from 2 samples, 40 s of speech\n";
    assert_eq!(listed.out, line);
}

#[test]
fn a_name_shows_in_answers_minutes_and_exports() {
    let place = told();
    name(&place, "1", RARE);
    let ask = ["ask", "Who feeds the cat?", "--session", "s"];
    let asked = place.weir(&ask).ended(0);
    asked.out_has("Carla");
    asked.out_has(RARE);
    asked.out_lacks("Speaker 1");
    let asked = place.weir(&[&ask[..], &["--json"]].concat()).ended(0);
    let cited = asked.json()["citations"][0].clone();
    assert_eq!(cited["speaker"], RARE, "{cited}");

    let whose = format!("What did {RARE} say about the hotel?");
    let asked = place.done(&["ask", &whose]);
    asked.out_has("Aurora");

    let memory = |what: &str| place.done(&["memory", what]);
    let tree = memory("tree").out;
    assert!(tree.contains(RARE) && !tree.contains("Speaker 1"), "{tree}");
    let export = memory("export").out;
    assert!(export.contains(&format!("\"speaker\":\"{RARE}\"")));
    place.write("s.jsonl", &export);
    let import = ["memory", "import", "s.jsonl", "--session", "copy"];
    place.weir(&import).ended(0);
    let copy = ["speakers", "list", "--session", "copy"];
    let listed = place.weir(&copy).ended(0);
    assert_eq!(listed.out, speakers(&place, &["list"]).ended(0).out);
}

#[test]
fn later_talk_of_the_label_has_the_name_and_the_transcript_has_the_label() {
    let place = told();
    name(&place, "1", RARE);
    let later = talk()
        .replace("kitchen", "later")
        .replace("Alice", "Speaker 1");
    place.write("later.stream.jsonl", later.replace("Aurora", "Borealis"));
    let replay = ["replay", "later.stream.jsonl", "--session", "s"];
    place.weir(&replay).ended(0);
    let asked = ["ask", "What is the name of the hotel?", "--json"];
    let asked = place.done(&asked).json();
    assert_eq!(asked["citations"][0]["speaker"], RARE, "{asked}");
    let transcript = place.path("s").join("transcript");
    assert_eq!(files_with(&transcript, RARE), Vec::<PathBuf>::new());
    assert_eq!(files_with(&transcript, "Speaker 1").len(), 1);
}

#[test]
fn names_that_cannot_be_are_refused_with_one_message() {
    let place = told();
    name(&place, "1", RARE);
    let advice = format!("weir speakers merge \"Speaker 2\" \"{RARE}\"");
    refused(&place, &["name", "2", RARE], &["is taken", &advice]);
    refused(&place, &["merge", "2", "Zoe"], &["called `Zoe`"]);
    refused(&place, &["name", "2", "9"], &["take another name"]);
}

#[test]
fn two_labels_become_one_person() {
    let place = told();
    name(&place, "1", RARE);
    let small = RARE.to_lowercase();
    let merged = speakers(&place, &["merge", "2", &small]).ended(0);
    let said = format!("Speaker 2 is {RARE} now");
    merged.err_has(&said);
    let listed = speakers(&place, &["list"]).ended(0).out;
    assert!(
        listed.starts_with(&format!("{RARE}  6 statements")),
        "{listed}"
    );
    assert!(
        listed.contains("heard as Speaker 1 and Speaker 2"),
        "{listed}"
    );
    let people = |listed: &str| listed.lines().filter(|it| !it.starts_with(' ')).count();
    assert_eq!(people(&listed), 1, "{listed}");
    let back = speakers(&place, &["forget", RARE]).ended(0);
    back.out_has("it is Speaker 1 again");
    let listed = speakers(&place, &["list"]).ended(0).out;
    assert_eq!(people(&listed), 1, "still one person: {listed}");
}

#[test]
fn a_forgotten_name_is_in_no_file() {
    let place = told();
    place.write("voices.json", enrolled(RARE));
    name(&place, "1", RARE);
    assert!(!files_with(&place.path("s"), RARE).is_empty());
    let small = RARE.to_lowercase();
    let receipt = speakers(&place, &["forget", &small, "--json"]).ended(0);
    let receipt = receipt.json();
    assert_eq!(receipt["name"], RARE);
    assert_eq!(receipt["label"], "Speaker 1");
    assert_eq!(receipt["voice"], true);
    let files = receipt["files"].as_array().expect("a list").iter();
    let files: Vec<&str> = files.filter_map(|it| it.as_str()).collect();
    for file in ["memory.redb", "view.bin", "voices.json"] {
        assert!(files.iter().any(|it| it.ends_with(file)), "{files:?}");
    }
    assert_eq!(files_with(&place.path(""), RARE), Vec::<PathBuf>::new());
    let listed = speakers(&place, &["list"]).ended(0).out;
    assert!(listed.starts_with("Speaker 1  3 statements"), "{listed}");
    assert!(!listed.contains("heard as"), "{listed}");
}

#[test]
fn names_before_the_last_one_are_forgotten_with_it() {
    let place = told();
    name(&place, "1", RARE);
    name(&place, RARE, "Ana");
    let advice = "weir speakers forget \"Ana\"";
    refused(&place, &["forget", RARE], &["is called Ana", advice]);
    refused(
        &place,
        &["forget", "1"],
        &["`Speaker 1` is called Ana", advice],
    );
    let told = speakers(&place, &["forget", "Ana"]).ended(0);
    told.out_has("the name Ana is forgotten");
    told.out_has("memory.redb");
    assert_eq!(files_with(&place.path("s"), RARE), Vec::<PathBuf>::new());
}

#[test]
fn what_has_no_name_cannot_be_forgotten() {
    let place = told();
    let list = "weir speakers list";
    refused(
        &place,
        &["forget", RARE],
        &["nothing is known", "in this session", list],
    );
    refused(
        &place,
        &["forget", "2"],
        &["nothing is known of `Speaker 2`", list],
    );
    let alone = place.weir(&["speakers", "forget", RARE]).ended(2);
    alone.err_has("no session was given");
    assert!(!place.path("voices.json").exists());
    // without a session the voice alone goes
    let voice = voices(&place, &enrolled("Ana"), &["forget", "ana"]).ended(0);
    voice.out_has("the voice of Ana is erased");
    let left = std::fs::read_to_string(place.path("own.json")).expect("a file");
    assert!(!left.contains("Ana"), "{left}");
}

#[test]
fn deleting_what_a_named_speaker_said_forgets_the_name() {
    let place = told();
    name(&place, "1", RARE);
    let delete = ["memory", "delete", "--speaker", RARE, "--session", "s"];
    let shown = place.weir(&delete).ended(0);
    shown.out_has("Aurora");
    assert!(!files_with(&place.path("s"), RARE).is_empty());
    place.write("voices.json", enrolled(RARE));
    let deleted = place.weir(&[&delete[..], &["--yes"]].concat()).ended(0);
    for words in [RARE, "Aurora", "harbour", "Carla"] {
        let left = files_with(&place.path("s"), words);
        assert_eq!(left, Vec::<PathBuf>::new(), "{words}");
    }
    let advice = format!("weir speakers forget \"{RARE}\"");
    deleted.err_has(&advice);
    let listed = speakers(&place, &["list"]).ended(0).out;
    assert!(listed.starts_with("Speaker 2  3 statements"), "{listed}");
    place.done(&["doctor"]);
}

#[test]
fn enrolling_says_what_it_lacks() {
    let place = told();
    std::fs::create_dir(place.path("empty")).expect("a folder");
    let pull = "weir models pull campplus-cn-en-common pyannote-segmentation-3.0";
    let models = ["--models", "empty"];
    refused(&place, &[&["enrol", RARE][..], &models].concat(), &[pull]);
    let wrong = ["enrol", "a:b", "a.wav"];
    refused(&place, &wrong, &["`a:b` cannot be a name"]);
    assert!(!place.path("voices.json").exists());
    let neither = place.weir(&["speakers", "enrol", RARE]).ended(2);
    neither.err_has("--session");
}

#[test]
fn a_file_of_voices_that_cannot_be_read_is_named() {
    let place = told();
    let damaged = voices(&place, "not json", &["list"]).ended(2);
    for part in ["own.json", "not a file of voices", "move it away"] {
        damaged.err_has(part);
    }
    let newer = r#"{"weir_voices": 2, "people": []}"#;
    let newer = voices(&place, newer, &["list", "--session", "s"]).ended(2);
    for part in ["own.json", "format 2", "use a newer weir"] {
        newer.err_has(part);
    }
    assert_eq!(newer.out, "", "nothing half-listed");
}
