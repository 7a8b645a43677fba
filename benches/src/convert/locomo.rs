//! `LoCoMo` (Maharana et al. 2024): a dialogue of two people in dated sittings is a stream.
//!
//! Image captions count as spoken, in the form `[shares CAPTION]`. Adversarial questions have no
//! answer.

use super::draft;
use crate::files;
use crate::stream::{Category, Gold, Item, Stream};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;

#[derive(Deserialize)]
struct Sample {
    sample_id: String,
    conversation: Map<String, Value>,
    qa: Vec<Question>,
}

#[derive(Deserialize)]
struct Line {
    speaker: String,
    dia_id: String,
    text: String,
    blip_caption: Option<String>,
}

#[derive(Deserialize)]
struct Question {
    question: String,
    answer: Option<Value>,
    #[serde(default)]
    evidence: Vec<String>,
    category: u8,
}

/// The dialogues of a file.
pub(super) fn read(path: &Path) -> Result<Vec<Stream>> {
    let expected = "LoCoMo's JSON: a list of samples, each with sample_id, conversation and qa";
    let samples: Vec<Sample> = files::json(path, expected)?;
    samples.into_iter().map(draft).collect()
}

fn draft(sample: Sample) -> Result<Stream> {
    let mut draft = draft::empty(sample.sample_id);
    let mut conversation = sample.conversation;
    for number in 1.. {
        let Some(lines) = conversation.remove(&format!("session_{number}")) else {
            break;
        };
        let place = || format!("{}: session {number}", draft.name);
        let date = conversation.get(&format!("session_{number}_date_time"));
        let began = date
            .and_then(Value::as_str)
            .map(|text| draft::wall_time(text, "%I:%M %p on %d %B, %Y", "1:56 pm on 8 May, 2023"));
        let began = began.transpose().with_context(place)?;
        let lines: Vec<Line> = serde_json::from_value(lines).with_context(place)?;
        draft::sit(&mut draft, began);
        draft.items.extend(lines.into_iter().map(said));
    }
    for qa in sample.qa {
        draft.items.push(probe(qa)?);
    }
    Ok(draft)
}

fn said(line: Line) -> Item {
    let text = match line.blip_caption {
        Some(caption) => format!("{} [shares {caption}]", line.text),
        None => line.text,
    };
    let text = text.trim().to_owned();
    Item::Turn(draft::turn(line.dia_id, Some(line.speaker), text))
}

fn probe(qa: Question) -> Result<Item> {
    let category = match qa.category {
        1 => Category::MultiHop,
        2 => Category::Temporal,
        3 => Category::OpenDomain,
        4 => Category::SingleHop,
        5 => Category::Adversarial,
        other => bail!("`{}` has category {other}; 1 to 5 are known", qa.question),
    };
    let answer = qa.answer.filter(|_| category != Category::Adversarial);
    let gold = Gold {
        answer: answer.map(|answer| match answer {
            Value::String(text) => text,
            other => other.to_string(),
        }),
        evidence: qa.evidence,
        category: Some(category),
    };
    Ok(Item::Probe(draft::probe(qa.question, gold)))
}
