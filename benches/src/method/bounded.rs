//! A baseline with a token budget: it is built from the turns that fit and were not forgotten.
//!
//! What a method makes of turns (notes, summaries, keywords) counts against the budget, too. So it
//! is built anew, from fewer turns, until all of its text fits. Its time a turn is then not that of
//! a program that forgets.

use super::eviction::{Eviction, Forgetting, Worth};
use super::{HeardTurn, Method, MethodContext, Query, Recalled};
use crate::stream::Turn;
use anyhow::Result;
use std::collections::VecDeque;
use std::sync::Arc;

/// Makes an empty memory.
pub(crate) type Make = fn(Arc<MethodContext>) -> Box<dyn Method>;

enum Step {
    Turn {
        turn: Turn,
        at_unix_ms: Option<i64>,
        worth: Worth,
    },
    Pause(Option<i64>),
}

/// The turns that are held, and what is built from them.
pub(crate) struct Bounded {
    make: Make,
    kit: Arc<MethodContext>,
    budget_tokens: usize,
    forgetting: Forgetting,
    steps: VecDeque<Step>,
    /// Tokens of the turns.
    tokens: usize,
    has_forgotten: bool,
    /// `None` where turns came since.
    built: Option<Box<dyn Method>>,
}

impl Bounded {
    pub(crate) fn new(make: Make, kit: Arc<MethodContext>, by: Eviction) -> Self {
        Self {
            make,
            budget_tokens: kit.budget_tokens.unwrap_or(usize::MAX),
            kit,
            forgetting: Forgetting::by(by),
            steps: VecDeque::new(),
            tokens: 0,
            has_forgotten: false,
            built: None,
        }
    }

    /// Forgets turns until at most this many tokens are left.
    fn forget_to(&mut self, tokens_max: usize) {
        while self.tokens > tokens_max {
            let held = self.steps.iter().enumerate();
            let held = held.filter_map(|(at, step)| match step {
                Step::Turn { worth, .. } => Some((at, worth)),
                Step::Pause(_) => None,
            });
            let Some(at) = self.forgetting.first_to_go(held) else {
                return;
            };
            if let Some(Step::Turn { worth, .. }) = self.steps.remove(at) {
                self.tokens -= worth.tokens;
                self.has_forgotten = true;
            }
            // a pause tells nothing before all turns, or before another pause
            let is_pause = |at| matches!(self.steps.get(at), Some(Step::Pause(_)));
            let before = at.checked_sub(1);
            if is_pause(at) && before.is_none_or(is_pause) {
                self.steps.remove(before.unwrap_or(at));
            }
        }
    }

    fn build(&self) -> Result<Box<dyn Method>> {
        let mut built = (self.make)(Arc::clone(&self.kit));
        for step in &self.steps {
            match step {
                Step::Turn {
                    turn, at_unix_ms, ..
                } => built.hear(HeardTurn {
                    turn,
                    said: &turn.said(),
                    at_unix_ms: *at_unix_ms,
                })?,
                Step::Pause(resumes_at_unix_ms) => built.pause(*resumes_at_unix_ms)?,
            }
        }
        built.settle()?;
        Ok(built)
    }
}

impl Method for Bounded {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        let tokens = self.kit.counter.count(heard.said);
        self.tokens += tokens;
        self.steps.push_back(Step::Turn {
            turn: heard.turn.clone(),
            at_unix_ms: heard.at_unix_ms,
            worth: self.forgetting.hear(heard.turn, tokens),
        });
        self.forget_to(self.budget_tokens);
        self.built = None;
        Ok(())
    }

    fn pause(&mut self, resumes_at_unix_ms: Option<i64>) -> Result<()> {
        self.steps.push_back(Step::Pause(resumes_at_unix_ms));
        Ok(())
    }

    fn settle(&mut self) -> Result<()> {
        while self.built.is_none() {
            let built = self.build()?;
            match built.stored_tokens().checked_sub(self.budget_tokens) {
                // a method without turns stores nothing
                None | Some(0) => self.built = Some(built),
                Some(over) => self.forget_to(self.tokens.saturating_sub(over)),
            }
        }
        Ok(())
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let built = self.built.as_ref().map(|built| built.recall(query));
        built.unwrap_or_else(|| Ok(Recalled::default()))
    }

    fn held(&self) -> Option<Vec<String>> {
        let ids = self.steps.iter().filter_map(|step| match step {
            Step::Turn { turn, .. } => Some(turn.id.clone()),
            Step::Pause(_) => None,
        });
        self.has_forgotten.then(|| ids.collect())
    }

    fn stored_tokens(&self) -> usize {
        let built = self.built.as_ref();
        built.map_or(self.tokens, |built| built.stored_tokens())
    }
}
