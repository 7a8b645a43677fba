//! A running summary, updated block by block, and the turns not yet in it.
//!
//! Follows "Recursively summarizing enables long-term dialogue memory in large language models"
//! (Wang et al., 2023): the new summary is written from the old one and the next block of dialogue.
//! Blocks have a fixed number of turns instead of being sittings, which a stream need not have. The
//! context is the summary, then the last turns that fit.

use super::context::{Filling, cut};
use super::flat::{Flat, Stored};
use super::note::{Note, is_carried};
use super::{HeardTurn, Method, MethodContext, Query, Recalled};
use anyhow::Result;
use std::sync::Arc;
use weir_core::text::content_hashes;

/// Turns added to the summary at once.
const BLOCK_TURNS: usize = 10;
/// Most tokens of the summary, and of the turns kept beside it.
const SUMMARY_TOKENS: usize = 512;
const RECENT_TOKENS: usize = 1024;

/// A turn in a summary, with the words that identify it.
struct Carried {
    number: usize,
    id: Arc<str>,
    words: Vec<u32>,
}

/// A summary of what was said, and the last turns.
pub(crate) struct RollingSummary {
    flat: Flat,
    summary: String,
    tokens: usize,
    carried: Vec<Carried>,
    summary_tokens: usize,
    recent_tokens: usize,
}

impl RollingSummary {
    /// An empty memory; a small budget is split in halves between summary and turns.
    pub(crate) fn new(kit: Arc<MethodContext>) -> Self {
        let budget = kit.budget_tokens.unwrap_or(usize::MAX);
        let summary_tokens = SUMMARY_TOKENS.min(budget / 2);
        Self {
            flat: Flat::new(kit),
            summary: String::new(),
            tokens: 0,
            carried: Vec::new(),
            summary_tokens,
            recent_tokens: RECENT_TOKENS.min(budget - summary_tokens),
        }
    }

    /// Rewrites the summary from itself and the oldest turns.
    fn renew(&mut self) {
        let kit = Arc::clone(self.flat.kit());
        let mut block: Vec<Stored> = Vec::new();
        while block.len() < BLOCK_TURNS || self.flat.tokens() > self.recent_tokens {
            let Some((number, turn)) = self.flat.forget_oldest() else {
                break;
            };
            self.carried.push(Carried {
                number,
                id: Arc::clone(&turn.id),
                words: content_hashes(turn.words()),
            });
            block.push(turn);
        }
        let mut texts = vec![self.summary.as_str()];
        texts.extend(block.iter().map(|turn| turn.said.as_str()));
        let written = kit.writer.summarise(&texts, self.summary_tokens);
        self.summary = cut(&kit, &written, self.summary_tokens);
        self.tokens = kit.counter.count(&self.summary);
        let shown = content_hashes(&self.summary);
        self.carried.retain(|turn| is_carried(&shown, &turn.words));
    }

    /// The summary within this token limit.
    fn note(&self, tokens_max: usize) -> Note {
        let kit = self.flat.kit();
        let text = cut(kit, &self.summary, tokens_max);
        let shown = content_hashes(&text);
        let carried = self
            .carried
            .iter()
            .filter(|turn| is_carried(&shown, &turn.words));
        Note {
            tokens: kit.counter.count(&text),
            text,
            carries: carried
                .map(|turn| (turn.number, Arc::clone(&turn.id)))
                .collect(),
        }
    }
}

impl Method for RollingSummary {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        self.flat.push(heard);
        if self.flat.tokens() > self.recent_tokens {
            self.renew();
        }
        Ok(())
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let summary = self.note(query.context_tokens / 2);
        let mut filling = Filling::new(&self.flat, query.context_tokens);
        filling.note(&summary);
        filling.turns(self.flat.turns().rev().map(|(number, _)| number));
        Ok(filling.recalled())
    }

    fn held(&self) -> Option<Vec<String>> {
        let kept = self.flat.held()?;
        let carried = self.carried.iter().map(|turn| turn.id.to_string());
        Some(carried.chain(kept).collect())
    }

    fn stored_tokens(&self) -> usize {
        self.flat.tokens() + self.tokens
    }
}
