//! BEAM (Tavakoli et al. 2025): a chat of a user with an assistant is a stream, a batch a sitting.
//!
//! Its ten abilities map to kinds of question as follows: abstention is adversarial, without an
//! answer; temporal reasoning, event ordering and knowledge update are temporal, since the last
//! asks for the current fact; multi-session reasoning is multi-hop, summarisation aggregative,
//! information extraction single-hop; contradiction resolution compares two statements, so it is
//! comparative; following a preference or an instruction needs outside knowledge, so it is
//! open-domain, and its answer is the preference itself, which memory must supply.

use super::draft::{self, one_line, wall_time};
use crate::files;
use crate::stream::{Category, Gold, Item, Probe, Stream};
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[derive(Deserialize)]
struct Batch {
    turns: Vec<Vec<Line>>,
}

#[derive(Deserialize)]
struct Line {
    id: u64,
    role: String,
    time_anchor: Option<String>,
    content: String,
}

#[derive(Deserialize)]
struct Question {
    question: String,
    // each ability has its own name for it
    #[serde(alias = "ideal_answer", alias = "ideal_summary")]
    #[serde(alias = "preference_being_tested")]
    #[serde(alias = "instruction_being_tested")]
    answer: Option<String>,
    #[serde(default)]
    source_chat_ids: Value,
}

/// The chats in a folder, or the folder itself as one chat.
pub(super) fn read(folder: &Path) -> Result<Vec<Stream>> {
    if folder.join("chat.json").is_file() {
        return Ok(vec![chat(folder)?]);
    }
    let mut chats = files::entries(folder)?;
    chats.retain(|path| path.join("chat.json").is_file());
    ensure!(
        !chats.is_empty(),
        "{}: expected a folder with chat.json and probing_questions, or a folder of such; found \
         no chat.json",
        folder.display()
    );
    chats.iter().map(|folder| chat(folder)).collect()
}

fn chat(folder: &Path) -> Result<Stream> {
    let path = folder.join("chat.json");
    let batches: Vec<Batch> =
        files::json(&path, "BEAM's chat: a list of batches, each with turns")?;
    let mut draft = draft::empty(format!("beam-{}", files::stem(folder)?));
    for batch in batches {
        let lines: Vec<Line> = batch.turns.into_iter().flatten().collect();
        let anchor = lines.iter().find_map(|line| line.time_anchor.as_deref());
        let began = anchor.map(|text| wall_time(text, "%B-%d-%Y", "March-15-2024"));
        let began = began
            .transpose()
            .with_context(|| path.display().to_string());
        draft::sit(&mut draft, began?);
        draft.items.extend(lines.into_iter().map(said));
    }
    let path = folder.join("probing_questions/probing_questions.json");
    let expected = "BEAM's probing questions: lists by ability";
    let questions: BTreeMap<String, Vec<Question>> = files::json(&path, expected)?;
    for (ability, questions) in questions {
        let category = category(&ability).with_context(|| path.display().to_string())?;
        let asked = questions.into_iter().map(|it| asked(it, category));
        draft.items.extend(asked.map(Item::Probe));
    }
    Ok(draft)
}

fn said(line: Line) -> Item {
    let text = one_line(unnumbered(&line.content));
    Item::Turn(draft::turn(id(line.id), Some(line.role), text))
}

fn id(turn: u64) -> String {
    format!("t{turn}")
}

/// The user's questions end with their position in the plan: `->-> 1,12`.
fn unnumbered(text: &str) -> &str {
    match text.rsplit_once("->->") {
        Some((before, place)) if place.chars().all(|c| " ,.0123456789".contains(c)) => before,
        _ => text,
    }
}

fn category(ability: &str) -> Result<Category> {
    Ok(match ability {
        "abstention" => Category::Adversarial,
        "temporal_reasoning" | "event_ordering" | "knowledge_update" => Category::Temporal,
        "multi_session_reasoning" => Category::MultiHop,
        "summarization" => Category::Aggregative,
        "information_extraction" => Category::SingleHop,
        "contradiction_resolution" => Category::Comparative,
        "preference_following" | "instruction_following" => Category::OpenDomain,
        other => bail!("ability `{other}` is not among BEAM's ten"),
    })
}

fn asked(asked: Question, category: Category) -> Probe {
    let mut turns = BTreeSet::new();
    collect(&asked.source_chat_ids, &mut turns);
    let gold = Gold {
        answer: asked.answer.filter(|_| category != Category::Adversarial),
        evidence: turns.into_iter().map(id).collect(),
        category: Some(category),
    };
    Probe {
        // "have I ..." means the user
        asked_by: Some("user".to_owned()),
        ..draft::probe(asked.question, gold)
    }
}

/// The numbers in lists, lists of lists, or lists by name.
fn collect(value: &Value, turns: &mut BTreeSet<u64>) {
    match value {
        Value::Number(number) => turns.extend(number.as_u64()),
        Value::Array(values) => values.iter().for_each(|value| collect(value, turns)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, turns)),
        _ => {}
    }
}
