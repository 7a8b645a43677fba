//! Sessions of image format 5, whose settings did not define how statements merge.

use super::{EncoderStamp, SessionClock};
use crate::config::{
    BoundaryPolicy, EncoderProfile, MergePolicy, RecallPolicy, RecencyPolicy, SessionConfig,
    UtilityPolicy,
};
use crate::memory::{MemoryTree, RarityTable};
use crate::sense::SensingBuffer;
use serde::Deserialize;

/// All of an image but its format number.
#[derive(Deserialize)]
pub(super) struct BodyV5 {
    pub(super) counter: String,
    pub(super) config: ConfigV5,
    pub(super) encoder: EncoderStamp,
    pub(super) clock: SessionClock,
    pub(super) buffer: SensingBuffer,
    pub(super) tree: MemoryTree,
    pub(super) rarity: RarityTable,
    pub(super) turns: u64,
}

/// The settings of formats 4 and 5.
#[derive(Deserialize)]
pub(super) struct ConfigV5 {
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
    pub(super) transcript_bytes: u64,
}

impl From<ConfigV5> for SessionConfig {
    fn from(old: ConfigV5) -> Self {
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
            transcript_bytes: old.transcript_bytes,
        }
    }
}
