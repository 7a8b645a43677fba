//! The transcript, searched: by `weir ask` where memory does not know, and by `weir search`.

use crate::cli_support::Place;

const QUESTION: &str = "Which number opens the cellar padlock?";

/// A session `s` that has forgotten what was said first.
fn forgetful() -> Place {
    let place = Place::new();
    let start = r#"{"weir_stream": 1, "name": "kitchen", "started_at": "2026-03-01T10:00:00Z"}"#;
    let mut lines = vec![start.to_owned()];
    let secret = "The cellar padlock opens with the number 4711.".to_owned();
    let filler = (1..300).map(|n| format!("Kettle {n} was painted green in summer, as all were."));
    for (n, text) in std::iter::once(secret).chain(filler).enumerate() {
        let (from, to) = (2_000 * n, 2_000 * n + 1_000);
        lines.push(
            format!(
                r#"{{"utterance": {{"id": "u{n}", "speaker": "Ana", "start_ms": {from},
                "end_ms": {to}, "text": "{text}"}}}}"#
            )
            .replace('\n', " "),
        );
    }
    place.write("kitchen.stream.jsonl", lines.join("\n") + "\n");
    let replay = ["replay", "kitchen.stream.jsonl", "--encoder", "words"];
    let small = ["--budget-tokens", "600", "--transcript-bytes", "1048576"];
    place.done(&[&replay[..], &small].concat());
    place
}

/// What memory has forgotten is found in the transcript, and the answer says so.
#[test]
fn what_was_forgotten_is_found_in_the_transcript() {
    let place = forgetful();
    let ask = ["ask", QUESTION];
    let found = place.done(&ask);
    found.out_has("No longer in memory, but in the transcript. Ana, 1 March 2026: The cellar");
    let json = place.on_s(&[&ask[..], &["--json"]].concat()).json();
    let cited = &json["citations"][0];
    assert_eq!(
        (&cited["start_ms"], &cited["end_ms"]),
        (&0.into(), &1_000.into())
    );
    let memory = place.done(&[&ask[..], &["--transcript-ms", "0"]].concat());
    memory.out_lacks("4711");
    // a character has not heard what is in the transcript
    place.write("ben.toml", "name = \"Ben\"\n");
    let ben = place.on_s(&[&ask[..], &["--as", "ben.toml"]].concat());
    ben.ended(0).out_lacks("4711");
    let searched = place.done(&["search", "padlocks cellar"]);
    searched.out_has("[2026-03-01 10:00:00] Ana: The cellar padlock opens");
    let kettles = place.done(&["search", "kettle", "--most", "2", "--json"]);
    let lines = kettles.json_lines();
    assert_eq!(
        (&lines[0]["turn"], &lines[1]["turn"]),
        (&299.into(), &298.into())
    );
    kettles.err_has("--most");
    place
        .done(&["search", "zebra"])
        .err_has("none of the 300 utterances");
    place.refused(&["search", "what is it"], "no word to search for");
}

/// Regression: a conversation did not take the time limit.
#[test]
fn a_conversation_searches_the_transcript_as_long_as_it_may() {
    let place = forgetful();
    for (limit_ms, is_found) in [("1000", true), ("0", false)] {
        let chat = [
            "chat", "--session", "s", "--encoder", "words", "--transcript-ms", limit_ms,
        ];
        let told = place.fed(&chat, QUESTION.as_bytes(), 100).ended(0);
        assert_eq!(told.out.contains("4711"), is_found, "{}", told.out);
    }
}
