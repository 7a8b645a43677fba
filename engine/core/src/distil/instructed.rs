//! A distiller in which an instruction model writes what a block is about, in constrained JSON.
//!
//! The statements are those of the extractive distiller, and so is the heading that is quoted. The
//! model's title of the event, its topic of the scene and its triplets (ProStream 5.2) are kept
//! beside it as far as they are borne out; words of nobody are never evidence. A block of small
//! talk asks nothing. If the reply is missing or late, the block is distilled without the model.
//! After several failures in a row, the model is skipped for some blocks.

use super::borne_out::{Refusal, Said};
use super::counts::DistilCounts;
use super::extractive::Extractive;
use super::heading::{people, quote};
use super::prompts;
use super::record::{Record, name};
use super::triplets::{Triplet, place};
use super::{Distil, DistilError};
use crate::circuit_breaker::is_transient;
use crate::talk::{Block, Distillate, DistilledUnit};
use weir_models::{
    Encode, Flow, Generate, GenerateError, JsonShape, Message, Request, Role, Shape,
};

/// Maximum characters of a title, and of each part of a triplet.
const TITLE_CHARS_MAX: usize = 80;
const PART_CHARS_MAX: usize = 40;
/// Maximum number of triplets.
const TRIPLETS_MAX: usize = 6;
/// Of this many triplets at least one in [`BORNE_OUT_PART`] must be borne out: a model that knows
/// no better is asked for none any more, since they take half of its time.
const TRIPLETS_TRIED: u64 = 24;
const BORNE_OUT_PART: u64 = 4;
/// Maximum tokens of a reply.
const REPLY_TOKENS_MAX: usize = 320;

/// A distiller with a generator, local or behind an endpoint.
pub struct Instructed {
    generator: Box<dyn Generate>,
    name: String,
    record: Record,
    /// What became of the last reply.
    written: Option<WrittenBlock>,
}

/// What a model wrote of a block, and what of it is not shown.
#[derive(Debug, Clone, Default)]
pub struct WrittenBlock {
    /// Its title of the event, and why it is not shown.
    pub title: (String, Option<Refusal>),
    /// Its topic of the scene, and why it is not shown.
    pub scene: (String, Option<Refusal>),
    /// Its triplets, and whether a statement has them.
    pub triplets: Vec<(Triplet, bool)>,
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
            written: None,
        }
    }

    /// What the model wrote of the last block, and what of it is not shown; `None` if it was not
    /// asked, or failed.
    #[must_use]
    pub fn last_written(&self) -> Option<&WrittenBlock> {
        self.written.as_ref()
    }

    fn ask(&mut self, made: &Distillate) -> Result<Reply, GenerateError> {
        let triplets_max = self.triplets_max();
        let triplets = triplets_max > 0;
        let messages = vec![
            Message::new(Role::System, prompts::task(triplets)),
            Message::new(Role::User, prompts::EXAMPLE),
            Message::new(Role::Assistant, prompts::example_reply(triplets)),
            Message::new(Role::User, prompts::spoken(&made.units)),
        ];
        let mut request = Request::new(messages, REPLY_TOKENS_MAX);
        request.shape = Shape::Json(shape(triplets_max));
        let reply = self.generator.generate(&request, &mut |_| Flow::On);
        self.record
            .breaker
            .note(reply.as_ref().err().is_some_and(is_transient));
        let reply = reply?;
        self.record.counts.tokens += (reply.prompt_tokens + reply.reply_tokens) as u64;
        serde_json::from_str(&reply.text).map_err(|error| GenerateError::Failed {
            model: self.generator.name().to_owned(),
            reason: format!("its reply is not what was asked for ({error})"),
        })
    }

    fn triplets_max(&self) -> usize {
        let counts = &self.record.counts;
        let tried = counts.relations_kept + counts.relations_refused;
        match tried >= TRIPLETS_TRIED && counts.relations_kept * BORNE_OUT_PART < tried {
            true => 0,
            false => TRIPLETS_MAX,
        }
    }

    /// Adds what the statements bear out of a reply.
    fn add(
        &mut self,
        reply: Reply,
        made: &mut Distillate,
        encode: &dyn Encode,
    ) -> Result<(), DistilError> {
        let said = Said::of(&made.units);
        let (title, scene) = (said.title(&reply.title), said.scene(&reply.scene));
        let record = &mut self.record;
        let title = record.shown(&reply.title, title);
        let scene = record.shown(&reply.scene, scene);
        let mut written = WrittenBlock {
            title: (reply.title, title.as_ref().err().cloned()),
            scene: (reply.scene, scene.as_ref().err().cloned()),
            triplets: Vec::new(),
        };
        name(made, title.ok(), scene.ok(), encode)?;
        for triplet in reply.triplets.into_iter().take(TRIPLETS_MAX) {
            let placed = made.units.iter_mut().any(|unit| place(&triplet, unit));
            match placed {
                true => record.counts.relations_kept += 1,
                false => record.counts.relations_refused += 1,
            }
            written.triplets.push((triplet, placed));
        }
        self.written = Some(written);
        Ok(())
    }
}

#[derive(serde::Deserialize)]
struct Reply {
    title: String,
    scene: String,
    triplets: Vec<Triplet>,
}

/// JSON shape of a reply. Servers may write the fields in alphabetical order.
fn shape(triplets_max: usize) -> JsonShape {
    let text = |chars_max: usize| JsonShape::String { chars_max };
    let parts = ["subject", "relation", "object"];
    let parts = parts.map(|part| (part.to_owned(), text(PART_CHARS_MAX)));
    let triplets = JsonShape::Array {
        item: Box::new(JsonShape::Object(parts.to_vec())),
        items_max: triplets_max,
    };
    JsonShape::Object(vec![
        ("scene".to_owned(), text(TITLE_CHARS_MAX)),
        ("title".to_owned(), text(TITLE_CHARS_MAX)),
        ("triplets".to_owned(), triplets),
    ])
}

impl Distil for Instructed {
    fn name(&self) -> &str {
        &self.name
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        self.written = None;
        let mut made = Extractive.distil(block, encode)?;
        // small talk has no topic, and models find one
        let people = people(block);
        let tells = |unit: &DistilledUnit| quote(&unit.text, &people).is_some();
        if !made.units.iter().any(tells) || self.record.is_open() {
            return Ok(made);
        }
        self.record.counts.blocks += 1;
        match self.ask(&made) {
            Ok(reply) => self.add(reply, &mut made, encode)?,
            Err(error) => self.record.failed(&error),
        }
        Ok(made)
    }

    fn counts(&self) -> DistilCounts {
        self.record.counts
    }

    fn last_failure(&mut self) -> Option<String> {
        self.record.failure.take()
    }
}
