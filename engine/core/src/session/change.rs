//! Changes by hand: pins, edited words, new budgets.

use super::{Budgets, Input, InputError, Outcome, Session};
use crate::config::SessionConfig;
use crate::limits;
use crate::memory::{MountCounts, NewWords, NodeId, PinError};
use crate::stream::spoken_line;
use weir_models::{Encode, EncodeError, Encoded};

impl Session {
    pub(super) fn pin(&mut self, node: NodeId, pinned: bool) -> Result<Outcome, InputError> {
        let before = self.tree.unit(node)?.pinned;
        self.tree.pin(node, pinned, &self.config)?;
        if let Err(full) = self.beside_pins_fits() {
            self.tree.pin(node, before, &self.config)?;
            return Err(full);
        }
        self.fit_observed();
        Ok(Outcome::default())
    }

    /// Refuses a change after which sources or pinned facts do not fit beside the pinned units.
    fn beside_pins_fits(&self) -> Result<(), InputError> {
        self.sources_fit()?;
        Ok(self.pinned_facts_fit()?)
    }

    /// Sets new budgets and enforces them at once.
    pub(super) fn rebudget(&mut self, budgets: Budgets) -> Result<Outcome, InputError> {
        let config = SessionConfig {
            budget_tokens: budgets.tokens.unwrap_or(self.config.budget_tokens),
            budget_bytes: budgets.bytes.unwrap_or(self.config.budget_bytes),
            budget_nodes: budgets.nodes.unwrap_or(self.config.budget_nodes),
            transcript_bytes: budgets
                .transcript_bytes
                .unwrap_or(self.config.transcript_bytes),
            ..self.config.clone()
        };
        config.check()?;
        self.tree.pins_fit(&config)?;
        let most = config.raw_limits().held;
        let tokens = self.buffer.unmounted_tokens();
        if tokens > most {
            return Err(InputError::RawOverBudget { tokens, most });
        }
        let before = std::mem::replace(&mut self.config, config);
        if let Err(full) = self.beside_pins_fits() {
            self.config = before;
            return Err(full);
        }
        self.buffer.trim(&self.config.raw_limits());
        Ok(self.fitted())
    }

    pub(super) fn edit(
        &mut self,
        node: NodeId,
        words: NewWords<'_>,
    ) -> Result<Outcome, InputError> {
        let text = folded(words.text);
        let unit = self.tree.unit(node)?;
        let tokens = self.counter.count(&text);
        let max = limits::UNIT_TOKENS_MAX;
        if tokens > max || !text.chars().any(char::is_alphanumeric) {
            return Err(InputError::WrongWords { node, tokens, max });
        }
        self.check_vector(&unit.text.clone(), words.vector)?;
        let before = self.tree.clone();
        let (tree, ctx) = self.tree_and_context();
        let folded = NewWords {
            text: &text,
            ..words
        };
        tree.reword(node, folded, &ctx);
        // a pinned unit may have grown beyond the limit for pins
        let pins = tree.pins_fit(ctx.config).map_err(InputError::from);
        if let Err(full) = pins.and_then(|()| self.beside_pins_fits()) {
            self.tree = before;
            return Err(full);
        }
        Ok(self.fitted())
    }

    /// The input that edits the words of a unit, with their vector.
    ///
    /// # Errors
    /// [`EncodeError`]. Whether the unit exists is checked when the input is applied.
    pub fn editing(
        &self,
        node: NodeId,
        text: &str,
        encoder: &dyn Encode,
    ) -> Result<Input, EncodeError> {
        let text = folded(text);
        let speaker = self.tree.node(node).and_then(|unit| unit.speaker.clone());
        let said = spoken_line(speaker.as_deref(), &text);
        let found = encoder.encode_for_search(&[&said])?.pop();
        let Encoded { vector, terms } = found.unwrap_or_default();
        Ok(Input::Edit {
            analysis: self.analyse_edit(node, &text),
            node,
            text,
            vector,
            terms,
        })
    }

    /// Enforces the tree's budgets and reports the changes.
    pub(super) fn fitted(&mut self) -> Outcome {
        self.fit_observed();
        let (tree, ctx) = self.tree_and_context();
        let fitted = tree.enforce_budget(&ctx);
        debug_assert_eq!(self.check_when_due(), Ok(()));
        Outcome {
            mounted: Some(MountCounts {
                merged: fitted.merged,
                keyed: fitted.keyed,
                pruned: fitted.pruned,
                unpinned: fitted.unpinned,
                ..MountCounts::default()
            }),
            ..Outcome::default()
        }
    }
}

/// Words on one line, separated by single blanks.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl From<PinError> for InputError {
    fn from(wrong: PinError) -> Self {
        Self::Pin(wrong)
    }
}
