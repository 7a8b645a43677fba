//! The default answerer: quotes the best evidence, or says that there is none.
//!
//! It has no model, so what it says was said. It abstains when the best statement supports too
//! little of what was asked.

use super::Answerer;
use super::types::{Answer, Citation, Question, Recall, Statement};
use crate::limits;
use crate::memory::{Part, gap};
use crate::text::content_words;
use std::collections::BTreeSet;

/// Support below which nothing is answered.
const SUPPORT_MIN: f32 = 0.40;
/// A further statement is quoted when it supports the answer nearly as well as the best.
const ALSO_SHARE: f32 = 0.82;
/// The same for a question that asks for several things.
const ALSO_SHARE_SEVERAL: f32 = 0.62;
/// Statements quoted at most, for one thing and for several.
const QUOTES_MAX: usize = 2;
const QUOTES_MAX_SEVERAL: usize = 4;

/// What is said when memory holds no answer.
pub const ABSTENTION: &str = "Nothing I have heard answers that.";

/// The answerer that quotes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quote;

impl Answerer for Quote {
    fn name(&self) -> &'static str {
        "quote"
    }

    fn answer(&mut self, question: &Question, recall: &Recall) -> Answer {
        quote(question, recall)
    }
}

/// Answers by quoting.
#[must_use]
pub fn quote(question: &Question, recall: &Recall) -> Answer {
    if recall.statements.is_empty() || !supported(recall) {
        return abstention(recall);
    }
    let several = asks_for_several(&question.text);
    let (share, most) = if several {
        (ALSO_SHARE_SEVERAL, QUOTES_MAX_SEVERAL)
    } else {
        (ALSO_SHARE, QUOTES_MAX)
    };
    let near = recall
        .statements
        .iter()
        .filter(|statement| statement.strength >= share * strongest(recall))
        .take(most);
    let mut quoted: Vec<&Statement> = recall.joined.iter().collect();
    for statement in near {
        if quoted.len() < most.max(recall.joined.len()) && !quoted.contains(&statement) {
            quoted.push(statement);
        }
    }
    let spoken: Vec<String> = quoted.iter().map(|statement| spoken(statement)).collect();
    let citations = cited(&quoted);
    let grounded = grounded(&quoted, &citations);
    Answer {
        text: match &recall.premise {
            Some(premise) => format!("{premise} {}", spoken.join(" ")),
            None => spoken.join(" "),
        },
        citations,
        grounded,
        abstained: false,
        unsupported: Vec::new(),
        fallback: None,
    }
}

/// Whether memory holds an answer.
pub(super) fn supported(recall: &Recall) -> bool {
    recall.support >= SUPPORT_MIN
}

/// Whether a statement may answer, beside the strongest of what was recalled.
pub(super) fn may_answer(statement: &Statement, recall: &Recall) -> bool {
    statement.strength >= ALSO_SHARE_SEVERAL * strongest(recall)
}

/// The strength of the strongest statement; a reranker's first need not be it.
fn strongest(recall: &Recall) -> f32 {
    let strengths = recall.statements.iter().map(|statement| statement.strength);
    strengths.fold(0.0, f32::max)
}

/// Says that memory holds no answer, and what the question wrongly takes for granted.
pub(super) fn abstention(recall: &Recall) -> Answer {
    Answer {
        text: match &recall.premise {
            Some(premise) => format!("{premise} {ABSTENTION}"),
            None => ABSTENTION.to_owned(),
        },
        citations: Vec::new(),
        grounded: 1.0,
        abstained: true,
        unsupported: Vec::new(),
        fallback: None,
    }
}

fn spoken(statement: &Statement) -> String {
    let ended = statement.text.ends_with(['.', '!', '?', '…', ')']);
    let stop = if ended { "" } else { "." };
    match &statement.speaker {
        Some(speaker) => format!("{speaker}: {}{stop}", statement.text),
        None => format!("{}{stop}", statement.text),
    }
}

pub(super) fn cited(quoted: &[&Statement]) -> Vec<Citation> {
    let mut citations: Vec<Citation> = Vec::new();
    for citation in quoted.iter().flat_map(|statement| &statement.citations) {
        add_citation(&mut citations, citation);
    }
    citations
}

/// Adds a citation. Each utterance has one; one per part where a long utterance was heard in parts.
/// Further words of it stand behind the first, in the order said, with an ellipsis between.
pub(crate) fn add_citation(citations: &mut Vec<Citation>, more: &Citation) {
    let is_it = |known: &Citation| {
        let (known, more) = (&known.evidence, &more.evidence);
        known.turn == more.turn && known.same_utterance(more)
    };
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
    // parts that overlap, or one inside a gap of what is quoted already, are left as they are
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

/// Share of the quoted statements whose content words stand in the quotes that are cited, or that
/// quote nothing since they are the proof's own words already.
fn grounded(quoted: &[&Statement], citations: &[Citation]) -> f32 {
    let proved: BTreeSet<String> = citations
        .iter()
        .filter_map(|citation| citation.quote.as_deref())
        .flat_map(content_words)
        .collect();
    let carried = quoted
        .iter()
        .filter(|statement| {
            let words: BTreeSet<String> = content_words(&statement.text).collect();
            words.intersection(&proved).count() * 2 >= words.len()
        })
        .count();
    carried as f32 / quoted.len().max(1) as f32
}

/// "How many", "both", "Athens or Prague", "which cities": one statement may not be all of it.
fn asks_for_several(question: &str) -> bool {
    const MARKS: [&str; 14] = [
        "how many",
        "all",
        "both",
        "each",
        "list",
        "and",
        "everyone",
        "or",
        "before",
        "after",
        "more",
        "compare",
        "kinds",
        "different",
    ];
    let lower = format!(
        " {} ",
        question.to_lowercase().replace(['?', ',', '.'], " ")
    );
    let words: Vec<&str> = lower.split_whitespace().collect();
    let plural = |word: &str| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
    MARKS
        .iter()
        .any(|mark| lower.contains(&format!(" {mark} ")))
        || words.windows(2).any(|pair| {
            ["which", "what"].contains(&pair[0]) && plural(pair[1]) && pair[1] != "does"
        })
}
