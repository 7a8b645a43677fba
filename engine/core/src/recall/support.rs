//! How well a statement supports an answer; an answerer abstains when support is low.
//!
//! Ranking finds the best statement; support decides whether it is good enough. Support weighs the
//! cosine, the share of the question that the statement or its evidence names, and whether it
//! concerns the right person.

use super::candidate::Candidate;
use super::counts::Counts;
use super::expected::Kind;
use super::query::Query;
use super::when::Days;
use crate::analysis::StatementFlags;
use crate::answer::Statement;
use crate::text::{in_words, resolved};

/// Cosine at which support begins to grow; support is full at the profile's `support_cosine`.
const COSINE_FLOOR: f32 = 0.10;
/// Weight of the cosine against shared words.
const COSINE_WEIGHT: f32 = 0.6;
/// Factor for a statement of somebody else, for a question, and for a statement without the figure
/// that was asked for.
const OTHER_PERSON: f32 = 0.6;
const ASKED_NOT_SAID: f32 = 0.5;
const NO_FIGURE: f32 = 0.8;
/// Factor for a statement of at most one content word: "It was beautiful."
const SAYS_LITTLE: f32 = 0.7;
/// Factor for a question that presumes somebody has a thing nobody ever said they have.
const FALSE_PREMISE: f32 = 0.55;
/// Maximum number of statements offered to an answerer.
const STATEMENTS_MAX: usize = 8;

/// A candidate and how well it supports an answer.
pub(super) type Proof<'a> = (f32, &'a Candidate<'a>);

/// Support in `0.0..=1.0`.
fn strength(candidate: &Candidate<'_>, query: &Query) -> f32 {
    let (cosine, counts) = (candidate.cosine, &candidate.counts);
    strength_of(cosine, counts, candidate.traits, candidate.concerns, query)
}

/// Support of a text with this cosine, which holds these terms of the question; `concerns`: whether
/// it is of, or about, the people in question.
pub(super) fn strength_of(
    cosine: f32,
    counts: &Counts,
    traits: StatementFlags,
    concerns: bool,
    query: &Query,
) -> f32 {
    let meaning = (cosine - COSINE_FLOOR) / (query.full_cosine - COSINE_FLOOR).max(0.05);
    let meaning = meaning.clamp(0.0, 1.0);
    let asked = query.asked_rarity();
    let covered = query.focus_where(|at| counts.has(at));
    let shared = if asked > 0.0 {
        covered / asked
    } else {
        meaning
    };
    let mut strength = COSINE_WEIGHT * meaning + (1.0 - COSINE_WEIGHT) * shared;
    if !concerns {
        strength *= OTHER_PERSON;
    }
    if traits.question {
        strength *= ASKED_NOT_SAID;
    }
    if !query.wants.met_by(traits) {
        strength *= NO_FIGURE;
    }
    if traits.little {
        strength *= SAYS_LITTLE;
    }
    strength
}

/// The `most` strongest candidates, strongest first; ties in order of rank.
pub(super) fn proofs<'a>(
    ranked: &'a [Candidate<'a>],
    query: &Query,
    most: usize,
) -> Vec<Proof<'a>> {
    let strengths = ranked.iter().map(|found| strength(found, query));
    let mut strongest: Vec<(f32, usize)> = strengths.zip(0..).collect();
    let order = |a: &(f32, usize), b: &(f32, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if strongest.len() > most {
        strongest.select_nth_unstable_by(most, order);
        strongest.truncate(most);
    }
    strongest.sort_unstable_by(order);
    let strongest = strongest.into_iter();
    strongest
        .map(|(strength, at)| (strength, &ranked[at]))
        .collect()
}

/// As [`proofs`], but with the statements that a reranker read first, in its order.
pub(super) fn reranked_first<'a>(
    proofs: Vec<Proof<'a>>,
    reranked: &'a [Candidate<'a>],
) -> Vec<Proof<'a>> {
    if reranked.is_empty() {
        return proofs;
    }
    let place = |proof: &Proof<'_>| {
        let is_it = |found: &Candidate<'_>| std::ptr::eq(proof.1, found);
        reranked.iter().position(is_it).unwrap_or(reranked.len())
    };
    let mut proofs = proofs;
    proofs.sort_by_cached_key(place);
    proofs
}

/// Weight of the question's premise: 1 when memory knows every name in it and every possession it
/// presumes, less otherwise.
pub(super) fn premise(ranked: &[Candidate<'_>], query: &Query) -> f32 {
    let said_of = |thing: &usize| {
        ranked.iter().any(|candidate| {
            candidate.counts.has(*thing) && candidate.concerns && !candidate.traits.question
        })
    };
    let owned = if query.owned.iter().all(said_of) {
        1.0
    } else {
        FALSE_PREMISE
    };
    query.known_share * owned
}

fn statement(strength: f32, candidate: &Candidate<'_>) -> Statement {
    Statement {
        text: candidate.display_text().unwrap_or_default().into_owned(),
        speaker: candidate.speaker().map(str::to_owned),
        node: candidate.node(),
        citations: candidate.citations(strength),
        passage: None,
        strength,
        chance: 0.0,
        day: None,
        said_on: candidate.said_on(),
        earlier: false,
    }
}

/// A statement as an answer, with the day when it is asked for and the words do not name it.
pub(super) fn answer(found: &Candidate<'_>, chance: f32, query: &Query) -> Statement {
    let said = found.said().unwrap_or_default();
    let shown = found.display_text().unwrap_or_default();
    let at = found.said_at_unix_ms();
    // the question asked for the resolved date
    let dated = resolved(said, at, &query.zone).is_some();
    let said_on = found.said_on();
    let of_talk = query.days.as_ref().is_some_and(Days::are_of_talk);
    let day = said_on.filter(|_| (of_talk || query.asked.kind == Kind::When) && !dated);
    Statement {
        text: shown.into_owned(),
        speaker: found.speaker().map(str::to_owned),
        node: found.node(),
        citations: found.citations(chance),
        passage: None,
        strength: chance,
        chance,
        day: day.map(in_words),
        said_on,
        earlier: false,
    }
}

/// The best statements, for answerers that quote.
pub(super) fn statements(proofs: &[Proof<'_>]) -> Vec<Statement> {
    proofs
        .iter()
        .take(STATEMENTS_MAX)
        .map(|(strength, candidate)| statement(*strength, candidate))
        .collect()
}
