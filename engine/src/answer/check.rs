//! Holds every sentence of an answer against the statements that may answer.
//!
//! A sentence is carried when its names, numbers and times stand in what one or two statements and
//! their proofs say (a speaker's name counts as said), when most of its content words do, when it
//! says something the question did not, and when it does not deny what they claim. Statements that
//! hardly bear on the question carry nothing: an instruction spoken into the stream proves itself,
//! but not an answer.

use super::quote::may_answer;
use super::types::{Question, Recall, Statement};
use crate::text::{Marks, display_words, stem, stems};
use std::collections::BTreeSet;

/// Share of a sentence's content words that was said; the rest may be other words for it.
const SAID_SHARE_MIN: f32 = 0.6;
/// Statements that carry one sentence at most.
const CARRIERS_MAX: usize = 2;

/// A sentence and what carries it.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked<'a> {
    /// The sentence.
    pub sentence: String,
    /// The statements that carry it, the best first; none when nothing does.
    pub carriers: Vec<&'a Statement>,
}

/// Checks each sentence of `text` as an answer to `question`.
#[must_use]
pub fn check<'a>(text: &str, question: &Question, recall: &'a Recall) -> Vec<Checked<'a>> {
    let asked = stems(&question.text);
    let mut may: Vec<&Statement> = recall.joined.iter().collect();
    for statement in recall.statements.iter().filter(|s| may_answer(s, recall)) {
        if !may.contains(&statement) {
            may.push(statement);
        }
    }
    let sources: Vec<Source<'a>> = may.into_iter().map(Source::of).collect();
    let checked = |sentence: &str| Checked {
        carriers: carriers(sentence, &asked, &sources),
        sentence: sentence.to_owned(),
    };
    sentences(text).into_iter().map(checked).collect()
}

/// What a statement and its proofs say.
struct Source<'a> {
    statement: &'a Statement,
    stems: BTreeSet<String>,
    negated: bool,
}

impl<'a> Source<'a> {
    fn of(statement: &'a Statement) -> Self {
        let mut said = stems(&statement.text);
        said.extend(stems(statement.speaker.as_deref().unwrap_or_default()));
        for item in &statement.evidence {
            said.extend(stems(&item.quote));
            said.extend(stems(item.speaker.as_deref().unwrap_or_default()));
        }
        Self {
            statement,
            stems: said,
            negated: Marks::of(&statement.text).negated,
        }
    }
}

fn carriers<'a>(
    sentence: &str,
    asked: &BTreeSet<String>,
    sources: &[Source<'a>],
) -> Vec<&'a Statement> {
    let words = stems(sentence);
    let fresh: BTreeSet<&String> = words.iter().filter(|word| !asked.contains(*word)).collect();
    if fresh.is_empty() {
        return Vec::new();
    }
    let mut missing: BTreeSet<&String> = words.iter().collect();
    let mut chosen: Vec<&Source<'a>> = Vec::new();
    while chosen.len() < CARRIERS_MAX {
        let gain = |source: &Source<'a>| {
            let adds = |word: &&&String| source.stems.contains(**word);
            // what answers counts more than what repeats the question
            let new = fresh
                .iter()
                .filter(|w| missing.contains(**w) && source.stems.contains(**w));
            (new.count(), missing.iter().filter(adds).count())
        };
        let next = sources
            .iter()
            .rev()
            .filter(|source| {
                gain(source).0 > 0 && !chosen.iter().any(|c| std::ptr::eq(*c, *source))
            })
            .max_by_key(|source| gain(source));
        let Some(next) = next else { break };
        missing.retain(|word| !next.stems.contains(*word));
        chosen.push(next);
    }
    let said = words.len()
        - missing
            .iter()
            .filter(|word| !asked.contains(**word))
            .count();
    let carried = said as f32 >= SAID_SHARE_MIN * words.len() as f32
        && marks_said(sentence, &chosen)
        && chosen
            .first()
            .is_some_and(|first| first.negated == Marks::of(sentence).negated);
    if !carried {
        return Vec::new();
    }
    chosen.into_iter().map(|source| source.statement).collect()
}

/// Whether the names and figures of a sentence were said by its carriers. The question's do not
/// count: it may take for granted what nobody said.
fn marks_said(sentence: &str, carriers: &[&Source<'_>]) -> bool {
    // the first word has a capital anyhow, so one is put before it
    let marks = Marks::of(&format!("x {sentence}"));
    let said = |word: &String| {
        let word = stem(word);
        carriers.iter().any(|source| source.stems.contains(&word))
    };
    let first = display_words(sentence)
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let named = |name: &&String| **name != first;
    marks.names.iter().filter(named).all(said)
        && marks.numbers.iter().all(said)
        && marks.times.iter().all(said)
}

/// The sentences and list items of a model's answer, marks of lists taken off.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line
            .trim_start_matches(|c: char| "-*•#> ".contains(c))
            .trim();
        let line = match line.split_once(['.', ')']) {
            Some((number, rest))
                if !number.is_empty()
                    && number.len() <= 2
                    && number.bytes().all(|b| b.is_ascii_digit())
                    && rest.starts_with(' ') =>
            {
                rest.trim()
            }
            _ => line,
        };
        let mut start = 0;
        for (at, c) in line.char_indices() {
            let end = at + c.len_utf8();
            let over = line[end..].starts_with(' ') || end == line.len();
            let initial = at >= 1 && line[..at].rsplit(' ').next().is_some_and(|w| w.len() <= 2);
            if matches!(c, '.' | '!' | '?') && over && !(c == '.' && initial) {
                found.push(line[start..end].trim());
                start = end;
            }
        }
        found.push(line[start..].trim());
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}
