//! How well a statement supports an answer: what an abstaining answerer decides by.
//!
//! Ranking asks which statement is best; support asks whether the best is good enough. It looks at
//! how near the statement is in meaning, how much of what was asked it or its evidence names, and
//! whether it is about the right person.

use super::query::{Query, Wants};
use super::rank::Candidate;
use crate::answer::Statement;
use crate::text::{Marks, is_question};

/// Cosines between which support grows from nothing to full.
const COSINE_FLOOR: f32 = 0.10;
const COSINE_FULL: f32 = 0.65;
/// Weight of meaning against shared words.
const COSINE_WEIGHT: f32 = 0.6;
/// What remains of the support by somebody else's statement, by a question, by an answer without
/// the figure that was asked for.
const OTHER_PERSON: f32 = 0.6;
const ASKED_NOT_SAID: f32 = 0.5;
const NO_FIGURE: f32 = 0.8;
/// Statements offered to an answerer.
const STATEMENTS_MAX: usize = 8;

/// Support in `0.0..=1.0`.
pub(super) fn strength(candidate: &Candidate<'_>, query: &Query) -> f32 {
    let meaning =
        ((candidate.cosine - COSINE_FLOOR) / (COSINE_FULL - COSINE_FLOOR)).clamp(0.0, 1.0);
    let asked: f32 = query.focus.iter().map(|(_, rarity)| rarity).sum();
    let covered: f32 = query
        .focus
        .iter()
        .filter(|(term, _)| candidate.words.contains(term))
        .map(|(_, rarity)| rarity)
        .sum();
    let shared = if asked > 0.0 {
        covered / asked
    } else {
        meaning
    };
    let mut strength = COSINE_WEIGHT * meaning + (1.0 - COSINE_WEIGHT) * shared;
    if !candidate.concerns(&query.people) {
        strength *= OTHER_PERSON;
    }
    if is_question(candidate.text()) {
        strength *= ASKED_NOT_SAID;
    }
    if query.wants == Wants::Figure && !Marks::of(candidate.text()).has_figures() {
        strength *= NO_FIGURE;
    }
    strength
}

/// The best statements in words, for answerers that quote.
pub(super) fn statements(proofs: &[(f32, &Candidate<'_>)]) -> Vec<Statement> {
    proofs
        .iter()
        .take(STATEMENTS_MAX)
        .map(|(strength, candidate)| Statement {
            text: candidate.text().to_owned(),
            speaker: candidate.speaker().map(str::to_owned),
            evidence: candidate.evidence(),
            strength: *strength,
        })
        .collect()
}
