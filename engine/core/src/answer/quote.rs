//! The default answerer: quotes the best evidence, or says that there is none.
//!
//! It has no model, so what it says was said. It abstains when the best statement supports too
//! little of what was asked.

use super::types::{Answer, Citation, Premise, Question, Recall, Statement};
use super::{Answerer, overview};
use crate::limits;
use crate::memory::{Part, gap};
use crate::text::{content_words, is_whole_sentence};
use std::collections::BTreeSet;

/// Words of an answer at most, unless one statement has more.
const WORDS_MAX: usize = 40;
/// Statements of an answer at most, and where one of them surely answers.
const QUOTES_MAX: usize = 4;
const QUOTES_MAX_SURE: usize = 2;
/// Chance from which a statement surely answers.
const SURE: f32 = 0.7;
/// Chance below which none is likely.
const UNSURE: f32 = 0.3;
/// A further statement is quoted when it may answer as well, and nearly as likely as the first.
const ALSO_CHANCE: f32 = 0.05;
const ALSO_SHARE: f32 = 0.15;

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

/// Answers by quoting: the statement that most likely answers, and further ones that may and say
/// something new.
#[must_use]
pub fn quote(question: &Question, recall: &Recall) -> Answer {
    if let Some(overview) = &recall.overview {
        return overview::told(overview);
    }
    let quoted = quoted(question, recall);
    if quoted.is_empty() || !supported(recall) {
        return abstention(recall);
    }
    quotes(&quoted, recall)
}

/// The answer that quotes these statements.
pub(super) fn quotes(quoted: &[&Statement], recall: &Recall) -> Answer {
    let spoken = spoken(quoted);
    let citations = cited(quoted);
    let grounded = grounded(quoted, &citations);
    Answer {
        text: match &recall.premise {
            Some(premise) => format!("{premise} {spoken}"),
            None => spoken,
        },
        citations,
        grounded,
        abstained: false,
        unsupported: Vec::new(),
        fallback: None,
    }
}

fn quoted<'a>(question: &Question, recall: &'a Recall) -> Vec<&'a Statement> {
    let mut said: BTreeSet<String> = content_words(&question.text).collect();
    let (mut quoted, mut length): (Vec<&Statement>, usize) = (Vec::new(), 0);
    let best = recall.answers.first().map_or(0.0, |first| first.chance);
    let most = if best >= SURE {
        QUOTES_MAX_SURE
    } else {
        QUOTES_MAX
    };
    // where no single statement is likely, several may name together what is asked
    let joined = recall.joined.iter().filter(|_| best < UNSURE);
    let first = recall.answers.iter().take(1);
    for statement in first.chain(joined).chain(likely(recall)) {
        let words = statement.text.split_whitespace().count() + 1;
        let content: BTreeSet<String> = content_words(&statement.text).collect();
        let fits = length + words <= WORDS_MAX && !content.is_subset(&said);
        if quoted.is_empty() || (fits && quoted.len() < most) {
            quoted.push(statement);
            length += words;
            said.extend(content);
        }
    }
    quoted
}

/// What may answer about as likely as the first.
pub(super) fn likely(recall: &Recall) -> impl Iterator<Item = &Statement> {
    let best = recall.answers.first().map_or(0.0, |first| first.chance);
    let least = ALSO_CHANCE.max(ALSO_SHARE * best);
    recall.answers.iter().filter(move |it| it.chance >= least)
}

/// Whether memory holds an answer.
pub(super) fn supported(recall: &Recall) -> bool {
    recall.support >= limits::SUPPORT_MIN
}

/// Says that memory holds no answer, and what the question wrongly takes for granted: then what
/// somebody else said is quoted.
pub(super) fn abstention(recall: &Recall) -> Answer {
    let other = matches!(recall.premise, Some(Premise::OtherPerson { .. }));
    let other = recall.elsewhere.as_ref().filter(|_| other);
    let quoted: Vec<&Statement> = other.into_iter().collect();
    Answer {
        text: match &recall.premise {
            Some(premise) if quoted.is_empty() => format!("{premise} {ABSTENTION}"),
            Some(premise) => format!("{premise} {}", spoken(&quoted)),
            None => ABSTENTION.to_owned(),
        },
        citations: cited(&quoted),
        grounded: 1.0,
        abstained: true,
        unsupported: Vec::new(),
        fallback: None,
    }
}

/// The statements with their speakers, whose name stands once before those that follow each other.
pub(super) fn spoken(quoted: &[&Statement]) -> String {
    let mut text = String::new();
    let mut last: Option<(&Option<String>, &Option<String>)> = None;
    for statement in quoted {
        let who = (&statement.speaker, &statement.day);
        if !text.is_empty() {
            text.push(' ');
        }
        if last != Some(who) {
            text.push_str(&match who {
                (Some(speaker), Some(day)) => format!("{speaker}, {day}: "),
                (Some(speaker), None) => format!("{speaker}: "),
                (None, Some(day)) => format!("{day}: "),
                (None, None) => String::new(),
            });
        }
        push_sentence(&mut text, &statement.text);
        last = Some(who);
    }
    text
}

/// Adds words as a sentence: an end is added where they have none, and an ellipsis where they break
/// off.
fn push_sentence(text: &mut String, words: &str) {
    let whole = words.trim_end_matches([',', ';', ':', '-', '–', '—', ' ']);
    text.push_str(whole);
    if whole.len() < words.trim_end().len() {
        text.push('…');
    } else if !is_whole_sentence(whole) {
        text.push('.');
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
