//! What a model proposes for a block, put through the gate and into a distillate.
//!
//! The extractive distillate is the ground it stands on: a fact that passes takes the place of the
//! clauses of the utterance it carries; an utterance that no fact carries keeps its own words.

use super::DistilError;
use super::block::{Block, Distillate, DistilledUnit};
use super::counts::DistilCounts;
use super::extractive::{headline, salience_factors, spoken_text};
use super::gate::{Gate, Refusal};
use crate::limits;
use crate::memory::Evidence;
use crate::text::{clauses, content_words};
use std::collections::BTreeSet;
use std::fmt::Display;
use weir_models::{Encode, EncodeError};

/// Share of an utterance's content words that facts must carry to stand in its place: what counts
/// as carried everywhere.
const CARRIED_SHARE: f32 = 0.5;
/// Words of a scene's label.
const LABEL_WORDS_MAX: usize = 5;
/// Words of a fact; English needs about 1.3 tokens a word.
const FACT_WORDS_MAX: usize = limits::UNIT_TOKENS_MAX * 10 / 16;

/// What a model made of a block.
#[derive(Debug, Default)]
pub(super) struct Proposal {
    pub(super) event: String,
    pub(super) scene: String,
    /// Facts, each with the place of the utterance it is from.
    pub(super) facts: Vec<(usize, String)>,
}

/// What a distiller with models did, and why its models failed last.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) counts: DistilCounts,
    pub(super) failure: Option<String>,
}

impl Record {
    /// The distillate of a block: `made` by the extractive distiller, with what was proposed and
    /// passes the gate; as it is where the models failed.
    pub(super) fn settle<E: Display>(
        &mut self,
        proposed: Result<Proposal, E>,
        block: &Block,
        made: Distillate,
        encode: &dyn Encode,
    ) -> Result<Distillate, DistilError> {
        self.counts.blocks += 1;
        match proposed {
            Ok(proposal) => Ok(proposal.into(block, made, encode, &mut self.counts)?),
            Err(error) => {
                self.counts.blocks_failed += 1;
                self.failure = Some(error.to_string());
                Ok(made)
            }
        }
    }
}

impl Proposal {
    /// Puts what passes the gate into `made`, the extractive distillate of the same block.
    fn into(
        self,
        block: &Block,
        mut made: Distillate,
        encode: &dyn Encode,
        counts: &mut DistilCounts,
    ) -> Result<Distillate, EncodeError> {
        let gate = Gate::of(block);
        let mut fresh = self.units(block, &gate, counts);
        let carried = carried(block, &fresh);
        counts.lines_verbatim += carried.iter().filter(|carried| !**carried).count() as u64;
        let event =
            passed(&self.event, |text| gate.summary(text), counts).map(|text| headline(&text));
        let mut texts: Vec<String> = fresh.iter().map(spoken_text).collect();
        texts.extend(event.clone());
        let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut vectors = encode.encode(&refs)?;
        if let Some(event) = event {
            made.event_text = event;
            made.event_vector = vectors.pop().unwrap_or_default();
            made.event_speaker = only_speaker(block);
        }
        for (unit, vector) in fresh.iter_mut().zip(vectors) {
            unit.vector = vector;
        }
        if let Some(label) = passed(&self.scene, |text| gate.label(text), counts) {
            made.scene_label = shortened(&label, LABEL_WORDS_MAX);
        }
        made.units.retain(|unit| !is_of(block, unit, &carried));
        made.units.append(&mut fresh);
        made.units.sort_by_key(|unit| unit.said_ms);
        Ok(made)
    }

    fn units(&self, block: &Block, gate: &Gate, counts: &mut DistilCounts) -> Vec<DistilledUnit> {
        let mut units: Vec<DistilledUnit> = Vec::new();
        for (line, text) in &self.facts {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let long = text.split(' ').count() > FACT_WORDS_MAX;
            let known = units.iter().any(|unit| unit.text == text);
            match gate.fact(&text, *line).ok().filter(|_| !long && !known) {
                Some(proofs) => {
                    counts.facts_kept += 1;
                    units.push(unit(block, &text, &proofs));
                }
                None => counts.facts_refused += 1,
            }
        }
        units
    }
}

fn unit(block: &Block, text: &str, proofs: &[usize]) -> DistilledUnit {
    let said = proofs.iter().map(|&at| &block.fresh[at]);
    let evidence: Vec<Evidence> = said
        .map(|heard| {
            let whole = &heard.utterance.text;
            let quote = nearest_clause(whole, text);
            Evidence::of(&heard.utterance, heard.said_at_unix_ms, quote, text)
        })
        .collect();
    let first = &block.fresh[proofs[0]];
    DistilledUnit {
        salience: salience_factors(&evidence[0].quote).product(),
        text: text.to_owned(),
        speaker: first.utterance.speaker.clone(),
        evidence,
        said_ms: first.session_ms,
        vector: Vec::new(),
    }
}

/// The clause of an utterance that shares most words with a fact; the first of equals.
fn nearest_clause<'a>(whole: &'a str, fact: &str) -> &'a str {
    let words: BTreeSet<String> = content_words(fact).collect();
    let shared = |clause: &&str| content_words(clause).filter(|w| words.contains(w)).count();
    let nearest = clauses(whole).into_iter().rev().max_by_key(shared);
    nearest.unwrap_or(whole)
}

/// Which of the new utterances are carried by facts.
fn carried(block: &Block, units: &[DistilledUnit]) -> Vec<bool> {
    let said_in = |id: &str| {
        units
            .iter()
            .filter(|unit| unit.evidence.iter().any(|item| item.utterance == id))
            .flat_map(|unit| content_words(&unit.text))
            .collect::<BTreeSet<String>>()
    };
    block
        .fresh
        .iter()
        .map(|heard| {
            let words: BTreeSet<String> = content_words(&heard.utterance.text).collect();
            let common = words.intersection(&said_in(&heard.utterance.id)).count();
            common as f32 >= CARRIED_SHARE * words.len() as f32
        })
        .collect()
}

/// Whether an extractive unit is a clause of a carried utterance.
fn is_of(block: &Block, unit: &DistilledUnit, carried: &[bool]) -> bool {
    let of = unit.evidence.first().map(|item| &item.utterance);
    block
        .fresh
        .iter()
        .zip(carried)
        .any(|(heard, carried)| *carried && of == Some(&heard.utterance.id))
}

/// A summary or label without what models put around it, if the gate lets it through.
fn passed(
    text: &str,
    gate: impl Fn(&str) -> Result<(), Refusal>,
    counts: &mut DistilCounts,
) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_matches(['"', '\'', '.', ' ']).to_owned();
    if gate(&text).is_err() {
        counts.summaries_refused += 1;
        return None;
    }
    Some(text)
}

fn shortened(text: &str, words_max: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().take(words_max).collect();
    words.join(" ")
}

fn only_speaker(block: &Block) -> Option<String> {
    let first = block.fresh.first()?.utterance.speaker.clone();
    let same = |heard: &super::block::Heard| heard.utterance.speaker == first;
    block.fresh.iter().all(same).then_some(first)?
}
