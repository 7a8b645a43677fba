//! Answers to questions for a fact, from profiles: "Ana lives in Porto."

use super::recall::Recall;
use super::rendering::{cited, spoken, with_words};
use super::types::{Answer, AnswerKind, KnownFact, Statement};
use crate::text::fact_about;
use std::fmt;

/// Maximum number of statements quoted for what is known, and for what contradicts it.
const QUOTES_MAX: usize = 2;
/// What stands before quotes that contradict a fact.
pub(super) const OTHERWISE: &str = "Also said: ";

impl fmt::Display for KnownFact {
    /// "Ana lives in Porto."; of a speaker without a name, "You live in Porto."
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let speaker = self.speaker.as_deref();
        f.write_str(&fact_about(speaker, self.slot, &self.about, &self.value))
    }
}

/// The answer to a question for a fact, if a profile has it and the premise stands. What the
/// speaker said against it, without saying that it changed, is quoted too.
pub(super) fn render_answer(recall: &Recall) -> Option<Answer> {
    if recall.known.facts.is_empty() || !recall.knows_the_subject() {
        return None;
    }
    let mut text = summary(&recall.known.facts);
    let said = recall.known.facts.iter().filter_map(|it| it.said.as_ref());
    let said: Vec<&Statement> = said.take(QUOTES_MAX).collect();
    let against = recall.known.facts.iter().flat_map(|it| &it.otherwise);
    let against: Vec<&Statement> = against.take(QUOTES_MAX).collect();
    for (before, quoted) in [("", &said), (OTHERWISE, &against)] {
        let quoted = with_words(quoted);
        if !quoted.is_empty() {
            text.push_str(&format!(" {before}{}", spoken(&quoted)));
        }
    }
    let quoted: Vec<&Statement> = said.into_iter().chain(against).collect();
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

/// One sentence for each fact.
pub(super) fn summary(facts: &[KnownFact]) -> String {
    let sentences: Vec<String> = facts.iter().map(ToString::to_string).collect();
    sentences.join(" ")
}
