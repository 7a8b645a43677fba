//! `weir replay`, `ask` and `memory` as a user types them, on text.
use crate::cli_support::{Place, talk};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The fields of one object of the contract, blank-separated.
#[track_caller]
fn has(value: &Value, names: &str) {
    let object = value.as_object().expect("an object");
    let fields: BTreeSet<&str> = object.keys().map(String::as_str).collect();
    assert_eq!(fields, names.split_whitespace().collect());
}

#[test]
fn results_hold_exactly_the_fields_of_the_contract() {
    let place = Place::new();
    let ran = place.replay(&["--results", "r.jsonl"]);
    ran.ended(0).err_has("6 turns");
    let lines = place.lines("r.jsonl");
    assert_eq!(lines.len(), 3, "two probes and a summary");
    let probe = &lines[0];
    has(
        probe,
        "probe answer kind abstained chance grounded citations context context_utterances \
         context_tokens memory transcript turns stream_ms timings_us gold distance scores",
    );
    has(
        &probe["citations"][0],
        "utterances stream turn speaker start_ms end_ms said_at audio confidence quote score",
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
    assert_eq!(probe["citations"][0]["utterances"][0], "u3");
    assert_eq!(lines[1]["citations"][0]["utterances"][0], "u5");
}

#[test]
fn results_have_the_gold_labels_of_the_stream_and_scores() {
    let place = Place::new();
    let unlabelled = r#"{"probe": {"id": "q3", "question": "Who feeds the cat?"}}"#;
    place.write("kitchen.stream.jsonl", talk() + unlabelled);
    let replay = ["replay", "kitchen.stream.jsonl", "--encoder", "words"];
    let replay = [&replay[..], &["--results", "r.jsonl"]].concat();
    place.weir(&replay).ended(0);
    let lines = place.lines("r.jsonl");
    assert_eq!(lines[0].get("category"), None);
    assert_eq!(
        lines[0]["gold"],
        json!({"answer": "Carla", "evidence": ["u3"]})
    );
    assert_eq!(lines[0]["scores"]["first_quote_is_evidence"], true);
    assert_eq!(lines[0]["scores"]["answer_has_gold_words"], 1.0);
    assert_eq!(lines[1]["category"], "single-hop");
    assert_eq!(
        (&lines[0]["distance"], &lines[1]["distance"]),
        (&json!(4), &json!(2))
    );
    for name in ["category", "gold", "distance", "scores"] {
        assert_eq!(lines[2].get(name), None, "{name}");
    }
}

#[test]
fn a_session_is_asked_after_its_replay_ended() {
    let place = Place::new();
    let ran = place.replay(&["--session", "s"]).ended(0);
    ran.out_has("Carla");
    ran.out_has("Aurora");
    ran.out_lacks("\u{1b}");
    let ran = place.done(&["ask", "Who feeds the cat?"]);
    let mut lines = ran.out.lines();
    assert!(lines.next().expect("an answer").contains("Carla"));
    let evidence = lines.next().expect("its evidence");
    assert!(
        evidence.contains("00:06.0-00:08.5") && evidence.contains("Alice"),
        "{evidence}"
    );
    let json = place.on_s(&["ask", "Who feeds the cat?", "--json"]);
    let json = json.ended(0).json();
    assert_eq!(json["question"], "Who feeds the cat?");
    assert_eq!(json["citations"][0]["utterances"][0], "u3");
    assert_eq!(json["abstained"], false);
    let unknown = "Which violin did the astronaut repair?";
    let json = place.done(&["ask", unknown, "--json"]).json();
    assert_eq!(json["abstained"], true, "not knowing is an answer");
    assert_eq!(json["citations"].as_array().expect("a list").len(), 0);
}

#[test]
fn an_input_heard_before_is_skipped_unless_forced() {
    let place = Place::told();
    let again = place.replay(&["--session", "s"]).ended(0);
    again.err_has("heard it already");
    assert_eq!(again.out, "");
    let forced = place.replay(&["--session", "s", "--force"]).ended(0);
    forced.out_has("Carla");
}

#[test]
fn a_session_of_another_encoder_is_refused_and_can_be_moved() {
    let place = Place::told();
    let tiny = weir_fixtures::golden_dir().join("tiny-bert");
    let tiny = tiny.to_str().expect("the path is text");
    let ask = |encoder| place.on_s(&["ask", "Who feeds the cat?", "--encoder", encoder]);
    ask(tiny).ended(2).err_has("weir memory reencode");
    let reencode = ["memory", "reencode", "--encoder", tiny];
    place.done(&reencode);
    ask(tiny).ended(0);
    ask("words").ended(2);
}

#[test]
fn memory_can_be_looked_into() {
    let place = Place::told();
    let tree = place.done(&["memory", "tree", "--json"]).json();
    let scene = &tree["scenes"][0];
    let unit = &scene["children"][0]["children"][0];
    assert_eq!(unit["kind"], "unit");
    assert!(!unit["evidence"].as_array().expect("a list").is_empty());
    let id = unit["id"].as_str().expect("a name");
    place.done(&["memory", "tree"]).out_has(id);
    let shown = place.done(&["memory", "show", id]);
    shown.out_has("We leave for Lisbon on Friday (7 March 2025) morning.");
    place.refused(&["memory", "show", "n9999.0"], "n9999.0");
    place.on_s(&["memory", "show", "carrot"]).ended(2);
    place.done(&["memory", "stats"]);
}

#[test]
fn no_learn_leaves_no_trace() {
    let place = Place::new();
    let frequencies = |session: &str, more: &[&str]| {
        let args = [&["--session", session], more].concat();
        place.replay(&args).ended(0);
        let tree = place.weir(&["memory", "tree", "--session", session, "--json"]);
        tree.ended(0).out.matches("\"frequency\":0").count()
    };
    assert!(frequencies("trace", &[]) < frequencies("none", &["--no-learn"]));
}

#[test]
fn several_streams_are_named_in_every_result_and_a_bad_input_stops_none() {
    let place = Place::new();
    place.write("a.stream.jsonl", talk());
    let other = talk().replace("\"kitchen\"", "\"garden\"");
    place.write("b.stream.jsonl", other);
    let args = [
        "replay", "missing.wav", ".", "--encoder", "words", "--results", "r.jsonl",
    ];
    place.weir(&args).ended(1).err_has("missing.wav");
    let lines = place.lines("r.jsonl");
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0]["stream"], "kitchen");
    assert_eq!(lines[2]["stream"], "garden");
}

#[test]
fn without_a_sentence_encoder_memory_says_that_it_uses_the_built_in_one() {
    let place = Place::new();
    place.write("kitchen.stream.jsonl", talk());
    let ran = place.weir(&["replay", "kitchen.stream.jsonl"]).ended(0);
    ran.err_has("built-in encoder (splade-tiny)");
    ran.err_has("weir models pull all-MiniLM-L6-v2");
}

/// Regression: a question at a pace was asked before the utterance above it was in memory.
#[test]
fn a_question_at_a_pace_waits_for_what_stands_above_it() {
    let place = Place::new();
    let short = talk().lines().take(4).collect::<Vec<_>>().join("\n")
        + "\n"
        + r#"{"probe": {"id": "q1", "question": "Who feeds the cat?", "evidence": ["u3"]}}"#;
    place.write("short.stream.jsonl", short);
    let args = [
        "replay", "short.stream.jsonl", "--pace", "4x", "--encoder", "words", "--results", "r",
    ];
    place.weir(&args).ended(0);
    let lines = place.lines("r");
    assert_eq!((lines.len(), &lines[0]["turns"]), (2, &3.into()));
    assert!(
        lines[0]["answer"]
            .as_str()
            .expect("words")
            .contains("Carla")
    );
    let waited_us = lines[0]["timings_us"]["waited"].as_u64();
    assert!(waited_us.expect("told apart") > 0);
}

#[cfg(unix)]
#[test]
fn results_are_not_written_through_links() {
    let place = Place::new();
    place.write("mine", "mine");
    std::os::unix::fs::symlink(place.path("mine"), place.path("link")).expect("linked");
    let ran = place.replay(&["--results", "link"]);
    ran.ended(2).err_has("is a link");
    let mine = std::fs::read_to_string(place.path("mine")).expect("there");
    assert_eq!(mine, "mine");
}

/// What `weir ask` quotes counts as used when the session is written next, and nothing else does.
#[test]
fn a_question_counts_what_it_quotes() {
    let place = Place::told();
    let used = || -> Vec<String> {
        let tree = place.done(&["memory", "tree", "--json"]).json();
        let mut next = vec![tree["scenes"].clone()];
        let mut found = Vec::new();
        while let Some(nodes) = next.pop() {
            for node in nodes.as_array().expect("a list") {
                next.push(node["children"].clone());
                if node["frequency"] != 0 {
                    found.push(node["shown"].as_str().expect("text").to_owned());
                }
            }
        }
        found
    };
    let before = used();
    let asked = place.done(&["ask", "When do we leave for Lisbon?"]);
    asked.out_has("We leave for Lisbon on Friday");
    assert_eq!(used(), before, "a reader changes nothing");
    place.done(&["memory", "budget", "--tokens", "4000"]);
    let more: Vec<String> = used()
        .into_iter()
        .filter(|it| !before.contains(it))
        .collect();
    assert!(more.iter().any(|it| it.contains("Lisbon")), "{more:?}");
    assert!(!place.path("s/uses").exists());
}
