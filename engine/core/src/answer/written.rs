//! The answerer with a model, local or behind an endpoint, that chooses statements and writes.
//!
//! The model is asked where [`Decision::is_for_model`] says so. It cites statements by number. Each
//! sentence it writes is checked against these alone; unsupported sentences are removed and listed.
//! Behind what is left stands the statement that supports it and, where the model cited none as
//! small models do, memory's likeliest one. If nothing is left, the cited statements are quoted; if
//! none was cited, or the model fails or is too slow, memory's best statements are. Then the answer
//! gives the reason. After several failures in a row, the model is skipped for some questions.

use super::Answerer;
use super::check::{Checked, check, offered, said};
use super::decision::{Decision, abstention, chance, premise, quotes};
use super::prompt::{TEXT_CHARS_MAX, request};
use super::recall::Recall;
use super::rendering::{cited, cited_passages, ended, spoken};
use super::reply::{Reply, carrying, text_so_far};
use super::types::{Answer, AnswerKind, Draft, Question, Statement};
use crate::circuit_breaker::{CircuitBreaker, FAILURES_MAX, is_transient};
use crate::text::words;
use std::collections::BTreeSet;
use weir_models::{Flow, Generate};

/// An answerer with a generator.
pub struct Written {
    generator: Box<dyn Generate>,
    breaker: CircuitBreaker,
}

impl Written {
    /// An answerer that writes with `generator`. The generator enforces the time limit: see
    /// [`weir_models::TimeLimit`].
    #[must_use]
    pub fn new(generator: Box<dyn Generate>) -> Self {
        Self {
            generator,
            breaker: CircuitBreaker::default(),
        }
    }

    /// The model's reply, or why there is none.
    fn ask(
        &mut self,
        question: &Question,
        offered: &[&Statement],
        recall: &Recall,
        watch: &mut dyn FnMut(&Draft<'_>) -> Flow,
    ) -> Result<Reply, String> {
        let name = self.generator.name();
        if self.breaker.is_open() {
            return Err(format!(
                "{name} failed {FAILURES_MAX} times in a row or more; it is asked again after {} \
                 more questions",
                self.breaker.left(),
            ));
        }
        let request = request(question, offered, recall);
        let mut written = String::new();
        let reply = self.generator.generate(&request, &mut |piece| {
            written.push_str(piece);
            watch(&Draft(&|| text_so_far(&written, question, offered)))
        });
        self.breaker
            .note(reply.as_ref().err().is_some_and(is_transient));
        let text = reply.map_err(|error| error.to_string())?.text;
        let read = serde_json::from_str(&text);
        read.map_err(|error| {
            let name = self.generator.name();
            format!("{name}'s reply is not what was asked for ({error})")
        })
    }
}

impl Answerer for Written {
    fn name(&self) -> &str {
        self.generator.name()
    }

    fn answer_watched(
        &mut self,
        question: &Question,
        recall: &Recall,
        watch: &mut dyn FnMut(&Draft<'_>) -> Flow,
    ) -> Answer {
        let decision = Decision::of(question, recall);
        if !decision.is_for_model(recall) {
            return decision.answer(recall);
        }
        let offered = offered(recall);
        match self.ask(question, &offered, recall, watch) {
            Ok(reply) => {
                let model = self.generator.name();
                answered(&reply, question, recall, &offered, model, decision)
            }
            Err(why) => Answer {
                fallback: Some(why),
                ..decision.answer(recall)
            },
        }
    }
}

/// The answer from a reply, without unsupported sentences; quotes if none is left. A reply without
/// citations, figures and words of the statements means that nothing answers.
fn answered(
    reply: &Reply,
    question: &Question,
    recall: &Recall,
    offered: &[&Statement],
    model: &str,
    decision: Decision<'_>,
) -> Answer {
    let chosen = match reply.cite.is_empty() {
        false => reply.cited(offered),
        true if says_nothing(&reply.text, offered) => return abstention(recall),
        // small models write the answer but forget to cite
        true => carrying(&reply.text, question, offered),
    };
    if chosen.is_empty() {
        return Answer {
            fallback: Some(format!("{model} cited no statement that it was shown")),
            ..decision.answer(recall)
        };
    }
    let (carried, unsupported): (Vec<_>, Vec<_>) =
        check(whole_sentences(&reply.text), question, &chosen)
            .into_iter()
            .partition(|checked| !checked.carriers.is_empty());
    let unsupported: Vec<String> = unsupported.into_iter().map(|c| c.sentence).collect();
    if carried.is_empty() {
        return Answer {
            unsupported,
            fallback: Some(format!("nothing that {model} wrote was said")),
            ..quotes(&chosen, recall)
        };
    }
    // who forgets to cite is trusted less
    let likeliest = recall.heard.answers.first();
    let likeliest = likeliest.filter(|_| reply.cite.is_empty());
    Answer {
        grounded: carried.len() as f32 / (carried.len() + unsupported.len()) as f32,
        unsupported,
        ..composed(&carried, &chosen, likeliest, question, recall)
    }
}

/// What is supported of a reply, and behind it the first statement that supports it and memory's
/// likeliest one, where that is given.
fn composed<'a>(
    carried: &[Checked<'a>],
    chosen: &[&'a Statement],
    likeliest: Option<&'a Statement>,
    question: &Question,
    recall: &'a Recall,
) -> Answer {
    let carries = |statement: &&&Statement| {
        let mut carriers = carried.iter().flat_map(|checked| &checked.carriers);
        carriers.any(|carrier| std::ptr::eq(*carrier, **statement))
    };
    let carriers: Vec<&Statement> = chosen.iter().filter(carries).copied().collect();
    let sentences: Vec<&str> = carried.iter().map(|c| c.sentence.as_str()).collect();
    let premise = premise(&carriers, recall);
    let first = carriers.first().copied();
    let behind = first.into_iter().chain(likeliest);
    let before = sentences.iter().copied().chain([&*question.text]);
    let behind = adding(behind, before.flat_map(words).collect());
    let text = match behind.is_empty() {
        true => sentences.join(" "),
        false => format!("{} {}", ended(&sentences.join(" ")), spoken(&behind)),
    };
    let evidence: Vec<&Statement> = carriers.into_iter().chain(behind).collect();
    Answer {
        kind: AnswerKind::of(premise, true),
        text: match premise {
            Some(premise) => format!("{premise} {text}"),
            None => text,
        },
        citations: cited(&evidence),
        passages: cited_passages(&evidence),
        chance: chance(&evidence, recall),
        grounded: 1.0,
        unsupported: Vec::new(),
        fallback: None,
    }
}

/// Those of the statements that have words which were not shown before them.
fn adding<'a>(
    statements: impl Iterator<Item = &'a Statement>,
    mut shown: BTreeSet<String>,
) -> Vec<&'a Statement> {
    let adds = |statement: &&Statement| {
        let before = shown.len();
        shown.extend(words(&statement.text));
        shown.len() > before
    };
    statements.filter(adds).collect()
}

/// Whether a text has no figures and no words of the statements, their speakers and days: it is
/// empty, or says that they do not answer.
fn says_nothing(text: &str, offered: &[&Statement]) -> bool {
    let figures = text.contains(|c: char| c.is_ascii_digit());
    !figures && said(offered).words().is_disjoint(&words(text))
}

/// A text cut off at the maximum length, without its last sentence; all of it if it has only one.
fn whole_sentences(text: &str) -> &str {
    let cut = text.chars().count() >= TEXT_CHARS_MAX;
    match text.trim_end().rfind(['.', '!', '?']).filter(|_| cut) {
        Some(end) if end > 0 => &text[..=end],
        _ => text,
    }
}
