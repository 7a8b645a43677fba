//! What each policy and each factor of salience is worth: one exchanged at a time.

use crate::AblateArgs;
use crate::corpus::Dialogue;
use crate::fidelity::{Plan, Prior, recalled};
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
        *prior = Prior::none();
    }),
    ("questions weigh as statements", |_, prior| {
        prior.question = false;
    }),
    ("the first person weighs as others", |_, prior| {
        prior.first_person = false;
    }),
    ("figures weigh as words", |_, prior| prior.figures = false),
    ("backchannels weigh as statements", |_, prior| {
        prior.backchannel = false;
    }),
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
            let mut config = SessionConfig {
                budget_tokens,
                profile: EncoderProfile::for_encoder(&encoder.identity().name),
                ..SessionConfig::default()
            };
            let mut prior = Prior::whole();
            change(&mut config, &mut prior);
            let plan = Plan {
                corpus: "",
                encoder: Arc::clone(encoder),
                counter: Arc::new(WordPieceCounter::shared()),
                config,
                context_tokens: args.context_tokens,
                prior,
                misses: false,
            };
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
