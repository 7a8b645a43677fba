//! The claims of an answer: the single statements in it that can be true or false.
//!
//! Sentences and coordinated clauses are claims, quotes too. What memory computes about itself is
//! none: a false premise, a summary of beliefs, how much was heard. Nobody said it, so nothing that
//! was said can prove it.

use super::check::sentences;
use super::feeling::summary;
use super::rendering::prefix;
use super::types::{Answer, Recall, Statement};
use crate::limits;
use crate::text::{Spoken, asked_and_said, clauses, is_question, words};
use serde::{Deserialize, Serialize};

/// One claim of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerClaim {
    /// Whose words the answer quotes here; `None` for the answerer's own.
    pub speaker: Option<String>,
    /// The claim, contiguous in the answer.
    pub text: String,
}

impl AnswerClaim {
    /// The claim with its speaker.
    #[must_use]
    pub fn spoken(&self) -> Spoken<'_> {
        Spoken {
            speaker: self.speaker.as_deref(),
            text: &self.text,
        }
    }
}

/// The claims of an answer, in its order, at most [`limits::ANSWER_CLAIMS_MAX`]. An answer without
/// evidence speaks of memory itself and claims nothing. Cost: linear in the answer for each
/// statement retrieved.
#[must_use]
pub fn answer_claims(answer: &Answer, recall: &Recall) -> Vec<AnswerClaim> {
    if answer.citations.is_empty() {
        return Vec::new();
    }
    let statements = retrieved(recall);
    let mut claims = Vec::new();
    let mut speaker = None;
    let sentences = sentences(told(answer, recall)).into_iter();
    for sentence in sentences.flat_map(captions_apart) {
        let quoted = statements.iter().find_map(|it| {
            let before = prefix(it.speaker.as_deref(), it.day.as_deref());
            let said = sentence.strip_prefix(&before);
            let said = said.filter(|_| !before.is_empty());
            said.map(|said| (it.speaker.clone(), said))
        });
        let said = match quoted {
            Some((who, said)) => {
                speaker = who;
                said
            }
            None => sentence,
        };
        let parts = captions_apart(said).into_iter().flat_map(parts);
        let parts = parts.filter(|part| can_be_checked(part));
        claims.extend(parts.map(|part| AnswerClaim {
            speaker: speaker.clone(),
            text: part.to_owned(),
        }));
    }
    claims.truncate(limits::ANSWER_CLAIMS_MAX);
    claims
}

/// The text of an answer without what memory computed.
fn told<'a>(answer: &'a Answer, recall: &Recall) -> &'a str {
    let mut text = answer.text.as_str();
    let premise = recall.premise.as_ref().map(ToString::to_string);
    let beliefs = (!recall.beliefs.is_empty()).then(|| summary(&recall.beliefs));
    for computed in premise.iter().chain(&beliefs) {
        text = text
            .strip_prefix(computed.as_str())
            .unwrap_or(text)
            .trim_start();
    }
    text
}

/// A sentence without the captions in square brackets before it, each of which is a piece.
fn captions_apart(mut sentence: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    while let Some(end) = sentence.find("] ").filter(|_| sentence.starts_with('[')) {
        pieces.push(&sentence[..=end]);
        sentence = sentence[end + 1..].trim_start();
    }
    pieces.push(sentence);
    pieces
}

/// The clauses of a sentence, without the conjunctions and commas between them, and without a
/// question in brackets before it: memory put it there, so that the answer can be understood.
fn parts(sentence: &str) -> impl Iterator<Item = &str> {
    let (_, said) = asked_and_said(sentence);
    clauses(said).into_iter().map(|clause| {
        let mut joined = ["and ", "but ", "so "].iter();
        let bare = joined.find_map(|joined| clause.strip_prefix(joined));
        bare.unwrap_or(clause).trim_end_matches([',', ' '])
    })
}

fn can_be_checked(part: &str) -> bool {
    !is_question(part) && !words(part).is_empty()
}

/// All statements that recall found, each once.
pub(super) fn retrieved(recall: &Recall) -> Vec<&Statement> {
    let felt = recall.beliefs.iter().filter_map(|it| it.said.as_ref());
    let overview = recall.overview.iter().flat_map(|it| &it.statements);
    let found = recall
        .answers
        .iter()
        .chain(&recall.statements)
        .chain(&recall.joined);
    let found = found
        .chain(felt)
        .chain(&recall.elsewhere)
        .chain(&recall.profile);
    let mut known: Vec<&Statement> = Vec::new();
    for statement in found.chain(overview).filter(|it| !it.text.is_empty()) {
        let of = |it: &Statement| (it.speaker.clone(), it.day.clone(), it.text.clone());
        if !known.iter().any(|it| of(it) == of(statement)) {
            known.push(statement);
        }
    }
    known
}
