//! Labelled turns: labels from a table, texts from the corpora.

use crate::corpus;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// A turn with its labels.
#[derive(Debug, Clone)]
pub(super) struct Labelled {
    pub(super) half: String,
    pub(super) corpus: String,
    pub(super) turn: String,
    pub(super) store: bool,
    pub(super) retrieve: bool,
    /// `remember`, `forget` or empty.
    pub(super) demand: String,
    /// What the demand is about; `None` where it is not labelled.
    pub(super) about: Option<String>,
    pub(super) text: String,
}

/// The turns of a table, with their texts from the folder of development data.
pub(super) fn of_corpora(table: &Path, data: &Path) -> Result<Vec<Labelled>> {
    let texts = texts(data)?;
    rows(table)?
        .into_iter()
        .map(|row| {
            let [half, corpus, turn, store, retrieve, demand] = &row[..] else {
                anyhow::bail!("{}: a line has other columns: {row:?}", table.display());
            };
            let text = texts.get(&(corpus.clone(), turn.clone()));
            Ok(Labelled {
                half: half.clone(),
                corpus: corpus.clone(),
                turn: turn.clone(),
                store: store == "1",
                retrieve: retrieve == "1",
                demand: demand.clone(),
                about: None,
                text: text
                    .with_context(|| format!("{corpus} has no turn {turn}"))?
                    .clone(),
            })
        })
        .collect()
}

/// The sentences of our own, which stand in the table.
pub(super) fn of_our_own(table: &Path) -> Result<Vec<Labelled>> {
    let rows = rows(table)?.into_iter().enumerate();
    rows.map(|(at, row)| {
        let [half, store, retrieve, demand, about, text] = &row[..] else {
            anyhow::bail!("{}: a line has other columns: {row:?}", table.display());
        };
        Ok(Labelled {
            half: half.clone(),
            corpus: "demands".to_owned(),
            turn: (at + 2).to_string(),
            store: store == "1",
            retrieve: retrieve == "1",
            demand: demand.clone(),
            about: Some(about.clone()),
            text: text.clone(),
        })
    })
    .collect()
}

fn rows(table: &Path) -> Result<Vec<Vec<String>>> {
    let lines = read(table)?;
    let rows = lines
        .lines()
        .skip(1)
        .map(|line| line.split('\t').map(str::to_owned).collect());
    Ok(rows.collect())
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let wrong = || format!("{} is not as expected", path.display());
    serde_json::from_str(&read(path)?).with_context(wrong)
}

/// Texts by corpus and turn.
type Texts = HashMap<(String, String), String>;

#[derive(Deserialize)]
struct Scene {
    #[serde(rename = "Utterance")]
    text: String,
    #[serde(rename = "Dialogue_ID")]
    dialogue: u32,
    #[serde(rename = "Utterance_ID")]
    utterance: u32,
}

#[derive(Deserialize)]
struct Preference {
    preference: String,
    question: String,
}

#[derive(Deserialize)]
struct Companion {
    history: BTreeMap<String, Vec<BTreeMap<String, String>>>,
}

#[derive(Deserialize)]
struct Chat {
    dialogue: Vec<ChatTurn>,
}

#[derive(Deserialize)]
struct ChatTurn {
    turn: u32,
    text: String,
}

/// The texts of all corpora, named as in the table.
fn texts(data: &Path) -> Result<Texts> {
    let mut texts = Texts::new();
    let mut add = |corpus: &str, turn: String, text: String| {
        texts.insert((corpus.to_owned(), turn.replace(' ', "_")), text);
    };
    for dialogue in corpus::locomo::read(&data.join("locomo/locomo_dev.json"))?.0 {
        for turn in dialogue.turns() {
            // nobody says the caption of a picture
            let said = turn.text.split(" [shares ").next().unwrap_or_default();
            add(
                "locomo",
                format!("{}/{}", dialogue.name, turn.id),
                said.to_owned(),
            );
        }
    }
    let scenes = read(&data.join("meld/train_sent_emo.csv"))?;
    for row in csv::Reader::from_reader(scenes.as_bytes()).deserialize() {
        let row: Scene = row.context("not MELD's table")?;
        add(
            "meld",
            format!("d{}/u{}", row.dialogue, row.utterance),
            row.text,
        );
    }
    let bank: BTreeMap<String, Companion> = json(&data.join("memorybank/en/memory_bank_en.json"))?;
    for (user, companion) in bank {
        for (day, turns) in companion.history {
            for (at, mut turn) in turns.into_iter().enumerate() {
                let said = turn.remove("query").unwrap_or_default();
                add("memorybank", format!("{}/{day}/{at}", user.trim()), said);
            }
        }
    }
    for line in read(&data.join("memorybank/en/probing_questions_en.jsonl"))?.lines() {
        let asked: BTreeMap<String, Vec<String>> = serde_json::from_str(line)?;
        for (user, questions) in asked {
            for (at, question) in questions.into_iter().enumerate() {
                add("probing", format!("{}/{at}", user.trim()), question);
            }
        }
    }
    for turn in json::<Chat>(&data.join("alex50/alex50.json"))?.dialogue {
        add("alex50", format!("t{}", turn.turn), turn.text);
    }
    for (topic, pairs) in preferences(&data.join("prefeval/explicit_preference"))? {
        for (at, pair) in pairs.into_iter().enumerate() {
            add(
                "prefeval",
                format!("{topic}/{at}/preference"),
                pair.preference,
            );
            add("prefeval", format!("{topic}/{at}/question"), pair.question);
        }
    }
    Ok(texts)
}

fn preferences(folder: &Path) -> Result<Vec<(String, Vec<Preference>)>> {
    let files = std::fs::read_dir(folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut topics = Vec::new();
    for file in files {
        let path = file?.path();
        let topic = path.file_stem().context("a topic is a file")?;
        topics.push((topic.to_string_lossy().into_owned(), json(&path)?));
    }
    ensure!(!topics.is_empty(), "{} is empty", folder.display());
    Ok(topics)
}
