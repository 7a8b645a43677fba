//! One method along a growing stream.

use super::args::LengthsArgs;
use super::marks::marks;
use super::row::Row;
use crate::method::registry::build;
use crate::method::{HeardTurn, Method, MethodContext, Query};
use crate::process::resident_bytes;
use crate::simulate::{Fact, World};
use crate::stream::Turn;
use crate::timing::Times;
use anyhow::{Context, Result};
use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;

/// Questions asked at a mark, and repetitions of each.
const ASKED: usize = 50;
const ROUNDS: usize = 4;
/// Facts kept for questions; when there are too many, every second one is dropped.
const FACTS_MAX: usize = 1_024;
const SEED: u64 = 1;
/// 1 March 2025, noon.
const STARTED_AT_UNIX_MS: i64 = 1_740_830_400_000;

/// Feeds the dialogue to one method and prints a row at each mark.
pub(crate) fn run(args: &LengthsArgs) -> Result<()> {
    let name = args
        .methods
        .first()
        .context("a child measures one method")?;
    let encoder = args.talk.encoder.open()?;
    let budget_tokens = args.budget.tokens(name);
    let kit = Arc::new(MethodContext::plain(encoder, budget_tokens));
    let mut method = build(name, Arc::clone(&kit))?;
    let mut world = World::new(&args.talk.dialogues()?, SEED);
    let (mut facts, mut heard) = (Vec::new(), 0);
    for mark in marks(args.turns) {
        let fed = mark - heard;
        let (mut spent_us, before) = (0.0, kit.encoded().1);
        while heard < mark {
            spent_us += hear(&mut world, method.as_mut(), &kit, &mut facts)?;
            heard += 1;
        }
        spent_us += kit.beside_encoder(|| method.settle())?.0;
        let texts = kit.encoded().1 - before;
        let row = Row {
            ingest_us_per_turn: spent_us / fed as f64,
            ingest_encoded_texts: texts as f64 / fed as f64,
            budget_tokens,
            ..asked(args, name, method.as_ref(), &kit, &facts)?
        };
        let row = Row { turns: mark, ..row };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", serde_json::to_string(&row)?)?;
        out.flush()?;
    }
    Ok(())
}

fn hear(
    world: &mut World,
    method: &mut dyn Method,
    kit: &MethodContext,
    facts: &mut Vec<Fact>,
) -> Result<f64> {
    let (utterance, fact) = world.next("lengths");
    facts.extend(fact);
    if facts.len() >= FACTS_MAX {
        let mut other = false;
        facts.retain(|_| {
            other = !other;
            other
        });
    }
    let turn = Turn {
        id: utterance.id,
        speaker: utterance.speaker,
        span: utterance.span,
        text: utterance.text,
        audio: None,
    };
    let said = turn.said();
    let heard = HeardTurn {
        turn: &turn,
        said: &said,
        at_unix_ms: Some(STARTED_AT_UNIX_MS + turn.span.start_ms as i64),
    };
    Ok(kit.beside_encoder(|| method.hear(heard))?.0)
}

/// The questions of a mark, repeatedly.
fn asked(
    args: &LengthsArgs,
    name: &str,
    method: &dyn Method,
    kit: &MethodContext,
    facts: &[Fact],
) -> Result<Row> {
    let step = facts.len().div_ceil(ASKED).max(1);
    let asked: Vec<&Fact> = facts.iter().step_by(step).collect();
    let mut times = Times::default();
    let (mut found, mut tokens, before) = (0, 0, kit.encoded().1);
    for round in 0..ROUNDS {
        for fact in &asked {
            let query = Query {
                text: &fact.question,
                asked_by: None,
                context_tokens: args.talk.context_tokens,
            };
            let (us, recalled) = kit.beside_encoder(|| method.recall(&query))?;
            times.add(us);
            if round == 0 {
                let shown: HashSet<&str> = recalled.turns.iter().map(String::as_str).collect();
                found += usize::from(shown.contains(fact.id.as_str()));
                tokens += kit.counter.count(&recalled.context);
            }
        }
    }
    let of = asked.len().max(1) as f64;
    let texts = (kit.encoded().1 - before) as f64;
    Ok(Row {
        encoder: kit.encoder().identity().name.clone(),
        failed: None,
        query_us_p50: times.percentile(50),
        query_us_p95: times.percentile(95),
        query_us_p99: times.percentile(99),
        query_encoded_texts: texts / (of * ROUNDS as f64),
        context_tokens: tokens as f64 / of,
        stored_tokens: method.stored_tokens(),
        resident_bytes: resident_bytes(),
        facts_found: found as f64 / of,
        ..Row::failed(args, name, 0, String::new())
    })
}
