//! What a model proposes for a block, put through the gate and into a distillate.
//!
//! The extractive distillate is the ground it stands on: a fact that passes takes the place of the
//! clause it tells again, where it carries enough of it; every other clause keeps its own words.

use super::DistilError;
use super::block::{Block, Distillate, DistilledUnit};
use super::counts::DistilCounts;
use super::extractive::{headline, spoken_text};
use super::gate::{Gate, Proof, Refusal};
use crate::limits;
use crate::memory::{Evidence, proving};
use crate::patience::Patience;
use crate::text::{Marks, Said, words};
use std::collections::BTreeSet;
use std::fmt::Display;
use weir_models::{Encode, EncodeError, Terms};

/// Share of a clause's content words that facts must carry to stand in its place: what counts as
/// carried everywhere.
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
    /// The facts stand beside the clauses they are from, never in their place.
    pub(super) beside: bool,
}

/// What a distiller with models did, why its models failed last, and whether they are asked.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) counts: DistilCounts,
    pub(super) failure: Option<String>,
    pub(super) patience: Patience,
}

impl Record {
    /// Whether a block that came goes without the models, which is counted.
    pub(super) fn rests(&mut self) -> bool {
        let rests = self.patience.rests();
        if rests {
            self.counts.blocks += 1;
            self.counts.blocks_unasked += 1;
        }
        rests
    }

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
        for fact in &mut fresh {
            // a fact says what the clause says that it tells again
            let clause = made.units.iter().filter(|unit| is_of(fact, unit));
            fact.salience = clause
                .map(|unit| unit.salience)
                .fold(f32::MIN, f32::max)
                .max(-4.0);
        }
        if !self.beside {
            made.units.retain(|unit| !is_carried(unit, &fresh));
        }
        counts.lines_verbatim += lines_of(&made.units);
        let event =
            passed(&self.event, |text| gate.summary(text), counts).map(|text| headline(&text));
        let mut texts: Vec<String> = fresh.iter().map(spoken_text).collect();
        texts.extend(event.clone());
        let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut found = encode.encode_for_search(&refs)?;
        if let Some(event) = event {
            made.event_text = event;
            made.event_vector = found.pop().unwrap_or_default().vector;
            made.event_speaker = only_speaker(block);
        }
        for (unit, found) in fresh.iter_mut().zip(found) {
            (unit.vector, unit.terms) = (found.vector, found.terms);
        }
        if let Some(label) = passed(&self.scene, |text| gate.label(text), counts) {
            made.scene_label = shortened(&label, LABEL_WORDS_MAX);
        }
        made.units.append(&mut fresh);
        made.units.sort_by_key(|unit| unit.said_ms);
        Ok(made)
    }

    fn units(&self, block: &Block, gate: &Gate, counts: &mut DistilCounts) -> Vec<DistilledUnit> {
        let mut units: Vec<DistilledUnit> = Vec::new();
        for (line, text) in &self.facts {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let long = text.split(' ').count() > FACT_WORDS_MAX;
            let proof = gate.fact(&text, *line).ok().filter(|_| !long);
            let made = proof.map(|proof| unit(block, &text, &proof));
            match made.filter(|unit| !units.iter().any(|known| known.text == unit.text)) {
                Some(unit) => {
                    counts.facts_kept += 1;
                    units.push(unit);
                }
                None => counts.facts_refused += 1,
            }
        }
        units
    }
}

fn unit(block: &Block, text: &str, proof: &Proof) -> DistilledUnit {
    let heard = &block.fresh[proof.line];
    let said = &heard.utterance.text;
    // the gate gives a clause of the utterance, trimmed
    let clause = said.find(&proof.clause).map_or(said.as_str(), |start| {
        &said[start..start + proof.clause.len()]
    });
    let evidence = proving(&Evidence::of(heard, clause), clause, text);
    DistilledUnit {
        salience: 0.0,
        text: text.to_owned(),
        retold: true,
        asked: None,
        speaker: heard.utterance.speaker.clone(),
        evidence: vec![evidence],
        said_ms: heard.session_ms,
        vector: Vec::new(),
        terms: Terms::default(),
    }
}

/// Whether facts say a clause, an extractive unit, well enough to stand in its place: enough of its
/// words, and all its names, numbers and times.
fn is_carried(unit: &DistilledUnit, facts: &[DistilledUnit]) -> bool {
    let negated = Marks::of(&unit.text).negated;
    let mut said = Said::default();
    for fact in facts.iter().filter(|fact| is_of(fact, unit)) {
        if Marks::of(&fact.text).negated == negated {
            said.add_words(&fact.text);
        }
    }
    let own = words(&unit.text);
    let common = own.intersection(said.words()).count();
    common as f32 >= CARRIED_SHARE * own.len() as f32
        && common > 0
        && said.missing(&unit.text).is_none()
        && said.first_missing(&unit.text).is_none()
}

/// Whether a fact tells a clause again that is in a statement, or has it in it.
fn is_of(fact: &DistilledUnit, unit: &DistilledUnit) -> bool {
    let Some((item, part)) = unit
        .evidence
        .first()
        .and_then(|item| Some((item, item.part?)))
    else {
        return false;
    };
    fact.evidence.iter().any(|proof| {
        proof.same_utterance(item)
            && proof
                .part
                .is_some_and(|clause| clause.holds(part) || part.holds(clause))
    })
}

/// Of how many utterances something stands in its own words.
fn lines_of(units: &[DistilledUnit]) -> u64 {
    let proofs = units.iter().filter_map(|unit| unit.evidence.first());
    let lines: BTreeSet<(&str, &str)> = proofs
        .map(|item| (item.stream.as_str(), item.utterance.as_str()))
        .collect();
    lines.len() as u64
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
