//! `weir replay`, `ask` and `memory` as a user types them, on text.
use crate::cli_support::{Place, Ran, talk};
use serde_json::Value;
use std::collections::BTreeSet;

fn fields(value: &Value) -> BTreeSet<&str> {
    let object = value.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

fn results(place: &Place, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(place.path(name)).expect("results were written");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("each line is an object"))
        .collect()
}

fn replayed(place: &Place, more: &[&str]) -> Ran {
    place.write("kitchen.stream.jsonl", talk());
    let mut args = vec!["replay", "kitchen.stream.jsonl", "--encoder", "words"];
    args.extend(more);
    place.weir(&args)
}

/// The fields of one object of the contract, blank-separated.
#[track_caller]
fn has(value: &Value, names: &str) {
    let names: BTreeSet<&str> = names.split_whitespace().collect();
    assert_eq!(fields(value), names);
}

#[test]
fn results_hold_exactly_the_fields_of_the_contract() {
    let place = Place::new();
    replayed(&place, &["--results", "r.jsonl", "--held", "h.jsonl"]).ended(0);
    let lines = results(&place, "r.jsonl");
    assert_eq!(lines.len(), 3, "two probes and a summary");
    let probe = &lines[0];
    has(
        probe,
        "probe answer kind abstained grounded citations context context_utterances \
         context_tokens memory transcript turns stream_ms timings_us",
    );
    has(
        &probe["citations"][0],
        "utterances speaker start_ms end_ms said_at audio confidence quote score",
    );
    has(
        &probe["memory"],
        "tokens text_tokens bytes budget_tokens scenes events amus pending_tokens buffer_tokens",
    );
    has(&probe["timings_us"], "encode search assemble answer total");
    let summary = &lines[2]["summary"];
    has(
        summary,
        "version commit config machine turns probes ingest_ms query_us rss_bytes_max audio_ms \
         real_time_factor wer",
    );
    assert_eq!(summary["turns"], 6);
    assert_eq!(summary["probes"], 2);
    assert!(summary["real_time_factor"].is_null() && summary["wer"].is_null());
    assert_eq!(probe["citations"][0]["said_at"], "2025-03-01T10:00:06Z");
    let held = results(&place, "h.jsonl");
    has(&held[0], "probe held");
    assert_eq!(held[0]["held"].as_array().expect("a list").len(), 6);
}

#[test]
fn answers_are_data_and_point_at_their_evidence() {
    let place = Place::new();
    let ran = replayed(&place, &["--results", "r.jsonl"]).ended(0);
    assert!(
        ran.out.contains("Carla") && ran.out.contains("Aurora"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains('\u{1b}'), "no colour in a pipe");
    assert!(ran.err.contains("6 turns"), "{}", ran.err);
    let lines = results(&place, "r.jsonl");
    assert_eq!(lines[0]["citations"][0]["utterances"][0], "u3");
    assert_eq!(lines[1]["citations"][0]["utterances"][0], "u5");
}

#[test]
fn the_same_input_gives_the_same_memory_byte_for_byte() {
    let place = Place::new();
    let digest = |session: &str| {
        replayed(&place, &["--session", session]).ended(0);
        let stats = place.weir(&["memory", "stats", "--session", session, "--json"]);
        let stats = stats.ended(0).json();
        assert_eq!(stats["turns"], 6);
        assert!(stats["memory"]["budget_tokens"].is_u64());
        stats["digest"].as_str().expect("a digest").to_owned()
    };
    assert_eq!(digest("one"), digest("two"));
}

#[test]
fn a_session_is_asked_after_its_replay_ended() {
    let place = Place::new();
    replayed(&place, &["--session", "s"]).ended(0);
    let ran = place
        .weir(&["ask", "Who feeds the cat?", "--session", "s"])
        .ended(0);
    let mut lines = ran.out.lines();
    assert!(lines.next().expect("an answer").contains("Carla"));
    let evidence = lines.next().expect("its evidence");
    assert!(
        evidence.contains("00:06.0-00:08.5") && evidence.contains("Alice"),
        "{evidence}"
    );
    let json = place
        .weir(&["ask", "Who feeds the cat?", "--session", "s", "--json"])
        .ended(0)
        .json();
    assert_eq!(json["question"], "Who feeds the cat?");
    assert_eq!(json["citations"][0]["utterances"][0], "u3");
    assert_eq!(json["abstained"], false);
}

#[test]
fn not_knowing_is_an_answer() {
    let place = Place::new();
    replayed(&place, &["--session", "s"]).ended(0);
    let ran = place
        .weir(&[
            "ask",
            "Which violin did the astronaut repair?",
            "--session",
            "s",
            "--json",
        ])
        .ended(0);
    let json = ran.json();
    assert_eq!(json["abstained"], true);
    assert_eq!(json["citations"].as_array().expect("a list").len(), 0);
}

#[test]
fn an_input_heard_before_is_skipped_unless_forced() {
    let place = Place::new();
    replayed(&place, &["--session", "s"]).ended(0);
    let again = replayed(&place, &["--session", "s"]).ended(0);
    assert!(again.err.contains("heard it already"), "{}", again.err);
    assert_eq!(again.out, "");
    let forced = replayed(&place, &["--session", "s", "--force"]).ended(0);
    assert!(forced.out.contains("Carla"));
}

#[test]
fn a_session_of_another_encoder_is_refused_and_can_be_moved() {
    let place = Place::new();
    replayed(&place, &["--session", "s"]).ended(0);
    let tiny = weir_fixtures::golden_dir().join("tiny-bert");
    let tiny = tiny.to_str().expect("the path is text");
    let ask = [
        "ask", "Who feeds the cat?", "--session", "s", "--encoder", tiny,
    ];
    let refused = place.weir(&ask).ended(2);
    assert!(
        refused.err.contains("weir memory reencode"),
        "{}",
        refused.err
    );
    place
        .weir(&["memory", "reencode", "--session", "s", "--encoder", tiny])
        .ended(0);
    place.weir(&ask).ended(0);
    let back = [
        "ask", "Who feeds the cat?", "--session", "s", "--encoder", "words",
    ];
    place.weir(&back).ended(2);
}

#[test]
fn memory_can_be_looked_into() {
    let place = Place::new();
    replayed(&place, &["--session", "s"]).ended(0);
    let tree = place
        .weir(&["memory", "tree", "--session", "s", "--json"])
        .ended(0)
        .json();
    let scene = &tree["scenes"][0];
    let unit = &scene["children"][0]["children"][0];
    assert_eq!(unit["kind"], "unit");
    assert!(!unit["evidence"].as_array().expect("a list").is_empty());
    let id = unit["id"].as_str().expect("a name");
    let lines = place.weir(&["memory", "tree", "--session", "s"]).ended(0);
    assert!(lines.out.contains(id), "{}", lines.out);
    let shown = place
        .weir(&["memory", "show", id, "--session", "s"])
        .ended(0);
    assert!(
        shown
            .out
            .contains("We leave for Lisbon on Friday (7 March 2025) morning."),
        "{}",
        shown.out
    );
    let gone = place
        .weir(&["memory", "show", "n9999.0", "--session", "s"])
        .ended(2);
    assert!(gone.err.contains("n9999.0"), "{}", gone.err);
    place
        .weir(&["memory", "show", "carrot", "--session", "s"])
        .ended(2);
    place.weir(&["memory", "stats", "--session", "s"]).ended(0);
}

#[test]
fn no_learn_leaves_no_trace() {
    let place = Place::new();
    let frequencies = |session: &str, more: &[&str]| {
        let mut args = vec!["--session", session];
        args.extend(more);
        replayed(&place, &args).ended(0);
        let tree = place.weir(&["memory", "tree", "--session", session, "--json"]);
        tree.ended(0).out.matches("\"frequency\":0").count()
    };
    assert!(frequencies("trace", &[]) < frequencies("none", &["--no-learn"]));
}

#[test]
fn several_streams_are_named_in_every_result() {
    let place = Place::new();
    place.write("a.stream.jsonl", talk());
    place.write(
        "b.stream.jsonl",
        talk().replace("\"kitchen\"", "\"garden\""),
    );
    place
        .weir(&["replay", ".", "--encoder", "words", "--results", "r.jsonl"])
        .ended(0);
    let lines = results(&place, "r.jsonl");
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0]["stream"], "kitchen");
    assert_eq!(lines[2]["stream"], "garden");
}

#[test]
fn one_bad_input_among_good_ones_is_named_and_the_others_go_through() {
    let place = Place::new();
    place.write("good.stream.jsonl", talk());
    let ran = place
        .weir(&[
            "replay", "missing.wav", "good.stream.jsonl", "--encoder", "words",
        ])
        .ended(1);
    assert!(ran.err.contains("missing.wav"), "{}", ran.err);
    assert!(ran.out.contains("Carla"), "{}", ran.out);
}

#[test]
fn without_a_sentence_encoder_memory_says_that_it_uses_the_built_in_one() {
    let place = Place::new();
    place.write("kitchen.stream.jsonl", talk());
    let ran = place.weir(&["replay", "kitchen.stream.jsonl"]).ended(0);
    assert!(
        ran.err.contains("built-in encoder (splade-tiny)"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("weir models pull all-MiniLM-L6-v2"),
        "{}",
        ran.err
    );
}

#[test]
fn the_threaded_pace_answers_too() {
    let place = Place::new();
    let short = talk().lines().take(3).collect::<Vec<_>>().join("\n")
        + "\n"
        + r#"{"probe": {"id": "q1", "question": "Where do we go?", "evidence": ["u1"]}}"#;
    place.write("short.stream.jsonl", short);
    let ran = place
        .weir(&[
            "replay", "short.stream.jsonl", "--pace", "4x", "--encoder", "words", "--results", "r",
        ])
        .ended(0);
    assert_eq!(results(&place, "r").len(), 2, "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn results_are_not_written_through_links() {
    let place = Place::new();
    place.write("mine", "mine");
    std::os::unix::fs::symlink(place.path("mine"), place.path("link")).expect("linked");
    for flag in ["--results", "--held"] {
        let ran = replayed(&place, &[flag, "link"]).ended(2);
        assert!(ran.err.contains("link is a link"), "{}", ran.err);
    }
    let mine = std::fs::read_to_string(place.path("mine")).expect("there");
    assert_eq!(mine, "mine");
}
