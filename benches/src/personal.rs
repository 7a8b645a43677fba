//! `weir-bench paper`: the experiments of the User memory paper (4.1 to 5.1, and 3.2).
//!
//! Questions that need an earlier fact, within the paper's 50 turns of Alex and after ten short
//! talks: what no memory, the last four turns and a memory hand to a model. And what the index of a
//! profile finds of what a scan finds, by the number of facts.

use crate::budget::Budget;
use crate::files::{entries, json, write_whole};
use crate::markdown::{Column, ms, number, table, table_of};
use crate::run::{ALL, Plan, Summary, measure, read_streams};
use crate::timing::{Times, us};
use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
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
/// Kinds, things, people and places, 16 of each: four digits to the base of 16 are a fact.
const WORDS: [&str; 4] = [
    "old small green heavy broken wooden cheap round blue rare new loud tall soft plain lost",
    "bicycle violin kettle camera lamp coat radio carpet teapot guitar tent clock bed cup hat tie",
    "Anna Jamie Maria Omar Lucy Chen Pavel Nora Hugo Ines Karim Ella Tomas Grace Yuki Sam",
    "Porto Oslo Cairo Lima Kyoto Dublin Prague Boston Delhi Quito Athens Accra Bern Riga Rome Goa",
];

/// What each method hands over on the data that is there, and scan and index of facts.
pub(crate) fn tables(data: &Path, encoder: &Arc<dyn Encode>) -> Result<String> {
    Ok(handed_over(data, encoder)? + &scan_and_index(encoder.as_ref(), &SIZES)?)
}

fn handed_over(data: &Path, encoder: &Arc<dyn Encode>) -> Result<String> {
    let out = tempfile::tempdir()?;
    let (folders, missing) = streams(data, out.path())?;
    let missing = match missing.is_empty() {
        true => String::new(),
        false => format!("\nMissing in the data folder: {}.\n", missing.join(", ")),
    };
    if folders.is_empty() {
        return Ok(missing);
    }
    let results = out.path().join("results");
    let all = Plan::of(read_streams(&folders)?, Arc::clone(encoder), results);
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
        ("context tokens", |row| number(Some(row.context_tokens), 0)),
        ("ms a question", |row| ms(row.query_us_p50)),
    ];
    let several = folders.len() > 1; // one alone has no rows beside those of all
    let is_whole = |row: &&Summary| row.category == ALL && several == (row.corpus != ALL);
    let rows = table_of(rows.iter().filter(is_whole), columns);
    Ok(format!("\n{rows}{missing}"))
}

/// Folders with the streams of the data that is there, and what is not there.
fn streams(data: &Path, out: &Path) -> Result<(Vec<PathBuf>, Vec<&'static str>)> {
    type Read = fn(&Path) -> Result<Vec<Vec<Value>>>;
    let sets: [(&str, &[&'static str], Read); 2] = [
        ("alex50", &[TURNS], alex),
        ("talks", &[PREFERENCES, CHATS], talks),
    ];
    let (mut folders, mut missing) = (Vec::new(), Vec::new());
    for (name, files, read) in sets {
        missing.extend(files.iter().filter(|it| !data.join(it).exists()));
        if files.iter().any(|it| missing.contains(it)) {
            continue;
        }
        for (n, items) in read(data)?.iter().enumerate() {
            let file = out.join(format!("{name}/{name}-{n}.stream.jsonl"));
            let head = json!({"weir_stream": 1, "name": format!("{name}-{n}")});
            let lines: Vec<String> = items.iter().map(|it| format!("{it}\n")).collect();
            write_whole(&file, |out| Ok(write!(out, "{head}\n{}", lines.concat())?))?;
        }
        folders.push(out.join(name));
    }
    Ok((folders, missing))
}

/// The paper's turns; each that needs an earlier one is asked before it is heard.
fn alex(data: &Path) -> Result<Vec<Vec<Value>>> {
    let file: Value = json(&data.join(TURNS), "a dialogue of turns")?;
    let mut items = Vec::new();
    for (at, said) in (1..).zip(file["dialogue"].as_array().into_iter().flatten()) {
        let text = said["text"].as_str().unwrap_or_default();
        let told = TOLD.iter().filter(|it| it.2.contains(&at));
        items.extend(told.map(|it| probe(at, ("Alex", text), (it.0, it.1))));
        items.push(turn(at, "Alex", text));
    }
    Ok(vec![items])
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
    let topics: Result<Vec<Vec<Two>>> = topics.iter().map(|it| json(it, "preferences")).collect();
    let topics = topics?;
    let users: BTreeMap<String, User> = json(&data.join(CHATS), "users by name")?;
    let talk = |(n, user): (usize, &User)| {
        let told = topics.iter().cycle().skip(n).take(FACTS);
        let told = told.filter_map(|topic| topic.get(n));
        let (mut items, mut asked) = (Vec::new(), Vec::new());
        for (at, (fact, chat)) in told.zip(user.history.values().flatten()).enumerate() {
            let at = 3 * at;
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
    let facts = (0..most).map(|n| Ok(encoder.encode(&[&texts(n).0])?.pop().unwrap_or_default()));
    let facts: Vec<Vec<f32>> = facts.collect::<Result<_>>()?;
    let asked: Vec<String> = (most..most + QUESTIONS).map(|n| texts(n).1).collect();
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let asked = encoder.encode_queries(&asked)?;
    let of_size = |size: &usize| compared(&profile(&facts[..*size])?, &asked);
    let rows: Vec<Vec<String>> = sizes.iter().map(of_size).collect::<Result<_>>()?;
    let heads = "facts,recall@10,µs by scan,µs by index,s to build".split(',');
    let rows = table(&heads.collect::<Vec<_>>(), &rows);
    Ok(format!("\nNearest facts of a profile:\n\n{rows}"))
}

fn compared(profile: &Profiles, asked: &[Vec<f32>]) -> Result<Vec<String>> {
    let began = Instant::now();
    let index = FactIndex::of(profile, 0, &|| false).context("the index was not built")?;
    let built_s = us(began) / 1e6;
    let (mut scan, mut graph, mut found) = (Times::default(), Times::default(), 0);
    for vector in asked {
        let began = Instant::now();
        let exact = profile.find(None, vector, NEAREST);
        scan.add(us(began));
        let began = Instant::now();
        let quick = index.nearest(profile, None, vector, NEAREST);
        graph.add(us(began));
        // of facts equally near any may be found
        let least = exact.last().map_or(0.0, |it| it.1) - 1e-6;
        found += quick.iter().filter(|it| it.1 >= least).count();
    }
    let recall = found as f64 / (NEAREST * asked.len()) as f64;
    let [scan, graph] = [scan, graph].map(|mut it| number(Some(it.percentile(50)), 0));
    let [recall, built_s] = [number(Some(recall), 3), number(Some(built_s), 1)];
    let facts = profile.facts().len().to_string();
    Ok(vec![facts, recall, scan, graph, built_s])
}

/// A fact, and a question for it; others for every number below 16^4.
fn texts(n: usize) -> (String, String) {
    let mixed = n * 40_503 % 65_536;
    let word = |at: usize| WORDS[at].split(' ').nth(mixed >> (4 * at) & 15);
    let [kind, thing, person, place] = std::array::from_fn(|at| word(at).unwrap_or_default());
    let fact = format!("I have the {kind} {thing} of {person} in {place}.");
    let question = format!("Where is my {kind} {thing}, that of {person}?");
    (fact, question)
}

/// A profile as a session stores it: to hear so many facts would take hours.
fn profile(vectors: &[Vec<f32>]) -> Result<Profiles> {
    let fact = |(n, vector): (usize, &Vec<f32>)| {
        let vector = serde_json::to_string(vector)?;
        Ok(format!("{{\"id\":{n},\"vector\":{vector},{FACT}}}"))
    };
    let facts: Vec<String> = (1..).zip(vectors).map(fact).collect::<Result<_>>()?;
    let (facts, made) = (facts.join(","), facts.len());
    let all = format!("{{\"facts\":[{facts}],\"made\":{made},\"forgotten\":0}}");
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
        let text = handed_over(data.path(), &encoder).expect("nothing");
        assert!(text.contains(TURNS) && text.contains(CHATS), "{text}");
        let text = |turn: usize| match TOLD.iter().find(|it| it.0 == turn) {
            Some((_, words, _)) => json!({"text": format!("I like {words}.")}),
            None => json!({"text": format!("What do I like of {turn}?")}),
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
        assert!(
            text.contains("| 300 | 1.0") || text.contains("| 300 | 0.99"),
            "{text}"
        );
    }
}
