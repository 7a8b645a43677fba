//! MELD (Poria et al. 2019): a dialogue is a stream with its times; emotion labels are dropped, and
//! there are no questions.
//!
//! Times are relative to the episode; a stream begins with its dialogue.

use super::captions::clock_ms;
use super::draft::{Draft, Said, Step};
use super::input;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
struct Row {
    #[serde(rename = "Utterance")]
    text: String,
    #[serde(rename = "Speaker")]
    speaker: String,
    #[serde(rename = "Dialogue_ID")]
    dialogue: u32,
    #[serde(rename = "Utterance_ID")]
    utterance: u32,
    #[serde(rename = "StartTime")]
    start: String,
    #[serde(rename = "EndTime")]
    end: String,
}

/// The dialogues of a file by number.
pub(super) fn read(path: &Path) -> Result<Vec<Draft>> {
    let expected = || {
        let path = path.display();
        format!(
            "{path}: expected MELD's CSV with Utterance, Speaker, Dialogue_ID, Utterance_ID, \
             StartTime and EndTime"
        )
    };
    let text = input::text(path)?;
    let mut dialogues: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
    for row in csv::Reader::from_reader(text.as_bytes()).deserialize() {
        let row: Row = row.with_context(expected)?;
        dialogues.entry(row.dialogue).or_default().push(row);
    }
    let corpus = input::stem(path)?;
    let drafts = dialogues.into_iter().map(|(number, mut rows)| {
        rows.sort_by_key(|row| row.utterance);
        let spans: Vec<(u64, u64)> = rows.iter().map(span).collect::<Result<_>>()?;
        let from_ms = spans.iter().map(|span| span.0).min().unwrap_or(0);
        let spans = spans.into_iter().map(|(start, end)| {
            // an end before its start stays invalid and is estimated like the others
            (start - from_ms, end.saturating_sub(from_ms))
        });
        Ok(Draft {
            name: format!("{corpus}-{number}"),
            steps: rows.into_iter().zip(spans).map(said).collect(),
            ..Draft::default()
        })
    });
    drafts.collect::<Result<_>>().with_context(expected)
}

fn span(row: &Row) -> Result<(u64, u64)> {
    let time = |text: &str| {
        let (dialogue, utterance) = (row.dialogue, row.utterance);
        clock_ms(text).with_context(|| {
            format!("dialogue {dialogue}, utterance {utterance}: `{text}` is not a time")
        })
    };
    Ok((time(&row.start)?, time(&row.end)?))
}

fn said((row, span): (Row, (u64, u64))) -> Step {
    Step::Turn(Said {
        id: format!("u{}", row.utterance),
        speaker: Some(row.speaker),
        text: row.text,
        span: Some(span),
    })
}
