//! Keeps memory within its budgets: first merges, then the steps that lose least (ProStream 5.3).
//!
//! The tree and the raw talk share one token budget. If a transcript keeps the words on disk, a
//! unit may be reduced to its key words before it is forgotten ([`super::key`]). Steps are taken in
//! ascending order of utility lost per token saved.

use super::context::TreeContext;
use super::knapsack::{Item, outweighing};
use super::node::{Kind, Node, NodeId};
use super::tree::MemoryTree;
use super::utility::Valuation;
use super::utility::Worth;
use crate::config::{MergePolicy, UtilityPolicy};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// Changes made to enforce the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Fitted {
    pub(crate) merged: usize,
    pub(crate) keyed: usize,
    pub(crate) pruned: usize,
    pub(crate) unpinned: usize,
}

/// Minimum share of an utterance's content words that must remain when one of its statements is
/// forgotten. Below it, the rest is forgotten too: half an utterance is rarely evidence of
/// anything, and may lack what "it" refers to.
const REST_SHARE: f32 = 0.5;
/// When pruning, one part in this many of the budget is freed in addition, so that not every
/// utterance causes a new valuation of all units.
const SLACK_PART: usize = 256;

/// Steps that save tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// Reduce a unit to its key words.
    Key(usize),
    /// Forget a unit, and keep the rest of its utterance.
    Unit(usize),
    /// Forget everything held of an utterance.
    Line(usize),
}

/// A step with the utility lost per token, byte or node saved; the smallest loss comes first.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Saving {
    loss: f32,
    said_ms: u64,
    step: Step,
}

impl Eq for Saving {}

impl Ord for Saving {
    fn cmp(&self, other: &Self) -> Ordering {
        // a heap returns its greatest element first
        let order = other.loss.total_cmp(&self.loss);
        order.then((other.said_ms, other.step).cmp(&(self.said_ms, self.step)))
    }
}

impl PartialOrd for Saving {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A prunable unit.
#[derive(Debug, Clone, Copy)]
struct Prunable {
    id: NodeId,
    said_ms: u64,
    line: usize,
    worth: Worth,
    cost: usize,
    /// Share of its utterance's content words in it.
    share: f32,
    gone: bool,
}

/// The prunable units of an utterance.
#[derive(Debug, Clone, Default)]
struct HeldLine {
    units: Vec<usize>,
    worth: Worth,
    cost: usize,
    share: f32,
    /// Whether part of it can be kept: one of several units, or key words.
    is_divisible: bool,
}

/// Everything prunable.
#[derive(Debug)]
struct Held {
    units: Vec<Prunable>,
    lines: Vec<HeldLine>,
}

impl Held {
    fn unit_saving(&self, at: usize) -> Saving {
        let unit = &self.units[at];
        Saving {
            loss: unit.worth.utility(unit.cost) / unit.cost.max(1) as f32,
            said_ms: unit.said_ms,
            step: Step::Unit(at),
        }
    }

    fn line_saving(&self, at: usize) -> Saving {
        let line = &self.lines[at];
        let first = line.units.first();
        Saving {
            loss: line.worth.utility(line.cost) / line.cost.max(1) as f32,
            said_ms: first.map_or(0, |&unit| self.units[unit].said_ms),
            step: Step::Line(at),
        }
    }

    fn line_of(&self, step: Step) -> Option<usize> {
        match step {
            Step::Key(_) => None,
            Step::Unit(at) => Some(self.units[at].line),
            Step::Line(at) => Some(at),
        }
    }

    /// Whether the values that a step was weighed by are unchanged.
    fn is_current(&self, saving: Saving) -> bool {
        match saving.step {
            Step::Key(at) => !self.units[at].gone,
            Step::Unit(at) => !self.units[at].gone && saving == self.unit_saving(at),
            Step::Line(at) => !self.lines[at].units.is_empty() && saving == self.line_saving(at),
        }
    }

    /// The utterances that cost more than `capacity` even when reduced, least dense first.
    fn larger_than(&self, capacity: usize) -> Vec<usize> {
        let least = |line: &HeldLine| match line.is_divisible {
            true => (line.cost as f32 * REST_SHARE) as usize,
            false => line.cost,
        };
        let mut large: Vec<usize> = (0..self.lines.len())
            .filter(|&at| least(&self.lines[at]) > capacity)
            .collect();
        large.sort_by_key(|&at| Reverse(self.line_saving(at)));
        large
    }

    /// The utterance that is worth more than everything that pruning by density would keep.
    fn dearest(&self, capacity: usize) -> Option<usize> {
        let items: Vec<Item> = self
            .lines
            .iter()
            .map(|line| Item {
                worth: line.worth.utility(line.cost),
                cost: line.cost,
            })
            .collect();
        outweighing(&items, capacity)
    }

    /// Whether enough of its utterance remains without a unit.
    fn may_go_alone(&self, at: usize) -> bool {
        let unit = &self.units[at];
        let line = &self.lines[unit.line];
        line.units.len() > 1 && line.share - unit.share >= REST_SHARE
    }

    fn take_out(&mut self, at: usize) {
        let unit = self.units[at];
        self.units[at].gone = true;
        let line = &mut self.lines[unit.line];
        line.units.retain(|&other| other != at);
        line.worth = line.worth - unit.worth;
        line.cost = line.cost.saturating_sub(unit.cost);
        line.share -= unit.share;
    }

    fn reprice(&mut self, at: usize, cost: usize) {
        let unit = &mut self.units[at];
        let line = &mut self.lines[unit.line];
        line.cost = (line.cost + cost).saturating_sub(unit.cost);
        unit.cost = cost;
    }
}

/// The bound that is exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OverBudget {
    Tokens,
    Bytes,
    Nodes,
}

impl MemoryTree {
    /// Merges, reduces and prunes until tokens, bytes and nodes are within their budgets (eq. 2),
    /// always taking the step with the least utility lost per saving (eq. 7). Key words save only
    /// tokens, so units are forgotten for the other two.
    ///
    /// Cost: O(N log N) when over a budget, nothing otherwise; N is bounded by the budget.
    pub(crate) fn enforce_budget(&mut self, ctx: &TreeContext<'_>) -> Fitted {
        let fitted = Fitted::default();
        Enforcement {
            tree: self,
            ctx,
            fitted,
        }
        .run()
    }
}

/// The budgets being enforced on a tree.
struct Enforcement<'t, 'c> {
    tree: &'t mut MemoryTree,
    ctx: &'c TreeContext<'c>,
    fitted: Fitted,
}

impl Enforcement<'_, '_> {
    /// A merge loses nothing, so it comes first; in ProStream's algorithm 1 (line 21) what is worth
    /// least goes before anything is merged, and then all that is alike is.
    fn run(mut self) -> Fitted {
        let paper = self.ctx.config.merge == MergePolicy::Paper;
        while !paper && self.short_of().is_some() && self.merge_next() {}
        while let Some(short) = self.short_of() {
            if self.prune(short) {
                while paper && self.merge_next() {}
                continue;
            }
            // a pinned unit grows when it is repeated; the budget takes precedence
            if !self.unpin_least(short) {
                break;
            }
            self.fitted.unpinned += 1;
        }
        self.fitted
    }

    /// Merges the pair that was found alike first, if it still is. Returns whether one was left.
    fn merge_next(&mut self) -> bool {
        let Some((a, b)) = self.tree.merge_candidates.pop_front() else {
            return false;
        };
        if self.tree.may_merge(a, b, self.ctx.config) {
            self.tree.merge(a, b);
            self.fitted.merged += 1;
        }
        true
    }

    /// The values that determine the current utility of units.
    fn valuation(&self) -> Valuation<'_> {
        Valuation {
            config: self.ctx.config,
            rarity: self.ctx.rarity,
            names: self.tree.name_terms(),
            now_ms: self.ctx.now_ms,
            turns: self.ctx.turns,
            held: self.tree.len(),
        }
    }

    /// Takes the cheapest steps until the budget holds; ties go to the oldest. Returns whether any
    /// step was taken.
    ///
    /// An utterance that no selection could keep is forgotten first. The one that is worth more
    /// than everything kept without it is forgotten last ([`super::knapsack`]). Under the paper's
    /// policy each unit is treated separately.
    fn prune(&mut self, short: OverBudget) -> bool {
        let mut held = self.prunable(short);
        let capacity = self.capacity(short);
        let mut taken = false;
        for at in held.larger_than(capacity) {
            if self.is_short_with_slack(short) {
                self.forget_line(&mut held, at);
                taken = true;
            }
        }
        let dearest = held.dearest(capacity);
        let mut heap = self.savings(&held, short);
        while let Some(saving) = heap.pop() {
            if !self.is_short_with_slack(short) {
                break;
            }
            let spared = dearest.is_some() && held.line_of(saving.step) == dearest;
            if spared || !held.is_current(saving) {
                continue;
            }
            match saving.step {
                Step::Key(at) => {
                    let id = held.units[at].id;
                    self.tree.reduce_to_key(id, self.ctx);
                    self.tree.thin(self.event_of(id), self.ctx);
                    let tokens = self.tree.node(id).map_or(0, |unit| unit.tokens as usize);
                    held.reprice(at, tokens);
                    self.fitted.keyed += 1;
                    heap.push(held.unit_saving(at));
                    heap.push(held.line_saving(held.units[at].line));
                }
                Step::Unit(at) if held.may_go_alone(at) => {
                    held.take_out(at);
                    self.remove(held.units[at].id);
                    heap.push(held.line_saving(held.units[at].line));
                }
                Step::Unit(_) => continue,
                Step::Line(at) => self.forget_line(&mut held, at),
            }
            taken = true;
        }
        // nothing else is left: forget the dearest too, if it alone exceeds the budget
        if let Some(dearest) = dearest.filter(|_| !taken) {
            self.forget_line(&mut held, dearest);
            taken = true;
        }
        taken
    }

    /// All possible steps, cheapest first.
    fn savings(&self, held: &Held, short: OverBudget) -> BinaryHeap<Saving> {
        let mut heap = BinaryHeap::with_capacity(2 * held.units.len() + held.lines.len());
        for (at, unit) in held.units.iter().enumerate() {
            heap.push(held.unit_saving(at));
            let key = self.tree.node(unit.id);
            let key = key.filter(|_| short == OverBudget::Tokens);
            let worth = unit.worth.utility(unit.cost);
            let key = key.and_then(|node| self.tree.keying_loss(node, worth, self.ctx));
            heap.extend(key.map(|loss| Saving {
                loss,
                said_ms: unit.said_ms,
                step: Step::Key(at),
            }));
        }
        heap.extend((0..held.lines.len()).map(|at| held.line_saving(at)));
        heap
    }

    fn forget_line(&mut self, held: &mut Held, at: usize) {
        for unit in std::mem::take(&mut held.lines[at].units) {
            held.units[unit].gone = true;
            self.remove(held.units[unit].id);
        }
    }

    fn event_of(&self, unit: NodeId) -> Option<NodeId> {
        self.tree.node(unit)?.parent
    }

    fn remove(&mut self, unit: NodeId) {
        let event = self.event_of(unit);
        self.fitted.pruned += self.tree.remove(unit);
        self.tree.thin(event, self.ctx);
    }

    /// The prunable units and their utterances.
    fn prunable(&self, short: OverBudget) -> Held {
        let value = self.valuation();
        let paper = self.ctx.config.utility == UtilityPolicy::Paper;
        let may_key = |node: &Node| self.tree.keying_loss(node, 0.0, self.ctx).is_some();
        let has_key = |node: &Node| short == OverBudget::Tokens && may_key(node);
        let mut places: HashMap<(Option<NodeId>, u64), usize> = HashMap::new();
        let mut units: Vec<Prunable> = Vec::new();
        let mut lines: Vec<HeldLine> = Vec::new();
        for node in self.tree.of_kind(Kind::Unit).filter(|unit| !unit.pinned) {
            let item = node.evidence.first();
            let key = match item.filter(|_| !paper) {
                Some(item) => (node.parent, item.turn),
                None => (Some(node.id), 0),
            };
            let line = *places.entry(key).or_insert(lines.len());
            if line == lines.len() {
                lines.push(HeldLine::default());
            }
            let unit = Prunable {
                id: node.id,
                said_ms: node.said_ms,
                line,
                worth: value.worth(node, self.tree.index.words().document(node.id.slot)),
                cost: self.cost(node, short),
                share: item.map_or(0.0, |item| item.share),
                gone: false,
            };
            let held = &mut lines[line];
            held.units.push(units.len());
            held.worth = held.worth + unit.worth;
            held.cost += unit.cost;
            held.share += unit.share;
            held.is_divisible = held.units.len() > 1 || has_key(node);
            units.push(unit);
        }
        Held { units, lines }
    }

    /// Unpins the least dense pinned unit; false if there is none.
    fn unpin_least(&mut self, short: OverBudget) -> bool {
        let value = self.valuation();
        let density = |unit: &Node| {
            let worth = value.utility(unit, self.tree.index.words().document(unit.id.slot));
            worth / self.cost(unit, short).max(1) as f32
        };
        let pinned = self.tree.of_kind(Kind::Unit).filter(|unit| unit.pinned);
        let least = pinned.min_by(|a, b| density(a).total_cmp(&density(b)).then(a.id.cmp(&b.id)));
        let Some(id) = least.map(|unit| unit.id) else {
            return false;
        };
        if let Some(unit) = self.tree.node_mut(id) {
            unit.pinned = false;
        }
        true
    }

    /// The part of the budget for prunable units: all but raw talk, pinned units and the nodes
    /// above those. Other events and scenes are removed with their last unit.
    fn capacity(&self, short: OverBudget) -> usize {
        let pinned = self.tree.of_kind(Kind::Unit).filter(|unit| unit.pinned);
        let mut fixed: BTreeSet<NodeId> = BTreeSet::new();
        for unit in pinned {
            let above = std::iter::successors(Some(unit), |node| self.tree.node(node.parent?));
            fixed.extend(above.map(|node| node.id));
        }
        let nodes = fixed.iter().filter_map(|&id| self.tree.node(id));
        let fixed: usize = nodes.map(|node| self.cost(node, short)).sum();
        let raw = match short {
            OverBudget::Tokens => self.ctx.beside_tokens,
            OverBudget::Bytes | OverBudget::Nodes => 0,
        };
        let (_, budget) = self.held(short);
        budget.saturating_sub(fixed + raw)
    }

    /// Whether a bound is exceeded, or less than the slack is free.
    fn is_short_with_slack(&self, of: OverBudget) -> bool {
        let (held, budget) = self.held(of);
        held + budget / SLACK_PART > budget
    }

    fn cost(&self, node: &Node, of: OverBudget) -> usize {
        match of {
            OverBudget::Tokens => node.tokens as usize,
            OverBudget::Bytes => self.tree.footprint(node),
            OverBudget::Nodes => 1,
        }
    }

    /// What is held, and its budget.
    fn held(&self, of: OverBudget) -> (usize, usize) {
        let (tree, config) = (&self.tree, self.ctx.config);
        match of {
            OverBudget::Tokens => (tree.tokens() + self.ctx.beside_tokens, config.budget_tokens),
            OverBudget::Bytes => (tree.held_bytes(), config.budget_bytes),
            OverBudget::Nodes => (tree.len(), config.budget_nodes),
        }
    }

    fn short_of(&self) -> Option<OverBudget> {
        [OverBudget::Tokens, OverBudget::Bytes, OverBudget::Nodes]
            .into_iter()
            .find(|&of| {
                let (held, budget) = self.held(of);
                held > budget
            })
    }
}
