//! Methods without search: nothing, the last turns, and everything.
//!
//! The lower and upper bounds of every comparison. Full context exceeds the context budget by
//! design: it is the input of a model with room for the whole stream.

use super::context::fill;
use super::flat::Flat;
use super::{HeardTurn, Method, MethodContext, Query, Recalled};
use anyhow::Result;
use std::sync::Arc;

/// A memory that is a window over the stream.
pub(crate) struct Recent {
    /// Turns that are kept.
    turns_max: usize,
    /// Whether all of them are in the context, without a limit.
    is_full: bool,
    flat: Flat,
}

impl Recent {
    pub(crate) fn new(kit: Arc<MethodContext>, turns_max: usize, is_full: bool) -> Self {
        Self {
            turns_max,
            is_full,
            flat: Flat::new(kit),
        }
    }
}

impl Method for Recent {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        self.flat.push(heard);
        let tokens_max = self.flat.kit.budget_tokens.unwrap_or(usize::MAX);
        while self.flat.end() - self.flat.first > self.turns_max || self.flat.tokens > tokens_max {
            self.flat.forget_oldest();
        }
        Ok(())
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let limit = (!self.is_full).then_some(query.context_tokens);
        let latest_first = self.flat.turns().rev().map(|(number, _)| number);
        Ok(fill(&self.flat, latest_first, limit.unwrap_or(usize::MAX)))
    }

    fn held(&self) -> Option<Vec<String>> {
        self.flat.held()
    }

    fn stored_tokens(&self) -> usize {
        self.flat.tokens
    }
}
