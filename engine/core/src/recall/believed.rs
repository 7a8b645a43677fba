//! What memory believes of the people in a question of feeling.

use super::inquiry::Inquiry;
use super::query::Query;
use crate::answer::{BeliefAnswer, Question, Statement};
use crate::beliefs::{Belief, BeliefQuery, Observation};
use crate::session::Session;
use crate::text::FeelingAsked;
use crate::transcript::Transcript;

/// Holders that mean everybody.
const ANYBODY: &[&str] = &[
    "", "people", "they", "we", "everybody", "everyone", "anybody", "you",
];

/// The beliefs that a question of feeling is about, best first; none for other questions, and none
/// of which the last observation is forgotten.
pub(super) fn believed(inquiry: &Inquiry<'_, '_>) -> Vec<BeliefAnswer> {
    let (session, question) = (inquiry.session, inquiry.question);
    let english = inquiry.query.language.is_english();
    let asked = FeelingAsked::read(&inquiry.query.text).filter(|_| english);
    let Some((asked, holders)) = asked.and_then(|asked| {
        let holders = holders(&asked, question, inquiry.query)?;
        Some((asked, holders))
    }) else {
        return Vec::new();
    };
    let sought = BeliefQuery {
        holders: &holders,
        about: &asked.about,
        liked: asked.liked,
        vector: &question.vector,
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

/// Whose feelings are asked for: empty for anybody's. `None` if the question asks for somebody
/// who is not heard themselves ("Ana's kids") or whom only the talk before can tell ("she").
fn holders(asked: &FeelingAsked, question: &Question, query: &Query) -> Option<Vec<String>> {
    if ANYBODY.contains(&asked.holder.as_str()) {
        return Some(Vec::new());
    }
    if asked.holder == "i" {
        return Some(vec![question.asked_by.clone()?]);
    }
    let mut words = asked.holder.split_whitespace();
    let named = |word: &str| {
        let mut parts = query.people.iter().flat_map(|name| name.split_whitespace());
        word == "and" || parts.any(|part| part == word)
    };
    let holders = || query.people.iter().cloned().collect();
    words.all(named).then(holders)
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
