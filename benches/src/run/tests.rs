//! Runs over two small streams: resumed, failing, refused.

use super::record::{JobRow, Line};
use super::*;
use crate::answerer::Extract;
use crate::budget::Budget;
use crate::method::extractive::ExtractiveWriter;
use crate::method::{HeardTurn, Method, Query, Recalled, registry};
use crate::metric::Scorer;
use crate::stream::{Category, Gold, Item, Probe, Turn};
use anyhow::bail;
use std::sync::Arc;
use weir_core::stream::Span;
use weir_models::{CountTokens, Encode, WordHashEncoder, WordPieceCounter};

fn turn(id: &str, speaker: &str, start_ms: u64, text: &str) -> Item {
    Item::Turn(Turn {
        id: id.to_owned(),
        speaker: Some(speaker.to_owned()),
        span: Span::new(start_ms, start_ms + 2_000),
        text: text.to_owned(),
        audio: None,
    })
}

fn probe(id: &str, question: &str, answer: Option<&str>, evidence: &[&str]) -> Item {
    let category = match answer {
        Some(_) => Category::SingleHop,
        None => Category::Adversarial,
    };
    Item::Probe(Probe {
        id: id.to_owned(),
        question: question.to_owned(),
        asked_by: None,
        gold: Gold {
            answer: answer.map(str::to_owned),
            evidence: evidence.iter().map(|id| (*id).to_owned()).collect(),
            category: Some(category),
        },
    })
}

fn stream(name: &str, items: Vec<Item>) -> Stream {
    Stream {
        name: name.to_owned(),
        started_at_unix_ms: None,
        items,
    }
}

fn kitchen() -> Stream {
    let resumed = Item::Break {
        started_at_unix_ms: Some(1_741_113_000_000),
    };
    let items = vec![
        turn("u1", "Alice", 0, "We leave for Lisbon on Friday."),
        turn("u2", "Bob", 2_300, "Who feeds the cat?"),
        resumed,
        turn("u3", "Bob", 4_500, "..."),
        probe(
            "q1",
            "Where do Alice and Bob leave for?",
            Some("Lisbon"),
            &["u1"],
        ),
    ];
    stream("kitchen", items)
}

fn garden() -> Stream {
    let items = vec![
        turn("u1", "Maria", 0, "The roses grow beside the old well."),
        probe("q1", "What grows beside the well?", Some("roses"), &["u1"]),
        probe("q2", "Who sold the tractor?", None, &[]),
    ];
    stream("garden", items)
}

/// A folder with two streams.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a folder"));
        let streams = place.0.path().join("streams");
        std::fs::create_dir(&streams).expect("a folder");
        for stream in [kitchen(), garden()] {
            let file = streams.join(format!("{}.stream.jsonl", stream.name));
            stream.save(&file).expect("written");
        }
        place
    }

    pub(crate) fn streams(&self) -> PathBuf {
        self.0.path().join("streams")
    }

    pub(crate) fn results(&self) -> PathBuf {
        self.0.path().join("out/results.jsonl")
    }

    pub(crate) fn plan(&self, methods: &[&str]) -> Plan {
        let encoder: Arc<dyn Encode> = Arc::new(WordHashEncoder::new());
        let counter: Arc<dyn CountTokens> = Arc::new(WordPieceCounter::shared());
        Plan {
            streams: read_streams(&[self.0.path().join("streams")]).expect("two streams"),
            methods: methods.iter().map(|name| (*name).to_owned()).collect(),
            references: HashMap::new(),
            build: registry::build,
            budgets: vec![Budget::Tokens(4_096), Budget::None],
            writer: Arc::new(ExtractiveWriter::new(Arc::clone(&counter))),
            answerer: Arc::new(Extract::new(Arc::clone(&encoder))),
            scorer: Scorer::new(Arc::clone(&encoder), None),
            encoder,
            counter,
            judge: None,
            context_tokens: 200,
            threads: 2,
            time_limit: Duration::from_secs(60),
            device: "cpu".to_owned(),
            keep_contexts: false,
            out: self.0.path().join("out"),
        }
    }

    fn lines(&self) -> Vec<Line> {
        results::read(&self.0.path().join("out/results.jsonl")).expect("results")
    }
}

/// The lines without the fields that differ from run to run.
fn timeless(lines: Vec<Line>) -> Vec<Line> {
    let lines = lines.into_iter().map(|line| match line {
        Line::Stamp(mut stamp) => {
            stamp.started_at.clear();
            Line::Stamp(stamp)
        }
        Line::Probe(mut row) => {
            row.query_us = 0;
            Line::Probe(row)
        }
        Line::Job(job) => Line::Job(Box::new(JobRow {
            ingest_us_total: 0,
            ingest_us_p50: 0,
            ingest_us_p95: 0,
            ingest_us_p99: 0,
            settle_us: 0,
            query_us_p50: 0,
            query_us_p95: 0,
            query_us_p99: 0,
            encoder_us: 0,
            wall_s: 0.0,
            ..*job
        })),
    });
    lines.collect()
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_result() {
    let methods = ["rag-bm25", "weir", "stateless"];
    let whole = Place::new();
    assert_eq!(run(&whole.plan(&methods)).expect("it runs"), 0);
    let lines = timeless(whole.lines());
    let jobs = lines.iter().filter(|line| matches!(line, Line::Job(_)));
    assert_eq!(jobs.count(), 2 * 2 * 3);
    let file = whole.0.path().join("out/results.jsonl");
    let text = std::fs::read(&file).expect("results");
    for part in [0.1, 0.5, 0.93] {
        // as after a kill: an incomplete line
        let kept = (text.len() as f64 * part) as usize;
        std::fs::write(&file, &text[..kept]).expect("written");
        assert_eq!(run(&whole.plan(&methods)).expect("it goes on"), 0);
        assert_eq!(timeless(whole.lines()), lines);
    }
    let again = Place::new();
    run(&again.plan(&methods)).expect("it runs");
    assert_eq!(timeless(again.lines()), lines, "and from the beginning");
}

#[test]
fn what_is_known_is_found_and_what_is_not_is_not() {
    let place = Place::new();
    run(&place.plan(&["stateless", "rag-rrf", "weir"])).expect("it runs");
    let rows = summary::of(&place.lines());
    let facts = |method: &str| {
        let all = rows
            .iter()
            .find(|row| row.method == method && row.category == summary::ALL);
        let all = all.expect("a row");
        (all.scores.fact_recall, all.fact_in_order)
    };
    assert_eq!(facts("stateless"), (Some(0.0), None));
    assert_eq!(facts("rag-rrf"), (Some(1.0), Some(1.0)));
    let recall = |method: &str| {
        let all = rows.iter().find(|row| {
            row.method == method && row.category == summary::ALL && row.corpus == summary::ALL
        });
        all.and_then(|row| row.scores.evidence_recall)
    };
    assert_eq!(recall("stateless"), Some(0.0));
    assert_eq!(recall("rag-rrf"), Some(1.0));
    assert_eq!(recall("weir"), Some(1.0));
    let summary = place.0.path().join("out/summary.jsonl");
    let text = std::fs::read_to_string(summary).expect("a summary");
    assert!(
        !text.contains("Lisbon"),
        "a summary holds nothing that was said"
    );
}

#[test]
fn contexts_are_kept_in_the_form_of_replays_results() {
    let place = Place::new();
    let methods = ["rag-rrf", "weir"];
    run(&place.plan(&methods)).expect("it runs");
    let out = place.0.path().join("out");
    assert!(!out.join("contexts").exists());
    let before = timeless(place.lines());
    let plan = Plan {
        keep_contexts: true,
        ..place.plan(&methods)
    };
    run(&plan).expect("jobs without contexts are done again");
    assert_eq!(timeless(place.lines()), before);
    let file = out.join("contexts/weir-4096/kitchen.results.jsonl");
    let text = std::fs::read_to_string(file).expect("contexts");
    let line: serde_json::Value = serde_json::from_str(&text).expect("one question");
    assert_eq!(line["probe"], "q1");
    assert_eq!(line["memory"]["budget_tokens"], 4_096);
    assert!(line["memory"]["text_tokens"].as_u64() > Some(0));
    let context = line["context"].as_str().expect("a context");
    assert!(context.contains("Lisbon"), "{context}");
    let setups = std::fs::read_dir(out.join("contexts")).expect("a folder");
    assert_eq!(setups.count(), 4, "two methods, two budgets");
}

#[test]
fn what_was_never_heard_is_lost_and_not_forgotten() {
    let place = Place::new();
    let mut stream = kitchen();
    let asked = probe("q2", "What did Bob say then?", Some("something"), &["u3"]);
    stream.items.push(asked);
    let file = place.streams().join("kitchen.stream.jsonl");
    stream.save(&file).expect("written");
    run(&place.plan(&["weir", "rag-rrf"])).expect("it runs");
    let scores = place.lines().into_iter().filter_map(|line| match line {
        Line::Probe(row) if row.probe == "q2" && row.job.stream == "kitchen" => Some(row.scores),
        _ => None,
    });
    let scores: Vec<_> = scores.collect();
    assert_eq!(scores.len(), 4);
    assert!(
        scores
            .iter()
            .all(|s| s.evidence_recall == Some(0.0) && s.regret == Some(0.0))
    );
}

/// Fails in the garden stream, each method differently.
struct Faulty(String, bool);

impl Method for Faulty {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        self.1 |= heard.turn.speaker.as_deref() == Some("Maria");
        match self.0.as_str() {
            "panics" if self.1 => panic!("at {}", heard.turn.id),
            "refuses" if self.1 => bail!("no roses here"),
            _ => Ok(()),
        }
    }

    fn recall(&self, _query: &Query<'_>) -> Result<Recalled> {
        Ok(Recalled::default())
    }

    fn held(&self) -> Option<Vec<String>> {
        None
    }

    fn stored_tokens(&self) -> usize {
        0
    }

    fn stored_bytes(&self) -> usize {
        0
    }
}

#[test]
fn a_method_that_fails_is_told_and_the_rest_goes_on() {
    let place = Place::new();
    let plan = Plan {
        build: |name, _| Ok(Box::new(Faulty(name.to_owned(), false))),
        ..place.plan(&["panics", "refuses", "works"])
    };
    assert_eq!(run(&plan).expect("it runs"), 4, "two methods, two budgets");
    let why = |method: &str, stream: &str| {
        place.lines().into_iter().find_map(|line| match line {
            Line::Job(job) if job.job.method == method && job.job.stream == stream => {
                Some(job.failed.unwrap_or_default())
            }
            _ => None,
        })
    };
    assert_eq!(why("panics", "garden").as_deref(), Some("panicked: at u1"));
    assert_eq!(why("refuses", "garden").as_deref(), Some("no roses here"));
    assert_eq!(why("works", "garden").as_deref(), Some(""));
    assert_eq!(why("panics", "kitchen").as_deref(), Some(""));
    let mended = Plan {
        build: |_, _| Ok(Box::new(Faulty("works".to_owned(), false))),
        ..place.plan(&["panics", "refuses", "works"])
    };
    assert_eq!(
        run(&mended).expect("it runs"),
        0,
        "what failed is tried again"
    );
    let slow = Plan {
        time_limit: Duration::ZERO,
        out: place.0.path().join("slow"),
        ..place.plan(&["rag-bm25"])
    };
    assert_eq!(run(&slow).expect("it runs"), 4);
}

#[test]
fn a_run_with_other_options_does_not_go_on() {
    let place = Place::new();
    run(&place.plan(&["stateless"])).expect("it runs");
    run(&place.plan(&["stateless", "buffer-4"])).expect("more methods may come");
    let other = Plan {
        context_tokens: 300,
        ..place.plan(&["stateless"])
    };
    let error = run(&other).expect_err("another context").to_string();
    assert!(error.contains("another --out"), "{error}");
}

#[test]
fn a_stream_that_looks_ahead_is_refused_by_the_probe() {
    let place = Place::new();
    let mut ahead = kitchen();
    // the question right after a turn, its evidence later
    ahead.items.rotate_right(1);
    ahead.items.insert(0, turn("u0", "Bob", 0, "Good morning."));
    let file = place.0.path().join("streams/kitchen.stream.jsonl");
    ahead.save(&file).expect("written");
    let error = read_streams(&[file]).expect_err("it looks ahead");
    assert!(format!("{error:#}").contains("q1"), "{error:#}");
}
