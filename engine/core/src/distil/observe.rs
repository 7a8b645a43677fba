//! Reads opinions, and facts about their speakers, from the statements of a block.

use crate::talk::{DistilledFact, DistilledOpinion, DistilledUnit, Evidence, Part, opinion_label};
use crate::text::{Claim, Fact, Opinion, Said, fact_sentence, facts, opinions};
use weir_models::{Encode, EncodeError};

/// The opinions in the statements of a block, in the order said; their vectors are still empty.
fn opinions_in(units: &[DistilledUnit], encoder: &str) -> Vec<DistilledOpinion> {
    let mut found: Vec<DistilledOpinion> = Vec::new();
    for unit in units {
        let before = object_before(unit, found.last()).map(str::to_owned);
        let made = opinions(&said(unit, encoder, before.as_deref()));
        let made = made.into_iter().filter_map(|it| opinion_of(unit, it));
        found.extend(made);
    }
    found
}

/// What "it" is at the start of a statement: what the statement before was about; further back it
/// may be anything.
pub(super) fn object_before<'a>(
    unit: &DistilledUnit,
    last: Option<&'a DistilledOpinion>,
) -> Option<&'a str> {
    last.filter(|it| it.said_ms == unit.said_ms)
        .map(|it| it.object.as_str())
}

/// A statement as the rules take it.
pub(super) fn said<'a>(
    unit: &'a DistilledUnit,
    encoder: &'a str,
    before: Option<&'a str>,
) -> Said<'a> {
    Said {
        text: &unit.text,
        speaker: unit.speaker.as_deref(),
        vector: Some((encoder, &unit.vector)),
        before,
    }
}

/// An opinion of a statement with its evidence; its vector is still empty.
pub(super) fn opinion_of(unit: &DistilledUnit, opinion: Opinion<'_>) -> Option<DistilledOpinion> {
    Some(DistilledOpinion {
        holder: unit.speaker.clone(),
        evidence: clause_of(unit, opinion.clause)?,
        object: opinion.object,
        kind: opinion.kind,
        aspect: opinion.aspect,
        sentiment: opinion.affect.sentiment,
        strength: opinion.affect.strength,
        doubt: opinion.doubt,
        said_ms: unit.said_ms,
        vector: Vec::new(),
    })
}

/// The facts in the statements of a block, in the order said; their vectors are still empty.
fn facts_in(units: &[DistilledUnit]) -> Vec<DistilledFact> {
    let of = |unit: &DistilledUnit| facts_of(unit, facts(&unit.text, unit.speaker.as_deref()));
    units.iter().flat_map(of).collect()
}

/// Facts of a statement with their evidence; their vectors are still empty.
pub(super) fn facts_of(unit: &DistilledUnit, facts: Vec<Fact<'_>>) -> Vec<DistilledFact> {
    let speaker = unit.speaker.as_deref();
    let changed = !facts.is_empty() && Claim::is_change(&unit.text, speaker);
    let made = facts.into_iter().filter_map(|fact| {
        Some(DistilledFact {
            speaker: unit.speaker.clone(),
            evidence: clause_of(unit, fact.clause)?,
            slot: fact.slot,
            about: fact.about,
            value: fact.value,
            ended: fact.ended,
            // "remember that I moved": the request hides the claim
            changed: changed || (fact.wanted && Claim::is_change(fact.clause, speaker)),
            wanted: fact.wanted,
            said_ms: unit.said_ms,
            vector: Vec::new(),
        })
    });
    made.collect()
}

/// The evidence of a unit, narrowed to a clause of it.
fn clause_of(unit: &DistilledUnit, clause: &str) -> Option<Evidence> {
    let whole = unit.evidence.first()?;
    let within = Part::of(clause, &unit.text)?;
    let part = whole.part.map(|part| Part {
        start: part.start + within.start,
        end: part.start + within.end,
    });
    Some(Evidence {
        part,
        verbatim: false,
        share: 0.0,
        ..whole.clone()
    })
}

/// Opinions and facts in the statements of a block. Cost: the encoder reads a few words for each.
///
/// # Errors
/// The encoder failed.
pub(crate) fn observe(
    units: &[DistilledUnit],
    encode: &dyn Encode,
) -> Result<(Vec<DistilledOpinion>, Vec<DistilledFact>), EncodeError> {
    let mut opinions = opinions_in(units, &encode.identity().name);
    let mut facts = facts_in(units);
    add_vectors(&mut opinions, &mut facts, encode)?;
    Ok((opinions, facts))
}

/// Gives a vector to each opinion and fact that has none.
pub(super) fn add_vectors(
    opinions: &mut [DistilledOpinion],
    facts: &mut [DistilledFact],
    encode: &dyn Encode,
) -> Result<(), EncodeError> {
    let mut texts = Vec::new();
    let mut vectors = Vec::new();
    for it in opinions.iter_mut().filter(|it| it.vector.is_empty()) {
        texts.push(opinion_label(&it.object, &it.aspect));
        vectors.push(&mut it.vector);
    }
    for it in facts.iter_mut().filter(|it| it.vector.is_empty()) {
        texts.push(fact_sentence(it.slot, &it.about, &it.value, false));
        vectors.push(&mut it.vector);
    }
    if texts.is_empty() {
        return Ok(());
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for (vector, made) in vectors.into_iter().zip(encode.encode(&texts)?) {
        *vector = made;
    }
    Ok(())
}
