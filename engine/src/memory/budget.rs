//! Keeps the tree under its token budget: merging first, then whatever loses least (ProStream 5.3).
//!
//! A unit may be said in fewer words before it is forgotten ([`super::shorten`]); each step is
//! taken in the order of the utility it loses per token it saves.

use super::mount::MountContext;
use super::node::{Kind, Node, NodeId};
use super::tree::MemoryTree;
use super::utility::Valuation;
use crate::config::SessionConfig;
use crate::limits;
use crate::text::Detail;
use std::collections::BTreeMap;

/// What it cost to fit the budget again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Fitted {
    pub(super) merged: usize,
    pub(super) condensed: usize,
    pub(super) pruned: usize,
}

/// What may be done to save tokens, and what it costs in utility per token saved.
struct Saving {
    loss: f32,
    said_ms: u64,
    id: NodeId,
    /// The level of detail to go down to; `None` to forget the unit.
    to: Option<Detail>,
}

impl MemoryTree {
    /// Merges, condenses and prunes until `tokens() <= budget` and the node count is in bounds
    /// (eq. 2): always the step that loses least utility per token it saves (eq. 7).
    ///
    /// Cost: O(N log N) when over the budget, nothing otherwise; N is bounded by the budget.
    pub(super) fn fit(&mut self, ctx: &MountContext<'_>) -> Fitted {
        let config = ctx.config;
        let mut fitted = Fitted::default();
        while self.over(config) {
            let Some((a, b)) = self.merge_candidates.pop_front() else {
                break;
            };
            if self.may_merge(a, b, config) {
                self.merge(a, b);
                fitted.merged += 1;
            }
        }
        while self.over(config) {
            let savings = self.savings(&ctx.valuation());
            if savings.is_empty() {
                break;
            }
            for saving in savings {
                if !self.over(config) {
                    break;
                }
                match saving.to {
                    Some(detail) => {
                        self.condense(saving.id, detail, ctx);
                        fitted.condensed += 1;
                        fitted.merged += usize::from(self.join_gists(saving.id, ctx));
                    }
                    None => fitted.pruned += self.remove(saving.id),
                }
            }
        }
        fitted
    }

    /// The cheapest step for each unit, cheapest first; ties go to what was said first.
    ///
    /// Statements of one utterance are forgotten together, at the density they have together: half
    /// an utterance seldom proves anything.
    fn savings(&self, value: &Valuation<'_>) -> Vec<Saving> {
        let mut together: BTreeMap<(NodeId, u64), (f32, u32)> = BTreeMap::new();
        let group = |unit: &Node| (unit.parent.unwrap_or(unit.id), unit.said_ms);
        for unit in self.of_kind(Kind::Unit) {
            let worth = value.utility(unit, self.lexicon.document(unit.id.slot));
            let sum = together.entry(group(unit)).or_default();
            *sum = (sum.0 + worth, sum.1 + unit.tokens);
        }
        let headlines = self.of_kind(Kind::Event).filter_map(|event| {
            let (loss, to) = self.condensing(event, value)?;
            Some(Saving {
                loss,
                said_ms: event.said_ms,
                id: event.id,
                to: Some(to),
            })
        });
        let mut savings: Vec<Saving> = self
            .of_kind(Kind::Unit)
            .map(|unit| {
                let (worth, tokens) = together.get(&group(unit)).copied().unwrap_or((0.0, 1));
                let forgetting = worth / tokens.max(1) as f32;
                let condensing = self.condensing(unit, value);
                let (loss, to) = match condensing {
                    Some((loss, to)) if loss < forgetting => (loss, Some(to)),
                    _ => (forgetting, None),
                };
                Saving {
                    loss,
                    said_ms: unit.said_ms,
                    id: unit.id,
                    to,
                }
            })
            .chain(headlines)
            .collect();
        savings.sort_by(|a, b| {
            a.loss
                .total_cmp(&b.loss)
                .then((a.said_ms, a.id).cmp(&(b.said_ms, b.id)))
        });
        savings
    }

    fn over(&self, config: &SessionConfig) -> bool {
        self.tokens > config.budget_tokens || self.slots.len() - self.free.len() > limits::NODES_MAX
    }
}
