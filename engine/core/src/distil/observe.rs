//! Reads opinions, and facts about their speakers, from the statements of a block.

use crate::talk::{DistilledFact, DistilledOpinion, DistilledUnit, Evidence, Part, opinion_label};
use crate::text::{Claim, Said, fact_sentence, facts, opinions};
use weir_models::{Encode, EncodeError};

/// The opinions in the statements of a block, in the order said; their vectors are still empty.
fn opinions_in(units: &[DistilledUnit], encoder: &str) -> Vec<DistilledOpinion> {
    let mut found: Vec<DistilledOpinion> = Vec::new();
    for unit in units {
        // "it" is what the statement before was about; further back it may be anything
        let near = |it: &&DistilledOpinion| it.said_ms == unit.said_ms;
        let before = found.last().filter(near).map(|it| it.object.clone());
        let said = Said {
            text: &unit.text,
            speaker: unit.speaker.as_deref(),
            vector: Some((encoder, &unit.vector)),
            before: before.as_deref(),
        };
        let made = opinions(&said).into_iter().filter_map(|opinion| {
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
        });
        found.extend(made);
    }
    found
}

/// The facts in the statements of a block, in the order said; their vectors are still empty.
fn facts_in(units: &[DistilledUnit]) -> Vec<DistilledFact> {
    let of = |unit: &DistilledUnit| {
        let claim = Claim::read(&unit.text, unit.speaker.as_deref());
        let changed = claim.is_some_and(|it| it.firm);
        let made = facts(&unit.text, unit.speaker.as_deref());
        let made = made.into_iter().filter_map(|fact| {
            Some(DistilledFact {
                speaker: unit.speaker.clone(),
                evidence: clause_of(unit, fact.clause)?,
                slot: fact.slot,
                about: fact.about,
                value: fact.value,
                ended: fact.ended,
                changed,
                wanted: fact.wanted,
                said_ms: unit.said_ms,
                vector: Vec::new(),
            })
        });
        made.collect::<Vec<_>>()
    };
    units.iter().flat_map(of).collect()
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
    let labels = opinions
        .iter()
        .map(|it| opinion_label(&it.object, &it.aspect));
    let said = |it: &DistilledFact| fact_sentence(it.slot, &it.about, &it.value, false);
    let texts: Vec<String> = labels.chain(facts.iter().map(said)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = opinions.iter_mut().map(|it| &mut it.vector);
    let vectors = vectors.chain(facts.iter_mut().map(|it| &mut it.vector));
    if !texts.is_empty() {
        for (vector, made) in vectors.zip(encode.encode(&texts)?) {
            *vector = made;
        }
    }
    Ok((opinions, facts))
}
