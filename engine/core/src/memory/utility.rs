//! The utility of a node: ProStream eq. 1, and the third term of the default policy.

use super::node::Node;
use super::rarity::RarityTable;
use crate::analysis::Term;
use crate::config::{RecencyPolicy, SessionConfig, UtilityPolicy};
use crate::retention::ForgettingCurve;
use crate::text::Salience;

/// Scale of the third term against eq. 1, where one recall is worth 0.4: a statement of fifteen
/// tokens that is asked for with probability one fifth is worth about five.
const SALIENCE_SCALE: f32 = 8.0;
/// To rank statements of different lengths, the probability is divided by the cost to this power: a
/// long statement shows more when it is asked for.
const COST_EXPONENT: f32 = 0.6;

/// Below this probability that it is asked for, eq. 1 counts in proportion: a greeting is worth
/// nothing, however fresh it is and however often it is said.
pub(crate) const CHANCE_USED: f32 = 0.1;

/// Utterances heard since a unit was last said that halve its probability, as a multiple of the
/// nodes held. Lower values lose questions about a whole dialogue of several budgets. With higher
/// values a long stream leaves a little of everything and hardly any of its last hour (`weir-bench
/// simulate`).
const FADE_HELD: f64 = 2.0;

/// The session values that determine the utility of a node.
#[derive(Debug, Clone)]
pub(crate) struct Valuation<'a> {
    pub(crate) config: &'a SessionConfig,
    pub(crate) rarity: &'a RarityTable,
    /// Terms of the speakers' names, ascending: they do not distinguish statements.
    pub(crate) names: Vec<Term>,
    pub(crate) now_ms: u64,
    /// Utterances heard so far, and nodes held.
    pub(crate) turns: u64,
    pub(crate) held: usize,
}

/// Value of a unit, in parts that add up over the statements of an utterance.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Worth {
    /// Use and age: `alpha ln(f + 1) + beta exp(-dt / tau)` (ProStream eq. 1).
    used: f32,
    /// The probability that it is asked for, decayed with its age.
    chance: f32,
}

impl Worth {
    /// The utility at this cost. Divided by the cost it is eq. 7's density.
    pub(super) fn utility(self, cost: usize) -> f32 {
        let cost = cost.max(1) as f32;
        self.used + SALIENCE_SCALE * self.chance * cost.powf(1.0 - COST_EXPONENT)
    }
}

impl std::ops::Add for Worth {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            used: self.used + other.used,
            chance: self.chance + other.chance,
        }
    }
}

impl std::ops::Sub for Worth {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            used: self.used - other.used,
            chance: self.chance - other.chance,
        }
    }
}

impl Valuation<'_> {
    /// Utility of a unit; `words` are the sorted terms of the statement as heard.
    pub(crate) fn utility(&self, node: &Node, words: &[Term]) -> f32 {
        self.worth(node, words).utility(node.tokens as usize)
    }

    /// Value of a unit: eq. 1, and under [`UtilityPolicy::Salience`] a third term, the probability
    /// that its content is asked for ([`Salience`]). Without it, a memory that was never asked
    /// keeps only the most recent past. The term decays as `(1 + dt / tau_s)^(-1/2)`: the odds that
    /// something is needed again fall with a power of the time since its last use (Anderson and
    /// Schooler 1991). It is also divided by `1 + n`, where `n` is the number of utterances since
    /// it was last said, divided by twice the nodes held. So in a stream of any length, memory
    /// keeps much of the latest talk and some of all before, not a little of everything.
    pub(super) fn worth(&self, node: &Node, words: &[Term]) -> Worth {
        match self.config.utility {
            UtilityPolicy::Paper => Worth {
                used: self.used(node),
                chance: 0.0,
            },
            UtilityPolicy::Salience => {
                let (mass, distinct) = self.rarity.mass(words, &self.names);
                let chance = Salience::chance(node.salience, mass, distinct, node.heard_tokens);
                Worth {
                    used: self.used(node) * (chance / CHANCE_USED).min(1.0),
                    chance: self.decayed(node, chance),
                }
            }
        }
    }

    /// The probability that a unit is asked for, decayed with its age.
    fn decayed(&self, node: &Node, chance: f32) -> f32 {
        self.faded(chance, node.last_access_ms, node.last_said())
    }

    /// The probability that something is asked for, decayed since its last use in session time and
    /// since the utterance that said it last.
    pub(crate) fn faded(&self, chance: f32, last_access_ms: u64, last_said: u64) -> f32 {
        let passed = self.now_ms.saturating_sub(last_access_ms) as f64;
        let age = passed / self.config.salience_tau_ms as f64;
        let need = (1.0 + age).powf(-0.5) / (1.0 + self.heard_since(last_said));
        self.config.salience_weight * chance * need as f32
    }

    /// The utterances heard since the one that said something last, as a multiple of the number
    /// that halves its probability.
    fn heard_since(&self, last_said: u64) -> f64 {
        let since = self.turns.saturating_sub(last_said);
        since as f64 / (FADE_HELD * self.held.max(1) as f64)
    }

    fn age_ms(&self, node: &Node) -> f64 {
        self.now_ms.saturating_sub(node.last_access_ms) as f64
    }

    /// Eq. 1.
    fn used(&self, node: &Node) -> f32 {
        let config = self.config;
        let frequency = ((node.frequency + 1) as f32).ln();
        config.frequency_weight * frequency + config.recency_weight * self.retention(node)
    }

    /// Retention of a node since its last access, `0.0..=1.0`: eq. 1's `exp(-dt / tau)`, or `exp(-d
    /// dt / S)` with `S = b^f`, since each of its f accesses multiplied S by b.
    fn retention(&self, node: &Node) -> f32 {
        let config = self.config;
        let passed = match config.recency {
            RecencyPolicy::Exponential => self.age_ms(node) / config.recency_tau_ms as f64,
            RecencyPolicy::Ebbinghaus => ForgettingCurve {
                decay_per_hour: f64::from(config.decay_per_hour),
                stability_hours: 1.0,
                boost: f64::from(config.stability_boost),
            }
            .passed(self.age_ms(node), node.frequency),
        };
        (-passed).exp() as f32
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::{Kind, NodeId};
    use super::*;
    use crate::distil::testing::block;
    use crate::limits;
    use crate::talk::{Evidence, Wording};

    fn unit(frequency: u32, last_access_ms: u64, tokens: u32) -> Node {
        Node {
            terms: weir_models::Terms::default(),
            id: NodeId {
                slot: 0,
                generation: 0,
            },
            kind: Kind::Unit,
            parent: None,
            children: Vec::new(),
            text: String::new(),
            asked: None,
            wording: Wording::Verbatim,
            speaker: None,
            evidence: Vec::new(),
            evidence_more: 0,
            salience: 1.5,
            said_ms: 0,
            tokens,
            label_tokens: 0,
            begins_line: false,
            heard_tokens: tokens,
            frequency,
            last_access_ms,
            pinned: false,
            edited: false,
            analysis: Default::default(),
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
            names: Vec::new(),
            now_ms: 1_800_000,
            turns: 0,
            held: 1,
        };
        assert!((at(&paper).utility(&node, &[7]) - 0.901_78).abs() < 1e-5);
        let salient = value(UtilityPolicy::Salience);
        let worth = at(&salient).utility(&node, &[7]);
        // a new word weighs ln((0 + 1) / 0.5) nats; ten tokens; the prior is 1.5 logits
        let chance = Salience::chance(1.5, 2.0_f32.ln(), 1, 10);
        // half an hour is a 48th of the day over which salience begins to fade
        let faded = (1.0 + 1.0 / 48.0_f32).powf(-0.5);
        let used = 0.901_78 * (chance / 0.1).min(1.0);
        let expected = used + 8.0 * chance * faded * 10.0_f32.powf(0.4);
        assert!((worth - expected).abs() < 1e-4, "{worth}");
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
            names: Vec::new(),
            now_ms: 7_200_000,
            turns: 0,
            held: 1,
        };
        let worth = value.utility(&unit(2, 0, 10), &[]);
        assert!((worth - 0.901_78).abs() < 1e-5, "{worth}");
        // with one more access it lasts twice as long
        let longer = value.retention(&unit(3, 0, 10));
        assert!((longer - (-0.25_f32).exp()).abs() < 1e-6, "{longer}");
        assert!(value.retention(&unit(u32::MAX, 0, 10)) <= 1.0);
    }

    /// Never asked: of two statements of equal value, the one with more talk since is worth less;
    /// the fewer nodes memory holds, the more it loses.
    #[test]
    fn a_chance_halves_with_what_was_heard_since() {
        let rarity = RarityTable::default();
        let config = SessionConfig::default();
        let chance = |turns, held| {
            let value = Valuation {
                config: &config,
                rarity: &rarity,
                names: Vec::new(),
                now_ms: 0,
                turns,
                held,
            };
            value.worth(&unit(0, 0, 10), &[7]).chance
        };
        let fresh = chance(0, 100);
        assert!((chance(200, 100) - fresh / 2.0).abs() < 1e-6);
        assert!((chance(200, 200) - fresh / 1.5).abs() < 1e-6);
    }

    /// Repeated more often than a node keeps evidence: its last utterance is still that of its
    /// newest evidence.
    #[test]
    fn what_is_said_again_fades_from_the_last_time() {
        let lines = [("Ana", "The train leaves at nine."); 20];
        let block = block(&lines);
        let mut node = unit(0, 0, 10);
        // in an order as from merging, not the order said
        for turn in (0..lines.len()).map(|n| n * 7 % lines.len()) {
            let heard = &block.fresh[turn];
            node.add_evidence(Evidence::of(heard, &heard.utterance.text));
        }
        assert_eq!(node.evidence[0].turn, 0, "its own words come first");
        let kept = limits::EVIDENCE_ITEMS_MAX;
        let counted = lines.len() - kept;
        assert_eq!(
            (node.evidence.len(), node.evidence_more as usize),
            (kept, counted)
        );
        let value = Valuation {
            config: &SessionConfig::default(),
            rarity: &RarityTable::default(),
            names: Vec::new(),
            now_ms: 0,
            turns: 19,
            held: 1,
        };
        assert!(value.heard_since(node.last_said()).abs() < f64::EPSILON);
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
            names: Vec::new(),
            now_ms: 3_600_000,
            turns: 0,
            held: 1,
        };
        let (used, fresh, stale) = (unit(3, 0, 10), unit(0, 3_600_000, 10), unit(0, 0, 20));
        let at = |node: &Node| value.utility(node, &[]) / node.tokens as f32;
        assert!(at(&stale) < at(&fresh) && at(&fresh) < at(&used));
    }
}
