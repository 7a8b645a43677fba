//! QMSum (Zhong et al. 2021): a meeting is a stream; its questions about parts become probes.
//!
//! Marks such as `{vocalsound}` are not spoken and are removed. A question with one turn in its
//! spans is single-hop, one with several is multi-hop; no finer kinds are labelled. Questions about
//! the whole meeting have no spans and are left out.

use super::draft::{self, one_line};
use crate::corpus::qmsum::{self, Meeting, Query, turn_numbers};
use crate::stream::{Category, Gold, Item, Probe, Stream, Turn};
use anyhow::Result;
use regex::Regex;
use std::collections::BTreeSet;
use std::path::Path;

/// The meetings of a folder or file; with a limit this many, evenly spread.
pub(super) fn read(path: &Path, limit: Option<usize>) -> Result<Vec<Stream>> {
    let marks = Regex::new(r"\{[A-Za-z]*\}")?;
    let meetings = qmsum::read(path, limit)?.into_iter();
    Ok(meetings.map(|meeting| draft(meeting, &marks)).collect())
}

fn draft(meeting: Meeting, marks: &Regex) -> Stream {
    let turn = |(n, (speaker, text)): (usize, (String, String))| {
        let text = one_line(&marks.replace_all(&text, ""));
        draft::turn(id(n), Some(speaker), text)
    };
    let turns = meeting.turns.into_iter().enumerate();
    let turns: Vec<Turn> = turns.map(turn).collect();
    let asked = meeting.specific.into_iter().map(|it| asked(it, &turns));
    let mut items: Vec<Item> = asked.map(Item::Probe).collect();
    items.extend(turns.into_iter().map(Item::Turn));
    Stream {
        items,
        ..draft::empty(meeting.name)
    }
}

fn id(turn: usize) -> String {
    format!("t{turn}")
}

/// An invalid span keeps its numbers, which are then reported as evidence that does not exist.
/// Turns without words in a span are not evidence.
fn asked(query: Query, said: &[Turn]) -> Probe {
    let (mut turns, mut evidence) = (BTreeSet::new(), Vec::new());
    for span in &query.relevant_text_span {
        match turn_numbers(span, said.len()) {
            Ok((first, last)) => turns.extend(first..=last),
            Err(_) => evidence.push(span.join(" to ")),
        }
    }
    turns.retain(|&turn| said[turn].has_words());
    let category = match turns.len() {
        0 => None,
        1 => Some(Category::SingleHop),
        _ => Some(Category::MultiHop),
    };
    evidence.extend(turns.into_iter().map(id));
    let gold = Gold {
        answer: Some(query.answer),
        evidence,
        category,
    };
    draft::probe(query.question, gold)
}
