//! Every invariant of the tree, in one place. Debug builds, property tests and recovery call it.

use super::node::{Kind, Node};
use super::tree::{MemoryTree, label_tokens};
use crate::config::SessionConfig;
use crate::limits;
use crate::vectors::dot;
use weir_models::CountTokens;

impl MemoryTree {
    /// Checks the structure, the budget shared with `beside_tokens` of other text, and the token
    /// counts.
    ///
    /// # Errors
    /// The first invariant that fails, as text. Cost: O(N) dot products.
    pub fn check(
        &self,
        config: &SessionConfig,
        counter: &dyn CountTokens,
        beside_tokens: usize,
    ) -> Result<(), String> {
        let mut tokens = 0;
        self.check_places()?;
        for node in self.nodes() {
            self.check_content(node, counter)?;
            tokens += node.tokens as usize;
        }
        let ensure = |holds: bool, what: String| if holds { Ok(()) } else { Err(what) };
        ensure(
            tokens == self.tokens(),
            format!("tokens sum to {tokens}, stored {}", self.tokens()),
        )?;
        ensure(
            tokens + beside_tokens <= config.budget_tokens,
            format!(
                "{tokens} tokens of the tree and {beside_tokens} beside it exceed the budget of {}",
                config.budget_tokens
            ),
        )?;
        let bytes: usize = self.nodes().map(|node| self.footprint(node)).sum();
        ensure(
            bytes == self.held_bytes() && bytes <= config.budget_bytes,
            format!(
                "{bytes} bytes, stored {}, of a budget of {}",
                self.held_bytes(),
                config.budget_bytes
            ),
        )?;
        ensure(
            self.len() <= config.budget_nodes,
            format!(
                "{} nodes exceed the budget of {}",
                self.len(),
                config.budget_nodes
            ),
        )?;
        let scenes = self.of_kind(Kind::Scene).count();
        ensure(
            scenes == self.arena.scenes.len() && self.scenes().count() == scenes,
            format!("{scenes} scenes, {} listed", self.arena.scenes.len()),
        )?;
        self.arena.check_free_slots()
    }

    /// Checks that parents and children refer to each other.
    ///
    /// # Errors
    /// The first inconsistency, as text.
    pub(crate) fn check_places(&self) -> Result<(), String> {
        self.nodes().try_for_each(|node| self.check_place(node))
    }

    fn check_place(&self, node: &Node) -> Result<(), String> {
        let id = node.id;
        let parent = node
            .parent
            .map(|parent| (parent, self.node(parent).map(|node| node.kind)));
        let level_right = matches!(
            (node.kind, parent),
            (Kind::Scene, None)
                | (Kind::Event, Some((_, Some(Kind::Scene))))
                | (Kind::Unit, Some((_, Some(Kind::Event))))
        );
        if !level_right {
            return Err(format!("{id} is a {:?} under {parent:?}", node.kind));
        }
        let listed = |parent: &Node| parent.children.iter().filter(|&&child| child == id).count();
        if node
            .parent
            .and_then(|parent| self.node(parent))
            .is_some_and(|p| listed(p) != 1)
        {
            return Err(format!("{id} is not listed once under its parent"));
        }
        if node
            .children
            .iter()
            .any(|&c| self.node(c).is_none_or(|c| c.parent != Some(id)))
        {
            return Err(format!("{id} lists a child that is not its own"));
        }
        if (node.kind == Kind::Unit) != node.children.is_empty() {
            return Err(format!(
                "{id}, a {:?}, has {} children",
                node.kind,
                node.children.len()
            ));
        }
        Ok(())
    }

    fn check_content(&self, node: &Node, counter: &dyn CountTokens) -> Result<(), String> {
        let id = node.id;
        let label = label_tokens(node, counter);
        let mut counted = counter.count(&node.counted_text());
        if node.begins_line {
            counted += label as usize;
        }
        if counted != node.tokens as usize || label != node.label_tokens {
            return Err(format!("{id} has {counted} tokens, stored {}", node.tokens));
        }
        self.check_line(node)?;
        let proofs = node.evidence.len();
        if node.kind != Kind::Scene && (proofs == 0 || proofs > limits::EVIDENCE_ITEMS_MAX) {
            return Err(format!("{id} has {proofs} evidence items"));
        }
        if node
            .evidence
            .iter()
            .any(|item| !(0.0..=1.0).contains(&item.share))
        {
            return Err(format!("{id} has evidence with a share outside 0..=1"));
        }
        let length = dot(self.vector(id), self.vector(id));
        if (length - 1.0).abs() > 1e-3 && length != 0.0 {
            return Err(format!("{id} has a vector of squared length {length}"));
        }
        Ok(())
    }

    /// Checks that exactly one unit of each utterance begins its line.
    fn check_line(&self, node: &Node) -> Result<(), String> {
        let siblings = node
            .parent
            .into_iter()
            .flat_map(|event| self.children(event));
        let line = siblings.filter(|other| other.shares_line(node));
        let beginnings = line.filter(|other| other.begins_line).count();
        let due = usize::from(node.kind == Kind::Unit && !node.is_key());
        if beginnings != due || (due == 0 && node.begins_line) {
            return Err(format!("the line of {} begins {beginnings} times", node.id));
        }
        Ok(())
    }
}
