//! The answerer that has a model write, local or behind an endpoint.
//!
//! What memory does not support is not asked for; what the model writes is checked sentence by
//! sentence, and sentences that no evidence carries are left out and listed. Where nothing is left,
//! or the model fails or is too slow, the answer is quotes, and says why. A model that failed
//! several times in a row is not asked for some questions.

use super::Answerer;
use super::check::check;
use super::prompt;
use super::quote::{abstention, cited, quote, supported};
use super::types::{Answer, Premise, Question, Recall, Statement};
use crate::patience::{FAILURES_MAX, Patience, is_lost};
use weir_models::{Ended, Flow, Generate};

/// Ways in which a model says that it does not know.
const NOT_KNOWN: [&str; 14] = [
    "don't know",
    "do not know",
    "not mentioned",
    "not specified",
    "not stated",
    "no information",
    "not provided",
    "cannot be determined",
    "can't be determined",
    "nothing i have heard",
    "no answer",
    "not available",
    "unknown",
    "n/a",
];

/// Tokens of an answer: a few sentences.
const ANSWER_TOKENS_MAX: usize = 96;

/// The answerer around a generator.
pub struct Written {
    generator: Box<dyn Generate>,
    patience: Patience,
}

impl Written {
    /// An answerer that has `generator` write. How long is the generator's to say: see
    /// [`weir_models::TimeLimit`].
    #[must_use]
    pub fn new(generator: Box<dyn Generate>) -> Self {
        Self {
            generator,
            patience: Patience::default(),
        }
    }

    /// What the model writes, or why it did not.
    fn write(&mut self, question: &Question, recall: &Recall) -> Result<String, String> {
        if self.patience.rests() {
            return Err(format!(
                "{} failed {FAILURES_MAX} times in a row or more; it is asked again after {} more \
                 questions",
                self.generator.name(),
                self.patience.left(),
            ));
        }
        let request = prompt::request(question, recall, ANSWER_TOKENS_MAX);
        let reply = self.generator.generate(&request, &mut |_| Flow::On);
        self.patience
            .note(reply.as_ref().err().is_some_and(is_lost));
        let reply = reply.map_err(|error| error.to_string())?;
        let name = self.generator.name();
        if reply.text.trim().is_empty() {
            return Err(format!("{name} wrote nothing"));
        }
        Ok(match reply.ended {
            Ended::TokensMax => whole_sentences(&reply.text).to_owned(),
            _ => reply.text,
        })
    }
}

impl Answerer for Written {
    fn name(&self) -> &str {
        self.generator.name()
    }

    fn answer(&mut self, question: &Question, recall: &Recall) -> Answer {
        // what memory says of itself is counted, not written
        if recall.overview.is_some() {
            return quote(question, recall);
        }
        if !supported(recall) {
            return abstention(recall);
        }
        // a model confirms what it is asked; quotes show who said it
        if matches!(recall.premise, Some(Premise::OtherPerson { .. })) {
            return quote(question, recall);
        }
        match self.write(question, recall) {
            Ok(text) => checked(&text, question, recall, self.generator.name()),
            Err(why) => Answer {
                fallback: Some(why),
                ..quote(question, recall)
            },
        }
    }
}

/// The answer without what nothing carries. Where that is all of it, an abstention if it says that
/// the model does not know, and quotes otherwise.
fn checked(text: &str, question: &Question, recall: &Recall, model: &str) -> Answer {
    let checked = check(text, question, recall);
    let (carried, unsupported): (Vec<_>, Vec<_>) = checked
        .into_iter()
        .partition(|checked| !checked.carriers.is_empty());
    let unsupported: Vec<String> = unsupported.into_iter().map(|c| c.sentence).collect();
    // "Bob is not available on Friday" is an answer where somebody said so
    if carried.is_empty() && says_not_known(text) {
        return abstention(recall);
    }
    if carried.is_empty() {
        return Answer {
            unsupported,
            fallback: Some(format!("nothing that {model} wrote was said")),
            ..quote(question, recall)
        };
    }
    let mut carriers: Vec<&Statement> = Vec::new();
    for statement in carried.iter().flat_map(|checked| &checked.carriers) {
        if !carriers.contains(statement) {
            carriers.push(statement);
        }
    }
    let sentences: Vec<&str> = carried
        .iter()
        .map(|checked| checked.sentence.as_str())
        .collect();
    let written = carried.len() + unsupported.len();
    Answer {
        text: match &recall.premise {
            Some(premise) => format!("{premise} {}", sentences.join(" ")),
            None => sentences.join(" "),
        },
        citations: cited(&carriers),
        grounded: carried.len() as f32 / written as f32,
        abstained: false,
        unsupported,
        fallback: None,
    }
}

fn says_not_known(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let mark = |c: char| !(c.is_alphanumeric() || c == '\'' || c == '/');
    let words: Vec<&str> = lower.split(mark).filter(|word| !word.is_empty()).collect();
    let whole = format!(" {} ", words.join(" "));
    let says = |known: &&str| whole.contains(&format!(" {known} "));
    // in a long answer such words are about something in it
    words.len() <= 20 && NOT_KNOWN.iter().any(says)
}

/// A text whose last sentence was cut off, without it; all of it where there is only one.
fn whole_sentences(text: &str) -> &str {
    match text.trim_end().rfind(['.', '!', '?', '\n']) {
        Some(end) if end > 0 => &text[..=end],
        _ => text,
    }
}
