//! ProStream's distiller: a summariser for event and scene, an extractor for facts (section 5.2).
//!
//! The paper's units are the bare subjects and objects that its extractor, a GLiNER, finds. Here
//! the extractor is the language model's head of names, and a unit is the full statement in which
//! something is named, verbatim; it is kept longer than one in which nothing is.

use super::counts::DistilCounts;
use super::extractive::Extractive;
use super::prompts;
use super::selection::{Record, Selection};
use super::{Distil, DistilError};
use crate::circuit_breaker::is_transient;
use crate::talk::{Block, Distillate, DistilledUnit};
use std::time::Duration;
use weir_models::{Encode, GenerateError, Summarise, scene_prompt};

/// Maximum tokens of the phrases for an event and for a scene.
const EVENT_TOKENS: usize = 32;
const SCENE_TOKENS: usize = 16;

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

    fn select(
        &mut self,
        block: &Block,
        units: &[DistilledUnit],
    ) -> Result<Selection, GenerateError> {
        let begun = self.now();
        let title = self
            .summariser
            .summarise(&prompts::event(block), EVENT_TOKENS)?;
        self.in_time(begun)?;
        let label = self
            .summariser
            .summarise(&scene_prompt(&title), SCENE_TOKENS)?;
        self.in_time(begun)?;
        let named = |unit: &DistilledUnit| !unit.analysis.mentions.is_empty();
        let keep = (0..units.len()).filter(|at| named(&units[*at])).collect();
        Ok(Selection { keep, title, label })
    }
}

impl Distil for Neural {
    fn name(&self) -> &str {
        &self.name
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        let made = Extractive.distil(block, encode)?;
        if self.record.is_open() {
            return Ok(made);
        }
        let selected = self.select(block, &made.units);
        let failed = selected.as_ref().err();
        self.record.breaker.note(failed.is_some_and(is_transient));
        self.record.settle(selected, block, made, encode)
    }

    fn counts(&self) -> DistilCounts {
        self.record.counts
    }

    fn last_failure(&mut self) -> Option<String> {
        self.record.failure.take()
    }
}
