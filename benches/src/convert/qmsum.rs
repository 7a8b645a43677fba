//! QMSum (Zhong et al. 2021): a meeting is a stream; its questions about parts become probes.
//!
//! ClaimFeatures such as `{vocalsound}` are not said and taken out. A question whose spans hold one turn is
//! single-hop and one whose spans hold several multi-hop, which is what the two words mean; no
//! finer kind is labelled. Questions about the whole meeting collect, and no span is given for
//! them.

use super::draft::{Asked, Draft, Said, Step, has_a_word};
use crate::corpus::qmsum::{self, Meeting, Query, turn_numbers};
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::Path;
use weir_engine::streamfile::Category;

/// The meetings of a folder or file; with a limit so many, evenly spread.
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
            span: None,
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

/// A span that is none keeps its numbers, which name no turn and are reported as such. Turns of a
/// span without a word are no evidence.
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
