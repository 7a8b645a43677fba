//! What a node is worth: ProStream eq. 1, and the third term that the default policy adds.

use super::node::Node;
use crate::config::{SessionConfig, UtilityPolicy};

/// Utility of a node at a session time.
///
/// `alpha ln(f + 1) + beta exp(-dt / tau)` (ProStream eq. 1), plus `gamma * salience` under
/// [`UtilityPolicy::Salience`]. Without the third term a memory that nobody asked yet keeps the
/// most recent past and nothing else.
#[must_use]
pub fn utility(node: &Node, config: &SessionConfig, now_ms: u64) -> f32 {
    let age_ms = now_ms.saturating_sub(node.last_access_ms) as f64;
    let recency = (-age_ms / config.recency_tau_ms as f64).exp() as f32;
    let frequency = ((node.frequency + 1) as f32).ln();
    let used = config.frequency_weight * frequency + config.recency_weight * recency;
    match config.utility {
        UtilityPolicy::Paper => used,
        UtilityPolicy::Salience => used + config.salience_weight * node.salience,
    }
}

/// Utility per token, the order in which nodes are pruned (ProStream eq. 7).
#[must_use]
pub fn density(node: &Node, config: &SessionConfig, now_ms: u64) -> f32 {
    utility(node, config, now_ms) / (node.tokens.max(1)) as f32
}
