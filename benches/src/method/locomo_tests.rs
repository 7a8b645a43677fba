//! Evidence recall of the baselines on stream files, against figures measured independently.
//!
//! Needs `WEIR_STREAMS`, a folder of LoCoMo stream files, and `WEIR_ENCODER`, a folder of
//! all-MiniLM-L6-v2; skipped without them. `WEIR_VECTORS` keeps vectors between runs, and
//! `WEIR_METHODS` names the methods to be told beside those that are checked.

use super::baselines::{BASELINES, baseline};
use super::testing::kit_with;
use super::{Heard, Method, Query};
use crate::stream::{Item, Stream};
use crate::vectors::Remembering;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use weir_engine::text::content_words;
use weir_models::{Encode, SentenceEncoder};

/// Evidence recall at 1,300 tokens, unbounded, measured by another program on `locomo_dev`.
const INDEPENDENT: [(&str, f64); 4] = [
    ("rag-dense", 0.67),
    ("rag-bm25", 0.67),
    ("rag-rrf", 0.75),
    ("last-turns", 0.05),
];
const CONTEXT_TOKENS: usize = 1300;
const TOLERANCE: f64 = 0.02;

fn folder(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

fn streams(folder: &PathBuf) -> Vec<Stream> {
    let entries = std::fs::read_dir(folder).expect("the folder of streams is read");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| path.to_string_lossy().ends_with(".stream.jsonl"));
    paths.sort();
    paths
        .iter()
        .map(|path| Stream::read(path).expect("a whole stream"))
        .collect()
}

/// Replays a stream, asking each probe where it stands; gives sum and count of evidence recall.
fn replayed(method: &mut dyn Method, stream: &Stream) -> (f64, f64) {
    let texts: BTreeMap<&str, &str> = stream
        .turns()
        .map(|turn| (turn.id.as_str(), turn.text.as_str()))
        .collect();
    let mut wall = stream.started_at_unix_ms.map(|ms| (0, ms));
    let (mut index, mut end_ms, mut dirty) = (0, 0, false);
    let (mut sum, mut count) = (0.0, 0.0);
    for item in &stream.items {
        match item {
            Item::Turn(turn) => {
                let heard = Heard {
                    index,
                    turn,
                    said: &turn.said(),
                    at_unix_ms: wall.map(|(from, ms)| ms + turn.span.start_ms as i64 - from),
                };
                method.hear(heard).expect("it takes in a turn");
                (index, end_ms, dirty) = (index + 1, end_ms.max(turn.span.end_ms as i64), true);
            }
            Item::Break { started_at_unix_ms } => {
                wall = started_at_unix_ms.map(|ms| (end_ms, ms));
                method.pause(*started_at_unix_ms).expect("it pauses");
            }
            Item::Probe(probe) => {
                if std::mem::take(&mut dirty) {
                    method.settle().expect("it settles");
                }
                let gold: Vec<&String> = probe.gold.evidence.iter().collect();
                if gold.is_empty() {
                    continue;
                }
                let query = Query {
                    text: &probe.question,
                    asked_by: None,
                    context_tokens: CONTEXT_TOKENS,
                };
                let found = method.recall(&query).expect("it answers");
                let shown: HashSet<String> = content_words(&found.context).collect();
                let hit = |id: &&&String| {
                    let words: BTreeSet<String> = content_words(texts[id.as_str()]).collect();
                    let there = words.iter().filter(|word| shown.contains(*word)).count();
                    found.turns.contains(id) && there * 2 >= words.len()
                };
                sum += gold.iter().filter(hit).count() as f64 / gold.len() as f64;
                count += 1.0;
            }
        }
    }
    (sum, count)
}

#[test]
fn recall_on_locomo_agrees_with_independent_figures() {
    let (Some(folder_of_streams), Some(weights)) = (folder("WEIR_STREAMS"), folder("WEIR_ENCODER"))
    else {
        return;
    };
    let encoder = SentenceEncoder::load(&weights).expect("the encoder is whole");
    let encoder: Arc<dyn Encode> = match folder("WEIR_VECTORS") {
        Some(folder) => Arc::new(Remembering::new(encoder, &folder).expect("a folder")),
        None => Arc::new(encoder),
    };
    let streams = streams(&folder_of_streams);
    let wanted = std::env::var("WEIR_METHODS").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split(',').collect();
    let budget = std::env::var("WEIR_BUDGET")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut told = String::new();
    for name in BASELINES {
        let expected = INDEPENDENT.iter().find(|(known, _)| known == name);
        if !wanted.contains(name) && (expected.is_none() || wanted != [""]) {
            continue;
        }
        let before = Instant::now();
        let (mut sum, mut count) = (0.0, 0.0);
        for stream in &streams {
            let kit = kit_with(Arc::clone(&encoder), budget);
            let mut method = baseline(name, kit).expect("a known name");
            let (of_stream, probes) = replayed(&mut *method, stream);
            (sum, count) = (sum + of_stream, count + probes);
        }
        let recall = sum / count;
        let seconds = before.elapsed().as_secs_f64();
        writeln!(
            told,
            "{name}: {recall:.3} over {count} probes, {seconds:.1} s"
        )
        .expect("text");
        if let (Some((_, expected)), None) = (expected, budget) {
            assert!((recall - expected).abs() <= TOLERANCE, "{told}");
        }
    }
    println!("{told}");
}
