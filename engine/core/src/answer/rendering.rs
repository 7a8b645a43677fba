//! Renders statements as the text and the citations of an answer.

use super::types::{Citation, PassageCitation, Statement};
use crate::limits;
use crate::talk::{Part, gap};
use crate::text::{in_words, is_whole_sentence, one_line};

/// What stands before what the same person said earlier of what a later statement says now.
pub(super) const EARLIER: &str = "Earlier: ";

/// The statements with their speakers; consecutive statements of one speaker share the name. One of
/// another day than that before it names its day.
pub(crate) fn spoken(quoted: &[&Statement]) -> String {
    let mut text = String::new();
    let mut last: Option<(&Option<String>, Option<String>)> = None;
    let mut last_day = None;
    for statement in quoted {
        if let Some(passage) = &statement.passage {
            text.push_str(if text.is_empty() { "" } else { " " });
            text.push_str(&format!("{passage}: "));
            push_sentence(&mut text, &passage.quote);
            last = None;
            continue;
        }
        let moved = last_day.is_some() && last_day != statement.said_on;
        let day = statement.said_on.filter(|_| moved).map(in_words);
        let who = (&statement.speaker, statement.day.clone().or(day));
        last_day = statement.said_on;
        if !text.is_empty() {
            text.push(' ');
        }
        if statement.earlier && last.is_some() {
            text.push_str(EARLIER);
        }
        if last.as_ref() != Some(&who) || statement.earlier {
            text.push_str(&prefix(who.0.as_deref(), who.1.as_deref()));
        }
        push_sentence(&mut text, &statement.text);
        last = Some(who);
    }
    text
}

/// What stands before the words of a speaker, said on a day: `Ana, 3 May 2025: `.
pub(super) fn prefix(speaker: Option<&str>, day: Option<&str>) -> String {
    match (speaker, day) {
        (Some(speaker), Some(day)) => format!("{speaker}, {day}: "),
        (Some(of), None) | (None, Some(of)) => format!("{of}: "),
        (None, None) => String::new(),
    }
}

/// Words as a sentence of their own.
pub(super) fn ended(words: &str) -> String {
    let mut text = String::new();
    push_sentence(&mut text, words);
    text
}

/// Adds words as a sentence on the same line: adds a full stop if they lack an end, and an ellipsis
/// if they break off.
fn push_sentence(text: &mut String, words: &str) {
    let words = &*one_line(words);
    let whole = words.trim_end_matches([',', ';', ':', '-', '–', '—', ' ']);
    text.push_str(whole);
    if whole.len() < words.trim_end().len() {
        text.push('…');
    } else if !is_whole_sentence(whole) {
        text.push('.');
    }
}

/// The places of the passages among the statements.
pub(super) fn cited_passages(quoted: &[&Statement]) -> Vec<PassageCitation> {
    let passages = quoted
        .iter()
        .filter_map(|statement| statement.passage.as_deref());
    passages.cloned().collect()
}

pub(crate) fn cited(quoted: &[&Statement]) -> Vec<Citation> {
    let mut citations: Vec<Citation> = Vec::new();
    for citation in quoted.iter().flat_map(|statement| &statement.citations) {
        add_citation(&mut citations, citation);
    }
    citations
}

/// Adds a citation. There is one per utterance, or per part of an utterance recognised in parts.
/// Further words of it follow the first in the order said, with an ellipsis between.
pub(crate) fn add_citation(citations: &mut Vec<Citation>, more: &Citation) {
    let is_it = |known: &Citation| known.evidence.same_turn(&more.evidence);
    let known = citations.iter().position(is_it);
    match known {
        Some(at) => join_quotes(&mut citations[at], more),
        None if citations.len() < limits::CITATIONS_MAX => citations.push(more.clone()),
        None => {}
    }
}

fn join_quotes(known: &mut Citation, more: &Citation) {
    let (Some(words), Some(added)) = (&known.quote, &more.quote) else {
        if known.quote.is_none() {
            known.quote.clone_from(&more.quote);
            known.evidence.part = more.evidence.part;
        }
        return;
    };
    let (Some(part), Some(other)) = (known.evidence.part, more.evidence.part) else {
        return;
    };
    if part.holds(other) || words.contains(added.as_str()) {
        return;
    }
    // parts that overlap what is quoted, or are inside a gap of it, are skipped
    let joined = if part.end <= other.start {
        format!("{words}{}{added}", gap(part.end, other.start))
    } else if other.end <= part.start {
        format!("{added}{}{words}", gap(other.end, part.start))
    } else {
        return;
    };
    known.quote = Some(joined);
    known.evidence.part = Some(Part {
        start: part.start.min(other.start),
        end: part.end.max(other.end),
    });
}
