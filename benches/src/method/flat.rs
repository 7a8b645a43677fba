//! The verbatim turns of a baseline: the last ones that fit its budget.

use super::{HeardTurn, MethodContext};
use std::collections::VecDeque;
use std::sync::Arc;

/// A turn in the store.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stored {
    /// Its id in the stream.
    pub(crate) id: String,
    /// `speaker: text`.
    pub(crate) said: String,
    /// Tokens of `said`.
    pub(crate) tokens: usize,
    /// Start in Unix milliseconds, if known.
    pub(crate) at_unix_ms: Option<i64>,
    /// Start in stream time.
    pub(crate) start_ms: u64,
    /// Empty for a method that does not search by vectors.
    pub(crate) vector: Vec<f32>,
}

/// Turns by their number in the stream.
pub(crate) struct Flat {
    kit: Arc<MethodContext>,
    /// Number of the first remaining turn.
    first: usize,
    turns: VecDeque<Stored>,
    tokens: usize,
}

impl Flat {
    /// An empty store.
    pub(crate) fn new(kit: Arc<MethodContext>) -> Self {
        Self {
            kit,
            first: 0,
            turns: VecDeque::new(),
            tokens: 0,
        }
    }

    /// Resources shared by all methods.
    pub(crate) fn kit(&self) -> &Arc<MethodContext> {
        &self.kit
    }

    /// Adds a turn with its vector, then forgets the oldest turns until the rest fits the budget.
    pub(crate) fn push(&mut self, heard: HeardTurn<'_>, vector: Vec<f32>) {
        let stored = Stored {
            id: heard.turn.id.clone(),
            said: heard.said.to_owned(),
            tokens: self.kit.counter.count(heard.said),
            at_unix_ms: heard.at_unix_ms,
            start_ms: heard.turn.span.start_ms,
            vector,
        };
        self.tokens += stored.tokens;
        self.turns.push_back(stored);
        while self.tokens > self.kit.budget_tokens.unwrap_or(usize::MAX) {
            self.forget_oldest();
        }
    }

    /// Forgets the oldest turns until this many remain.
    pub(crate) fn keep_last(&mut self, turns: usize) {
        while self.turns.len() > turns {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some(turn) = self.turns.pop_front() {
            self.first += 1;
            self.tokens -= turn.tokens;
        }
    }

    /// Number of the first remaining turn.
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// A turn by its number, if it remains.
    pub(crate) fn turn(&self, number: usize) -> Option<&Stored> {
        self.turns.get(number.checked_sub(self.first)?)
    }

    /// The remaining turns with their numbers, in order.
    pub(crate) fn turns(&self) -> impl DoubleEndedIterator<Item = (usize, &Stored)> {
        let numbers = self.first..self.first + self.turns.len();
        numbers.zip(self.turns.iter())
    }

    /// Ids of the remaining turns; `None` if none was forgotten.
    pub(crate) fn held(&self) -> Option<Vec<String>> {
        let ids = || self.turns.iter().map(|turn| turn.id.clone());
        (self.first > 0).then(|| ids().collect())
    }

    /// Tokens of the turns.
    pub(crate) fn tokens(&self) -> usize {
        self.tokens
    }
}
