//! The verbatim turns that every method starts from; the oldest are forgotten first.

use super::matrix::Matrix;
use super::{HeardTurn, MethodContext};
use std::collections::VecDeque;
use std::sync::Arc;

/// A turn in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its id in the stream.
    pub id: Arc<str>,
    /// Speaker, if known.
    pub speaker: Option<Arc<str>>,
    /// `speaker: text`.
    pub said: String,
    /// Tokens of `said`.
    pub tokens: usize,
    /// Start in Unix milliseconds, if known.
    pub at_unix_ms: Option<i64>,
    /// Start in stream time.
    pub start_ms: u64,
}

/// Turns by their number in the stream; with a budget the oldest are forgotten first.
pub struct Flat {
    kit: Arc<MethodContext>,
    /// Number of the first remaining turn.
    first: usize,
    turns: VecDeque<Stored>,
    vectors: Matrix,
    tokens: usize,
    text_bytes: usize,
}

impl Flat {
    /// An empty store.
    #[must_use]
    pub fn new(kit: Arc<MethodContext>) -> Self {
        let vectors = Matrix::new(kit.dimension());
        Self {
            kit,
            first: 0,
            turns: VecDeque::new(),
            vectors,
            tokens: 0,
            text_bytes: 0,
        }
    }

    /// Resources shared by all methods.
    #[must_use]
    pub fn kit(&self) -> &Arc<MethodContext> {
        &self.kit
    }

    /// Takes in a turn without a vector.
    pub fn push(&mut self, heard: HeardTurn<'_>) {
        let stored = Stored {
            id: Arc::from(heard.turn.id.as_str()),
            speaker: heard.turn.speaker.as_deref().map(Arc::from),
            said: heard.said.to_owned(),
            tokens: self.kit.counter.count(heard.said),
            at_unix_ms: heard.at_unix_ms,
            start_ms: heard.turn.span.start_ms,
        };
        self.tokens += stored.tokens;
        self.text_bytes += stored.bytes();
        self.turns.push_back(stored);
    }

    /// Adds a turn with its vector. A store has vectors for all turns, or for none.
    ///
    /// # Errors
    /// The encoder's.
    pub fn push_encoded(&mut self, heard: HeardTurn<'_>) -> anyhow::Result<()> {
        let vector = self.kit.encode_one(heard.said)?;
        self.push(heard);
        self.vectors.push(&vector);
        Ok(())
    }

    /// Whether the turns plus this many tokens exceed the budget.
    #[must_use]
    pub fn is_over(&self, other_tokens: usize) -> bool {
        let stored = self.tokens + other_tokens;
        self.kit.budget_tokens.is_some_and(|budget| stored > budget)
    }

    /// Forgets the oldest turn and returns it with its number.
    pub fn forget_oldest(&mut self) -> Option<(usize, Stored)> {
        let turn = self.turns.pop_front()?;
        let number = self.first;
        self.first += 1;
        self.tokens -= turn.tokens;
        self.text_bytes -= turn.bytes();
        self.vectors.forget_before(self.first);
        Some((number, turn))
    }

    /// Forgets the oldest turns until the rest fits the budget; calls back with each.
    pub fn forget_to_fit(&mut self, mut forgotten: impl FnMut(usize, &Stored)) {
        while self.is_over(0) {
            let Some((number, turn)) = self.forget_oldest() else {
                break;
            };
            forgotten(number, &turn);
        }
    }

    /// Number of the first remaining turn.
    #[must_use]
    pub fn first(&self) -> usize {
        self.first
    }

    /// One more than the number of the last turn.
    #[must_use]
    pub fn end(&self) -> usize {
        self.first + self.turns.len()
    }

    /// A turn by its number, if it remains.
    #[must_use]
    pub fn turn(&self, number: usize) -> Option<&Stored> {
        self.turns.get(number.checked_sub(self.first)?)
    }

    /// The remaining turns with their numbers, in order.
    pub fn turns(&self) -> impl DoubleEndedIterator<Item = (usize, &Stored)> {
        let numbers = self.first..self.end();
        numbers.zip(self.turns.iter())
    }

    /// The vectors of the turns, by the same numbers.
    #[must_use]
    pub fn vectors(&self) -> &Matrix {
        &self.vectors
    }

    /// Ids of the remaining turns; `None` if none was forgotten.
    #[must_use]
    pub fn held(&self) -> Option<Vec<String>> {
        let ids = || self.turns.iter().map(|turn| turn.id.to_string());
        (self.first > 0).then(|| ids().collect())
    }

    /// Tokens of the turns.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// Bytes of texts, ids, times and vectors.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text_bytes + self.vectors.bytes()
    }
}

impl Stored {
    /// The text without the speaker.
    #[must_use]
    pub fn words(&self) -> &str {
        let named = self.speaker.as_deref();
        let rest = named.and_then(|speaker| self.said.strip_prefix(speaker));
        rest.map_or(&self.said, |rest| rest.trim_start_matches([':', ' ']))
    }

    fn bytes(&self) -> usize {
        let speaker = self.speaker.as_ref().map_or(0, |speaker| speaker.len());
        self.id.len() + speaker + self.said.len() + 2 * size_of::<u64>()
    }
}
