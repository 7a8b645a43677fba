//! Sessions of image format 3, converted to the current format.
//!
//! Format 3 stored quotes in all evidence, outside the text that its budget counted. The quotes
//! become lines of a transcript; the units get their words as heard, and the tree is reduced to its
//! budget once. The inputs of its journal are converted one by one ([`InputV3`]).

mod input;

pub use input::InputV3;

use super::body::Body;
use super::{EncoderStamp, ImageError, MigratedLine, Session, SpeakerNames};
use crate::beliefs::Beliefs;
use crate::config::{
    BoundaryPolicy, EncoderProfile, MergePolicy, RecallPolicy, RecencyPolicy, SessionConfig,
    UtilityPolicy,
};
use crate::limits;
use crate::memory::TreeV3;
use crate::profile::Profiles;
use crate::sense::BufferV3;
use crate::sources::Sources;
use serde::Deserialize;
use std::sync::Arc;
use weir_models::CountTokens;

pub(super) type BodyV3 = Body<ConfigV3, StampV4, BufferV3, TreeV3>;

/// The encoder of formats up to 4.
#[derive(Deserialize)]
pub(super) struct StampV4 {
    name: String,
    digest: String,
    dimension: usize,
}

impl From<StampV4> for EncoderStamp {
    fn from(old: StampV4) -> Self {
        Self {
            name: old.name,
            digest: old.digest,
            dimension: old.dimension,
            terms: None,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct ConfigV3 {
    pub(super) budget_tokens: usize,
    pub(super) budget_bytes: usize,
    pub(super) budget_nodes: usize,
    pub(super) frequency_weight: f32,
    pub(super) recency_weight: f32,
    pub(super) recency_tau_ms: u64,
    pub(super) recency: RecencyPolicy,
    pub(super) decay_per_hour: f32,
    pub(super) stability_boost: f32,
    pub(super) salience_weight: f32,
    pub(super) salience_tau_ms: u64,
    pub(super) utility: UtilityPolicy,
    pub(super) recall: RecallPolicy,
    pub(super) boundary: BoundaryPolicy,
    pub(super) profile: EncoderProfile,
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
            merge: MergePolicy::before_format_6(&old.profile),
            profile: old.profile,
            transcript_bytes: limits::TRANSCRIPT_BYTES_DEFAULT,
        }
    }
}

/// Converts an image of format 3; also returns the lines quoted in its evidence.
pub(super) fn taken_up(
    body: BodyV3,
    counter: Arc<dyn CountTokens>,
) -> Result<(Session, Vec<MigratedLine>), ImageError> {
    let damaged = |reason: String| ImageError::Damaged { reason };
    body.check_counter(counter.as_ref())?;
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
        beliefs: Beliefs::default(),
        profiles: Profiles::default(),
        sources: Sources::default(),
        names: SpeakerNames::default(),
    };
    // raw talk was outside the budget; the journal's raw talk must fit into it now
    let needed = limits::RAW_PART * limits::RAW_TOKENS_MAX;
    session.config.budget_tokens = session.config.budget_tokens.max(needed);
    session.check_parts().map_err(damaged)?;
    session.tree.check_places().map_err(damaged)?;
    session.tree.reindex();
    let (tree, ctx) = session.tree_and_context();
    tree.settle_migrated(&ctx);
    tree.enforce_budget(&ctx);
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
