//! What a node is worth: ProStream eq. 1, and the third term that the default policy adds.

use super::node::Node;
use super::rarity::RarityTable;
use crate::config::{RecencyPolicy, SessionConfig, UtilityPolicy};
use crate::text::{Detail, Term};

/// Turns nats of rarity into the scale of eq. 1, where a unit recalled once is worth 0.4: a
/// statement of five rare words (some 25 nats) is worth about two and a half.
const SALIENCE_PER_NAT: f32 = 0.1;

const HOUR_MS: f64 = 3_600_000.0;
/// Accesses after which a stability grows no more: at the default boost it is a thousand years.
const ACCESSES_MAX: u32 = 24;

/// What a session knows that decides what a node is worth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Valuation<'a> {
    pub(crate) config: &'a SessionConfig,
    pub(crate) rarity: &'a RarityTable,
    pub(crate) now_ms: u64,
}

impl Valuation<'_> {
    /// Utility of a node, `words` being what it was condensed from.
    ///
    /// `alpha ln(f + 1) + beta exp(-dt / tau)` (ProStream eq. 1), plus under
    /// [`UtilityPolicy::Salience`] a third term, `gamma * prior * mass`: what the statement's words
    /// weigh by their rarity in everything heard so far. Without it a memory that nobody asked yet
    /// keeps the most recent past and nothing else. It fades as `(1 + dt / tau_s)^(-1/2)`: the odds
    /// that something is needed again fall with a power of the time since it was (Anderson and
    /// Schooler 1991), so that a long stream keeps much of its last day and a little of each day
    /// before, not a thin slice of everything.
    pub(crate) fn utility(&self, node: &Node, words: &[Term]) -> f32 {
        let salience = match self.config.utility {
            UtilityPolicy::Paper => 0.0,
            UtilityPolicy::Salience => self.salience(node, words) * kept(node.detail),
        };
        self.used(node) + salience
    }

    /// Utility lost by one step down in detail.
    pub(crate) fn condensing_loss(&self, node: &Node, words: &[Term], to: Detail) -> f32 {
        self.salience(node, words) * (kept(node.detail) - kept(to))
    }

    fn salience(&self, node: &Node, words: &[Term]) -> f32 {
        let mass = self.rarity.mass(words) * SALIENCE_PER_NAT;
        let age = self.age_ms(node) / self.config.salience_tau_ms as f64;
        let need = (1.0 + age).powf(-0.5) as f32;
        self.config.salience_weight * node.salience * mass * need
    }

    fn age_ms(&self, node: &Node) -> f64 {
        self.now_ms.saturating_sub(node.last_access_ms) as f64
    }

    fn used(&self, node: &Node) -> f32 {
        let config = self.config;
        let frequency = ((node.frequency + 1) as f32).ln();
        config.frequency_weight * frequency + config.recency_weight * self.retention(node)
    }

    /// What is left of a node since it was last accessed, `0.0..=1.0`: eq. 1's `exp(-dt / tau)`, or
    /// `exp(-d dt / S)` with `S = b^f`, since each of its f accesses multiplied S by b.
    fn retention(&self, node: &Node) -> f32 {
        let config = self.config;
        let passed = match config.recency {
            RecencyPolicy::Exponential => self.age_ms(node) / config.recency_tau_ms as f64,
            RecencyPolicy::Ebbinghaus => {
                let accesses = node.frequency.min(ACCESSES_MAX) as i32;
                let stability = f64::from(config.stability_boost).powi(accesses);
                f64::from(config.decay_per_hour) * self.age_ms(node) / HOUR_MS / stability
            }
        };
        (-passed).exp() as f32
    }
}

/// Share of a statement's worth that is left at a level of detail. A telegram says all but the
/// grammar; a gist has lost the commoner half of the words, which weigh less than half.
fn kept(detail: Detail) -> f32 {
    match detail {
        Detail::Whole => 1.0,
        Detail::Telegram => 0.9,
        Detail::Gist => 0.7,
    }
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
            detail: Detail::Whole,
            speaker: None,
            evidence: Vec::new(),
            evidence_more: 0,
            salience: 1.5,
            said_ms: 0,
            tokens,
            frequency,
            last_access_ms,
            pinned: false,
            edited: false,
            claim: None,
            superseded: None,
        }
    }

    /// By hand: recalled twice, half an hour ago, tau one hour:
    /// 0.6 ln 3 + 0.4 exp(-0.5) = 0.659167 + 0.242612 = 0.901780.
    #[test]
    fn equation_1_by_hand() {
        let rarity = RarityTable::default();
        let value = |utility| SessionConfig {
            utility,
            ..SessionConfig::default()
        };
        let paper = value(UtilityPolicy::Paper);
        let node = unit(2, 0, 10);
        let at = |config| Valuation {
            config,
            rarity: &rarity,
            now_ms: 1_800_000,
        };
        assert!((at(&paper).utility(&node, &[7]) - 0.901_78).abs() < 1e-5);
        // a word never heard weighs ln((0 + 1) / 0.5) nats; the prior of this node is 1.5
        let salient = value(UtilityPolicy::Salience);
        let worth = at(&salient).utility(&node, &[7]);
        // half an hour is a 48th of the day over which salience begins to fade
        let faded = (1.0 + 1.0 / 48.0_f32).powf(-0.5);
        let expected = 0.901_78 + 0.15 * 2.0_f32.ln() * faded;
        assert!((worth - expected).abs() < 1e-5, "{worth}");
    }

    /// By hand: accessed twice, so S = 2^2; d = 1 an hour, two hours ago:
    /// 0.6 ln 3 + 0.4 exp(-1 * 2 / 4) = 0.659167 + 0.242612 = 0.901780.
    #[test]
    fn the_forgetting_curve_by_hand() {
        let config = SessionConfig {
            utility: UtilityPolicy::Paper,
            recency: RecencyPolicy::Ebbinghaus,
            ..SessionConfig::default()
        };
        let value = Valuation {
            config: &config,
            rarity: &RarityTable::default(),
            now_ms: 7_200_000,
        };
        let worth = value.utility(&unit(2, 0, 10), &[]);
        assert!((worth - 0.901_78).abs() < 1e-5, "{worth}");
        // asked for once more, it lasts twice as long
        let longer = value.retention(&unit(3, 0, 10));
        assert!((longer - (-0.25_f32).exp()).abs() < 1e-6, "{longer}");
        assert!(value.retention(&unit(u32::MAX, 0, 10)) <= 1.0);
    }

    #[test]
    fn the_long_and_unused_goes_first() {
        let config = SessionConfig {
            utility: UtilityPolicy::Paper,
            ..SessionConfig::default()
        };
        let value = Valuation {
            config: &config,
            rarity: &RarityTable::default(),
            now_ms: 3_600_000,
        };
        let (used, fresh, stale) = (unit(3, 0, 10), unit(0, 3_600_000, 10), unit(0, 0, 20));
        let at = |node: &Node| value.utility(node, &[]) / node.tokens as f32;
        assert!(at(&stale) < at(&fresh) && at(&fresh) < at(&used));
    }
}
