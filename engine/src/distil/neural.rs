//! ProStream's distiller: a summariser for event and scene, an extractor for facts (section 5.2).
//!
//! The paper's units are the bare subjects and objects of what its extractor finds. Here a unit is
//! a statement: the clause in which something was found, word for word; and a relation found
//! between a speaker and something he names is a short statement of its own, beside the clause and
//! only where the clause says the relation too. Clauses in which nothing was found are kept as they
//! are.

use super::block::{Block, Distillate, DistilledUnit};
use super::counts::DistilCounts;
use super::extractive::Extractive;
use super::gate::Gate;
use super::prompts;
use super::proposal::{Proposal, Record};
use super::{Distil, DistilError};
use crate::patience::is_lost;
use std::ops::Range;
use std::time::Duration;
use weir_models::{
    Encode, Extract, ExtractError, GenerateError, Summarise, relation_label, scene_prompt,
};

/// What is looked for in talk.
const ENTITIES: [&str; 12] = [
    "person",
    "place",
    "organization",
    "date",
    "time",
    "number",
    "event",
    "product",
    "animal",
    "food",
    "occupation",
    "hobby",
];
/// What speakers tell of themselves: how a relation is asked for, and how it is written down in
/// words that may have been said. What a model concludes ("went to" from "lives in") was not said.
const RELATIONS: [(&str, &[&str]); 8] = [
    ("lives in", &["lives in"]),
    ("works at", &["works at", "works for", "works with"]),
    ("works as", &["works as", "is"]),
    ("likes", &["likes", "loves", "enjoys"]),
    ("owns", &["owns", "has"]),
    ("went to", &["went to", "visited"]),
    ("met", &["met"]),
    ("plans to", &["plans to", "wants to", "will"]),
];
/// Speakers of a block that are asked about; talk has rarely more.
const SPEAKERS_MAX: usize = 3;
/// Probability from which a span counts, as the extractor's authors use it.
const THRESHOLD: f32 = 0.5;
/// Tokens of an event's phrase and of a scene's.
const EVENT_TOKENS: usize = 32;
const SCENE_TOKENS: usize = 16;
/// What is found in a salient clause makes it worth more: who, where, when and how many is what is
/// asked for later.
const FOUND_LOGITS: f32 = 0.3;

/// Time that the models have for a block, and the clock that tells: how long since some moment in
/// the past. Nothing here reads a clock by itself.
pub struct Limit {
    /// The time.
    pub within: Duration,
    /// The clock.
    pub clock: Box<dyn Fn() -> Duration + Send>,
}

/// The distiller around its two models.
pub struct Neural {
    summariser: Box<dyn Summarise>,
    extractor: Box<dyn Extract>,
    name: String,
    record: Record,
    limit: Option<Limit>,
}

/// Why the models gave nothing.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error(transparent)]
    Summarise(#[from] GenerateError),
    #[error(transparent)]
    Extract(#[from] ExtractError),
}

/// What the models found in a block.
struct Found {
    proposal: Proposal,
    /// Ids of utterances with the bytes of what was found in them.
    spans: Vec<(String, Range<usize>)>,
}

impl Found {
    /// Whether something was found in the clause that a unit quotes.
    fn is_in(&self, unit: &DistilledUnit) -> bool {
        let Some(item) = unit.evidence.first() else {
            return false;
        };
        let Some(part) = item.part else { return false };
        let (start, end) = (part.start as usize, part.end as usize);
        let inside = |span: &Range<usize>| start <= span.start && span.end <= end;
        let mut spans = self.spans.iter();
        spans.any(|(id, span)| *id == item.utterance && inside(span))
    }
}

impl Neural {
    /// A distiller of a summariser and an extractor. Where there is a limit of time it is looked at
    /// after each of the four times that models are asked: what one does meanwhile is not cut
    /// short, but no other begins, and the block is kept in its own words.
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

    /// What the clock says; 0 where there is none.
    fn now(&self) -> Duration {
        let limit = self.limit.as_ref();
        limit.map_or(Duration::ZERO, |limit| (limit.clock)())
    }

    /// An error once a block that was begun at `begun` has had its time.
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

    fn find(&mut self, block: &Block) -> Result<Found, Failed> {
        let begun = self.now();
        let event = self
            .summariser
            .summarise(&prompts::event(block), EVENT_TOKENS)?;
        self.in_time(begun)?;
        let scene = self
            .summariser
            .summarise(&scene_prompt(&event), SCENE_TOKENS)?;
        self.in_time(begun)?;
        let lines = Lines::of(block);
        let found = self.extractor.extract(&lines.text, &ENTITIES, THRESHOLD)?;
        self.in_time(begun)?;
        let spans = found.iter().filter_map(|found| lines.place(&found.bytes));
        let spans = spans.map(|(at, bytes)| (block.fresh[at].utterance.id.clone(), bytes));
        let spans = spans.collect();
        let facts = self.relations(block, &lines)?;
        self.in_time(begun)?;
        Ok(Found {
            spans,
            proposal: Proposal {
                event,
                scene,
                facts,
                beside: true,
            },
        })
    }

    /// What the speakers tell of themselves, as statements.
    fn relations(
        &self,
        block: &Block,
        lines: &Lines,
    ) -> Result<Vec<(usize, String)>, ExtractError> {
        let mut speakers: Vec<&str> = Vec::new();
        for speaker in block
            .fresh
            .iter()
            .filter_map(|h| h.utterance.speaker.as_deref())
        {
            if !speakers.contains(&speaker) && speakers.len() < SPEAKERS_MAX {
                speakers.push(speaker);
            }
        }
        let asked: Vec<(&str, &str, &[&str])> = speakers
            .iter()
            .flat_map(|speaker| RELATIONS.map(|(what, as_said)| (*speaker, what, as_said)))
            .collect();
        let labels: Vec<String> = asked
            .iter()
            .map(|(who, what, _)| relation_label(who, what))
            .collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let gate = Gate::of(block);
        let mut facts = Vec::new();
        for found in self.extractor.extract(&lines.text, &labels, THRESHOLD)? {
            let Some((line, bytes)) = lines.place(&found.bytes) else {
                continue;
            };
            let (who, what, as_said) = asked[found.label];
            let object = &block.fresh[line].utterance.text[bytes];
            // of himself: what another says of him is his word against it
            let own = block.fresh[line].utterance.speaker.as_deref() == Some(who);
            if own {
                let written = |what: &&str| format!("{who} {what} {object}");
                let mut said = as_said.iter().map(written);
                let said = said.find(|fact| gate.fact(fact, line).is_ok());
                // one that was not said goes to the gate too, which counts it
                facts.push((line, said.unwrap_or_else(|| written(&what))));
            }
        }
        Ok(facts)
    }
}

/// The new utterances as one text, and where each lies in it.
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

    /// The utterance that holds these bytes of the text, and where in it; none for what is partly
    /// a speaker's label.
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
        let mut made = Extractive.distil(block, encode)?;
        if self.record.rests() {
            return Ok(made);
        }
        let found = self.find(block);
        self.record.patience.note(match &found {
            Err(Failed::Summarise(error)) => is_lost(error),
            Err(Failed::Extract(_)) => true,
            Ok(_) => false,
        });
        let proposed = found.map(|found| {
            for unit in &mut made.units {
                if found.is_in(unit) {
                    unit.salience += FOUND_LOGITS;
                }
            }
            found.proposal
        });
        self.record.settle(proposed, block, made, encode)
    }

    fn counts(&self) -> DistilCounts {
        self.record.counts
    }

    fn last_failure(&mut self) -> Option<String> {
        self.record.failure.take()
    }
}
