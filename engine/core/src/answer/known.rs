//! Answers to questions for a fact, from profiles: what its holder said, word for word.

use super::recall::Recall;
use super::rendering::{cited, spoken, with_words};
use super::types::{Answer, AnswerKind, Statement};

/// Maximum number of statements quoted for what is known, and for what contradicts it.
const QUOTES_MAX: usize = 2;
/// What stands before quotes that contradict a fact.
pub(super) const OTHERWISE: &str = "Also said: ";

/// The answer to a question for a fact, if a profile has it, its words are held and the premise
/// stands. What the speaker said against it, without saying that it changed, is quoted too.
pub(super) fn render_answer(recall: &Recall) -> Option<Answer> {
    if !recall.knows_the_subject() {
        return None;
    }
    let facts = &recall.known.facts;
    let said: Vec<&Statement> = facts.iter().filter_map(|it| it.said.as_ref()).collect();
    let said = with_words(&said);
    let said = &said[..said.len().min(QUOTES_MAX)];
    let against: Vec<&Statement> = facts.iter().flat_map(|it| &it.otherwise).collect();
    let against: Vec<&Statement> = with_words(&against).into_iter().take(QUOTES_MAX).collect();
    if said.is_empty() {
        return None;
    }
    let mut text = spoken(said);
    if !against.is_empty() {
        text.push_str(&format!(" {OTHERWISE}{}", spoken(&against)));
    }
    let quoted: Vec<&Statement> = said.iter().copied().chain(against).collect();
    Some(Answer {
        kind: AnswerKind::Answer,
        text,
        citations: cited(&quoted),
        passages: Vec::new(),
        grounded: 1.0,
        unsupported: Vec::new(),
        fallback: None,
    })
}
