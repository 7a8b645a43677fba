//! What memory believes about the things that a question names.

use super::inquiry::Inquiry;
use crate::answer::{BeliefAnswer, Statement};
use crate::beliefs::{Belief, BeliefQuery, Observation};
use crate::session::Session;
use crate::transcript::Transcript;

/// The beliefs of the people in question, or of everybody where it names nobody, about what the
/// question names, best first; none of which the last observation is forgotten.
pub(super) fn believed(inquiry: &Inquiry<'_, '_>) -> Vec<BeliefAnswer> {
    let (session, query) = (inquiry.session, inquiry.query);
    if !query.language.is_english() {
        return Vec::new();
    }
    let holders: Vec<String> = query.people.iter().cloned().collect();
    let sought = BeliefQuery {
        holders: &holders,
        about: &query.text,
        vector: &inquiry.question.vector,
    };
    let found = session.beliefs().find(&sought);
    let of = |(belief, _): (&Belief, f32)| BeliefAnswer {
        id: belief.id,
        holder: belief.holder.clone(),
        object: belief.object.clone(),
        aspect: belief.aspect.clone(),
        tally: belief.tally(),
        said: telling(belief).map(|it| said(session, belief, it, inquiry.transcript)),
    };
    let recent = |(belief, _): &(&Belief, f32)| {
        let last = belief.observations().last();
        last.is_none_or(|it| inquiry.remembers(it.said_ms))
    };
    found.into_iter().filter(recent).map(of).collect()
}

/// The observation that shows best what is believed now: the strongest that leans the same way,
/// the latest of equal ones.
fn telling(belief: &Belief) -> Option<&Observation> {
    let leaning = belief.tally().current.leaning();
    let with = |it: &&Observation| it.sentiment.leaning() * leaning >= 0.0;
    let observed = belief.observations().iter();
    let best = observed.clone().filter(with).max_by(|a, b| {
        let strength = a.strength.total_cmp(&b.strength);
        strength.then(a.said_ms.cmp(&b.said_ms))
    });
    best.or(observed.last())
}

/// The remark as a statement; without words where neither memory nor a transcript holds them.
fn said(
    session: &Session,
    belief: &Belief,
    observed: &Observation,
    transcript: Option<&dyn Transcript>,
) -> Statement {
    let evidence = &observed.evidence;
    let quote = session.quote(evidence, transcript);
    Statement {
        speaker: belief.holder.clone(),
        strength: 1.0,
        chance: 1.0,
        ..Statement::of(evidence.clone(), quote, observed.strength)
    }
}
