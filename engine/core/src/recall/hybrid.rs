//! Scores whole utterances by meaning, by words, and by their neighbours.
//!
//! Each signal is standardised over everything held, because their scales differ; then they are
//! summed. Weights and bonuses were chosen on the development dialogues of LoCoMo (`benches`).

use super::candidate::Candidate;
use super::candidate_set::{CandidateSet, enters_baseline};
use super::counts::Counts;
use super::query::Query;
use crate::config::Signals;
use crate::session::Session;
use std::ops::Range;

/// Weight of the cosine of a sentence encoder, and of an encoder that only projects terms: the
/// latter adds little to the terms themselves.
const DENSE: f32 = 1.0;
const PROJECTED: f32 = 0.3;
/// Weight of the sparse encoder's terms.
const SPARSE: f32 = 1.0;
/// Weight of both for a question in a language that the encoder does not know.
const UNKNOWN_LANGUAGE: f32 = 0.1;
/// Weight of BM25.
const LEXICAL: f32 = 0.7;
/// Share of a neighbour's score that a candidate gets: an answer often stands next to the words
/// that the question shares.
const NEIGHBOUR_SHARE: f32 = 0.35;
/// Bonus in standard deviations for statements of the person in question.
pub(super) const SPEAKER_BONUS: f32 = 1.0;
/// Bonus in standard deviations for statements of a day in question.
const DAY_BONUS: f32 = 1.0;

/// Cosine, product of sparse terms, and BM25.
pub(super) type Signal = [f32; 3];

/// Scales and weights of the signals.
#[derive(Debug, Clone, Copy)]
pub(super) struct Yardstick {
    scales: [Scale; 3],
    weights: Signal,
}

impl Yardstick {
    /// The weighted sum of signals in standard deviations.
    pub(super) fn score(&self, signals: &Signal) -> f32 {
        let each = (0..signals.len())
            .map(|at| self.weights[at] * self.scales[at].standardised(signals[at]));
        each.sum()
    }
}

/// Properties of an utterance beyond its statements.
#[derive(Debug)]
pub(super) struct Utterance {
    /// Count of each question term in the utterance.
    pub(super) counts: Counts,
    /// Its own score.
    pub(super) own: f32,
    /// Scores of its neighbours.
    pub(super) around: f32,
    /// Whether it ends with a question.
    pub(super) asks: bool,
}

impl Utterance {
    fn of(units: &[Candidate<'_>], own: f32, around: f32) -> Self {
        let sum = |sum: Counts, unit: &Candidate<'_>| sum.plus(&unit.counts);
        Self {
            counts: units.iter().fold(Counts::default(), sum),
            own,
            around,
            asks: units.last().is_some_and(|unit| unit.traits.question),
        }
    }
}

/// An utterance's cosine is that of its best statement; its words are those of all its statements:
/// one clause may hold the answer, the next its occasion. `beside`: signals of passages; the mean
/// and the deviation include them.
pub(super) fn score(
    found: &mut [Candidate<'_>],
    query: &Query,
    session: &Session,
    scope: Option<&CandidateSet>,
    beside: &[Signal],
    by: Signals,
) -> (Vec<Utterance>, Yardstick) {
    let groups: Vec<Range<usize>> = utterances(found);
    let units = || groups.iter().map(|group| &found[group.clone()]);
    let baseline: Vec<bool> = units()
        .map(|units| units.iter().any(|unit| enters_baseline(unit, scope)))
        .chain(beside.iter().map(|_| true))
        .collect();
    let best = |of: fn(&Candidate<'_>) -> f32| -> Vec<f32> {
        let best = |units: &[Candidate<'_>]| units.iter().map(of).fold(f32::MIN, f32::max);
        units().map(best).collect()
    };
    let lexical = units().map(|units| bm25(units, query, session)).collect();
    let mut signals = [best(|unit| unit.cosine), best(|unit| unit.sparse), lexical];
    for (at, values) in signals.iter_mut().enumerate() {
        values.extend(beside.iter().map(|passage| passage[at]));
    }
    let yardstick = Yardstick {
        scales: signals
            .each_ref()
            .map(|values| Scale::of(values, &baseline)),
        weights: weights(session, query, by),
    };
    let own: Vec<f32> = (0..groups.len())
        .map(|at| yardstick.score(&signals.each_ref().map(|values| values[at])))
        .collect();
    let next_to = |at: Option<usize>| {
        at.and_then(|at| own.get(at))
            .map_or(0.0, |score| score.max(0.0))
    };
    let mut utterances = Vec::with_capacity(groups.len());
    for (at, group) in groups.into_iter().enumerate() {
        let around = next_to(at.checked_sub(1)) + next_to(Some(at + 1));
        let units = &mut found[group];
        utterances.push(Utterance::of(units, own[at], around));
        for candidate in units {
            let signals = [candidate.cosine, candidate.sparse, candidate.lexical];
            for ((to, value), scale) in candidate
                .signals
                .iter_mut()
                .zip(signals)
                .zip(yardstick.scales)
            {
                *to = scale.standardised(value);
            }
            candidate.at = at as u32;
            candidate.own = candidate.cosine + 0.1 * candidate.lexical;
            candidate.score = own[at] + NEIGHBOUR_SHARE * around + bonus(candidate, query);
        }
    }
    (utterances, yardstick)
}

/// A statement's bonus for its people and its day.
fn bonus(candidate: &Candidate<'_>, query: &Query) -> f32 {
    let named = !query.people.is_empty() && candidate.concerns;
    let then = query.is_of_the_days(|| candidate.said_on());
    let given = |bonus: f32, is: bool| if is { bonus } else { 0.0 };
    given(SPEAKER_BONUS, named) + given(DAY_BONUS, then)
}

/// Weight of each signal.
fn weights(session: &Session, query: &Query, by: Signals) -> Signal {
    let stamp = session.encoder();
    let known = query.language.is_english() || stamp.is_multilingual();
    let dense = match (stamp.is_projected(), known) {
        (_, false) => UNKNOWN_LANGUAGE,
        (true, true) => PROJECTED,
        (false, true) => DENSE,
    };
    let sparse = match query.language.is_english() {
        true => SPARSE,
        false => UNKNOWN_LANGUAGE,
    };
    let weight = |weight: f32, counts: bool| if counts { weight } else { 0.0 };
    [
        weight(dense, by.vectors),
        weight(sparse, by.terms),
        weight(LEXICAL, by.words),
    ]
}

/// BM25 of all statements of an utterance together.
fn bm25(units: &[Candidate<'_>], query: &Query, session: &Session) -> f32 {
    if let [alone] = units {
        return alone.lexical;
    }
    let counts = units
        .iter()
        .fold(Counts::default(), |sum, unit| sum.plus(&unit.counts));
    let length = units.iter().map(|unit| unit.words.len()).sum();
    let lexicon = session.tree().index().words();
    lexicon.score(length, query.matched(&counts))
}

/// Ranges of statements that belong to one utterance.
fn utterances(found: &[Candidate<'_>]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for at in 0..found.len() {
        match groups.last_mut() {
            Some(last) if found[last.start].said_with(&found[at]) => last.end = at + 1,
            _ => groups.push(at..at + 1),
        }
    }
    groups
}

/// Mean and deviation of a signal.
#[derive(Debug, Clone, Copy)]
struct Scale {
    mean: f32,
    deviation: f32,
}

impl Scale {
    /// Mean and deviation over the values in the baseline.
    fn of(values: &[f32], baseline: &[bool]) -> Self {
        let basis = || {
            let both = values.iter().zip(baseline);
            both.filter(|(_, baseline)| **baseline)
                .map(|(value, _)| *value)
        };
        let count = basis().count().max(1) as f32;
        let mean = basis().sum::<f32>() / count;
        let variance = basis().map(|v| (v - mean) * (v - mean)).sum::<f32>() / count;
        Self {
            mean,
            deviation: variance.sqrt(),
        }
    }

    /// A value in standard deviations from the mean. 0 for a signal without variation.
    fn standardised(self, value: f32) -> f32 {
        if self.deviation > 1e-6 {
            (value - self.mean) / self.deviation
        } else {
            0.0
        }
    }
}
