//! LoCoMo: long two-person dialogues in dated sittings (Maharana et al. 2024).
//!
//! Image captions count as spoken, in the form `[shares CAPTION]`. Invalid gold evidence is left
//! out and counted.

use super::{Dialogue, Gold, Item, Turn};
use anyhow::{Context, Result, bail};
use jiff::{civil::DateTime, tz::TimeZone};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashSet;
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

/// Dialogues, and the number of invalid evidence ids.
pub(crate) fn read(path: &Path) -> Result<(Vec<Dialogue>, usize)> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("{} not read", path.display()))?;
    let samples: Vec<Sample> = serde_json::from_str(&text).with_context(|| {
        format!(
            "{} is not LoCoMo's JSON: a list of samples, each with sample_id, conversation and qa",
            path.display()
        )
    })?;
    let mut strays = 0;
    let dialogues = samples
        .into_iter()
        .map(|sample| dialogue(sample, &mut strays))
        .collect::<Result<_>>()?;
    Ok((dialogues, strays))
}

fn dialogue(sample: Sample, strays: &mut usize) -> Result<Dialogue> {
    let name = sample.sample_id;
    let items = items(&name, sample.conversation)?;
    let mut dialogue = Dialogue {
        name,
        items,
        questions: Vec::new(),
    };
    let ids: HashSet<&str> = dialogue.turns().map(|turn| turn.id.as_str()).collect();
    let questions = sample
        .qa
        .into_iter()
        .map(|qa| gold(qa, &ids, strays))
        .collect::<Result<_>>()?;
    dialogue.questions = questions;
    Ok(dialogue)
}

fn items(name: &str, mut conversation: Map<String, Value>) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    for number in 1.. {
        let Some(lines) = conversation.remove(&format!("session_{number}")) else {
            break;
        };
        let date = conversation.get(&format!("session_{number}_date_time"));
        let started_at_unix_ms = match date.and_then(Value::as_str) {
            Some(text) => Some(
                wall_time(text)
                    .with_context(|| format!("{name}: session {number}: date `{text}`"))?,
            ),
            None => None,
        };
        items.push(Item::Sitting { started_at_unix_ms });
        let lines: Vec<Line> =
            serde_json::from_value(lines).with_context(|| format!("{name}: session {number}"))?;
        items.extend(lines.into_iter().map(|line| Item::Turn(turn(line))));
    }
    Ok(items)
}

fn turn(line: Line) -> Turn {
    let text = match line.blip_caption {
        Some(caption) => format!("{} [shares {caption}]", line.text),
        None => line.text,
    };
    Turn {
        id: line.dia_id,
        speaker: line.speaker,
        text: text.trim().to_owned(),
    }
}

/// `1:56 pm on 8 May, 2023`, taken as UTC.
fn wall_time(text: &str) -> Result<i64> {
    let time = DateTime::strptime("%I:%M %p on %d %B, %Y", text)?;
    Ok(time.to_zoned(TimeZone::UTC)?.timestamp().as_millisecond())
}

fn gold(qa: Question, ids: &HashSet<&str>, strays: &mut usize) -> Result<Gold> {
    let category = match qa.category {
        1 => "multi-hop",
        2 => "temporal",
        3 => "open-domain",
        4 => "single-hop",
        5 => "adversarial",
        other => bail!("`{}` has category {other}; 1 to 5 are known", qa.question),
    };
    let known = |id: &String| ids.contains(id.as_str());
    let (evidence, astray): (Vec<String>, Vec<String>) = qa.evidence.into_iter().partition(known);
    *strays += astray.len();
    let answer = match qa.answer {
        _ if category == "adversarial" => None,
        Some(Value::String(text)) => Some(text),
        Some(other) => Some(other.to_string()),
        None => None,
    };
    Ok(Gold {
        question: qa.question,
        answer,
        evidence,
        strays: astray,
        category,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_sample_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sample.json");
        let sample = r#"[{"sample_id": "s", "qa": [
            {"question": "Who?", "answer": 7, "evidence": ["D1:1", "D9:9"], "category": 1},
            {"question": "What?", "evidence": ["D1:2"], "category": 5}],
          "conversation": {"speaker_a": "A", "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "Hi"},
              {"speaker": "B", "dia_id": "D1:2", "text": "Look", "blip_caption": "a cat"}]}}]"#;
        std::fs::write(&path, sample).expect("written");
        let (dialogues, strays) = read(&path).expect("it is whole");
        assert_eq!(strays, 1);
        let turns: Vec<&Turn> = dialogues[0].turns().collect();
        assert_eq!(turns[1].text, "Look [shares a cat]");
        assert!(matches!(
            dialogues[0].items[0],
            Item::Sitting {
                started_at_unix_ms: Some(1_683_554_160_000)
            }
        ));
        assert_eq!(dialogues[0].questions[0].evidence, ["D1:1"]);
        assert_eq!(dialogues[0].questions[0].answer.as_deref(), Some("7"));
        assert_eq!(dialogues[0].questions[1].answer, None);
    }
}
