//! ProStream's distiller: a summariser for event and scene, an extractor for facts (section 5.2).
//!
//! The paper's units are the bare subjects and objects that its extractor finds. Here a unit is the
//! full statement in which something was found, verbatim; it is kept longer than one in which
//! nothing was found.

use super::counts::DistilCounts;
use super::extractive::Extractive;
use super::prompts;
use super::selection::{Record, Selection};
use super::{Distil, DistilError};
use crate::circuit_breaker::is_transient;
use crate::talk::Part;
use crate::talk::{Block, Distillate, DistilledUnit};
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;
use weir_models::{
    Encode, Extract, ExtractError, GenerateError, Summarise, relation_label, scene_prompt,
};

/// Entity types to extract.
const ENTITIES: [&str; 12] = [
    "person", "place", "organization", "date", "time", "number", "event", "product", "animal",
    "food", "occupation", "hobby",
];
/// Relations of speakers to extract.
const RELATIONS: [&str; 8] = [
    "lives in", "works at", "works as", "likes", "owns", "went to", "met", "plans to",
];
/// Maximum number of speakers of a block to ask about; blocks rarely have more.
const SPEAKERS_MAX: usize = 3;
/// Minimum probability of a span, as used by the extractor's authors.
const THRESHOLD: f32 = 0.5;
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

/// The distiller with its two models.
pub struct Neural {
    summariser: Box<dyn Summarise>,
    extractor: Box<dyn Extract>,
    name: String,
    record: Record,
    limit: Option<Limit>,
}

/// Why the models gave no result.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error(transparent)]
    Summarise(#[from] GenerateError),
    #[error(transparent)]
    Extract(#[from] ExtractError),
}

impl Neural {
    /// A distiller with a summariser and an extractor. The time limit, if any, is checked after
    /// each of the four model calls: a running call is not interrupted, but no other starts, and
    /// the block is kept verbatim.
    #[must_use]
    pub fn new(
        summariser: Box<dyn Summarise>,
        extractor: Box<dyn Extract>,
        limit: Option<Limit>,
    ) -> Self {
        let name = format!("neural:{}+{}", summariser.name(), extractor.name());
        Self {
            summariser,
            extractor,
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
    fn in_time(&self, begun: Duration) -> Result<(), Failed> {
        let passed = self.now().saturating_sub(begun);
        match self.limit.as_ref().filter(|limit| passed >= limit.within) {
            Some(limit) => Err(Failed::Summarise(GenerateError::TooSlow {
                model: self.name.clone(),
                limit_ms: u64::try_from(limit.within.as_millis()).unwrap_or(u64::MAX),
            })),
            None => Ok(()),
        }
    }

    fn select(&mut self, block: &Block, units: &[DistilledUnit]) -> Result<Selection, Failed> {
        let begun = self.now();
        let title = self
            .summariser
            .summarise(&prompts::event(block), EVENT_TOKENS)?;
        self.in_time(begun)?;
        let label = self
            .summariser
            .summarise(&scene_prompt(&title), SCENE_TOKENS)?;
        self.in_time(begun)?;
        let lines = Lines::of(block);
        let relations = relations(block);
        let relations: Vec<&str> = relations.iter().map(String::as_str).collect();
        let mut keep = BTreeSet::new();
        for labels in [&ENTITIES[..], &relations] {
            for found in self.extractor.extract(&lines.text, labels, THRESHOLD)? {
                let place = lines.place(&found.bytes);
                keep.extend(place.and_then(|(line, bytes)| {
                    let id = &block.fresh[line].utterance.id;
                    units.iter().position(|unit| quotes(unit, id, &bytes))
                }));
            }
            self.in_time(begun)?;
        }
        Ok(Selection { keep, title, label })
    }
}

/// Whether a unit quotes these bytes of an utterance.
fn quotes(unit: &DistilledUnit, utterance: &str, bytes: &Range<usize>) -> bool {
    unit.evidence.first().is_some_and(|item| {
        let holds =
            |part: Part| part.start as usize <= bytes.start && bytes.end <= part.end as usize;
        item.utterance == utterance && item.part.is_some_and(holds)
    })
}

/// The relations of the block's speakers, in the extractor's format.
fn relations(block: &Block) -> Vec<String> {
    let mut speakers: Vec<&str> = Vec::new();
    for heard in &block.fresh {
        if let Some(speaker) = heard.utterance.speaker.as_deref()
            && !speakers.contains(&speaker)
            && speakers.len() < SPEAKERS_MAX
        {
            speakers.push(speaker);
        }
    }
    let of = |speaker: &&str| RELATIONS.map(|what| relation_label(speaker, what));
    speakers.iter().flat_map(of).collect()
}

/// The new utterances as one text, and the position of each.
struct Lines {
    text: String,
    /// Bytes of each utterance's own words.
    places: Vec<Range<usize>>,
}

impl Lines {
    fn of(block: &Block) -> Self {
        let mut lines = Self {
            text: String::new(),
            places: Vec::new(),
        };
        for heard in &block.fresh {
            if let Some(speaker) = &heard.utterance.speaker {
                lines.text.push_str(speaker);
                lines.text.push_str(": ");
            }
            let start = lines.text.len();
            lines.text.push_str(&heard.utterance.text);
            lines.places.push(start..lines.text.len());
            lines.text.push('\n');
        }
        lines
    }

    /// The utterance that contains these bytes of the text, and the position in it; `None` if they
    /// overlap a speaker's label.
    fn place(&self, bytes: &Range<usize>) -> Option<(usize, Range<usize>)> {
        let holds = |place: &Range<usize>| place.start <= bytes.start && bytes.end <= place.end;
        let at = self.places.iter().position(holds)?;
        let start = self.places[at].start;
        Some((at, bytes.start - start..bytes.end - start))
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
        self.record.breaker.note(match &selected {
            Err(Failed::Summarise(error)) => is_transient(error),
            Err(Failed::Extract(_)) => true,
            Ok(_) => false,
        });
        self.record.settle(selected, block, made, encode)
    }

    fn counts(&self) -> DistilCounts {
        self.record.counts
    }

    fn last_failure(&mut self) -> Option<String> {
        self.record.failure.take()
    }
}
