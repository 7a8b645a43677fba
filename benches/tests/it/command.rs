//! `weir-bench` as users run it.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Runs it in a folder; no argument has white space.
pub(crate) fn bench(folder: &Path, args: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_weir-bench"))
        .args(args.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap()
}

pub(crate) fn done(output: &Output) -> String {
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{err}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn rows(text: &str) -> Vec<Value> {
    let rows = text.lines().map(|line| serde_json::from_str(line).unwrap());
    rows.collect()
}

/// The written lines of the spoken fixture, as a folder of streams.
fn streams(folder: &Path) {
    let fixture = weir_fixtures::spoken_stream();
    let streams = folder.join("streams");
    std::fs::create_dir(&streams).unwrap();
    for entry in std::fs::read_dir(fixture.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::copy(&path, streams.join(path.file_name().unwrap())).unwrap();
        }
    }
}

#[test]
fn streams_are_run_and_summed_up() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    streams(folder);
    let run = "run --streams streams --methods stateless,rag-rrf,weir,weir-transcript,weir-quote \
               --budgets own --out out";
    done(&bench(folder, run));
    let summary = std::fs::read_to_string(folder.join("out/summary.jsonl")).unwrap();
    let row = |method: &str| {
        let of_all = |row: &Value| {
            let row = &row["summary"];
            row["method"] == method && row["category"] == "all" && row["corpus"] == "all"
        };
        let row = rows(&summary).into_iter().find(of_all).unwrap();
        row["summary"].clone()
    };
    let recall = |method: &str| row(method)["scores"]["fact_recall"].as_f64().unwrap();
    assert_eq!(recall("stateless"), 0.0);
    assert!(recall("rag-rrf") > 0.5, "{}", recall("rag-rrf"));
    assert!(recall("weir") > 0.5, "{}", recall("weir"));
    let right = row("weir-quote")["scores"]["right"].as_f64().unwrap();
    assert!(right > 0.3, "{right}");
    let per_1000_turns = "transcript_bytes_per_1000_turns";
    let kept = |method: &str| row(method)[per_1000_turns].as_f64().unwrap();
    assert_eq!(kept("weir"), 0.0);
    assert!(kept("weir-transcript") > 10_000.0);
    let table = std::fs::read_to_string(folder.join("out/table.md")).unwrap();
    assert!(table.lines().count() > 4, "{table}");
}

#[test]
fn each_budget_is_filled_in_a_process_of_its_own() {
    let place = tempfile::tempdir().unwrap();
    let args = "simulate --budgets 512,1024 --times 3 --table budgets.md --plot budgets.svg";
    let rows = rows(&done(&bench(place.path(), args)));
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
    assert_eq!(rows.len(), 2);
    for (row, budget) in rows.iter().zip([512.0, 1024.0]) {
        assert!(number(row, "heard_tokens") >= 3.0 * budget, "{row}");
        assert!(number(row, "text_tokens_max") <= budget, "{row}");
        for measure in [
            "recall_us_p99", "ingest_us_per_turn", "copy_us_p95", "snapshot_bytes",
            "resident_bytes",
        ] {
            assert!(number(row, measure) > 0.0, "{measure} of {row}");
        }
        // too few units for an index
        assert!(row["index_recall_us_p95"].is_null());
    }
    let read = |name| std::fs::read_to_string(place.path().join(name)).unwrap();
    assert_eq!(read("budgets.md").lines().count(), 4);
    assert!(read("budgets.svg").contains("budget in tokens"));
}

#[test]
fn stages_tells_every_stage() {
    let place = tempfile::tempdir().unwrap();
    streams(place.path());
    let args = "stages --streams streams --every-turns 40";
    let rows = rows(&done(&bench(place.path(), args)));
    let calls = |row: &Value| row["calls"].as_u64().unwrap();
    assert!(rows.len() >= 16 && rows.iter().any(|row| row["stage"] == "search"));
    let mut whole = rows.iter().filter(|row| row["turns"] == 69);
    assert!(whole.all(|row| calls(row) > 0));
}

#[test]
fn what_is_wrong_is_told_before_anything_is_done() {
    let place = tempfile::tempdir().unwrap();
    streams(place.path());
    std::fs::create_dir(place.path().join("empty")).unwrap();
    for (args, told) in [
        ("run --streams empty --out out", "weir-bench convert"),
        ("run --streams nowhere --out out", "nowhere"),
        (
            "read --streams empty --results empty --generator model.gguf --out out",
            "weir-bench convert",
        ),
        (
            "read --streams empty --results empty --out out",
            "--generator",
        ),
        (
            "run --streams streams --methods rag-denes --out out",
            "rag-dense",
        ),
        ("run --streams streams --budgets 12 --out out", "at least"),
        ("simulate --budgets 512", "--times"),
        ("simulate --transcript-bytes 12", "transcript"),
        ("paper --data nowhere", "locomo/locomo_dev.json"),
        ("paper --data nowhere --only table-9", "table-2"),
    ] {
        let output = bench(place.path(), args);
        let err = String::from_utf8_lossy(&output.stderr);
        let is_told = !output.status.success() && err.contains(told);
        assert!(is_told, "{args}: {err}");
        assert!(!place.path().join("out").exists(), "{args}");
    }
}

#[test]
fn diarize_writes_turns_of_recordings_in_rttm() {
    let place = tempfile::tempdir().unwrap();
    let (voices, golden) = (weir_fixtures::voices_dir(), weir_fixtures::golden_dir());
    for (from, file) in [
        (voices, "kennedy-1961.flac"),
        (golden.clone(), "tiny-pyannet/pytorch_model.bin"),
        (golden, "tiny-campplus/campplus_cn_en_common.pt"),
    ] {
        let to = place.path().join(file);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(from.join(file), to).unwrap();
    }
    let args = "diarize --audio kennedy-1961.flac --segmentation tiny-pyannet \
                --speaker-encoder tiny-campplus --out heard.rttm";
    let row = &rows(&done(&bench(place.path(), args)))[0];
    assert_eq!(row["recording"], "kennedy-1961");
    let turns = std::fs::read_to_string(place.path().join("heard.rttm")).unwrap();
    assert_eq!(row["turns"], turns.lines().count());
    for turn in turns.lines() {
        assert!(turn.starts_with("SPEAKER kennedy-1961 1 "), "{turn}");
        assert_eq!(turn.split(' ').count(), 10, "{turn}");
    }
}
