//! Keeps what is held under its budgets: merging first, then whatever loses least (ProStream 5.3).
//!
//! The tree and the raw talk share one budget of tokens. Where a transcript keeps the words on
//! disk, a unit may be reduced to its key words before it is forgotten ([`super::key`]). Steps are
//! taken in the order of the utility it loses per token it saves.

use super::context::TreeContext;
use super::knapsack::{Item, outweighing};
use super::node::{Kind, Node, NodeId};
use super::tree::MemoryTree;
use super::utility::Valuation;
use super::utility::Worth;
use crate::config::UtilityPolicy;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// What it cost to fit the budget again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Fitted {
    pub(crate) merged: usize,
    pub(crate) keyed: usize,
    pub(crate) pruned: usize,
    pub(crate) unpinned: usize,
}

/// Share of an utterance's content words of which the rest must be held when one of its statements
/// is forgotten alone. With less the rest goes too: half of what somebody said seldom proves
/// anything, and names what "it" was.
const REST_SHARE: f32 = 0.5;
/// When something has to go, one part in so many of the budget is made free beyond what is needed,
/// so that not every utterance weighs all units anew.
const SLACK_PART: usize = 256;

/// What may be done to save something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// Reduce a unit to its key words.
    Key(usize),
    /// Forget a unit and keep the rest of its utterance.
    Unit(usize),
    /// Forget all that is held of an utterance.
    Line(usize),
}

/// A step with the utility that it loses for each token, byte or node it saves; the least first.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Saving {
    loss: f32,
    said_ms: u64,
    step: Step,
}

impl Eq for Saving {}

impl Ord for Saving {
    fn cmp(&self, other: &Self) -> Ordering {
        // a heap gives its greatest first
        let order = other.loss.total_cmp(&self.loss);
        order.then((other.said_ms, other.step).cmp(&(self.said_ms, self.step)))
    }
}

impl PartialOrd for Saving {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A unit that may be forgotten, as the choice sees it.
#[derive(Debug, Clone, Copy)]
struct Prunable {
    id: NodeId,
    said_ms: u64,
    line: usize,
    worth: Worth,
    cost: usize,
    /// Share of its utterance's content words that it says.
    share: f32,
    gone: bool,
}

/// What is held of an utterance and may be forgotten.
#[derive(Debug, Clone, Default)]
struct HeldLine {
    units: Vec<usize>,
    worth: Worth,
    cost: usize,
    share: f32,
    /// Part of it can be kept: one of several units, or key words.
    is_divisible: bool,
}

/// Everything that may be forgotten.
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

    /// Whether nothing that a step was weighed by has changed since.
    fn is_current(&self, saving: Saving) -> bool {
        match saving.step {
            Step::Key(at) => !self.units[at].gone,
            Step::Unit(at) => !self.units[at].gone && saving == self.unit_saving(at),
            Step::Line(at) => !self.lines[at].units.is_empty() && saving == self.line_saving(at),
        }
    }

    /// The utterances that cost more than `capacity` whatever of them is forgotten, the least
    /// dense first.
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

    /// The utterance that is worth more than all that forgetting by density would keep.
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

    /// Whether enough of its utterance is held without a unit.
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

/// What the tree has too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OverBudget {
    Tokens,
    Bytes,
    Nodes,
}

impl MemoryTree {
    /// What decides what a unit is worth now.
    fn valuation<'a>(&self, ctx: &TreeContext<'a>) -> Valuation<'a> {
        Valuation {
            config: ctx.config,
            rarity: ctx.rarity,
            names: self.name_terms(),
            now_ms: ctx.now_ms,
            turns: ctx.turns,
            held: self.len(),
        }
    }

    /// Merges, reduces and prunes until tokens, bytes and nodes are within their budgets (eq. 2):
    /// always the step that loses least utility for what it saves (eq. 7). Key words save tokens
    /// alone, so for the other two units are forgotten.
    ///
    /// Cost: O(N log N) when over a budget, nothing otherwise; N is bounded by the budget.
    pub(crate) fn enforce_budget(&mut self, ctx: &TreeContext<'_>) -> Fitted {
        let mut fitted = Fitted::default();
        while self.short_of(ctx).is_some() {
            let Some((a, b)) = self.merge_candidates.pop_front() else {
                break;
            };
            if self.may_merge(a, b, ctx.config) {
                self.merge(a, b);
                fitted.merged += 1;
            }
        }
        while let Some(short) = self.short_of(ctx) {
            if self.prune(short, ctx, &mut fitted) {
                continue;
            }
            // a pinned unit grows when it is superseded or heard again; the budget holds first
            if !self.unpin_least(short, ctx) {
                break;
            }
            fitted.unpinned += 1;
        }
        fitted
    }

    /// Takes the cheapest steps until there is room; ties go to what was said first. Whether any
    /// was taken.
    ///
    /// An utterance that no choice could keep is forgotten first, and the one that is worth more
    /// than all that would be kept without it last ([`super::knapsack`]). Under the paper's policy
    /// each unit stands for itself.
    fn prune(&mut self, short: OverBudget, ctx: &TreeContext<'_>, fitted: &mut Fitted) -> bool {
        let mut held = self.prunable(short, ctx);
        let capacity = self.capacity(short, ctx);
        let mut taken = false;
        for at in held.larger_than(capacity) {
            if self.is_short_with_slack(short, ctx) {
                fitted.pruned += self.forget_line(&mut held, at);
                taken = true;
            }
        }
        let dearest = held.dearest(capacity);
        let mut heap = self.savings(&held, short, ctx);
        while let Some(saving) = heap.pop() {
            if !self.is_short_with_slack(short, ctx) {
                break;
            }
            let spared = dearest.is_some() && held.line_of(saving.step) == dearest;
            if spared || !held.is_current(saving) {
                continue;
            }
            match saving.step {
                Step::Key(at) => {
                    let id = held.units[at].id;
                    self.reduce_to_key(id, ctx);
                    held.reprice(at, self.node(id).map_or(0, |unit| unit.tokens as usize));
                    fitted.keyed += 1;
                    heap.push(held.unit_saving(at));
                    heap.push(held.line_saving(held.units[at].line));
                }
                Step::Unit(at) if held.may_go_alone(at) => {
                    held.take_out(at);
                    fitted.pruned += self.remove(held.units[at].id);
                    heap.push(held.line_saving(held.units[at].line));
                }
                Step::Unit(_) => continue,
                Step::Line(at) => fitted.pruned += self.forget_line(&mut held, at),
            }
            taken = true;
        }
        // nothing else is left: the dearest goes too, if it alone is over the budget
        if let Some(dearest) = dearest.filter(|_| !taken) {
            fitted.pruned += self.forget_line(&mut held, dearest);
            taken = true;
        }
        taken
    }

    /// Every step that may be taken, the cheapest first.
    fn savings(&self, held: &Held, short: OverBudget, ctx: &TreeContext<'_>) -> BinaryHeap<Saving> {
        let mut heap = BinaryHeap::with_capacity(2 * held.units.len() + held.lines.len());
        for (at, unit) in held.units.iter().enumerate() {
            heap.push(held.unit_saving(at));
            let key = self.node(unit.id).filter(|_| short == OverBudget::Tokens);
            let key =
                key.and_then(|node| self.keying_loss(node, unit.worth.utility(unit.cost), ctx));
            heap.extend(key.map(|loss| Saving {
                loss,
                said_ms: unit.said_ms,
                step: Step::Key(at),
            }));
        }
        heap.extend((0..held.lines.len()).map(|at| held.line_saving(at)));
        heap
    }

    fn forget_line(&mut self, held: &mut Held, at: usize) -> usize {
        let mut gone = 0;
        for unit in std::mem::take(&mut held.lines[at].units) {
            held.units[unit].gone = true;
            gone += self.remove(held.units[unit].id);
        }
        gone
    }

    /// The units that may be forgotten, and the utterances they are of.
    fn prunable(&self, short: OverBudget, ctx: &TreeContext<'_>) -> Held {
        let value = self.valuation(ctx);
        let paper = ctx.config.utility == UtilityPolicy::Paper;
        let has_key =
            |node: &Node| short == OverBudget::Tokens && self.keying_loss(node, 0.0, ctx).is_some();
        let mut places: HashMap<(Option<NodeId>, u64), usize> = HashMap::new();
        let mut units: Vec<Prunable> = Vec::new();
        let mut lines: Vec<HeldLine> = Vec::new();
        for node in self.of_kind(Kind::Unit).filter(|unit| !unit.pinned) {
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
                worth: value.worth(node, self.lexicon.document(node.id.slot)),
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

    /// Lets the least dense of the pinned units go; false when there is none.
    fn unpin_least(&mut self, short: OverBudget, ctx: &TreeContext<'_>) -> bool {
        let value = self.valuation(ctx);
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

    /// Room in the budget for what may be forgotten: all but raw talk, what is pinned and the
    /// nodes above that. Other events and scenes go with their last unit.
    fn capacity(&self, short: OverBudget, ctx: &TreeContext<'_>) -> usize {
        let pinned = self.of_kind(Kind::Unit).filter(|unit| unit.pinned);
        let mut fixed: BTreeSet<NodeId> = BTreeSet::new();
        for unit in pinned {
            let above = std::iter::successors(Some(unit), |node| self.node(node.parent?));
            fixed.extend(above.map(|node| node.id));
        }
        let nodes = fixed.iter().filter_map(|&id| self.node(id));
        let fixed: usize = nodes.map(|node| self.cost(node, short)).sum();
        let raw = match short {
            OverBudget::Tokens => ctx.raw_tokens,
            OverBudget::Bytes | OverBudget::Nodes => 0,
        };
        let (_, budget) = self.held(short, ctx);
        budget.saturating_sub(fixed + raw)
    }

    /// Whether there is too much of something, or less room than the slack.
    fn is_short_with_slack(&self, of: OverBudget, ctx: &TreeContext<'_>) -> bool {
        let (held, budget) = self.held(of, ctx);
        held + budget / SLACK_PART > budget
    }

    fn cost(&self, node: &Node, of: OverBudget) -> usize {
        match of {
            OverBudget::Tokens => node.tokens as usize,
            OverBudget::Bytes => self.footprint(node),
            OverBudget::Nodes => 1,
        }
    }

    fn held(&self, of: OverBudget, ctx: &TreeContext<'_>) -> (usize, usize) {
        let config = ctx.config;
        match of {
            OverBudget::Tokens => (self.tokens + ctx.raw_tokens, config.budget_tokens),
            OverBudget::Bytes => (self.held_bytes, config.budget_bytes),
            OverBudget::Nodes => (self.len(), config.budget_nodes),
        }
    }

    fn short_of(&self, ctx: &TreeContext<'_>) -> Option<OverBudget> {
        [OverBudget::Tokens, OverBudget::Bytes, OverBudget::Nodes]
            .into_iter()
            .find(|&of| {
                let (held, budget) = self.held(of, ctx);
                held > budget
            })
    }
}
