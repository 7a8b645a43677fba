//! Methods without search: nothing, the last turns, and everything.
//!
//! The lower and upper bounds of every comparison. Full context exceeds the context budget by
//! design: it is the input of a model with room for the whole stream.

use super::context::{fill, whole};
use super::flat::Flat;
use super::{HeardTurn, Method, MethodContext, Query, Recalled};
use anyhow::Result;
use std::sync::Arc;

/// Which turns are in the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    /// None: the answerer has no context.
    Stateless,
    /// This many of the last turns.
    Buffer(usize),
    /// The last turns that fill the context.
    Last,
    /// All of them.
    Full,
}

/// A memory that is a window over the stream.
pub(crate) struct Recent {
    window: Window,
    flat: Flat,
}

impl Recent {
    pub(crate) fn new(kit: Arc<MethodContext>, window: Window) -> Self {
        let flat = Flat::new(kit);
        Self { window, flat }
    }

    fn kept(&self) -> usize {
        match self.window {
            Window::Stateless => 0,
            Window::Buffer(turns) => turns,
            Window::Last | Window::Full => usize::MAX,
        }
    }
}

impl Method for Recent {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        self.flat.push(heard);
        while self.flat.end() - self.flat.first() > self.kept() {
            self.flat.forget_oldest();
        }
        let budget_tokens = self.flat.kit().budget_tokens.unwrap_or(usize::MAX);
        while self.flat.tokens() > budget_tokens {
            self.flat.forget_oldest();
        }
        Ok(())
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        if self.window == Window::Full {
            return Ok(whole(&self.flat));
        }
        let latest_first = self.flat.turns().rev().map(|(number, _)| number);
        Ok(fill(&self.flat, latest_first, query.context_tokens))
    }

    fn held(&self) -> Option<Vec<String>> {
        self.flat.held()
    }

    fn stored_tokens(&self) -> usize {
        self.flat.tokens()
    }
}
