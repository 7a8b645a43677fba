//! The report of a small made-up run.

use super::*;
use crate::metric::Scores;
use crate::run::record::{JobKey, JobRow, Line, ProbeRow, Stamp};
use crate::stream::{Category, Gold, Item, Probe, Stream, Turn};
use weir_core::stream::Span;

const METHODS: [&str; 3] = ["weir", "rag <dense>", "recent|turns"];

fn key(stream: &str, method: &str, budget_tokens: Option<usize>) -> JobKey {
    JobKey {
        stream: stream.to_owned(),
        method: method.to_owned(),
        budget_tokens,
        encoder: "word-hash".to_owned(),
    }
}

pub(super) fn probe_row(stream: &str, method: &str, probe: &str) -> ProbeRow {
    ProbeRow {
        job: key(stream, method, None),
        probe: probe.to_owned(),
        category: Some(Category::SingleHop),
        answer: "</script><script>alert(1)</script>".to_owned(),
        unanswerable: false,
        abstained: false,
        context_turns: vec!["u0".to_owned(), "u1".to_owned()],
        context_turns_count: 2,
        context_tokens: 100,
        query_us: 40,
        encoded_texts: 1,
        text_tokens: 700,
        facts_in_order: vec![0.5],
        scores: Scores {
            fact_recall: Some(0.5),
            evidence_recall: Some(0.5),
            ..Scores::default()
        },
    }
}

fn job_row(stream: &str, method: &str, budget_tokens: Option<usize>) -> JobRow {
    JobRow {
        job: key(stream, method, budget_tokens),
        failed: None,
        turns: 10,
        probes: 4,
        ingest_us_total: 3_000,
        ingest_us_p50: 30,
        ingest_us_p95: 60,
        ingest_us_p99: 90,
        settle_us: 1_000,
        query_us_p50: 40,
        query_us_p95: 50,
        query_us_p99: 60,
        encoded_texts: 10,
        encoder_us: 5,
        stored_tokens: 800 + method.len() * 300,
        text_tokens_max: 900 + method.len() * 300,
        stored_bytes: 4_000,
        transcript_bytes: 0,
        wall_s: 0.5,
    }
}

fn stream(name: &str) -> Stream {
    let turn = |at: u64| {
        Item::Turn(Turn {
            id: format!("u{at}"),
            speaker: Some("Anna & Bob".to_owned()),
            span: Span::new(at * 1_000, at * 1_000 + 900),
            text: format!("We saw {at} boats </script><script>alert(2)</script>"),
            audio: None,
        })
    };
    let probe = |at: usize| {
        let adversarial = at == 3;
        Item::Probe(Probe {
            id: format!("q{at}"),
            question: format!("How many boats <b>{at}</b>?"),
            asked_by: None,
            gold: Gold {
                answer: (!adversarial).then(|| at.to_string()),
                evidence: vec![format!("u{at}"), format!("u{}", at + 1)],
                category: Some(match adversarial {
                    true => Category::Adversarial,
                    false => Category::SingleHop,
                }),
            },
        })
    };
    Stream {
        name: name.to_owned(),
        started_at_unix_ms: Some(0),
        items: (0..10).map(turn).chain((0..4).map(probe)).collect(),
    }
}

/// Two streams and three methods; one method fails on one stream.
fn lines() -> Vec<Line> {
    let mut lines = vec![Line::Stamp(Box::new(Stamp {
        version: "0.1.0".to_owned(),
        config_digest: "abc".to_owned(),
        encoder: "word-hash".to_owned(),
        cpu: "<cpu>".to_owned(),
        ..Stamp::default()
    }))];
    for (place, stream) in ["kitchen", "office"].into_iter().enumerate() {
        for (number, method) in METHODS.into_iter().enumerate() {
            let failed = number == 2 && place == 1;
            for probe in 0..4 {
                let mut row = probe_row(stream, method, &format!("q{probe}"));
                row.abstained = probe == 3 && number == 0;
                let recall = Some([1.0, 0.5, 0.25][number]);
                row.scores.evidence_recall = recall;
                row.scores.fact_recall = recall.filter(|_| probe != 3);
                row.scores.fact_recall_adversarial = recall.filter(|_| probe == 3);
                row.scores.bleu4 = (probe != 3).then_some(0.125);
                row.category = Some(match probe {
                    3 => Category::Adversarial,
                    _ => Category::SingleHop,
                });
                row.query_us = 10 * (probe + 1) as u64;
                lines.push(Line::Probe(Box::new(row)));
            }
            let mut job = job_row(stream, method, None);
            job.failed = failed.then(|| "out of <room>".to_owned());
            lines.push(Line::Job(Box::new(job)));
        }
    }
    lines
}

struct Place {
    folder: tempfile::TempDir,
    args: ReportArgs,
}

fn place(lines: &[Line]) -> Place {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for (corpus, name) in [("homes", "kitchen"), ("work", "office")] {
        std::fs::create_dir_all(at("streams").join(corpus)).expect("made");
        let path = at("streams")
            .join(corpus)
            .join(format!("{name}.stream.jsonl"));
        stream(name).save(&path).expect("written");
    }
    let text: String = lines
        .iter()
        .map(|line| serde_json::to_string(line).expect("it is JSON") + "\n")
        .collect();
    std::fs::write(at("results.jsonl"), text).expect("written");
    let args = ReportArgs {
        results: vec![at("results.jsonl")],
        streams: vec![at("streams")],
        out: at("report.html"),
        markdown: Some(at("table.md")),
    };
    Place { folder, args }
}

fn reported(lines: &[Line]) -> (String, String) {
    let place = place(lines);
    run(&place.args).expect("reported");
    let read = |name: &str| {
        std::fs::read_to_string(place.folder.path().join(name)).expect("it was written")
    };
    (read("report.html"), read("table.md"))
}

fn refused(place: &Place) -> String {
    format!("{:#}", run(&place.args).expect_err("refused"))
}

#[test]
fn the_table_has_the_best_first_and_bold() {
    let (_, table) = reported(&lines());
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].starts_with(
        "| method | budget | fact recall | in order | half of the words anywhere | BLEU-4 |"
    ));
    assert!(rows[2].starts_with("| weir | ∞ | **1.000** |"), "{table}");
    assert!(
        rows[3].starts_with("| rag <dense> | ∞ | 0.500 |"),
        "{table}"
    );
    assert!(
        rows[4].starts_with("| recent\\|turns | ∞ | 0.250 |"),
        "{table}"
    );
    assert_eq!(rows.len(), 5);
    assert!(!table.contains("judge"), "nobody judged");
}

#[test]
fn means_are_over_probes_and_failed_jobs_count_nowhere() {
    let place = place(&lines());
    let results = Results::read(&place.args.results, &place.args.streams).expect("whole");
    let tallies = tally::tallies(&results);
    let probes: Vec<usize> = tallies.iter().map(|tally| tally.probes).collect();
    assert_eq!(probes, [8, 8, 4]);
    let weir = &tallies[0];
    let abstention = weir.abstention.expect("two probes have no answer");
    assert_eq!((abstention.unanswerable, abstention.abstained), (2, 2));
    assert_eq!(weir.query_us_p50, Some(20.0));
    assert_eq!(weir.query_us_p95, Some(40.0));
    assert_eq!(weir.settle_us, Some(100.0));
    let names =
        |map: &std::collections::BTreeMap<String, f64>| map.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&weir.by_category), ["adversarial", "single-hop"]);
    assert_eq!(names(&weir.by_corpus), ["homes", "work"]);
    assert_eq!(names(&tallies[2].by_stream), ["kitchen"]);
}

#[test]
fn the_page_is_whole_and_no_text_is_markup() {
    let (page, _) = reported(&lines());
    for part in [
        "rag &lt;dense&gt;",
        "out of &lt;room&gt;",
        "&lt;cpu&gt;",
        "<svg",
        "over fewer probes",
        "prefers-color-scheme: dark",
        "Fact recall by corpus",
    ] {
        assert!(page.contains(part), "{part} is not there");
    }
    for part in [
        "alert(1)</", "alert(2)</", "<dense>", "<room>", "<cpu>", "http:", "https:",
    ] {
        assert!(!page.contains(part), "{part} is there");
    }
    assert_eq!(
        page.matches("<script").count(),
        2,
        "the data and the program"
    );
    assert_eq!(page.matches("</script").count(), 2);
}

#[test]
fn the_browser_finds_every_text_by_its_place() {
    let (page, _) = reported(&lines());
    let start = page.find("id=\"data\">").expect("data") + "id=\"data\">".len();
    let data = &page[start..][..page[start..].find("</script>").expect("its end")];
    let data: serde_json::Value = serde_json::from_str(data).expect("it is JSON");
    assert_eq!(data["setups"][1], METHODS[1]);
    assert_eq!(data["answers"].as_array().expect("answers").len(), 1);
    let kitchen = &data["streams"][0];
    let probe = &kitchen["probes"][2];
    assert_eq!(probe["q"], "How many boats <b>2</b>?");
    let gold = probe["e"][0].as_u64().expect("a place") as usize;
    assert_eq!(kitchen["turns"][gold][0], "u2");
    let text = kitchen["turns"][gold][1].as_str().expect("a text");
    assert!(
        text.starts_with("Anna & Bob: We saw 2 boats </script>"),
        "{text}"
    );
    assert_eq!(probe["m"].as_array().expect("methods").len(), 3);
    assert_eq!(probe["m"][0][6][0], 1.0);
}

#[test]
fn a_page_that_grows_too_long_loses_turns_then_the_browser() {
    let place = place(&lines());
    let results = Results::read(&place.args.results, &place.args.streams).expect("whole");
    let tallies = tally::tallies(&results);
    let of = |bytes_max| page(&results, &tallies, bytes_max).expect("made");
    let whole = of(PAGE_BYTES_MAX);
    let shorter = of(whole.len() - 1);
    let both = |page: &str| page.matches(",[0,1],2,100,").count();
    assert!(shorter.len() < whole.len() && both(&shorter) < both(&whole));
    assert!(
        both(&shorter) > 0,
        "where both turns are evidence they stay"
    );
    assert!(shorter.contains("id=\"data\""));
    let shortest = of(1);
    assert!(!shortest.contains("<script") && shortest.contains("The probes are left out"));
    assert!(shortest.contains("<table"));
}

#[test]
fn what_cannot_be_reported_is_named() {
    let mut twice = lines();
    twice.push(Line::Job(Box::new(job_row("kitchen", METHODS[0], None))));
    assert!(refused(&place(&twice)).contains("occurs twice"));
    assert!(refused(&place(&lines()[..1])).contains("no results"));
    let mut strange = lines();
    strange.insert(
        1,
        Line::Probe(Box::new(probe_row("kitchen", METHODS[0], "q99"))),
    );
    assert!(refused(&place(&strange)).contains("`q99`"));
    strange[1] = Line::Job(Box::new(job_row("attic", METHODS[0], None)));
    assert!(refused(&place(&strange)).contains("`attic`"));
    let damaged = place(&lines());
    let path = &damaged.args.results[0];
    let text = std::fs::read_to_string(path).expect("written");
    std::fs::write(path, format!("{{}}\n{text}")).expect("written");
    assert!(refused(&damaged).contains("line 1 "));
}

#[test]
fn a_last_line_that_was_cut_short_is_left_out() {
    let place = place(&lines());
    let path = &place.args.results[0];
    let text = std::fs::read_to_string(path).expect("written");
    std::fs::write(path, format!("{text}{{\"probe\": {{\"str")).expect("written");
    run(&place.args).expect("reported");
    let long = "x".repeat(100);
    std::fs::write(path, format!("{text}{long}\n")).expect("written");
    assert!(refused(&place).contains("not a line of results"));
}
