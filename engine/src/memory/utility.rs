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

#[cfg(test)]
mod tests {
    use super::super::node::{Kind, NodeId};
    use super::*;

    fn unit(frequency: u32, last_access_ms: u64, tokens: u32) -> Node {
        Node {
            id: NodeId {
                slot: 0,
                generation: 0,
            },
            kind: Kind::Unit,
            parent: None,
            children: Vec::new(),
            text: String::new(),
            speaker: None,
            evidence: Vec::new(),
            evidence_more: 0,
            salience: 1.5,
            said_ms: 0,
            tokens,
            frequency,
            last_access_ms,
        }
    }

    /// By hand: recalled twice, half an hour ago, tau one hour:
    /// 0.6 ln 3 + 0.4 exp(-0.5) = 0.659167 + 0.242612 = 0.901780.
    #[test]
    fn equation_1_by_hand() {
        let config = SessionConfig {
            utility: UtilityPolicy::Paper,
            ..SessionConfig::default()
        };
        let node = unit(2, 0, 10);
        assert!((utility(&node, &config, 1_800_000) - 0.901_78).abs() < 1e-5);
        assert!((density(&node, &config, 1_800_000) - 0.090_18).abs() < 1e-5);
        let salient = SessionConfig {
            utility: UtilityPolicy::Salience,
            ..config
        };
        assert!((utility(&node, &salient, 1_800_000) - 2.401_78).abs() < 1e-5);
    }

    #[test]
    fn the_long_and_unused_goes_first() {
        let config = SessionConfig {
            utility: UtilityPolicy::Paper,
            ..SessionConfig::default()
        };
        let (used, fresh, stale) = (unit(3, 0, 10), unit(0, 3_600_000, 10), unit(0, 0, 20));
        let at = |node: &Node| density(node, &config, 3_600_000);
        assert!(at(&stale) < at(&fresh) && at(&fresh) < at(&used));
    }
}
