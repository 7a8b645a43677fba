//! The claims of an answer: the single statements in it that can be true or false.
//!
//! Sentences and coordinated clauses are claims, quotes too. What memory computes about itself is
//! none: a false premise, how much was heard. Nobody said it in these words; the quotes behind it
//! are claims.

use super::check::sentences;
use super::overview::left_out;
use super::recall::Recall;
use super::rendering::{EARLIER, prefix};
use super::types::{Answer, Statement};
use crate::limits;
use crate::text::{SpeakerText, asked_and_said, clauses, is_question, words};
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
    pub fn spoken(&self) -> SpeakerText<'_> {
        SpeakerText {
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
    if answer.citations.is_empty() && answer.passages.is_empty() {
        return Vec::new();
    }
    let statements = retrieved(recall);
    let mut claims = Vec::new();
    let mut speaker = None;
    for sentence in sentences(own_text(answer, recall)) {
        let mut left = Some(sentence);
        while let Some(piece) = left {
            let (who, said) = quoted(piece, &statements).unwrap_or((speaker, piece));
            let (parts, after) = parts(said);
            let parts = parts.into_iter().filter(|part| can_be_checked(part));
            claims.extend(parts.map(|part| AnswerClaim {
                speaker: who.map(str::to_owned),
                text: part.to_owned(),
            }));
            (speaker, left) = (who, after);
        }
    }
    claims.truncate(limits::ANSWER_CLAIMS_MAX);
    claims
}

/// The speaker whom a piece of an answer names before the words, and the words; a passage has its
/// place there, and no speaker.
fn quoted<'a>(piece: &'a str, statements: &[&'a Statement]) -> Option<(Option<&'a str>, &'a str)> {
    let piece = piece.strip_prefix(EARLIER).unwrap_or(piece);
    statements.iter().find_map(|it| {
        let before = match it.place() {
            Some(place) => prefix(Some(&place), None),
            None => prefix(it.speaker.as_deref(), it.day.as_deref()),
        };
        let said = piece.strip_prefix(&before).filter(|_| !before.is_empty());
        said.map(|said| (it.speaker.as_deref(), said))
    })
}

/// The text of an answer without what memory computed.
fn own_text<'a>(answer: &'a Answer, recall: &Recall) -> &'a str {
    let text = answer.text.as_str();
    let left_out = recall.reading.overview.as_ref().and_then(left_out);
    let text = left_out.map_or(text, |it| text.strip_suffix(&it).unwrap_or(text));
    let premise = recall.reading.premise.as_ref().map(ToString::to_string);
    let rest = premise.and_then(|computed| text.strip_prefix(computed.as_str()));
    rest.map_or(text, str::trim_start)
}

/// A caption in square brackets, and what follows it; or else the clauses of a sentence, without
/// the conjunctions and commas between them, and without a question in brackets before it: memory
/// put it there, so that the answer can be understood.
fn parts(sentence: &str) -> (Vec<&str>, Option<&str>) {
    if let Some(end) = sentence.find("] ").filter(|_| sentence.starts_with('[')) {
        let after = sentence[end + 1..].trim_start();
        return (vec![&sentence[..=end]], Some(after));
    }
    let (_, said) = asked_and_said(sentence);
    let clauses = clauses(said).into_iter().map(|clause| {
        let mut joined = ["and ", "but ", "so "].iter();
        let bare = joined.find_map(|joined| clause.strip_prefix(joined));
        bare.unwrap_or(clause).trim_end_matches([',', ' '])
    });
    (clauses.collect(), None)
}

fn can_be_checked(part: &str) -> bool {
    !is_question(part) && !words(part).is_empty()
}

/// All statements that recall found, each once.
pub(super) fn retrieved(recall: &Recall) -> Vec<&Statement> {
    let overview = recall.reading.overview.iter().flat_map(|it| &it.statements);
    let found = recall.heard.answers.iter().chain(&recall.heard.statements);
    let found = found
        .chain(&recall.heard.elsewhere)
        .chain(&recall.known.profile)
        .chain(&recall.passages.best);
    let mut known: Vec<&Statement> = Vec::new();
    for statement in found.chain(overview).filter(|it| !it.text.is_empty()) {
        let of = |it: &Statement| (it.speaker.clone(), it.day.clone(), it.text.clone());
        if !known.iter().any(|it| of(it) == of(statement)) {
            known.push(statement);
        }
    }
    known
}
