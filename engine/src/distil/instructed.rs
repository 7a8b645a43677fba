//! A distiller that asks an instruction model, whose reply is JSON by construction.
//!
//! Each fact names the line it is from, so the gate knows what to hold it against. A reply that
//! does not come, or not in time, costs the block nothing: it is distilled without the model. After
//! several such in a row some blocks are distilled without asking it.

use super::block::{Block, Distillate};
use super::counts::DistilCounts;
use super::extractive::Extractive;
use super::prompts;
use super::proposal::{Proposal, Record};
use super::{Distil, DistilError};
use crate::patience::is_lost;
use weir_models::{
    Encode, Flow, Generate, GenerateError, Generated, JsonShape, Message, Request, Role, Shape,
};

/// Characters of an event and of a scene's label.
const EVENT_CHARS_MAX: usize = 80;
const SCENE_CHARS_MAX: usize = 40;
/// Characters of one fact.
const FACT_CHARS_MAX: usize = 160;
/// Facts of one line, in the mean: most lines say one thing.
const FACTS_PER_LINE: usize = 2;
/// Facts of a block.
const FACTS_MAX: usize = 12;
/// Tokens of reply: all facts at their longest would be more, and no block says so much.
const REPLY_TOKENS_MAX: usize = 512;

/// The distiller around a generator, local or behind an endpoint.
pub struct Instructed {
    generator: Box<dyn Generate>,
    name: String,
    record: Record,
}

impl Instructed {
    /// A distiller that asks `generator`. How long is the generator's to say: see
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

    fn ask(&mut self, block: &Block) -> Result<Proposal, GenerateError> {
        let messages = vec![
            Message::new(Role::System, prompts::TASK),
            Message::new(Role::User, prompts::numbered(block)),
        ];
        let mut request = Request::new(messages, REPLY_TOKENS_MAX);
        request.shape = Shape::Json(shape(block.fresh.len()));
        let reply = self.generator.generate(&request, &mut |_| Flow::On);
        self.record
            .patience
            .note(reply.as_ref().err().is_some_and(is_lost));
        let reply = reply?;
        self.record.counts.tokens += (reply.prompt_tokens + reply.reply_tokens) as u64;
        self.read(&reply)
    }

    fn read(&self, reply: &Generated) -> Result<Proposal, GenerateError> {
        let wrong = |reason: String| GenerateError::Failed {
            model: self.generator.name().to_owned(),
            reason,
        };
        let read: Reply = serde_json::from_str(&reply.text)
            .map_err(|error| wrong(format!("its reply is not what was asked for ({error})")))?;
        let placed = |fact: Fact| {
            let line: usize = fact.line.parse().unwrap_or(0);
            (line.wrapping_sub(1), fact.fact)
        };
        Ok(Proposal {
            event: read.event,
            scene: read.scene,
            facts: read.facts.into_iter().map(placed).collect(),
            beside: false,
        })
    }
}

#[derive(serde::Deserialize)]
struct Reply {
    event: String,
    scene: String,
    facts: Vec<Fact>,
}

#[derive(serde::Deserialize)]
struct Fact {
    line: String,
    fact: String,
}

/// What a reply about so many lines looks like.
fn shape(lines: usize) -> JsonShape {
    let text = |chars_max| JsonShape::String { chars_max };
    let numbers = (1..=lines).map(|line| line.to_string()).collect();
    let fact = JsonShape::Object(vec![
        ("line".to_owned(), JsonShape::OneOf(numbers)),
        ("fact".to_owned(), text(FACT_CHARS_MAX)),
    ]);
    JsonShape::Object(vec![
        ("event".to_owned(), text(EVENT_CHARS_MAX)),
        ("scene".to_owned(), text(SCENE_CHARS_MAX)),
        (
            "facts".to_owned(),
            JsonShape::Array {
                item: Box::new(fact),
                items_max: (lines * FACTS_PER_LINE).min(FACTS_MAX),
            },
        ),
    ])
}

impl Distil for Instructed {
    fn name(&self) -> &str {
        &self.name
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        let made = Extractive.distil(block, encode)?;
        if self.record.rests() {
            return Ok(made);
        }
        let proposed = self.ask(block);
        self.record.settle(proposed, block, made, encode)
    }

    fn counts(&self) -> DistilCounts {
        self.record.counts
    }

    fn last_failure(&mut self) -> Option<String> {
        self.record.failure.take()
    }
}
