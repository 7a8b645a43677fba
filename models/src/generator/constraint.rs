//! Keeps a reply inside its shape, and completes it before the tokens run out.
//!
//! Rule for the end: a token is chosen only if enough tokens remain after it for the shortest
//! completion. If none of the few most probable tokens allows that, the shortest completion is
//! written: texts end at once, lists get no more items, the rest is filled with empty texts, zeros
//! and the shortest choices.
//!
//! The crate llguidance is not used: its grammars cannot promise that a value ends within a number
//! of tokens.

use std::sync::Arc;

use super::shape::{Program, State};
use super::trie::{Mask, TokenIndex};

/// Tokens tried before the shortest completion is written.
const TRIES: usize = 8;

/// A reply's shape and the progress in it.
pub(super) struct Constraint {
    program: Program,
    state: State,
    index: Arc<TokenIndex>,
    tokens: Arc<Vec<Vec<u8>>>,
    /// The shortest completion, last token first, once it is used.
    way: Vec<u32>,
}

/// The next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// This token.
    Token(u32),
    /// Nothing: the value is complete.
    End,
    /// The value cannot be completed with the remaining tokens.
    NoWay,
}

impl Constraint {
    pub(super) fn new(program: Program, index: Arc<TokenIndex>, tokens: Arc<Vec<Vec<u8>>>) -> Self {
        Self {
            state: State::new(&program),
            program,
            index,
            tokens,
            way: Vec::new(),
        }
    }

    /// Whether the value is complete and nothing can follow.
    pub(super) fn is_closed(&self) -> bool {
        self.state.is_closed()
    }

    /// Whether the next tokens are fixed, so that no logits are needed.
    pub(super) fn is_settled(&self) -> bool {
        !self.way.is_empty()
    }

    /// Chooses the next token with `left` tokens left, including this one. `pick` returns the best
    /// of the allowed ones; `ends` are the tokens that end a reply.
    pub(super) fn choose(
        &mut self,
        left: usize,
        ends: &[u32],
        mut pick: impl FnMut(&Mask) -> Option<u32>,
    ) -> Choice {
        if let Some(token) = self.way.pop() {
            return self.advance(token);
        }
        if self.state.is_closed() {
            return Choice::End;
        }
        let mut mask = self.index.allowed(&self.program, &self.state);
        if self.state.may_end(&self.program) {
            ends.iter().for_each(|&end| mask.allow(end));
        }
        for _ in 0..TRIES {
            let Some(token) = pick(&mask) else { break };
            if ends.contains(&token) {
                return Choice::End;
            }
            let mut next = self.state;
            let bytes = &self.tokens[token as usize];
            if next.take_all(&self.program, bytes)
                && self.way_from(&next).is_some_and(|way| way.len() < left)
            {
                self.state = next;
                return Choice::Token(token);
            }
            mask.forbid(token);
        }
        match self.way_from(&self.state) {
            Some(way) if way.is_empty() => Choice::End,
            Some(way) if way.len() <= left => {
                self.way = way;
                self.way.reverse();
                let token = self.way.pop().unwrap_or_default();
                self.advance(token)
            }
            _ => Choice::NoWay,
        }
    }

    fn advance(&mut self, token: u32) -> Choice {
        let is_taken = self
            .state
            .take_all(&self.program, &self.tokens[token as usize]);
        debug_assert!(is_taken, "the way to the end leaves the shape");
        Choice::Token(token)
    }

    /// The tokens of the shortest completion.
    fn way_from(&self, state: &State) -> Option<Vec<u32>> {
        self.index.split(&state.closing(&self.program))
    }
}
