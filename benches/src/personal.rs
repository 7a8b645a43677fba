//! `weir-bench paper`: the experiments of the User memory paper (4.1 to 5.1, and 3.2).
//!
//! Questions that need an earlier fact, within the paper's 50 turns of Alex and after ten short
//! talks: what no memory, the last four turns and a memory hand to a model. And what the index of a
//! profile finds of what a scan finds, by the number of facts.

use crate::budget::Budget;
use crate::files::{entries, json, write_whole};
use crate::markdown::{Column, ms, number, table, table_of};
use crate::run::{ALL, Plan, Summary, measure, read_streams};
use crate::simulate::{World, made_dialogue};
use crate::timing::Times;
use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use weir_core::profile::{NearestFacts, Profiles};
use weir_engine::index::FactIndex;
use weir_models::Encode;

const TURNS: &str = "alex50/alex50.json";
const PREFERENCES: &str = "prefeval/explicit_preference";
const CHATS: &str = "memorybank/en/memory_bank_en.json";
/// The paper's memory ranks by vectors alone, as rag-dense does.
const METHODS: [&str; 5] = [
    "stateless", "buffer-4", "rag-dense", "weir", "weir-transcript",
];
/// Room for the last four turns: with more, a memory would hand over the whole talk.
const CONTEXT_TOKENS: usize = 192;
/// Talks (4.1.2), and facts of the user in each.
const TALKS: usize = 10;
const FACTS: usize = 5;
/// Turns of Alex that tell a fact, its words, and the later turns that ask for it or go on from it,
/// chosen from the turns alone. What no turn tells is left out, as are questions about replies,
/// which are not in the data.
const TOLD: [(usize, &str, &[usize]); 6] = [
    (1, "sunset orange", &[8, 39]),
    (2, "Jamie", &[7]),
    (2, "history", &[34]),
    (27, "Italian meal", &[29, 30]),
    (27, "lasagna", &[33]),
    (38, "cosmic comfort", &[46]),
];
/// Facts of a profile, and how many of the nearest are asked for by how many questions.
const SIZES: [usize; 3] = [1_024, 10_000, 50_000];
const NEAREST: usize = 10;
const QUESTIONS: usize = 100;
/// A stored fact beside its number and vector.
const FACT: &str = r#""speaker":null,"slot":"likes","about":"","value":"","from_ms":0,"until":null,
    "times":1,"pinned":false,"edited":false,"wanted":false,"evidence":[],"tokens":1"#;

/// What each method hands over on the data that is there, and scan and index of facts.
pub(crate) fn tables(data: &Path, encoder: &Arc<dyn Encode>) -> Result<String> {
    Ok(handed_over(data, encoder)? + &scan_and_index(encoder.as_ref(), &SIZES)?)
}

fn handed_over(data: &Path, encoder: &Arc<dyn Encode>) -> Result<String> {
    let out = tempfile::tempdir()?;
    let is_there = |it: &&str| data.join(it).exists();
    let mut missing = vec![TURNS, PREFERENCES, CHATS];
    missing.retain(|it| !is_there(it));
    let missing = missing.join(", ");
    let mut streams = Vec::new();
    if is_there(&TURNS) {
        streams.push(("alex50", alex(data)?));
    }
    if is_there(&PREFERENCES) && is_there(&CHATS) {
        streams.extend(talks(data)?.into_iter().map(|it| ("talks", it)));
    }
    let several = missing.is_empty(); // one alone has no rows beside those of all
    let missing = (!several).then(|| format!("\nMissing in the data folder: {missing}.\n"));
    let missing = missing.unwrap_or_default();
    if streams.is_empty() {
        return Ok(missing);
    }
    for (n, (corpus, items)) in streams.iter().enumerate() {
        let file = out.path().join(format!("{corpus}/{n}.stream.jsonl"));
        let head = json!({"weir_stream": 1, "name": format!("{corpus}-{n}")});
        let lines: String = items.iter().map(|it| format!("{it}\n")).collect();
        write_whole(&file, |out| Ok(write!(out, "{head}\n{lines}")?))?;
    }
    let (streams, results) = (out.path().to_owned(), out.path().join("results"));
    let all = Plan::of(read_streams(&[streams])?, Arc::clone(encoder), results);
    let rows = measure(&Plan {
        methods: METHODS.map(str::to_owned).to_vec(),
        budgets: vec![Budget::Own],
        context_tokens: CONTEXT_TOKENS,
        ..all
    })?;
    let columns: &[Column<'_, Summary>] = &[
        ("data", |row| row.corpus.clone()),
        ("method", |row| row.method.clone()),
        ("questions", |row| row.probes.to_string()),
        ("by gold words", |row| number(row.scores.fact_recall, 3)),
        ("context tokens", |row| number(row.context_tokens, 0)),
        ("ms a question", |row| ms(row.query_us_p50)),
    ];
    let is_whole = |row: &&Summary| row.category == ALL && several == (row.corpus != ALL);
    let rows = table_of(rows.iter().filter(is_whole), columns);
    Ok(format!("\n{rows}{missing}"))
}

/// The paper's turns; each that needs an earlier one is asked before it is heard.
fn alex(data: &Path) -> Result<Vec<Value>> {
    let file: Value = json(&data.join(TURNS), "a dialogue of turns")?;
    let mut items = Vec::new();
    for (at, said) in (1..).zip(file["dialogue"].as_array().into_iter().flatten()) {
        let text = said["text"].as_str().unwrap_or_default();
        let told = TOLD.iter().filter(|it| it.2.contains(&at));
        items.extend(told.map(|it| probe(at, ("Alex", text), (it.0, it.1))));
        items.push(turn(at, "Alex", text));
    }
    Ok(items)
}

#[derive(Deserialize)]
struct User {
    history: BTreeMap<String, Vec<Two>>,
}

/// What a user says and the reply, or a preference and a question that it bears on.
#[derive(Deserialize)]
struct Two {
    #[serde(alias = "preference")]
    query: String,
    #[serde(alias = "question")]
    response: String,
}

/// Talks of PersonaChat's size: a user tells preferences of `PrefEval`, each of another topic, an
/// exchange of `MemoryBank` after each; at the end comes a question for each. The last preference
/// is among the last four turns.
fn talks(data: &Path) -> Result<Vec<Vec<Value>>> {
    let topics = entries(&data.join(PREFERENCES))?;
    let topics = topics.iter().map(|it| json(it, "preferences"));
    let topics: Vec<Vec<Two>> = topics.collect::<Result<_>>()?;
    let users: BTreeMap<String, User> = json(&data.join(CHATS), "users by name")?;
    let talk = |(n, user): (usize, &User)| {
        let told = topics.iter().cycle().skip(n).take(FACTS);
        let told = told.filter_map(|topic| topic.get(n));
        let (mut items, mut asked) = (Vec::new(), Vec::new());
        for (fact, chat) in told.zip(user.history.values().flatten()) {
            let at = items.len();
            items.push(turn(at, "User", &fact.query));
            items.push(turn(at + 1, "User", &chat.query));
            items.push(turn(at + 2, "Assistant", &chat.response));
            asked.push(probe(at, ("User", &fact.response), (at, &fact.query)));
        }
        [items, asked].concat()
    };
    Ok(users.values().take(TALKS).enumerate().map(talk).collect())
}

fn turn(at: usize, speaker: &str, text: &str) -> Value {
    let (id, start_ms) = (format!("u{at}"), at * 10_000);
    json!({"utterance": {"id": id, "speaker": speaker, "text": text.trim(),
        "start_ms": start_ms, "end_ms": start_ms + 3_000}})
}

/// A question of someone, with the turn that tells its answer and the words of it.
fn probe(at: usize, (by, asked): (&str, &str), (told, words): (usize, &str)) -> Value {
    json!({"probe": {"id": format!("q{at}"), "question": asked.trim(), "asked_by": by,
        "answer": words, "evidence": [format!("u{told}")], "category": "single-hop"}})
}

/// Time and result of both by the number of facts, with the texts encoded before.
fn scan_and_index(encoder: &dyn Encode, sizes: &[usize]) -> Result<String> {
    let most = sizes.iter().copied().max().unwrap_or(0);
    let mut talk = World::new(&[made_dialogue()], false);
    let said: Vec<String> = (0..most).map(|_| talk.next().0.text).collect();
    let vector = |it: &String| encoder.encode(&[it]);
    let question = |it: &String| encoder.encode_queries(&[&format!("Who said: {it}")]);
    let facts: Result<Vec<_>, _> = said.iter().map(vector).collect();
    let asked: Result<Vec<_>, _> = said.iter().take(QUESTIONS).map(question).collect();
    let (facts, asked) = (facts?.concat(), asked?.concat());
    let of_size = |size: &usize| compared(&profile(&facts[..*size])?, &asked);
    let rows: Vec<Vec<String>> = sizes.iter().map(of_size).collect::<Result<_>>()?;
    let heads = ["facts", "recall@10", "µs scan", "µs index", "s to build"];
    Ok("\nNearest facts of a profile:\n\n".to_owned() + &table(&heads, &rows))
}

fn compared(profile: &Profiles, asked: &[Vec<f32>]) -> Result<Vec<String>> {
    let mut times: [Times; 3] = Default::default();
    let ([scan, graph, build], mut found) = (&mut times, 0);
    let index = build.time(|| FactIndex::of(profile, 0, &|| false));
    let index = index.context("the index was not built")?;
    for vector in asked {
        let exact = scan.time(|| profile.find(None, vector, NEAREST));
        let quick = graph.time(|| index.nearest(profile, None, vector, NEAREST));
        // of facts equally near any may be found
        let least = exact.last().map_or(0.0, |it| it.1) - 1e-6;
        found += quick.iter().filter(|it| it.1 >= least).count();
    }
    let recall = found as f64 / (NEAREST * asked.len()) as f64;
    let [scan, graph, build] = times.map(|mut it| it.percentile(50));
    let facts = profile.facts().len().to_string();
    let times = [number(scan, 0), number(graph, 0), number(build / 1e6, 1)];
    Ok([vec![facts, number(recall, 3)], times.to_vec()].concat())
}

/// A profile as a session stores it: to hear so many facts would take hours.
fn profile(vectors: &[Vec<f32>]) -> Result<Profiles> {
    let fact = |(n, vector)| format!(r#"{{"id":{n},"vector":{vector:?},{FACT}}}"#);
    let facts: Vec<String> = (1_usize..).zip(vectors).map(fact).collect();
    let (facts, made) = (facts.join(","), facts.len());
    let all = format!(r#"{{"facts":[{facts}],"made":{made},"forgotten":0}}"#);
    Ok(serde_json::from_str(&all)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::WordHashEncoder;

    #[test]
    fn a_buffer_has_what_was_said_last() {
        let encoder: Arc<dyn Encode> = Arc::new(WordHashEncoder::new());
        let data = tempfile::tempdir().expect("a folder");
        let text = |turn: usize| {
            let told = TOLD.iter().find(|it| it.0 == turn);
            json!({"text": told.map_or("What do I like?", |it| it.1)})
        };
        let said = json!({"dialogue": (1..=50).map(text).collect::<Vec<_>>()});
        let file = data.path().join(TURNS);
        write_whole(&file, |out| Ok(write!(out, "{said}")?)).expect("written");
        let text = handed_over(data.path(), &encoder).expect("measured");
        assert!(text.contains("| stateless | 8 | 0.000 |"), "{text}");
        assert!(text.contains("| buffer-4 | 8 | 0.250 |"), "{text}");
        assert!(!text.contains(TURNS) && text.contains(CHATS), "{text}");
    }

    #[test]
    fn the_index_finds_what_the_scan_finds() {
        let text = scan_and_index(&WordHashEncoder::new(), &[300]).expect("measured");
        assert!(text.contains("| 300 | 1.000 |"), "{text}");
    }
}
