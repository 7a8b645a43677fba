//! A distiller that asks an instruction model which statements to keep, with constrained JSON.
//!
//! The statements are those of the extractive distiller, numbered. The model replies with numbers
//! and a title, so it cannot write anything into memory that nobody said. If the reply is missing
//! or late, the block is distilled without the model. After several failures in a row, the model is
//! skipped for some blocks.

use super::counts::DistilCounts;
use super::extractive::Extractive;
use super::prompts;
use super::selection::{Record, Selection};
use super::{Distil, DistilError};
use crate::circuit_breaker::is_transient;
use crate::talk::{Block, Distillate, DistilledUnit};
use weir_models::{
    Encode, Flow, Generate, GenerateError, JsonShape, Message, Request, Role, Shape,
};

/// Maximum characters of a title.
const TITLE_CHARS_MAX: usize = 80;
/// At most one of this many statements may be kept: a model that keeps all has chosen nothing.
const STATEMENTS_PER_KEPT: usize = 2;
/// Maximum number of statements kept per block.
const KEPT_MAX: usize = 32;
/// Maximum tokens of a reply: that many numbers, and a title.
const REPLY_TOKENS_MAX: usize = 320;

/// A distiller with a generator, local or behind an endpoint.
pub struct Instructed {
    generator: Box<dyn Generate>,
    name: String,
    record: Record,
}

impl Instructed {
    /// A distiller that asks `generator`, which enforces the time limit: see
    /// [`weir_models::TimeLimit`].
    #[must_use]
    pub fn new(generator: Box<dyn Generate>) -> Self {
        let name = format!("llm:{}", generator.name());
        Self {
            generator,
            name,
            record: Record::default(),
        }
    }

    fn ask(&mut self, units: &[DistilledUnit]) -> Result<Selection, GenerateError> {
        if units.is_empty() {
            return Ok(Selection::default());
        }
        let messages = vec![
            Message::new(Role::System, prompts::TASK),
            Message::new(Role::User, prompts::EXAMPLE),
            Message::new(Role::Assistant, prompts::EXAMPLE_REPLY),
            Message::new(Role::User, prompts::numbered(units)),
        ];
        let mut request = Request::new(messages, REPLY_TOKENS_MAX);
        request.shape = Shape::Json(shape(units.len()));
        let reply = self.generator.generate(&request, &mut |_| Flow::On);
        self.record
            .breaker
            .note(reply.as_ref().err().is_some_and(is_transient));
        let reply = reply?;
        self.record.counts.tokens += (reply.prompt_tokens + reply.reply_tokens) as u64;
        let read: Reply =
            serde_json::from_str(&reply.text).map_err(|error| GenerateError::Failed {
                model: self.generator.name().to_owned(),
                reason: format!("its reply is not what was asked for ({error})"),
            })?;
        Ok(read.into())
    }
}

#[derive(serde::Deserialize)]
struct Reply {
    keep: Vec<String>,
    title: String,
}

impl From<Reply> for Selection {
    fn from(reply: Reply) -> Self {
        let place = |number: &String| number.parse::<usize>().ok()?.checked_sub(1);
        Self {
            keep: reply.keep.iter().filter_map(place).collect(),
            title: reply.title,
            label: String::new(),
        }
    }
}

/// JSON shape of a reply for this many statements. Servers may write the fields in alphabetical
/// order: the choice then still comes before the text.
fn shape(statements: usize) -> JsonShape {
    let numbers = (1..=statements).map(|number| number.to_string()).collect();
    let keep = JsonShape::Array {
        item: Box::new(JsonShape::OneOf(numbers)),
        items_max: statements.div_ceil(STATEMENTS_PER_KEPT).min(KEPT_MAX),
    };
    let title = JsonShape::String {
        chars_max: TITLE_CHARS_MAX,
    };
    JsonShape::Object(vec![("keep".to_owned(), keep), ("title".to_owned(), title)])
}

impl Distil for Instructed {
    fn name(&self) -> &str {
        &self.name
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        let made = Extractive.distil(block, encode)?;
        if self.record.is_open() {
            return Ok(made);
        }
        let selected = self.ask(&made.units);
        self.record.settle(selected, block, made, encode)
    }

    fn counts(&self) -> DistilCounts {
        self.record.counts
    }

    fn last_failure(&mut self) -> Option<String> {
        self.record.failure.take()
    }
}
