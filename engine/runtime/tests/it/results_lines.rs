//! Result files have exactly the fields of their format, and a full disk is reported with the file
//! name.

use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use weir_api::ProbeResult;
use weir_core::answer::{Answer, AnswerKind, Citation, Question, Recall};
use weir_core::config::SessionConfig;
use weir_core::session::{EncoderStamp, MemoryStats, Session};
use weir_core::stream::{AudioSpan, Span, Utterance};
use weir_core::talk::BufferedUtterance;
use weir_core::talk::Evidence;
use weir_engine::pipeline::{Answered, AskRequest, Timings};
use weir_engine::results::{
    AnswersResult, DistilledResult, IngestMs, Machine, ProbeLine, QueryUs, ResultsError,
    ResultsWriter, Summary,
};
use weir_engine::store::TranscriptStats;
use weir_engine::streamfile::{Category, Gold, Labelled};
use weir_engine::time::rfc3339;
use weir_models::{Encode, SpaceCounter, WordHashEncoder};

const WORDS: &str = "We leave for Lisbon on Friday.";

fn citation() -> Citation {
    let utterance = Utterance {
        id: "u1".into(),
        stream: "kitchen".into(),
        speaker: Some("Alice".into()),
        span: Span::new(0, 2_100),
        audio: Some(AudioSpan {
            file: "kitchen.wav".into(),
            span: Span::new(0, 2_100),
        }),
        confidence: Some(0.93),
        text: WORDS.into(),
    };
    let heard = BufferedUtterance {
        terms: weir_models::Terms::default(),
        utterance,
        turn: 0,
        vector: Vec::new(),
        analysis: Default::default(),
        new_terms: Vec::new(),
        tokens: 0,
        session_ms: 0,
        said_at_unix_ms: Some(1_740_823_200_000),
    };
    Citation {
        evidence: Evidence::of(&heard, &heard.utterance.text),
        quote: Some(WORDS.into()),
        score: 0.81,
    }
}

/// Recall of an empty memory, with the fields of results filled in.
fn recall() -> Recall {
    let encoder = WordHashEncoder::new();
    let counter = Arc::new(SpaceCounter);
    let stamp = EncoderStamp::of(&encoder);
    let session = Session::new(SessionConfig::default(), stamp, counter).unwrap();
    let question = Question {
        terms: weir_models::Terms::default(),
        text: "Where are they going?".into(),
        vector: encoder
            .encode(&["Where are they going?"])
            .unwrap()
            .remove(0),
        asked_by: None,
        at: weir_core::answer::QuestionTime::default(),
    };
    let mut recall = session.recall(&question, 1_300);
    recall.context.text = "...".into();
    recall.context.tokens = 214;
    recall.context.utterances = ["u1", "u2"].map(|id| ("kitchen".into(), id.into())).into();
    recall
}

fn result(stream: Option<&str>) -> ProbeResult {
    let answered = Answered {
        asking: AskRequest {
            at: weir_core::answer::QuestionTime::default(),
            id: "q1".into(),
            stream: None,
            text: "Where are they going?".into(),
            asked_by: None,
        },
        answer: Answer {
            text: "Lisbon".into(),
            citations: vec![citation()],
            passages: Vec::new(),
            chance: Some(0.87),
            grounded: 1.0,
            kind: AnswerKind::Answer,
            unsupported: Vec::new(),
            fallback: None,
        },
        recall: recall(),
        memory: MemoryStats {
            tokens: 4_012,
            text_tokens: 4_185,
            bytes: 1_400_000,
            budget_tokens: 8_192,
            scenes: 3,
            events: 21,
            amus: 188,
            pending_tokens: 96,
            buffer_tokens: 77,
            beliefs: 0,
            facts: 0,
            source_tokens: 0,
        },
        transcript: Some(TranscriptStats {
            bytes: 90_000,
            utterances: 512,
            ..TranscriptStats::default()
        }),
        turns: 512,
        stream_ms: 1_834_000,
        unrecognised_ms: 0,
        took: Timings {
            encode: Duration::from_micros(4_100),
            ..Timings::default()
        },
        not_reranked: None,
        waited: Duration::ZERO,
        check: None,
    };
    let mut result = answered.result(stream);
    assert!(result.timings_us.total >= 4_100);
    // the time that the result itself took
    (result.timings_us.assemble, result.timings_us.total) = (60, 4_160);
    result
}

fn summary() -> Summary {
    Summary {
        version: "0.1.0".into(),
        commit: "c0ffee".into(),
        config: json!({"budget-tokens": 8192}),
        machine: Machine {
            cpu: "one".into(),
            cores: 2,
            device: "cpu".into(),
        },
        turns: 512,
        probes: 40,
        ingest_ms: IngestMs {
            total: 2_900,
            per_turn_p50: Some(5.1),
            per_turn_p95: Some(7.7),
        },
        query_us: QueryUs {
            p50: Some(4_300),
            p95: Some(5_100),
            p99: None,
        },
        rss_bytes_max: Some(183_000_000),
        audio_ms: 0,
        real_time_factor: None,
        wer: None,
        answers: None,
        distilled: None,
        checks: None,
    }
}

#[test]
fn a_probe_has_the_fields_of_the_format_in_their_order() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("out.jsonl");
    std::fs::write(&file, "an older and much longer file\n".repeat(100)).unwrap();
    let mut writer = ResultsWriter::create(&file).unwrap();
    writer.probe(&ProbeLine::of(result(None), None)).unwrap();
    let expected = concat!(
        r#"{"probe":"q1","answer":"Lisbon","kind":"answer","abstained":false,"chance":0.8,"#,
        r#""grounded":1.0,"#,
        r#""citations":[{"utterances":["u1"],"stream":"kitchen","turn":0,"#,
        r#""speaker":"Alice","start_ms":0,"end_ms":2100,"#,
        r#""said_at":"2025-03-01T10:00:00Z","#,
        r#""audio":{"file":"kitchen.wav","start_ms":0,"end_ms":2100},"#,
        r#""confidence":0.93,"quote":"We leave for Lisbon on Friday.","score":0.81}],"#,
        r#""context":"...","context_utterances":["u1","u2"],"context_tokens":214,"#,
        r#""memory":{"tokens":4012,"text_tokens":4185,"bytes":1400000,"budget_tokens":8192,"#,
        r#""scenes":3,"events":21,"amus":188,"pending_tokens":96,"buffer_tokens":77},"#,
        r#""transcript":{"bytes":90000,"utterances":512,"evicted":0,"gaps":0},"#,
        r#""turns":512,"stream_ms":1834000,"#,
        r#""timings_us":{"encode":4100,"search":0,"assemble":60,"answer":0,"total":4160}}"#,
        "\n"
    );
    // on disk before the next line, and before the writer is dropped
    assert_eq!(std::fs::read_to_string(&file).unwrap(), expected);
    writer.summary(&summary()).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["summary"]["rss_bytes_max"], 183_000_000);
    let keys: Vec<_> = last["summary"].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "audio_ms", "commit", "config", "ingest_ms", "machine", "probes", "query_us",
            "real_time_factor", "rss_bytes_max", "turns", "version", "wer"
        ]
    );
    let read: ProbeResult = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(read, result(None));
}

#[test]
fn what_models_did_is_shown_only_where_there_were_any() {
    let mut reranked = result(None);
    reranked.timings_us.rerank = 7;
    let shown = serde_json::to_value(&reranked).unwrap();
    assert_eq!(shown["timings_us"]["rerank"], 7);
    let with = Summary {
        answers: Some(AnswersResult {
            fell_back: 1,
            left_out: 2,
            not_reranked: 3,
        }),
        distilled: Some(DistilledResult {
            blocks_overtaken: 4,
            ..DistilledResult::default()
        }),
        ..summary()
    };
    let shown = serde_json::to_value(&with).unwrap();
    assert_eq!(
        shown["answers"],
        json!({"fell_back": 1, "left_out": 2, "not_reranked": 3})
    );
    assert_eq!(shown["distilled"]["blocks_overtaken"], 4);
    assert_eq!(shown["distilled"]["statements_kept"], 0);
    let mut earlier = shown.clone();
    let counts = earlier["distilled"].as_object_mut().unwrap();
    counts.retain(|name, _| !name.starts_with("statements_") && name != "titles_refused");
    counts.insert("facts_kept".into(), json!(5));
    assert_eq!(serde_json::from_value::<Summary>(earlier).unwrap(), with);
    // a file of an earlier build reads as one without models
    let without = serde_json::to_value(summary()).unwrap();
    assert_eq!(without.get("answers"), None);
    let read: Summary = serde_json::from_value(without).unwrap();
    assert_eq!(read, summary());
    assert_eq!(serde_json::from_value::<Summary>(shown).unwrap(), with);
}

/// What a line has beside the result, with these labels.
fn beside(stream: &str, answer: Option<&str>, evidence: &[&str]) -> serde_json::Value {
    let labelled = Labelled {
        gold: Gold {
            answer: answer.map(str::to_owned),
            evidence: evidence.iter().map(|id| (*id).to_owned()).collect(),
            category: Some(Category::SingleHop),
        },
        distance: (!evidence.is_empty()).then_some(3),
    };
    let line = ProbeLine::of(result(None), Some((stream, &labelled)));
    let mut line = serde_json::to_value(line).unwrap();
    for name in serde_json::to_value(result(None))
        .unwrap()
        .as_object()
        .unwrap()
        .keys()
    {
        line.as_object_mut().unwrap().remove(name);
    }
    line
}

#[test]
fn gold_labels_and_scores_stand_beside_the_result() {
    let all = json!({
        "category": "single-hop", "distance": 3,
        "gold": {"answer": "In Lisbon, on Fridays", "evidence": ["u1"]},
        "scores": {
            "first_quote_is_evidence": true, "quotes_that_are_evidence": 1.0,
            "answer_has_gold_words": 0.5,
        },
    });
    assert_eq!(
        beside("kitchen", Some("In Lisbon, on Fridays"), &["u1"]),
        all
    );
    let elsewhere = beside("garden", None, &["u1"]);
    assert_eq!(
        elsewhere["scores"],
        json!({"first_quote_is_evidence": false, "quotes_that_are_evidence": 0.0}),
        "an id of another stream is no evidence"
    );
    let unanswerable = json!({
        "category": "single-hop", "gold": {"answer": null, "evidence": []},
    });
    assert_eq!(beside("kitchen", None, &[]), unanswerable);
}

#[test]
fn the_stream_is_named_only_among_several() {
    let one = serde_json::to_value(result(None)).unwrap();
    assert_eq!(one.get("stream"), None);
    let several = serde_json::to_value(result(Some("kitchen"))).unwrap();
    assert_eq!(several["stream"], "kitchen");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_stays_said() {
    let mut writer = ResultsWriter::create(std::path::Path::new("/dev/full")).unwrap();
    let wrong = writer
        .probe(&ProbeLine::of(result(None), None))
        .unwrap_err();
    assert!(
        matches!(wrong, ResultsError::Write { line: 1, .. }),
        "{wrong:?}"
    );
    let told = wrong.to_string();
    assert!(
        told.contains("/dev/full") && told.contains("free disk space"),
        "{told}"
    );
    assert!(
        writer.summary(&summary()).is_err(),
        "a gap must not hide between good lines"
    );
}

#[test]
fn a_file_that_cannot_be_made_is_named() {
    let wrong = ResultsWriter::create(std::path::Path::new("/no/such/folder/o.jsonl")).unwrap_err();
    assert!(
        wrong.to_string().starts_with("/no/such/folder/o.jsonl"),
        "{wrong}"
    );
}

#[test]
fn wall_times_are_rfc_3339() {
    assert_eq!(
        rfc3339(1_740_823_200_000).as_deref(),
        Some("2025-03-01T10:00:00Z")
    );
    assert_eq!(
        rfc3339(1_740_823_200_250).as_deref(),
        Some("2025-03-01T10:00:00.25Z")
    );
    assert_eq!(rfc3339(i64::MAX), None);
}
