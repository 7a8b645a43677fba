//! Statistics of a session.

use super::Session;
use crate::memory::Kind;
use std::collections::BTreeSet;

/// Tokens and nodes held, and the token budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryStats {
    /// Tokens of the tree.
    pub tokens: usize,
    /// Tokens of all text held, in the tree, as raw talk, in beliefs, profiles and sources.
    pub text_tokens: usize,
    /// Bytes held for the session: tree, vectors, indexes, raw talk, word counts.
    pub bytes: usize,
    /// The token budget.
    pub budget_tokens: usize,
    /// Scenes held.
    pub scenes: usize,
    /// Events held.
    pub events: usize,
    /// Memory units held.
    pub amus: usize,
    /// Raw tokens of waiting blocks.
    pub pending_tokens: usize,
    /// Raw tokens of leading context and of the open block.
    pub buffer_tokens: usize,
    /// Beliefs held.
    pub beliefs: usize,
    /// Facts of profiles held.
    pub facts: usize,
    /// Tokens of sources.
    pub source_tokens: usize,
}

/// Statistics of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// Utterances heard.
    pub turns: u64,
    /// Session time in milliseconds.
    pub stream_ms: u64,
    /// Tokens and nodes.
    pub memory: MemoryStats,
}

impl Session {
    /// Counts what is held. Cost: O(N).
    #[must_use]
    pub fn stats(&self) -> Stats {
        let count = |kind| self.tree.of_kind(kind).count();
        Stats {
            turns: self.turns,
            stream_ms: self.clock.now_ms,
            memory: MemoryStats {
                tokens: self.tree.tokens(),
                text_tokens: self.text_tokens(),
                bytes: self.tree.bytes()
                    + self.buffer.bytes()
                    + self.rarity.bytes()
                    + self.beliefs.bytes()
                    + self.profiles.bytes()
                    + self.sources.bytes(),
                budget_tokens: self.config.budget_tokens,
                scenes: count(Kind::Scene),
                events: count(Kind::Event),
                amus: count(Kind::Unit),
                pending_tokens: self.buffer.pending_tokens(),
                buffer_tokens: self.buffer.buffer_tokens(),
                beliefs: self.beliefs.held().len(),
                facts: self.profiles.facts().len(),
                source_tokens: self.sources.tokens(),
            },
        }
    }

    /// `(stream, utterance)` of everything that a unit or raw memory still carries, in order.
    #[must_use]
    pub fn held(&self) -> Vec<(String, String)> {
        let proofs = self
            .tree
            .of_kind(Kind::Unit)
            .flat_map(|unit| &unit.evidence)
            .map(|item| (item.stream.clone(), item.utterance.clone()));
        let raw = self
            .buffer
            .raw()
            .map(|heard| (heard.utterance.stream.clone(), heard.utterance.id.clone()));
        proofs
            .chain(raw)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }
}
