//! A dialogue being converted: a stream whose turns have no times yet, and whose questions have no
//! numbers and stand anywhere.

use crate::stream::{Item, Probe, Stream, Turn};
use anyhow::{Context, Result};
use clap::ValueEnum;
use jiff::{civil::DateTime, tz::TimeZone};
use std::collections::{HashMap, HashSet};
use weir_core::stream::Span;
use weir_engine::streamfile::Gold;

/// Assumed speech rate in milliseconds per word, and the pause after a turn: corpora have no times.
const WORD_MS: u64 = 400;
const PAUSE_MS: u64 = 500;

/// Parts of a dialogue that were left out of the stream.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// Turns without a letter or digit.
    pub(super) wordless: usize,
    /// Questions about a dialogue without any spoken turn.
    pub(super) unanswerable: usize,
    /// Evidence ids of turns that do not exist, each after its question.
    pub(super) strays: Vec<(String, String)>,
}

/// Position of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Place {
    /// All at the end of the stream
    End,
    /// Right after the last turn of their evidence
    Soon,
}

/// A dialogue without turns and questions.
pub(super) fn empty(name: String) -> Stream {
    Stream {
        name,
        started_at_unix_ms: None,
        items: Vec::new(),
    }
}

/// A sitting begins: the first one starts the stream, the others end a pause.
pub(super) fn sit(draft: &mut Stream, started_at_unix_ms: Option<i64>) {
    match draft.items.is_empty() {
        true => draft.started_at_unix_ms = started_at_unix_ms,
        false => draft.items.push(Item::Break { started_at_unix_ms }),
    }
}

/// Unix milliseconds of a time in a corpus's form, taken as UTC; a day begins at midnight.
pub(super) fn wall_time(text: &str, form: &str, example: &str) -> Result<i64> {
    let time = DateTime::strptime(form, text)
        .with_context(|| format!("`{text}` is not a time such as {example}"))?;
    Ok(time.to_zoned(TimeZone::UTC)?.timestamp().as_millisecond())
}

/// A turn without a time.
pub(super) fn turn(id: String, speaker: Option<String>, text: String) -> Turn {
    Turn {
        id,
        speaker,
        span: Span::new(0, 0),
        text,
    }
}

/// A question without a number; some of its evidence may be invalid.
pub(super) fn probe(question: String, gold: Gold) -> Probe {
    Probe {
        id: String::new(),
        question,
        asked_by: None,
        gold,
    }
}

/// The stream with its questions in position, and the parts left out.
pub(super) fn finish(draft: Stream, place: Place) -> (Stream, Left) {
    let (mut left, mut asked) = (Left::default(), Vec::new());
    let laid = lay(draft.items, &mut asked, &mut left);
    let at = laid.iter().enumerate().filter_map(|(n, item)| match item {
        Item::Turn(turn) => Some((turn.id.as_str(), n)),
        _ => None,
    });
    let at: HashMap<&str, usize> = at.collect();
    let mut placed: HashMap<usize, Vec<Probe>> = HashMap::new();
    for (n, mut probe) in asked.into_iter().enumerate() {
        if at.is_empty() {
            left.unanswerable += 1;
            continue;
        }
        let mut known = HashSet::new();
        probe.gold.evidence.retain(|id| {
            let exists = at.contains_key(id.as_str());
            if !exists {
                left.strays.push((probe.question.clone(), id.clone()));
            }
            exists && known.insert(id.clone())
        });
        probe.id = format!("q{}", n + 1);
        probe.question = one_line(&probe.question);
        let last = probe.gold.evidence.iter().map(|id| at[id.as_str()]).max();
        let last = last.filter(|_| place == Place::Soon);
        let after = last.unwrap_or(laid.len() - 1);
        placed.entry(after).or_default().push(probe);
    }
    let mut items = Vec::new();
    for (n, item) in laid.into_iter().enumerate() {
        items.push(item);
        let probes = placed.remove(&n).unwrap_or_default();
        items.extend(probes.into_iter().map(Item::Probe));
    }
    (Stream { items, ..draft }, left)
}

/// Turns with words on one clock; pauses only between them. Questions are put aside.
fn lay(items: Vec<Item>, asked: &mut Vec<Probe>, left: &mut Left) -> Vec<Item> {
    let (mut laid, mut end_ms, mut pause) = (Vec::new(), None, None);
    for item in items {
        match item {
            Item::Probe(probe) => asked.push(probe),
            Item::Break { .. } => pause = Some(item),
            Item::Turn(turn) if !turn.has_words() => left.wordless += 1,
            Item::Turn(mut turn) => {
                laid.extend(pause.take());
                let long_ms = turn.text.split_whitespace().count().max(1) as u64 * WORD_MS;
                let start_ms = end_ms.map_or(0, |end_ms: u64| end_ms + PAUSE_MS);
                turn.span = Span::new(start_ms, start_ms + long_ms);
                end_ms = Some(turn.span.end_ms);
                laid.push(Item::Turn(turn));
            }
        }
    }
    laid
}

/// Text with each run of white space, including line ends, as one space.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
