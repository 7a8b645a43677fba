//! Sessions of image format 2, read into records of format 3.
//!
//! Their journals are a subset of format 3's: the same records, without changes by hand.

use super::body::Body;
use super::format3::{ConfigV3, StampV4};
use crate::config::{
    BoundaryPolicy, EncoderProfile, RecallPolicy, RecencyPolicy, SessionConfig, UtilityPolicy,
};
use crate::memory::TreeV2;
use crate::sense::BufferV2;
use serde::Deserialize;

pub(super) type BodyV2 = Body<ConfigV2, StampV4, BufferV2, TreeV2>;

#[derive(Deserialize)]
pub(super) struct ConfigV2 {
    budget_tokens: usize,
    frequency_weight: f32,
    recency_weight: f32,
    recency_tau_ms: u64,
    salience_weight: f32,
    salience_tau_ms: u64,
    utility: UtilityPolicy,
    recall: RecallPolicy,
    profile: EncoderProfile,
}

impl From<ConfigV2> for ConfigV3 {
    fn from(old: ConfigV2) -> Self {
        let new = SessionConfig::default();
        Self {
            budget_tokens: old.budget_tokens,
            budget_bytes: new.budget_bytes,
            budget_nodes: new.budget_nodes,
            frequency_weight: old.frequency_weight,
            recency_weight: old.recency_weight,
            recency_tau_ms: old.recency_tau_ms,
            recency: RecencyPolicy::Exponential,
            decay_per_hour: new.decay_per_hour,
            stability_boost: new.stability_boost,
            salience_weight: old.salience_weight,
            salience_tau_ms: old.salience_tau_ms,
            utility: old.utility,
            recall: old.recall,
            boundary: BoundaryPolicy::Adaptive,
            profile: old.profile,
        }
    }
}
