//! ProStream's distiller: a summariser for event and scene, an extractor for facts (section 5.2).
//!
//! The paper's units are the bare subjects and objects that its extractor, a GLiNER, finds. Here
//! the extractor is the language model's head of names, and a unit is the full statement in which
//! something is named, verbatim; it is kept longer than one in which nothing is.

use super::borne_out::Said;
use super::counts::DistilCounts;
use super::extractive::Extractive;
use super::prompts;
use super::record::{Record, name};
use super::{Distil, DistilError};
use crate::circuit_breaker::is_transient;
use crate::talk::{Block, Distillate};
use std::time::Duration;
use weir_models::{Encode, GenerateError, Summarise, scene_prompt};

/// Maximum tokens of the phrases for an event and for a scene.
const EVENT_TOKENS: usize = 32;
const SCENE_TOKENS: usize = 16;
/// Salience, in logits, that a statement gains in which something is named. The others stay
/// unchanged: the budget decides what is forgotten, and no model can cause it alone.
const KEPT_LOGITS: f32 = 0.3;

/// Time limit of the models for a block, with a clock that returns the time since a fixed moment.
/// This crate reads no clock itself.
pub struct Limit {
    /// The limit.
    pub within: Duration,
    /// The clock.
    pub clock: Box<dyn Fn() -> Duration + Send>,
}

/// The distiller with its summariser.
pub struct Neural {
    summariser: Box<dyn Summarise>,
    name: String,
    record: Record,
    limit: Option<Limit>,
}

impl Neural {
    /// A distiller with a summariser. The time limit, if any, is checked after each of the two
    /// calls: a running call is not interrupted, but no other starts, and the block is kept
    /// verbatim.
    #[must_use]
    pub fn new(summariser: Box<dyn Summarise>, limit: Option<Limit>) -> Self {
        let name = format!("neural:{}", summariser.name());
        Self {
            summariser,
            name,
            record: Record::default(),
            limit,
        }
    }

    /// The clock's time; 0 without a clock.
    fn now(&self) -> Duration {
        let limit = self.limit.as_ref();
        limit.map_or(Duration::ZERO, |limit| (limit.clock)())
    }

    /// An error if the block started at `begun` has exceeded its limit.
    fn in_time(&self, begun: Duration) -> Result<(), GenerateError> {
        let passed = self.now().saturating_sub(begun);
        match self.limit.as_ref().filter(|limit| passed >= limit.within) {
            Some(limit) => Err(GenerateError::TooSlow {
                model: self.name.clone(),
                limit_ms: u64::try_from(limit.within.as_millis()).unwrap_or(u64::MAX),
            }),
            None => Ok(()),
        }
    }

    /// The titles of the event and of its scene.
    fn ask(&mut self, block: &Block) -> Result<[String; 2], GenerateError> {
        let begun = self.now();
        let title = self
            .summariser
            .summarise(&prompts::event(block), EVENT_TOKENS)?;
        self.in_time(begun)?;
        let label = self
            .summariser
            .summarise(&scene_prompt(&title), SCENE_TOKENS)?;
        self.in_time(begun)?;
        Ok([title, label])
    }
}

impl Distil for Neural {
    fn name(&self) -> &str {
        &self.name
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        let mut made = Extractive.distil(block, encode)?;
        if self.record.is_open() {
            return Ok(made);
        }
        let asked = self.ask(block);
        let record = &mut self.record;
        record
            .breaker
            .note(asked.as_ref().err().is_some_and(is_transient));
        record.counts.blocks += 1;
        let [title, label] = match asked {
            Ok(written) => written,
            Err(error) => {
                record.failed(&error);
                return Ok(made);
            }
        };
        let said = Said::of(&made.units);
        let [checked, scene] = [said.title(&title), said.scene(&label)];
        let title = record.shown(&title, checked).ok();
        let scene = record.shown(&label, scene).ok();
        record.counts.statements_offered += made.units.len() as u64;
        for unit in &mut made.units {
            if !unit.analysis.mentions.is_empty() {
                unit.salience += KEPT_LOGITS;
                record.counts.statements_kept += 1;
            }
        }
        name(&mut made, title, scene, encode)?;
        Ok(made)
    }

    fn counts(&self) -> DistilCounts {
        self.record.counts
    }

    fn last_failure(&mut self) -> Option<String> {
        self.record.failure.take()
    }
}
