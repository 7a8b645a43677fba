//! Keeps the tree under its budgets: merging first, then whatever loses least (ProStream 5.3).
//!
//! A unit may be said in fewer words before it is forgotten ([`super::shorten`]); each step is
//! taken in the order of the utility it loses per token it saves.

use super::knapsack::{Item, outweighing};
use super::mount::MountContext;
use super::node::{Kind, Node, NodeId};
use super::tree::MemoryTree;
use super::utility::Valuation;
use crate::config::{SessionConfig, UtilityPolicy};
use crate::text::Detail;
use std::collections::{BTreeMap, BTreeSet};

/// What it cost to fit the budget again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Fitted {
    pub(crate) merged: usize,
    pub(crate) condensed: usize,
    pub(crate) pruned: usize,
    pub(crate) unpinned: usize,
}

/// What may be done to save tokens, and what it costs in utility per token saved.
struct Saving {
    loss: f32,
    said_ms: u64,
    id: NodeId,
    /// The level of detail to go down to; `None` to forget the unit.
    to: Option<Detail>,
}

/// What the tree has too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Short {
    Tokens,
    Bytes,
    Nodes,
}

impl MemoryTree {
    /// Merges, condenses and prunes until tokens, bytes and nodes are within their budgets (eq. 2):
    /// always the step that loses least utility for what it saves (eq. 7). Saying things in fewer
    /// words saves tokens alone, so for the other two units are forgotten.
    ///
    /// Cost: O(N log N) when over a budget, nothing otherwise; N is bounded by the budget.
    pub(crate) fn fit(&mut self, ctx: &MountContext<'_>) -> Fitted {
        let config = ctx.config;
        let mut fitted = Fitted::default();
        while self.short_of(config).is_some() {
            let Some((a, b)) = self.merge_candidates.pop_front() else {
                break;
            };
            if self.may_merge(a, b, config) {
                self.merge(a, b);
                fitted.merged += 1;
            }
        }
        while let Some(short) = self.short_of(config) {
            let savings = self.savings(short, &ctx.valuation());
            if savings.is_empty() {
                // a pinned unit grows when it is superseded or heard again; the budget holds first
                if !self.unpin_least(short, &ctx.valuation()) {
                    break;
                }
                fitted.unpinned += 1;
                continue;
            }
            let mut lessened: BTreeSet<NodeId> = BTreeSet::new();
            for saving in savings {
                if self.short_of(config) != Some(short) {
                    break;
                }
                match saving.to {
                    Some(detail) => {
                        self.condense(saving.id, detail, ctx);
                        fitted.condensed += 1;
                        fitted.merged += usize::from(self.join_gists(saving.id, ctx));
                    }
                    None => {
                        let event = self.node(saving.id).and_then(|unit| unit.parent);
                        let scene = event.and_then(|event| self.node(event)?.parent);
                        fitted.pruned += self.remove(saving.id);
                        lessened
                            .extend(scene.filter(|_| event.is_none_or(|e| self.node(e).is_none())));
                    }
                }
            }
            // a label is made of what is held, so it forgets with it
            for scene in lessened {
                self.relabel(scene, ctx);
            }
        }
        fitted
    }

    /// The cheapest step for each unit that is not pinned, cheapest first; ties go to what was said
    /// first.
    ///
    /// Statements of one utterance are forgotten together, at the density they have together: half
    /// an utterance seldom proves anything. The paper's policy takes each by itself. Those that are
    /// worth more than all that would be kept without them are forgotten last
    /// ([`super::knapsack`]).
    fn savings(&self, short: Short, value: &Valuation<'_>) -> Vec<Saving> {
        let mut together: BTreeMap<(NodeId, u64), Item> = BTreeMap::new();
        let group = |unit: &Node| match value.config.utility {
            UtilityPolicy::Paper => (unit.id, unit.said_ms),
            UtilityPolicy::Salience => (unit.parent.unwrap_or(unit.id), unit.said_ms),
        };
        for unit in self.loose() {
            let worth = value.utility(unit, self.lexicon.document(unit.id.slot));
            let sum = together.entry(group(unit)).or_insert(Item {
                worth: 0.0,
                cost: 0,
            });
            sum.worth += worth;
            sum.cost += self.cost(unit, short);
        }
        let dearest = self.dearest(&together, short, value);
        let mut savings: Vec<Saving> = self
            .loose()
            .map(|unit| {
                let at = group(unit);
                let sum = together.get(&at).copied();
                let forgetting = match sum {
                    Some(sum) if dearest != Some(at) => sum.worth / sum.cost.max(1) as f32,
                    _ => f32::INFINITY,
                };
                let condensing = self.condensing(unit, value);
                let (loss, to) = match condensing.filter(|_| short == Short::Tokens) {
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
            .collect();
        if short == Short::Tokens {
            savings.extend(self.headlines(value));
        }
        savings.sort_by(|a, b| {
            a.loss
                .total_cmp(&b.loss)
                .then((a.said_ms, a.id).cmp(&(b.said_ms, b.id)))
        });
        savings
    }

    /// Lets the least dense of the pinned units go; false when there is none.
    fn unpin_least(&mut self, short: Short, value: &Valuation<'_>) -> bool {
        let density = |unit: &Node| {
            let worth = value.utility(unit, self.lexicon.document(unit.id.slot));
            worth / self.cost(unit, short).max(1) as f32
        };
        let pinned = self.of_kind(Kind::Unit).filter(|unit| unit.pinned);
        let least = pinned.min_by(|a, b| density(a).total_cmp(&density(b)).then(a.id.cmp(&b.id)));
        let Some(id) = least.map(|unit| unit.id) else {
            return false;
        };
        if let Some(unit) = self.node_mut(id) {
            unit.pinned = false;
        }
        true
    }

    /// Units that may be forgotten.
    fn loose(&self) -> impl Iterator<Item = &Node> {
        self.of_kind(Kind::Unit).filter(|unit| !unit.pinned)
    }

    /// Events that may be said in fewer words.
    fn headlines(&self, value: &Valuation<'_>) -> impl Iterator<Item = Saving> {
        self.of_kind(Kind::Event).filter_map(|event| {
            let (loss, to) = self.condensing(event, value)?;
            Some(Saving {
                loss,
                said_ms: event.said_ms,
                id: event.id,
                to: Some(to),
            })
        })
    }

    /// The group that is worth more than all that forgetting by density would keep.
    fn dearest(
        &self,
        together: &BTreeMap<(NodeId, u64), Item>,
        short: Short,
        value: &Valuation<'_>,
    ) -> Option<(NodeId, u64)> {
        let items: Vec<Item> = together.values().copied().collect();
        let loose: usize = items.iter().map(|item| item.cost).sum();
        let (held, budget) = self.held(short, value.config);
        let at = outweighing(&items, budget.saturating_sub(held - loose))?;
        together.keys().nth(at).copied()
    }

    fn cost(&self, node: &Node, of: Short) -> usize {
        match of {
            Short::Tokens => node.tokens as usize,
            Short::Bytes => self.footprint(node),
            Short::Nodes => 1,
        }
    }

    fn held(&self, of: Short, config: &SessionConfig) -> (usize, usize) {
        match of {
            Short::Tokens => (self.tokens, config.budget_tokens),
            Short::Bytes => (self.held_bytes, config.budget_bytes),
            Short::Nodes => (self.len(), config.budget_nodes),
        }
    }

    fn short_of(&self, config: &SessionConfig) -> Option<Short> {
        [Short::Tokens, Short::Bytes, Short::Nodes]
            .into_iter()
            .find(|&of| {
                let (held, budget) = self.held(of, config);
                held > budget
            })
    }
}
