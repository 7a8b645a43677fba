//! Sessions of image format 3, read into the session of today.
//!
//! Format 3 kept quotes in every proof beside the text that its budget counted. They become lines
//! of a transcript; the tree says statements as they were heard, and is fitted to its budget once.
//! The inputs of its journal are migrated one by one ([`InputV3`]): what they name by node is
//! applied only where the snapshot has that node, since today's rules give new nodes other names.

mod input;

pub use input::InputV3;

use super::format4::StampV4;
use super::{ImageError, MigratedLine, Session, SessionClock};
use crate::config::{
    BoundaryPolicy, EncoderProfile, RecallPolicy, RecencyPolicy, SessionConfig, UtilityPolicy,
};
use crate::limits;
use crate::memory::{RarityTable, TreeV3};
use crate::sense::BufferV3;
use serde::Deserialize;
use std::sync::Arc;
use weir_models::CountTokens;

#[derive(Deserialize)]
struct BodyV3 {
    counter: String,
    config: ConfigV3,
    encoder: StampV4,
    clock: SessionClock,
    buffer: BufferV3,
    tree: TreeV3,
    rarity: RarityTable,
    turns: u64,
}

#[derive(Deserialize)]
struct ConfigV3 {
    budget_tokens: usize,
    budget_bytes: usize,
    budget_nodes: usize,
    frequency_weight: f32,
    recency_weight: f32,
    recency_tau_ms: u64,
    recency: RecencyPolicy,
    decay_per_hour: f32,
    stability_boost: f32,
    salience_weight: f32,
    salience_tau_ms: u64,
    utility: UtilityPolicy,
    recall: RecallPolicy,
    boundary: BoundaryPolicy,
    profile: EncoderProfile,
}

impl From<ConfigV3> for SessionConfig {
    fn from(old: ConfigV3) -> Self {
        Self {
            budget_tokens: old.budget_tokens,
            budget_bytes: old.budget_bytes,
            budget_nodes: old.budget_nodes,
            frequency_weight: old.frequency_weight,
            recency_weight: old.recency_weight,
            recency_tau_ms: old.recency_tau_ms,
            recency: old.recency,
            decay_per_hour: old.decay_per_hour,
            stability_boost: old.stability_boost,
            salience_weight: old.salience_weight,
            salience_tau_ms: old.salience_tau_ms,
            utility: old.utility,
            recall: old.recall,
            boundary: old.boundary,
            profile: old.profile,
            transcript_bytes: limits::TRANSCRIPT_BYTES_DEFAULT,
        }
    }
}

/// Reads an image of format 3, without its format number; the lines its proofs quoted beside it.
pub(super) fn read(
    bytes: &[u8],
    counter: Arc<dyn CountTokens>,
) -> Result<(Session, Vec<MigratedLine>), ImageError> {
    let damaged = |reason: String| ImageError::Damaged { reason };
    let body: BodyV3 = postcard::from_bytes(bytes).map_err(|error| damaged(error.to_string()))?;
    if body.counter != counter.name() {
        return Err(ImageError::OtherCounter {
            expected: body.counter,
            found: counter.name().to_owned(),
        });
    }
    let buffer = body.buffer.migrated(body.turns);
    let quotes = body.tree.quotes(&buffer);
    let mut session = Session {
        config: body.config.into(),
        encoder: body.encoder.into(),
        counter,
        clock: body.clock,
        buffer,
        tree: body.tree.migrated(&quotes),
        rarity: body.rarity,
        turns: body.turns,
    };
    // raw talk was outside the budget; what the journal still holds of it must fit in now
    let needed = limits::RAW_PART * limits::RAW_TOKENS_MAX;
    session.config.budget_tokens = session.config.budget_tokens.max(needed);
    session.check_parts().map_err(damaged)?;
    session.tree.check_places().map_err(damaged)?;
    session.tree.reindex();
    let (tree, ctx) = session.tree_and_context();
    tree.settle_migrated(&ctx);
    tree.fit(&ctx);
    session.buffer.trim(&session.config.raw_limits());
    session.check().map_err(damaged)?;
    let lines = quotes
        .into_lines()
        .into_iter()
        .map(|(turn, quoted)| MigratedLine {
            turn,
            session_ms: quoted.session_ms,
            said_at_unix_ms: quoted.said_at_unix_ms,
            utterance: quoted.utterance,
        });
    let mut lines: Vec<MigratedLine> = lines.collect();
    let first_raw = session
        .buffer
        .raw()
        .next()
        .map_or(u64::MAX, |heard| heard.turn);
    lines.retain(|line| line.turn < first_raw);
    lines.extend(session.buffer.raw().map(|heard| MigratedLine {
        turn: heard.turn,
        session_ms: heard.session_ms,
        said_at_unix_ms: heard.said_at_unix_ms,
        utterance: heard.utterance.clone(),
    }));
    Ok((session, lines))
}
