//! Stream files: the format's own example is read, every violation is refused with its line, field
//! and advice, and no bytes make the reader panic.

use proptest::prelude::*;
use std::fs;
use std::path::Path;
use weir_core::limits;
use weir_core::stream::Span;
use weir_engine::streamfile::{
    AudioPolicy, BadLine, Category, InputDigest, Item, Problem, StreamFileError, StreamReader,
    is_stream_file, survey,
};

const HEADER: &str =
    r#"{"weir_stream": 1, "name": "kitchen", "started_at": "2025-03-01T10:00:00Z"}"#;
const U1: &str = concat!(
    r#"{"utterance": {"id": "u1", "speaker": "Alice", "start_ms": 0, "end_ms": 2100, "#,
    r#""audio": "kitchen.wav", "audio_start_ms": 400, "text": "We leave for Lisbon on Friday."}}"#
);
const U2: &str = concat!(
    r#"{"utterance": {"id": "u2", "speaker": "Bob", "start_ms": 2300, "end_ms": 3900, "#,
    r#""text": "Who feeds the cat?"}}"#
);
const BREAK: &str = r#"{"break": {"started_at": "2025-03-04T18:30:00Z"}}"#;
const PROBE: &str = concat!(
    r#"{"probe": {"id": "q1", "question": "Where are they going?", "answer": "Lisbon", "#,
    r#""evidence": ["u1"], "category": "single-hop", "asked_by": "Bob"}}"#
);

fn read(text: &[u8], policy: AudioPolicy) -> Result<Vec<Item>, StreamFileError> {
    let file = Path::new("no/such/folder/talk.stream.jsonl");
    StreamReader::new(text, file, policy)?.collect()
}

fn text_only(lines: &[&str]) -> Result<Vec<Item>, StreamFileError> {
    read(lines.join("\n").as_bytes(), AudioPolicy::MayBeMissing)
}

/// The error of a file with these lines after a valid header and utterance.
fn bad(line: &str) -> BadLine {
    bad_at(&[HEADER, U2, line], 3)
}

fn bad_at(lines: &[&str], line: u64) -> BadLine {
    match text_only(lines) {
        Err(StreamFileError::Bad(bad)) => {
            assert_eq!(bad.line, line, "{bad}");
            assert!(
                bad.to_string()
                    .contains(&format!("talk.stream.jsonl, line {line}"))
            );
            *bad
        }
        other => panic!("{lines:?}: {other:?}"),
    }
}

#[test]
fn the_formats_example_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("kitchen.stream.jsonl");
    fs::write(&file, [HEADER, U1, U2, BREAK, PROBE].join("\n")).unwrap();
    fs::write(dir.path().join("kitchen.wav"), "").unwrap();
    let mut reader = StreamReader::open(&file, AudioPolicy::MustExist).unwrap();
    assert_eq!(reader.header().name, "kitchen");
    assert_eq!(reader.header().started_at_unix_ms, Some(1_740_823_200_000));
    let items: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
    let [
        Item::Utterance(u1),
        Item::Utterance(u2),
        pause,
        Item::Probe(probe),
    ] = &items[..]
    else {
        panic!("{items:?}");
    };
    let audio = u1.audio.as_ref().unwrap();
    assert_eq!(
        (&audio.named[..], audio.span),
        ("kitchen.wav", Span::new(400, 2_500))
    );
    assert_eq!(audio.path, dir.path().join("kitchen.wav"));
    assert_eq!(
        (u2.speaker.as_deref(), u2.span),
        (Some("Bob"), Span::new(2_300, 3_900))
    );
    assert_eq!(
        *pause,
        Item::Break {
            started_at_unix_ms: Some(1_741_113_000_000)
        }
    );
    assert_eq!(probe.gold.category, Some(Category::SingleHop));
    assert_eq!(probe.gold.evidence, ["u1"]);
    assert_eq!(reader.line(), 6);

    let found = survey(&file, AudioPolicy::MustExist).unwrap();
    assert_eq!((found.with_audio, found.end_ms), (1, 3_900));
    assert_eq!(found.unlabelled, 0);
    assert_eq!(found, survey(&file, AudioPolicy::MustExist).unwrap());
    fs::write(dir.path().join("kitchen.wav"), "longer").unwrap();
    assert_ne!(
        found.digest,
        survey(&file, AudioPolicy::MustExist).unwrap().digest
    );
    assert_eq!(InputDigest::of_file(&file).unwrap().to_string().len(), 64);
}

#[test]
fn notes_blank_lines_and_windows_files_are_taken() {
    let header = r#"{"weir_stream": 1, "name": "k", "started_at": null, "note": {"any": [1]}}"#;
    let said = concat!(
        r#"{"utterance": {"id": "u", "speaker": null, "start_ms": 0, "end_ms": 0, "audio": null, "#,
        r#""audio_start_ms": null, "text": "Hi.", "note": 1}, "note": "x"}"#
    );
    let probe = r#"{"probe": {"id": "q", "question": "Hi?", "answer": null, "category": null}}"#;
    let text = format!("\u{feff}{header}\r\n\r\n{said}\r\n{probe}\r\n\n");
    let items = read(text.as_bytes(), AudioPolicy::MustExist).unwrap();
    assert_eq!(items.len(), 2);
}

#[test]
fn headers_are_checked() {
    let problem = |header| bad_at(&[header, U2], 1);
    assert_eq!(bad_at(&[], 1).problem, Problem::Empty);
    assert_eq!(bad_at(&["", "  "], 1).problem, Problem::Empty);
    assert_eq!(problem(U2).problem, Problem::NoHeader);
    assert_eq!(problem("{}").problem, Problem::NoHeader);
    let newer = problem(r#"{"weir_stream": 2, "title": "k"}"#);
    assert_eq!(
        (newer.problem, &newer.field[..]),
        (Problem::Version { found: "2".into() }, "weir_stream")
    );
    let other = problem(r#"{"weir_stream": 1, "name": "k", "begun": null}"#);
    assert!(matches!(other.problem, Problem::Unknown { .. }) && other.field == "begun");
    let unnamed = problem(r#"{"weir_stream": 1, "name": " "}"#);
    assert!(matches!(unnamed.problem, Problem::Kind { .. }) && unnamed.field == "name");
    let when = problem(r#"{"weir_stream": 1, "name": "k", "started_at": "yesterday"}"#);
    assert!(when.to_string().contains("2025-03-01T10:00:00Z"), "{when}");
    let zone = problem(r#"{"weir_stream": 1, "name": "k", "zone": "Europe/Berln"}"#);
    assert!(zone.to_string().contains("Europe/Berlin"), "{zone}");
    assert_eq!(bad(HEADER).problem, Problem::SecondHeader);
}

#[test]
fn lines_that_are_no_objects_are_refused() {
    for line in [
        "[]", "7", "{", r#"{"utterance": 7}"#, "{\"break\": {}} x", "\u{0}",
    ] {
        assert!(
            matches!(bad(line).problem, Problem::NotJson { .. }),
            "{line}"
        );
    }
    for (line, found) in [
        ("{}", "none"),
        (r#"{"note": "nothing else"}"#, "none"),
        (r#"{"break": {}, "utterance": {}}"#, "break and utterance"),
    ] {
        let found = found.to_owned();
        assert_eq!(bad(line).problem, Problem::NotOne { found });
    }
    assert_eq!(bad(r#"{"break": {}, "break": {}}"#).problem, Problem::Twice);
    let typo = bad(r#"{"utterence": {}}"#);
    assert!(
        typo.to_string().contains("utterance, break, probe"),
        "{typo}"
    );
}

/// An utterance with some of its fields replaced or added.
fn said(fields: &str) -> String {
    let mut object = serde_json::json!({"id": "u9", "start_ms": 4000, "end_ms": 5000, "text": "a"});
    let changes: serde_json::Value = serde_json::from_str(&format!("{{{fields}}}")).unwrap();
    for (name, value) in changes.as_object().unwrap() {
        object[name] = value.clone();
    }
    serde_json::json!({ "utterance": object }).to_string()
}

/// Replaced fields of a valid utterance, the field reported, and words of the message.
const BAD_FIELDS: [(&str, &str, &str); 21] = [
    (r#""mood": "gay""#, "utterance.mood", "unknown field"),
    (r#""id": "u2""#, "utterance.id", "`u2` was used before"),
    (r#""id": """#, "utterance.id", "1 to 256 bytes"),
    (r#""id": 7"#, "utterance.id", "7 is not text"),
    (r#""id": "a\nb""#, "utterance.id", "control characters"),
    (r#""id": null"#, "utterance.id", "missing"),
    (r#""speaker": 1"#, "utterance.speaker", "1 is not text"),
    (
        r#""end_ms": 3999"#,
        "utterance.end_ms",
        "is before start_ms 4000",
    ),
    (
        r#""start_ms": -1"#,
        "utterance.start_ms",
        "-1 is not a whole number",
    ),
    (
        r#""start_ms": 1.5"#,
        "utterance.start_ms",
        "1.5 is not a whole number",
    ),
    (
        r#""end_ms": 1e300"#, "utterance.end_ms", "is not a whole number",
    ),
    (
        r#""end_ms": 3153600000001"#,
        "utterance.end_ms",
        "from 0 to 3153600000000",
    ),
    (r#""text": "  ""#, "utterance.text", "needs text or audio"),
    (r#""text": null"#, "utterance.text", "needs text or audio"),
    (r#""text": ["a"]"#, "utterance.text", "text or null"),
    (
        r#""audio_start_ms": 5"#,
        "utterance.audio_start_ms",
        "without audio",
    ),
    (
        r#""audio": "/etc/passwd""#,
        "utterance.audio",
        "is absolute",
    ),
    (r#""audio": "C:/a.wav""#, "utterance.audio", "is absolute"),
    (
        r#""audio": "a/../../b.wav""#,
        "utterance.audio",
        "holds `..`",
    ),
    (r#""audio": "..\\b.wav""#, "utterance.audio", "backslash"),
    (r#""audio": """#, "utterance.audio", "is empty"),
];

#[test]
fn utterances_are_checked_field_by_field() {
    for (fields, field, told) in BAD_FIELDS {
        let bad = bad(&said(fields));
        assert_eq!(bad.field, field, "{bad}");
        assert!(bad.to_string().contains(told), "{told}: {bad}");
    }
    let twice = r#"{"utterance": {"id": "a", "id": "b", "start_ms": 1, "end_ms": 2, "text": "c"}}"#;
    assert_eq!(bad(twice).problem, Problem::Twice);
}

#[test]
fn time_may_overlap_but_not_across_a_break() {
    let overlapping = said(r#""start_ms": 100, "end_ms": 200"#);
    assert_eq!(text_only(&[HEADER, U2, &overlapping]).unwrap().len(), 2);
    // the break is at the largest end so far, not at the last one
    let late = bad_at(
        &[
            HEADER,
            U2,
            &overlapping.replace("u9", "u8"),
            BREAK,
            &overlapping,
        ],
        5,
    );
    let before = Problem::BeforeBreak {
        start_ms: 100,
        break_ms: 3_900,
    };
    assert_eq!(
        (late.problem, &late.field[..]),
        (before, "utterance.start_ms")
    );
    assert!(text_only(&[HEADER, BREAK, U2, BREAK, BREAK]).is_ok());
    assert_eq!(
        bad(r#"{"break": {"started_at": 5}}"#).field,
        "break.started_at"
    );
}

#[test]
fn probes_see_only_what_stands_above() {
    let early = bad_at(&[HEADER, PROBE], 2);
    assert_eq!(
        (early.problem, &early.field[..]),
        (Problem::ProbeFirst, "probe")
    );
    let ahead = bad(PROBE);
    let (probe, id) = ("q1".into(), "u1".into());
    assert_eq!(ahead.problem, Problem::LookAhead { probe, id });
    assert_eq!(ahead.field, "probe.evidence");
    let probe = PROBE.replace("u1", "u2");
    let kind = bad(&probe.replace("single-hop", "guess"));
    assert!(
        kind.to_string()
            .contains("single-hop, adversarial, open-domain"),
        "{kind}"
    );
    assert_eq!(kind.field, "probe.category");
    assert_eq!(
        bad(&probe.replace("Where are they going?", "")).field,
        "probe.question"
    );
    let same = bad_at(&[HEADER, U2, &probe, &probe], 4);
    assert!(matches!(
        same.problem,
        Problem::SameId { what: "probe", .. }
    ));
}

#[test]
fn long_lines_and_other_encodings_are_refused_by_their_line() {
    let long = said(&format!(
        r#""text": "{}""#,
        "a".repeat(limits::STREAM_LINE_BYTES_MAX)
    ));
    assert_eq!(bad(&long).problem, Problem::TooLong);
    let fits = said(&format!(
        r#""text": "{}""#,
        "a".repeat(limits::STREAM_LINE_BYTES_MAX - 100)
    ));
    assert!(text_only(&[HEADER, &fits]).is_ok());
    let latin = [HEADER.as_bytes(), b"\n{\"note\": \"caf\xe9\"}\n"].concat();
    let wrong = read(&latin, AudioPolicy::MayBeMissing)
        .unwrap_err()
        .to_string();
    assert!(
        wrong.contains("line 2: byte 14 of the line is not UTF-8"),
        "{wrong}"
    );
}

#[test]
fn nothing_comes_after_an_error() {
    let lines = [HEADER, U2, "{", U1].join("\n");
    let file = Path::new("talk.stream.jsonl");
    let reader = StreamReader::new(lines.as_bytes(), file, AudioPolicy::MayBeMissing).unwrap();
    let seen: Vec<_> = reader.map(|item| item.is_ok()).collect();
    assert_eq!(seen, [true, false]);
}

#[test]
fn audio_must_be_there_and_inside() {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("talks");
    fs::create_dir_all(inside.join("clips")).unwrap();
    fs::write(dir.path().join("outside.wav"), "").unwrap();
    fs::write(inside.join("clips/a.wav"), "").unwrap();
    let file = inside.join("talk.stream.jsonl");
    let told = |named: &str, policy| {
        let line = said(&format!(r#""audio": "{named}""#));
        fs::write(&file, [HEADER, &line].join("\n")).unwrap();
        survey(&file, policy)
            .map(drop)
            .map_err(|wrong| wrong.to_string())
    };
    assert_eq!(told("clips/a.wav", AudioPolicy::MustExist), Ok(()));
    assert_eq!(told("./clips/a.wav", AudioPolicy::MustExist), Ok(()));
    let wrong = told("clips/b.wav", AudioPolicy::MustExist).unwrap_err();
    assert!(
        wrong.contains("cannot be found beside") && wrong.contains("trust the text"),
        "{wrong}"
    );
    assert_eq!(told("clips/b.wav", AudioPolicy::MayBeMissing), Ok(()));
    assert!(
        told("clips", AudioPolicy::MustExist)
            .unwrap_err()
            .contains("it is a folder")
    );
    #[cfg(unix)]
    for policy in [AudioPolicy::MustExist, AudioPolicy::MayBeMissing] {
        let link = inside.join("link.wav");
        let _ = std::os::unix::fs::symlink(dir.path().join("outside.wav"), &link);
        let wrong = told("link.wav", policy).unwrap_err();
        assert!(wrong.contains("link that ends outside"), "{wrong}");
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let file = Path::new("no/such.stream.jsonl");
    assert!(is_stream_file(file) && !is_stream_file(Path::new("a.jsonl")));
    let wrong = survey(file, AudioPolicy::MustExist).unwrap_err();
    assert!(
        wrong
            .to_string()
            .starts_with("no/such.stream.jsonl: cannot open"),
        "{wrong}"
    );
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes, AudioPolicy::MayBeMissing);
        let below = [HEADER.as_bytes(), b"\n", &bytes].concat();
        let _ = read(&below, AudioPolicy::MayBeMissing);
    }

    #[test]
    fn no_change_to_a_good_file_makes_it_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = [HEADER, U1, U2, BREAK, PROBE].join("\n").into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len() + 1));
        if let Err(StreamFileError::Bad(bad)) = read(&bytes, AudioPolicy::MayBeMissing) {
            prop_assert!((1..=6).contains(&bad.line));
        }
    }
}
