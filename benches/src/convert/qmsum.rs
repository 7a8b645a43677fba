//! QMSum (Zhong et al. 2021): a meeting is a stream; its questions about parts become probes.
//!
//! Marks such as `{vocalsound}` are not spoken and are removed. A question with one turn in its
//! spans is single-hop, one with several is multi-hop; no finer kinds are labelled. Questions about
//! the whole meeting are aggregative and have no spans.

use super::draft::{Asked, Draft, Said, Step, has_a_word};
use crate::corpus::qmsum::{self, Meeting, Query, turn_numbers};
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::Path;
use weir_engine::streamfile::Category;

/// The meetings of a folder or file; with a limit this many, evenly spread.
pub(super) fn read(path: &Path, limit: Option<usize>, general: bool) -> Result<Vec<Draft>> {
    let meetings = qmsum::read(path, limit)?;
    let drafts = meetings.into_iter().map(|meeting| draft(meeting, general));
    Ok(drafts.collect())
}

fn draft(meeting: Meeting, general: bool) -> Draft {
    let words: Vec<(String, String)> = meeting
        .turns
        .into_iter()
        .map(|(speaker, text)| (speaker, unmarked(&text)))
        .collect();
    let mut asked: Vec<Asked> = meeting
        .specific
        .into_iter()
        .map(|query| specific(query, &words))
        .collect();
    if general {
        asked.extend(meeting.general.into_iter().map(|query| Asked {
            question: query.question,
            answer: Some(query.answer),
            category: Some(Category::Aggregative),
            ..Asked::default()
        }));
    }
    let steps = words.into_iter().enumerate().map(|(n, (speaker, text))| {
        Step::Turn(Said {
            id: id(n),
            speaker: Some(speaker),
            text,
        })
    });
    Draft {
        name: meeting.name,
        started_at_unix_ms: None,
        steps: steps.collect(),
        asked,
    }
}

fn id(turn: usize) -> String {
    format!("t{turn}")
}

/// An invalid span keeps its numbers, which are then reported as evidence that does not exist.
/// Turns without words in a span are not evidence.
fn specific(query: Query, words: &[(String, String)]) -> Asked {
    let (mut turns, mut evidence) = (BTreeSet::new(), Vec::new());
    for span in &query.relevant_text_span {
        match turn_numbers(span, words.len()) {
            Ok((first, last)) => turns.extend(first..=last),
            Err(_) => evidence.push(span.join(" to ")),
        }
    }
    turns.retain(|&turn| has_a_word(&words[turn].1));
    let category = match turns.len() {
        0 => None,
        1 => Some(Category::SingleHop),
        _ => Some(Category::MultiHop),
    };
    evidence.extend(turns.into_iter().map(id));
    Asked {
        question: query.question,
        answer: Some(query.answer),
        evidence,
        category,
        asked_by: None,
    }
}

/// The text without its `{marks}`.
fn unmarked(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('{') {
        let mark = after.split_once('}');
        let mark = mark.filter(|(name, _)| name.chars().all(|c| c.is_ascii_alphabetic()));
        out.push_str(before);
        match mark {
            Some((_, after)) => rest = after,
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    super::draft::one_line(&out)
}
