//! Questions with a time and a time zone, as a user types them.

use crate::cli_support::Place;
use serde_json::json;

/// Two statements, an hour apart, around midnight in Berlin; then a question about the day of the
/// second. `header` is added to the header.
fn stream(header: &serde_json::Value) -> String {
    let mut first = json!({"weir_stream": 1, "name": "s", "started_at": "2025-02-28T22:30:00Z"});
    let fields = header.as_object().expect("an object").clone();
    first.as_object_mut().expect("an object").extend(fields);
    let said = |id: &str, start_ms: u64, text: &str| {
        json!({"utterance": {
            "id": id, "speaker": "Ana", "start_ms": start_ms, "end_ms": start_ms + 4_000,
            "text": text,
        }})
    };
    let lines = [
        first,
        said("u0", 0, "We planted seven apple trees behind the old barn."),
        said(
            "u1",
            3_600_000,
            "The baker sold his delivery van to my neighbour.",
        ),
        json!({"probe": {"id": "q", "question": "What did we talk about today?"}}),
    ];
    lines.map(|line| line.to_string() + "\n").concat()
}

/// Whether an answer names the trees, and the van.
fn named(answer: &serde_json::Value) -> (bool, bool) {
    let text = answer["answer"].as_str().expect("a text");
    (text.contains("apple trees"), text.contains("delivery van"))
}

/// Replays the stream into a session `s`; what the answer names.
fn replayed(header: &serde_json::Value) -> (Place, (bool, bool)) {
    let place = Place::new();
    place.write("s.stream.jsonl", stream(header));
    let replay = [
        "replay", "s.stream.jsonl", "--encoder", "words", "--results", "r.jsonl",
    ];
    place.done(&replay);
    let results = std::fs::read_to_string(place.path("r.jsonl")).expect("results");
    let first = results.lines().next().expect("an answer");
    let answer = serde_json::from_str(first).expect("JSON");
    (place, named(&answer))
}

#[test]
fn a_question_of_a_stream_is_asked_in_its_zone() {
    assert_eq!(replayed(&json!({})).1, (true, true), "one day in UTC");
    assert_eq!(replayed(&json!({"zone": null})).1, (true, true));
    assert_eq!(replayed(&json!({"zone": "Europe/Berlin"})).1, (false, true));
}

#[test]
fn yesterday_follows_the_zone_and_the_time_of_the_question() {
    let (place, _) = replayed(&json!({}));
    let ask = |more: &[&str]| {
        let ask = ["ask", "What did we talk about yesterday?", "--json"];
        named(&place.done(&[&ask, more].concat()).json())
    };
    assert_eq!(ask(&["--asked-at", "2025-03-01T10:00"]), (true, true));
    let berlin = ["--zone", "Europe/Berlin", "--asked-at"];
    assert_eq!(
        ask(&[&berlin[..], &["2025-03-01T10:00"]].concat()),
        (true, false)
    );
    assert_eq!(
        ask(&[&berlin[..], &["2025-03-01T23:30:00Z"]].concat()),
        (false, true)
    );
    assert_eq!(ask(&[]), (false, false), "asked now");
    let day = |zone: &str| {
        let ask = ["ask", "When did the baker sell his van?", "--zone", zone];
        place.done(&ask).out
    };
    assert!(day("UTC").contains("28 February 2025"), "{}", day("UTC"));
    assert!(day("Europe/Berlin").contains("1 March 2025"));
}

#[test]
fn a_zone_or_a_time_that_does_not_exist_is_named() {
    let (place, _) = replayed(&json!({}));
    let refused = |more: &[&str]| {
        let ran = place.on_s(&[&["ask", "Who called?"], more].concat());
        assert_eq!((ran.code, &*ran.out), (2, ""), "{}", ran.err);
        ran.err
    };
    let zone = refused(&["--zone", "Europe/Berln"]);
    assert!(
        zone.contains("there is no time zone `Europe/Berln`"),
        "{zone}"
    );
    let time = refused(&["--asked-at", "yesterday"]);
    assert!(time.contains("`yesterday` is no time"), "{time}");
    place.write("z.stream.jsonl", stream(&json!({"zone": "Mars/Olympus"})));
    let stream = place.weir(&["replay", "z.stream.jsonl", "--encoder", "words"]);
    assert_eq!(stream.code, 2);
    assert!(
        stream.err.contains("Mars/Olympus") && stream.err.contains("zone"),
        "{}",
        stream.err
    );
}
