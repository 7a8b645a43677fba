//! Reads opinions, and facts about their speakers, from the statements of a block.

use super::mentions::mentions;
use crate::limits;
use crate::mentions::Mentions;
use crate::stream::ASSISTANT;
use crate::talk::{DistilledFact, DistilledOpinion, DistilledUnit, Evidence, opinion_label};
use crate::text::{
    ClaimFeatures, Fact, Opinion, fact, in_context, is_short, languages, opinions, topic,
};
use weir_models::{Annotation, Encode, EncodeError, Stated};

/// The opinions in the statements of a block that may begin a belief, in the order said, and weak
/// remarks, which begin none. What is not certainly worth keeping weighs as little as it is likely
/// to be. All vectors are still empty.
fn opinions_in(
    units: &[&DistilledUnit],
    read: &[Annotation],
) -> (Vec<DistilledOpinion>, Vec<DistilledOpinion>) {
    let (mut found, mut weak) = (Vec::new(), Vec::new());
    // what the statements of the same utterance were about
    let mut before: Option<(u64, String)> = None;
    for (unit, read) in units.iter().zip(read) {
        let same = before.as_ref().filter(|it| it.0 == unit.said_ms);
        let made = opinions(&unit.text, read, same.map(|it| it.1.as_str()));
        let kept = |it: &Opinion| {
            let names = |unit: &DistilledUnit| unit.speaker.as_ref() == Some(&it.object);
            // "Thanks Ana, the cake was great": the cake is no side of Ana
            let is_whole = it.aspect == limits::BELIEF_ASPECT_GENERAL;
            !names(unit) && (is_whole || !units.iter().any(|unit| names(unit)))
        };
        for mut opinion in made.into_iter().filter(kept) {
            let lasts = opinion.keep >= read.least.keep;
            opinion.strength *= if lasts { 1.0 } else { opinion.keep };
            let counts = lasts || opinion.doubt.is_none();
            if counts && opinion.strength >= limits::BELIEF_BEGINS_MIN {
                found.extend(opinion_of(unit, opinion));
            } else if counts && opinion.strength >= limits::BELIEF_STRENGTH_MIN {
                weak.extend(opinion_of(unit, opinion));
            }
        }
        if let Some(topic) = topic(&unit.text, read) {
            before = Some((unit.said_ms, topic));
        }
    }
    (found, weak)
}

/// Whether the statement that an opinion was read from says "I" or "we". Most opinions of other
/// statements are general truths, or praise of what the other person told: "Networking really pays
/// off."
pub(crate) fn is_own(opinion: &DistilledOpinion, units: &[DistilledUnit]) -> bool {
    let mut of = units.iter();
    let unit = of.find(|unit| unit.evidence.first() == Some(&opinion.evidence));
    unit.is_none_or(|unit| ClaimFeatures::of(&unit.text).first_person)
}

/// An opinion of a statement with its evidence; its vector is still empty.
pub(super) fn opinion_of(unit: &DistilledUnit, opinion: Opinion) -> Option<DistilledOpinion> {
    Some(DistilledOpinion {
        holder: unit.speaker.clone(),
        evidence: evidence_of(unit)?,
        object: opinion.object,
        kind: opinion.kind,
        aspect: opinion.aspect,
        sentiment: opinion.sentiment,
        strength: opinion.strength,
        doubt: opinion.doubt,
        said_ms: unit.said_ms,
        vector: Vec::new(),
    })
}

/// The fact of a statement with its evidence; its vector is still empty.
pub(super) fn fact_of(unit: &DistilledUnit, fact: Fact) -> Option<DistilledFact> {
    Some(DistilledFact {
        speaker: unit.speaker.clone(),
        evidence: evidence_of(unit)?,
        slot: fact.slot,
        about: String::new(),
        value: fact.value,
        ended: false,
        changed: false,
        wanted: fact.wanted,
        said_ms: unit.said_ms,
        vector: Vec::new(),
    })
}

/// The evidence of a unit, for what was read from it.
fn evidence_of(unit: &DistilledUnit) -> Option<Evidence> {
    Some(Evidence {
        verbatim: false,
        share: 0.0,
        ..unit.evidence.first()?.clone()
    })
}

/// What the language model reads in the statements of a block.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    /// The opinions.
    pub(crate) opinions: Vec<DistilledOpinion>,
    /// What speakers said of themselves.
    pub(crate) facts: Vec<DistilledFact>,
    /// What is named in each statement, in their order; empty where nothing was read.
    pub(crate) mentions: Vec<Mentions>,
}

/// Opinions, facts and names in the English statements of people in a block, by the language model
/// that comes with the encoder; none without one. Cost: the model reads each statement, the encoder
/// a few words for each opinion and fact.
///
/// # Errors
/// The model or the encoder failed.
pub(crate) fn observe(
    units: &[DistilledUnit],
    encode: &dyn Encode,
) -> Result<Observed, EncodeError> {
    let Some(language) = encode.language() else {
        return Ok(Default::default());
    };
    let spoken = units
        .iter()
        .map(|unit| (unit.speaker.as_deref(), unit.text.as_str()));
    let mut mentioned = vec![Mentions::default(); units.len()];
    let each = units.iter().enumerate().zip(languages(spoken));
    let english = each.filter(|(_, language)| language.is_english());
    // what stands in brackets is a note on the talk: nobody said it
    let said = english.filter(|((_, unit), _)| !unit.text.starts_with(['(', '[']));
    let said = said.filter(|((_, unit), _)| unit.speaker.as_deref() != Some(ASSISTANT));
    let (places, units): (Vec<usize>, Vec<&DistilledUnit>) = said.map(|(it, _)| it).unzip();
    let stated = units.iter().map(|unit| Stated {
        text: &unit.text,
        question: unit.asked.as_deref(),
    });
    let read = language.annotate(&stated.collect::<Vec<_>>())?;
    for (place, (unit, read)) in places.into_iter().zip(units.iter().zip(&read)) {
        mentioned[place] = mentions(&unit.text, read);
    }
    let (mut opinions, weak) = opinions_in(&units, &read);
    let mut facts: Vec<DistilledFact> = Vec::new();
    for (at, read) in read.iter().enumerate() {
        let Some(mut fact) = fact(&units[at].text, units[at].speaker.as_deref(), read) else {
            continue;
        };
        // read alone, it needs the question that it answers or the statement that it refers to
        let before = at.checked_sub(1).map(|before| units[before]);
        let before = before.filter(|it| is_of_one_utterance(it, units[at]));
        let asked = units[at].asked.as_ref().filter(|_| is_short(&fact.value));
        let whole = match asked {
            Some(asked) => Some(format!("({asked}) {}", fact.value)),
            None => before.and_then(|it| in_context(&fact.value, &it.text)),
        };
        fact.value = whole.unwrap_or(fact.value);
        facts.extend(fact_of(units[at], fact));
    }
    add_vectors(&mut opinions, &mut facts, encode)?;
    // no belief begins with a weak remark, so that it needs no vector
    opinions.extend(weak);
    opinions.sort_by_key(|it| it.said_ms);
    Ok(Observed {
        opinions,
        facts,
        mentions: mentioned,
    })
}

fn is_of_one_utterance(a: &DistilledUnit, b: &DistilledUnit) -> bool {
    let turn = |it: &DistilledUnit| it.evidence.first().map(|proof| proof.turn);
    turn(a).is_some() && turn(a) == turn(b)
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
        texts.push(it.value.clone());
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
