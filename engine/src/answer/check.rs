//! Holds every sentence of an answer against the statements that may answer.
//!
//! A sentence is carried when its names, numbers, times and first word stand in what one or two
//! statements and their proofs say (a speaker's name counts as said), when most of what it says and
//! the question did not does too, and when it does not deny what they claim. One that says nothing
//! that the question did not is carried only as a choice between what the question offers.
//! Statements that hardly bear on the question carry nothing: an instruction spoken into the stream
//! proves itself, but not an answer.

use super::choice::Choice;
use super::quote::may_answer;
use super::types::{Question, Recall, Statement};
use crate::text::{Said, sentences as cut, words};
use std::collections::BTreeSet;

/// Share of what a sentence says and the question did not that was said; the rest may be other
/// words for it.
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
    let mut may: Vec<&Statement> = recall.joined.iter().collect();
    for statement in recall.statements.iter().filter(|s| may_answer(s, recall)) {
        if !may.contains(&statement) {
            may.push(statement);
        }
    }
    let asked = Asked {
        words: words(&question.text),
        choice: Choice::of(&question.text),
        sources: may.into_iter().map(Source::of).collect(),
    };
    let checked = |sentence: &str| Checked {
        carriers: asked.carriers(sentence),
        sentence: sentence.to_owned(),
    };
    sentences(text).into_iter().map(checked).collect()
}

/// What a statement and its proofs say.
struct Source<'a> {
    statement: &'a Statement,
    said: Said,
}

impl<'a> Source<'a> {
    fn of(statement: &'a Statement) -> Self {
        let mut said = Said::of(&statement.text);
        said.add_words(statement.speaker.as_deref().unwrap_or_default());
        for citation in &statement.citations {
            said.add(citation.quote.as_deref().unwrap_or_default());
            said.add_words(citation.evidence.speaker.as_deref().unwrap_or_default());
        }
        Self { statement, said }
    }

    fn says(&self, word: &str) -> bool {
        self.said.words().contains(word)
    }
}

/// A question with what may answer it.
struct Asked<'a> {
    words: BTreeSet<String>,
    choice: Option<Choice>,
    sources: Vec<Source<'a>>,
}

impl<'a> Asked<'a> {
    fn carriers(&self, sentence: &str) -> Vec<&'a Statement> {
        let own = words(sentence);
        let fresh: BTreeSet<&String> = own.difference(&self.words).collect();
        if fresh.is_empty() {
            return self.chosen(sentence);
        }
        let chosen = self.nearest(&own, &fresh);
        let said = |word: &&&String| chosen.iter().any(|source| source.says(word));
        let known = fresh.iter().filter(said).count();
        let carried = known as f32 >= SAID_SHARE_MIN * fresh.len() as f32
            && marks_said(sentence, &chosen)
            && !chosen.is_empty()
            && chosen
                .iter()
                .all(|source| source.said.agrees(sentence, &self.words));
        match carried {
            true => chosen.iter().map(|source| source.statement).collect(),
            false => Vec::new(),
        }
    }

    /// The statements that together say most of a sentence's words.
    fn nearest(&self, own: &BTreeSet<String>, fresh: &BTreeSet<&String>) -> Vec<&Source<'a>> {
        let mut missing: BTreeSet<&String> = own.iter().collect();
        let mut chosen: Vec<&Source<'a>> = Vec::new();
        while chosen.len() < CARRIERS_MAX {
            let gain = |source: &Source<'a>| {
                let adds = missing.iter().filter(|word| source.says(word));
                // what answers counts more than what repeats the question
                let new = adds.clone().filter(|word| fresh.contains(**word)).count();
                (new, adds.count())
            };
            let taken = |source: &Source<'a>| chosen.iter().any(|c| std::ptr::eq(*c, source));
            let next = self
                .sources
                .iter()
                .rev()
                .filter(|source| gain(source).0 > 0 && !taken(source))
                .max_by_key(|source| gain(source));
            let Some(next) = next else { break };
            missing.retain(|word| !next.says(word));
            chosen.push(next);
        }
        chosen
    }

    /// The statement that says outright which of what was offered it is.
    fn chosen(&self, sentence: &str) -> Vec<&'a Statement> {
        let Some(choice) = &self.choice else {
            return Vec::new();
        };
        let mut sources = self.sources.iter();
        let found = sources.find(|source| choice.is_said(sentence, &source.statement.text));
        found.map(|source| source.statement).into_iter().collect()
    }
}

/// Whether the names and figures of a sentence, and its first word, were said by its carriers. The
/// question's do not count: it may take for granted what nobody said.
fn marks_said(sentence: &str, carriers: &[&Source<'_>]) -> bool {
    let mut said = Said::default();
    for source in carriers {
        said.add_words_of(&source.said);
    }
    said.missing(sentence).is_none() && said.first_missing(sentence).is_none()
}

/// The sentences and list items of a model's answer, marks of lists taken off.
fn sentences(text: &str) -> Vec<&str> {
    text.lines().flat_map(|line| cut(item(line))).collect()
}

/// A line without the mark of a list before it.
fn item(line: &str) -> &str {
    let line = line
        .trim_start_matches(|c: char| "-*•#> ".contains(c))
        .trim();
    match line.split_once(['.', ')']) {
        Some((number, rest))
            if !number.is_empty()
                && number.len() <= 2
                && number.bytes().all(|b| b.is_ascii_digit())
                && rest.starts_with(' ') =>
        {
            rest.trim()
        }
        _ => line,
    }
}
