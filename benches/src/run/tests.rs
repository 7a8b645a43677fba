//! Runs over two small streams: resumed, failing, refused.

use super::*;
use crate::budget::Budget;
use crate::method::{HeardTurn, Method, Query, Recalled};
use crate::metric::Scores;
use crate::stream::{Category, Gold, Item, Probe, Turn};
use anyhow::bail;
use std::sync::Arc;
use std::time::Duration;
use weir_core::stream::Span;
use weir_models::WordHashEncoder;

/// The number of failed jobs of a run.
fn run(plan: &Plan) -> Result<usize> {
    let rows = measure(plan)?.into_iter();
    let of_all = rows.filter(|row| row.corpus == ALL && row.category == ALL);
    Ok(of_all.map(|row| row.failed_jobs).sum())
}

fn turn(id: &str, speaker: &str, start_ms: u64, text: &str) -> Item {
    Item::Turn(Turn {
        id: id.to_owned(),
        speaker: Some(speaker.to_owned()),
        span: Span::new(start_ms, start_ms + 2_000),
        text: text.to_owned(),
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
    let started_at_unix_ms = Some(1_741_113_000_000);
    let resumed = Item::Break { started_at_unix_ms };
    let items = vec![
        turn("u1", "Alice", 0, "We leave for Lisbon on Friday."),
        turn("u2", "Bob", 2_300, "Who feeds the cat?"),
        resumed,
        turn("u3", "Bob", 4_500, "..."),
        probe("q1", "Where do both leave for?", Some("Lisbon"), &["u1"]),
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
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a folder"));
        let streams = place.0.path().join("streams");
        std::fs::create_dir(&streams).expect("a folder");
        for stream in [kitchen(), garden()] {
            let file = streams.join(format!("{}.stream.jsonl", stream.name));
            stream.save(&file).expect("written");
        }
        place
    }

    fn streams(&self) -> PathBuf {
        self.0.path().join("streams")
    }

    fn plan(&self, methods: &[&str]) -> Plan {
        let streams = read_streams(&[self.streams()]).expect("two streams");
        let (encoder, out) = (Arc::new(WordHashEncoder::new()), self.0.path().join("out"));
        Plan {
            methods: methods.iter().map(|name| (*name).to_owned()).collect(),
            budgets: vec![Budget::Tokens(4_096), Budget::None],
            context_tokens: 200,
            threads: 2,
            ..Plan::of(streams, encoder, out)
        }
    }

    /// The finished jobs, without what differs from run to run.
    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let keys = plan.streams.iter().flat_map(|(s, _)| keys(plan, s));
        let read = keys.filter_map(|key| {
            let job = results::done(&results::path(&plan.out, &key)).expect("whole files");
            job.map(timeless)
        });
        read.collect()
    }
}

fn timeless(mut job: Job) -> Job {
    job.probes.iter_mut().for_each(|row| row.query_us = 0);
    (job.row.ingest_us, job.row.encoder_us, job.row.wall_s) = (0, 0, 0.0);
    job
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_result() {
    let place = Place::new();
    let plan = place.plan(&["rag-bm25", "weir", "stateless"]);
    assert_eq!(run(&plan).expect("it runs"), 0);
    let jobs = place.jobs(&plan);
    assert_eq!(jobs.len(), 2 * 2 * 3);
    let written = |name: &str| std::fs::read_to_string(plan.out.join(name)).expect("a file");
    let table = written("table.md");
    let told = written("summary.jsonl").contains("Lisbon");
    assert!(!told, "a summary holds nothing that was said");
    for job in jobs.iter().step_by(5) {
        let path = results::path(&plan.out, &job.row.key);
        std::fs::remove_file(path).expect("removed");
    }
    assert_eq!(run(&plan).expect("it goes on"), 0);
    assert_eq!(place.jobs(&plan), jobs);
    assert_eq!(written("table.md").lines().count(), table.lines().count());
}

#[test]
fn contexts_are_kept_if_they_are_asked_for() {
    let place = Place::new();
    let line = |plan: &Plan| -> serde_json::Value {
        run(plan).expect("it runs");
        let file = plan.out.join("jobs/weir-4096/kitchen.results.jsonl");
        let text = std::fs::read_to_string(file).expect("a job");
        serde_json::from_str(text.lines().next().expect("one question")).expect("a row")
    };
    assert!(line(&place.plan(&["weir"]))["context"].is_null());
    let plan = Plan {
        keep_contexts: true,
        out: place.0.path().join("kept"),
        ..place.plan(&["weir"])
    };
    let line = line(&plan);
    assert_eq!(line["probe"], "q1");
    assert_eq!(line["memory"]["budget_tokens"], 4_096);
    assert!(line["memory"]["text_tokens"].as_u64() > Some(0));
    let context = line["context"].as_str().expect("a context");
    assert!(context.contains("Lisbon"), "{context}");
}

#[test]
fn what_was_never_heard_is_lost_and_not_forgotten() {
    let place = Place::new();
    let mut stream = kitchen();
    let asked = probe("q2", "What did Bob say then?", Some("something"), &["u3"]);
    stream.items.push(asked);
    let file = place.streams().join("kitchen.stream.jsonl");
    stream.save(&file).expect("written");
    let plan = place.plan(&["weir", "rag-rrf"]);
    run(&plan).expect("it runs");
    let jobs = place.jobs(&plan);
    let kitchen = jobs.iter().filter(|job| job.row.key.stream == "kitchen");
    let rows = kitchen.flat_map(|job| job.probes.iter().filter(|row| row.probe == "q2"));
    let scores: Vec<_> = rows.map(|row| row.scores).collect();
    assert_eq!(scores.len(), 4);
    let lost = |it: &Scores| it.fact_recall == Some(0.0) && it.regret == Some(0.0);
    assert!(scores.iter().all(lost));
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

    fn stored_tokens(&self) -> usize {
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
    let why = |method: &str, stream: &str| -> serde_json::Value {
        let file = format!("jobs/{method}-4096/{stream}.results.jsonl");
        let text = std::fs::read_to_string(plan.out.join(file)).expect("a job");
        let last = text.lines().last().expect("a summary");
        let last: serde_json::Value = serde_json::from_str(last).expect("a row");
        last["summary"]["failed"].clone()
    };
    assert_eq!(why("panics", "garden"), "panicked: at u1");
    assert_eq!(why("refuses", "garden"), "no roses here");
    assert!(why("works", "garden").is_null() && why("panics", "kitchen").is_null());
    let mended = Plan {
        build: |_, _| Ok(Box::new(Faulty("works".to_owned(), false))),
        ..place.plan(&["panics", "refuses", "works"])
    };
    let failed = run(&mended).expect("it runs");
    assert_eq!(failed, 0, "what failed is tried again");
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
