//! The verbatim turns that every method starts from.

use super::matrix::Matrix;
use super::{Encode, HeardTurn, MethodContext};
use std::collections::VecDeque;
use std::sync::Arc;

/// Growth of turns, as a share, that triggers a rebuild of structures over all of them.
const GROWTH: f64 = 0.05;

/// A turn in the store.
pub(crate) struct Stored {
    pub(crate) id: Arc<str>,
    speaker: Option<Arc<str>>,
    /// `speaker: text`.
    pub(crate) said: String,
    /// Tokens of `said`.
    pub(crate) tokens: usize,
    /// Start in Unix milliseconds, if known.
    pub(crate) at_unix_ms: Option<i64>,
    /// Start in stream time.
    pub(crate) start_ms: u64,
}

/// Turns by their number in the stream. A store with vectors forgets nothing.
pub(crate) struct Flat {
    pub(crate) kit: Arc<MethodContext>,
    /// Number of the first remaining turn.
    pub(crate) first: usize,
    turns: VecDeque<Stored>,
    /// The vectors of the turns, by the same numbers.
    pub(crate) vectors: Matrix,
    /// Tokens of the turns.
    pub(crate) tokens: usize,
}

impl Flat {
    pub(crate) fn new(kit: Arc<MethodContext>) -> Self {
        Self {
            vectors: Matrix::new(kit.dimension()),
            kit,
            first: 0,
            turns: VecDeque::new(),
            tokens: 0,
        }
    }

    /// Takes in a turn without a vector.
    pub(crate) fn push(&mut self, heard: HeardTurn<'_>) {
        let stored = Stored {
            id: Arc::from(heard.turn.id.as_str()),
            speaker: heard.turn.speaker.as_deref().map(Arc::from),
            said: heard.said.to_owned(),
            tokens: self.kit.counter.count(heard.said),
            at_unix_ms: heard.at_unix_ms,
            start_ms: heard.turn.span.start_ms,
        };
        self.tokens += stored.tokens;
        self.turns.push_back(stored);
    }

    /// Adds a turn with its vector. A store has vectors for all turns, or for none.
    pub(crate) fn push_encoded(&mut self, heard: HeardTurn<'_>) -> anyhow::Result<()> {
        let vector = self.kit.encode_one(heard.said)?;
        self.push(heard);
        self.vectors.push(&vector);
        Ok(())
    }

    /// Forgets the oldest turn and returns it with its number.
    pub(crate) fn forget_oldest(&mut self) -> Option<(usize, Stored)> {
        let turn = self.turns.pop_front()?;
        self.first += 1;
        self.tokens -= turn.tokens;
        Some((self.first - 1, turn))
    }

    /// One more than the number of the last turn.
    pub(crate) fn end(&self) -> usize {
        self.first + self.turns.len()
    }

    /// A turn by its number, if it remains.
    pub(crate) fn turn(&self, number: usize) -> Option<&Stored> {
        self.turns.get(number.checked_sub(self.first)?)
    }

    /// The remaining turns with their numbers, in order.
    pub(crate) fn turns(&self) -> impl DoubleEndedIterator<Item = (usize, &Stored)> {
        (self.first..self.end()).zip(&self.turns)
    }

    /// Whether it has grown enough since it had `before` turns to rebuild what is made of them.
    pub(crate) fn has_grown(&self, before: usize) -> bool {
        let new = self.end() - before;
        new > 0 && new as f64 >= GROWTH * self.end() as f64
    }

    /// The turns with these numbers that remain.
    pub(crate) fn numbered(
        &self,
        numbers: impl Iterator<Item = usize> + Clone,
    ) -> impl Iterator<Item = (usize, &Stored)> + Clone {
        numbers.filter_map(|number| Some((number, self.turn(number)?)))
    }

    /// Ids of the remaining turns; `None` if none was forgotten.
    pub(crate) fn held(&self) -> Option<Vec<String>> {
        let ids = self.turns.iter().map(|turn| turn.id.to_string());
        (self.first > 0).then(|| ids.collect())
    }
}

impl Stored {
    /// The text without the speaker.
    pub(crate) fn words(&self) -> &str {
        let named = self.speaker.as_deref();
        let rest = named.and_then(|speaker| self.said.strip_prefix(speaker));
        rest.map_or(&self.said, |rest| rest.trim_start_matches([':', ' ']))
    }
}
