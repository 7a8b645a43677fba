//! What each policy and each factor of salience is worth: one exchanged at a time.

use crate::cli::AblateArgs;
use crate::corpus::Dialogue;
use crate::fidelity::{Plan, Prior, recalled, recalled_each};
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;
use weir_engine::config::{
    EncoderProfile, RecallPolicy, RecencyPolicy, SessionConfig, UtilityPolicy,
};
use weir_models::{Encode, WordPieceCounter};

#[derive(Serialize)]
struct Row<'a> {
    variant: &'a str,
    budget_tokens: usize,
    evidence_recall: f64,
    forgotten: f64,
}

/// A name, and what differs from the default.
type Variant = (&'static str, fn(&mut SessionConfig, &mut Prior));

const VARIANTS: &[Variant] = &[
    ("default", |_, _| {}),
    ("paper's utility: frequency and recency", |config, _| {
        config.utility = UtilityPolicy::Paper;
    }),
    ("paper's utility, forgetting curve", |config, _| {
        config.utility = UtilityPolicy::Paper;
        config.recency = RecencyPolicy::Ebbinghaus;
    }),
    ("forgetting curve for recency", |config, _| {
        config.recency = RecencyPolicy::Ebbinghaus;
    }),
    ("salience never fades", |config, _| {
        config.salience_tau_ms = 1_000_000_000_000_000;
    }),
    ("rarity alone: no factor of kind", |_, prior| {
        *prior = Prior {
            question: 0.0,
            first_person: 0.0,
            figures: 0.0,
        };
    }),
    ("questions weigh as statements", |_, prior| {
        prior.question = 0.0;
    }),
    ("the first person weighs as others", |_, prior| {
        prior.first_person = 0.0;
    }),
    ("figures weigh as words", |_, prior| prior.figures = 0.0),
    ("top-down recall", |config, _| {
        config.recall = RecallPolicy::TopDown;
    }),
    ("paper's utility, top-down recall", |config, _| {
        config.utility = UtilityPolicy::Paper;
        config.recall = RecallPolicy::TopDown;
    }),
];

/// Measures every variant at every budget, a JSON object a line.
pub(crate) fn run(
    args: &AblateArgs,
    dialogues: &[Dialogue],
    encoder: &Arc<dyn Encode>,
) -> Result<()> {
    for (variant, change) in VARIANTS {
        for &budget_tokens in &args.budgets {
            let mut plan = plan(args, encoder, budget_tokens);
            change(&mut plan.config, &mut plan.prior);
            let (evidence_recall, forgotten) = recalled(&plan, dialogues)?;
            let row = Row {
                variant,
                budget_tokens,
                evidence_recall,
                forgotten,
            };
            writeln!(std::io::stdout(), "{}", serde_json::to_string(&row)?)?;
        }
    }
    Ok(())
}

fn plan(args: &AblateArgs, encoder: &Arc<dyn Encode>, budget_tokens: usize) -> Plan<'static> {
    Plan {
        corpus: "",
        encoder: Arc::clone(encoder),
        counter: Arc::new(WordPieceCounter::shared()),
        config: SessionConfig {
            budget_tokens,
            profile: EncoderProfile::for_encoder(&encoder.identity().name),
            ..SessionConfig::default()
        },
        context_tokens: args.context_tokens,
        prior: Prior::whole(),
        misses: false,
    }
}

/// Powers tried for each factor.
const QUESTION: [f32; 3] = [0.7, 1.0, 1.5];
const FIRST_PERSON: [f32; 4] = [1.0, 1.5, 2.0, 3.0];
const FIGURES: [f32; 4] = [1.0, 1.5, 2.0, 3.0];

/// Fits the factors' strengths, and says what that is worth on dialogues they were not fitted on:
/// for each dialogue the strengths that are best on all others are taken.
pub(crate) fn fit(
    args: &AblateArgs,
    dialogues: &[Dialogue],
    encoder: &Arc<dyn Encode>,
) -> Result<()> {
    for &budget_tokens in &args.budgets {
        let mut tried: Vec<(Prior, Vec<(f64, usize)>)> = Vec::new();
        for question in QUESTION {
            for first_person in FIRST_PERSON {
                for figures in FIGURES {
                    let mut plan = plan(args, encoder, budget_tokens);
                    plan.prior = Prior {
                        question,
                        first_person,
                        figures,
                    };
                    let each = recalled_each(&plan, dialogues)?;
                    let recall = mean(&each, |_| true);
                    let row = serde_json::json!({
                        "budget_tokens": budget_tokens,
                        "prior": plan.prior,
                        "evidence_recall": recall,
                    });
                    writeln!(std::io::stdout(), "{row}")?;
                    tried.push((plan.prior, each));
                }
            }
        }
        let (mut unseen, mut of) = (0.0, 0);
        for left_out in 0..dialogues.len() {
            let on_others = |each: &[(f64, usize)]| mean(each, |at| at != left_out);
            let best = tried
                .iter()
                .max_by(|a, b| on_others(&a.1).total_cmp(&on_others(&b.1)));
            if let Some((_, each)) = best {
                unseen += each[left_out].0;
                of += each[left_out].1;
            }
        }
        let default = tried.iter().find(|(prior, _)| *prior == Prior::whole());
        let row = serde_json::json!({
            "budget_tokens": budget_tokens,
            "default": default.map(|(_, each)| mean(each, |_| true)),
            "fitted_on_others": unseen / of.max(1) as f64,
        });
        writeln!(std::io::stdout(), "{row}")?;
    }
    Ok(())
}

fn mean(each: &[(f64, usize)], take: impl Fn(usize) -> bool) -> f64 {
    let taken = each.iter().enumerate().filter(|(at, _)| take(*at));
    let (sum, of) = taken.fold((0.0, 0), |sum, (_, each)| (sum.0 + each.0, sum.1 + each.1));
    sum / of.max(1) as f64
}
