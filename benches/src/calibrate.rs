//! Fits an encoder profile's thresholds to development streams.
//!
//! Each threshold is fitted in turn by the decision it controls: novelty, merging and scenes by
//! fact recall with the default settings, drift by fact recall under the paper's block rule, the
//! floor of top-down recall by fact recall under that policy, support by right answers and right
//! abstentions of the quoting answerer. Adversarial questions count for support only. Leaving out
//! one stream at a time measures a choice on streams it was not fitted to.

use crate::method::prior::Prior;
use crate::method::weir::{Settings, Weir};
use crate::method::{HeardTurn, Method, MethodContext, Query, Recalled};
use crate::metric::{containment, fact_recall};
use crate::stream::{Category, Gold, Item, Stream};
use crate::wall;
use anyhow::{Context, Result, ensure};
use serde::Serialize;
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use weir_core::config::{BoundaryPolicy, EncoderProfile, RecallPolicy, SessionConfig};

/// Input of a calibration.
pub(crate) struct Plan {
    pub(crate) streams: Vec<Stream>,
    /// Token budgets; means are taken over them.
    pub(crate) budgets: Vec<usize>,
    pub(crate) context_tokens: usize,
    /// Name of the new profile.
    pub(crate) name: String,
    /// Makes a kit with the given budget.
    pub(crate) kit: Box<dyn Fn(usize) -> MethodContext + Sync>,
    /// Initial profile.
    pub(crate) start: EncoderProfile,
}

/// Objective of a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Objective {
    FactRecall,
    RightAnswers,
}

struct Threshold {
    name: &'static str,
    field: fn(&mut EncoderProfile) -> &mut f32,
    values: &'static [f32],
    objective: Objective,
    /// Settings under which the threshold has an effect.
    policy: fn(&mut SessionConfig),
}

const THRESHOLDS: &[Threshold] = &[
    Threshold {
        name: "scene_cosine",
        field: |profile| &mut profile.scene_cosine,
        values: &[0.15, 0.25, 0.35, 0.45, 0.55, 0.65],
        objective: Objective::FactRecall,
        policy: |_| {},
    },
    Threshold {
        name: "novelty_cosine",
        field: |profile| &mut profile.novelty_cosine,
        values: &[0.75, 0.80, 0.85, 0.88, 0.90, 0.92, 0.95],
        objective: Objective::FactRecall,
        policy: |_| {},
    },
    Threshold {
        name: "merge_cosine",
        field: |profile| &mut profile.merge_cosine,
        values: &[0.70, 0.75, 0.80, 0.85, 0.90, 0.95],
        objective: Objective::FactRecall,
        policy: |_| {},
    },
    Threshold {
        name: "drift_cosine",
        field: |profile| &mut profile.drift_cosine,
        values: &[-0.05, 0.02, 0.05, 0.10, 0.15, 0.20, 0.30],
        objective: Objective::FactRecall,
        policy: |config| config.boundary = BoundaryPolicy::Paper,
    },
    Threshold {
        name: "recall_cosine",
        field: |profile| &mut profile.recall_cosine,
        values: &[0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.40],
        objective: Objective::FactRecall,
        policy: |config| config.recall = RecallPolicy::TopDown,
    },
    Threshold {
        name: "support_cosine",
        field: |profile| &mut profile.support_cosine,
        values: &[0.45, 0.50, 0.55, 0.60, 0.65, 0.70, 0.75, 0.80],
        objective: Objective::RightAnswers,
        policy: |_| {},
    },
];

/// One point of a curve.
#[derive(Debug, Serialize)]
struct Point<'a> {
    threshold: &'a str,
    value: f32,
    mean: f64,
    streams: Vec<f64>,
}

/// A fitted value, and its benefit on streams it was not fitted to.
#[derive(Debug, Serialize)]
struct Choice<'a> {
    threshold: &'a str,
    before: f32,
    best: f32,
    /// The best value if it also helps on left-out streams, else the previous one.
    chosen: f32,
    mean_before: f64,
    mean_best: f64,
    /// Each stream measured with the best value of the others.
    mean_held_out: f64,
}

/// Sum and count of a stream's objective.
type Measured = (f64, usize);

/// Fits every threshold, writes the curves as JSON Lines and returns the profile.
pub(crate) fn run(plan: &Plan, curves: &mut dyn Write) -> Result<EncoderProfile> {
    ensure!(
        plan.streams.len() > 1,
        "calibrating leaves out one stream at a time: give at least two"
    );
    let mut trial = plan.start.clone();
    trial.name.clone_from(&plan.name);
    for threshold in THRESHOLDS {
        let before = *(threshold.field)(&mut trial);
        let mut values = threshold.values.to_vec();
        if !values.contains(&before) {
            values.push(before);
            values.sort_by(f32::total_cmp);
        }
        let mut tried = Vec::new();
        for &value in &values {
            let mut changed = trial.clone();
            *(threshold.field)(&mut changed) = value;
            let measured = measured(plan, threshold, &changed)?;
            let streams = measured.iter().map(|(sum, of)| sum / (*of).max(1) as f64);
            let point = Point {
                threshold: threshold.name,
                value,
                mean: mean(&measured, |_| true),
                streams: streams.collect(),
            };
            writeln!(curves, "{}", serde_json::to_string(&point)?)?;
            curves.flush()?;
            tried.push((value, measured));
        }
        let choice = choose(threshold.name, before, &tried);
        writeln!(curves, "{}", serde_json::to_string(&choice)?)?;
        *(threshold.field)(&mut trial) = choice.chosen;
    }
    Ok(trial)
}

/// Writes a profile as JSON.
pub(crate) fn save(profile: &EncoderProfile, path: &Path) -> Result<()> {
    let mut text = serde_json::to_string_pretty(profile)?;
    text.push('\n');
    std::fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}

/// Means that differ by less count as equal.
const AS_GOOD: f64 = 0.001;

/// The value with the best mean, if it also helps on left-out streams: each stream is measured with
/// the best value of the others. Otherwise the previous value is kept. Among equal values the
/// nearest to the previous one is chosen.
fn choose<'a>(name: &'a str, before: f32, tried: &[(f32, Vec<Measured>)]) -> Choice<'a> {
    let best = |take: &dyn Fn(usize) -> bool| -> usize {
        let means: Vec<f64> = tried.iter().map(|(_, each)| mean(each, take)).collect();
        let top = means.iter().copied().fold(f64::MIN, f64::max);
        let good = (0..tried.len()).filter(|&at| means[at] >= top - AS_GOOD);
        let far = |at: &usize| (tried[*at].0 - before).abs();
        good.min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
    };
    let streams = tried.first().map_or(0, |(_, each)| each.len());
    let (mut held_out, mut of) = (0.0, 0);
    for stream in 0..streams {
        let each = &tried[best(&|at| at != stream)].1;
        held_out += each[stream].0;
        of += each[stream].1;
    }
    let mean_held_out = held_out / of.max(1) as f64;
    let best = best(&|_| true);
    let old = tried.iter().position(|(value, _)| *value == before);
    let all = |at: usize| mean(&tried[at].1, |_| true);
    let mean_before = old.map_or(0.0, all);
    let chosen = match old {
        Some(old) if mean_held_out <= mean_before + AS_GOOD => old,
        _ => best,
    };
    Choice {
        threshold: name,
        before,
        best: tried[best].0,
        chosen: tried[chosen].0,
        mean_before,
        mean_best: all(best),
        mean_held_out,
    }
}

fn mean(each: &[Measured], take: impl Fn(usize) -> bool) -> f64 {
    let taken = each.iter().enumerate().filter(|(at, _)| take(*at));
    let (sum, of) = taken.fold((0.0, 0), |sum, (_, one)| (sum.0 + one.0, sum.1 + one.1));
    sum / of.max(1) as f64
}

/// The objective on every stream, over all budgets.
fn measured(plan: &Plan, threshold: &Threshold, trial: &EncoderProfile) -> Result<Vec<Measured>> {
    std::thread::scope(|scope| {
        let started: Vec<_> = plan
            .streams
            .iter()
            .map(|stream| scope.spawn(move || one(plan, threshold, trial, stream)))
            .collect();
        let joined = started.into_iter().map(|thread| thread.join());
        joined
            .map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

fn one(
    plan: &Plan,
    threshold: &Threshold,
    trial: &EncoderProfile,
    stream: &Stream,
) -> Result<Measured> {
    let (mut sum, mut of) = (0.0, 0);
    for &budget_tokens in &plan.budgets {
        let mut config = SessionConfig {
            budget_tokens,
            profile: trial.clone(),
            ..SessionConfig::default()
        };
        (threshold.policy)(&mut config);
        let settings = Settings {
            config,
            without: None,
            lag_blocks: 0,
            own_answer: threshold.objective == Objective::RightAnswers,
            prior: Prior::Whole,
        };
        let mut memory = Weir::with(settings, Arc::new((plan.kit)(budget_tokens)))?;
        let (more, asked) = heard_and_asked(plan, threshold.objective, stream, &mut memory)?;
        sum += more;
        of += asked;
    }
    Ok((sum, of))
}

fn heard_and_asked(
    plan: &Plan,
    objective: Objective,
    stream: &Stream,
    memory: &mut Weir,
) -> Result<Measured> {
    let (mut sum, mut of) = (0.0, 0);
    let mut said: HashMap<&str, &str> = HashMap::new();
    for (at_unix_ms, item) in wall::along(stream) {
        match item {
            Item::Turn(turn) => {
                said.insert(&turn.id, &turn.text);
                if turn.text.contains(char::is_alphanumeric) {
                    memory.hear(HeardTurn {
                        turn,
                        said: &turn.said(),
                        at_unix_ms,
                    })?;
                }
            }
            Item::Break { started_at_unix_ms } => memory.pause(*started_at_unix_ms)?,
            Item::Probe(probe) => {
                let recalled = memory.recall(&Query {
                    text: &probe.question,
                    asked_by: probe.asked_by.as_deref(),
                    context_tokens: plan.context_tokens,
                })?;
                let worth = match objective {
                    Objective::FactRecall if probe.gold.is_adversarial() => None,
                    Objective::FactRecall => {
                        let (gold, question) = (&probe.gold, &probe.question);
                        let (context, turns) = (&recalled.context, &recalled.turns);
                        fact_recall(gold, question, context, turns, &said)?.recall
                    }
                    Objective::RightAnswers => right(&probe.gold, &recalled),
                };
                if let Some(worth) = worth {
                    sum += worth;
                    of += 1;
                }
            }
        }
    }
    Ok((sum, of))
}

/// The share of the gold answer's words in the answer; without a gold answer, whether the answerer
/// abstained.
fn right(gold: &Gold, recalled: &Recalled) -> Option<f64> {
    let answered = recalled.answer.as_ref()?;
    match (&gold.answer, gold.category) {
        (None, Some(Category::Adversarial)) => Some(f64::from(answered.abstained)),
        (Some(_), _) if answered.abstained => Some(0.0),
        (Some(answer), _) => containment(&answered.text, answer),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means of streams with one probe each.
    fn at(means: [f64; 3]) -> Vec<Measured> {
        means.map(|mean| (mean, 1)).to_vec()
    }

    #[test]
    fn what_pays_where_it_was_not_chosen_is_taken() {
        let tried = [
            (0.1, at([0.2, 0.4, 0.3])),
            (0.2, at([0.8, 0.6, 0.7])),
            (0.3, at([0.7, 0.6, 0.6])),
        ];
        let choice = choose("it", 0.1, &tried);
        assert_eq!((choice.best, choice.chosen), (0.2, 0.2));
        assert!(
            (choice.mean_held_out - 0.7).abs() < 1e-9,
            "0.2 is best on any two"
        );
    }

    #[test]
    fn what_pays_only_where_it_was_chosen_is_not() {
        // each value is good on one stream only
        let tried = [
            (0.1, at([0.5, 0.5, 0.5])),
            (0.2, at([0.9, 0.4, 0.3])),
            (0.3, at([0.3, 0.9, 0.4])),
        ];
        let choice = choose("it", 0.1, &tried);
        assert_eq!((choice.best, choice.chosen), (0.2, 0.1));
        assert!(choice.mean_held_out < choice.mean_before);
    }

    #[test]
    fn of_values_as_good_the_nearest_to_what_was_is_taken() {
        let tried = [
            (0.1, at([0.7, 0.7, 0.7])),
            (0.2, at([0.7, 0.7, 0.7])),
            (0.3, at([0.1, 0.1, 0.1])),
        ];
        assert_eq!(choose("it", 0.3, &tried).chosen, 0.2);
    }
}
