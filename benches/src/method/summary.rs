//! A running summary, updated block by block, and the turns not yet in it.
//!
//! Follows "Recursively summarizing enables long-term dialogue memory in large language models"
//! (Wang et al., 2023): the new summary is written from the old one and the next block of dialogue.
//! Blocks have a fixed number of turns instead of being sittings, which a stream need not have. The
//! context is the summary, then the last turns that fit.

use super::context::Filling;
use super::flat::{Flat, Stored};
use super::note::Note;
use super::{HeardTurn, Method, MethodContext, Query, Recalled};
use anyhow::Result;
use std::sync::Arc;

/// Turns added to the summary at once.
const BLOCK_TURNS: usize = 10;
/// Most tokens of the summary, and of the turns kept beside it.
const SUMMARY_TOKENS: usize = 512;
const RECENT_TOKENS: usize = 1024;

/// A summary of what was said, and the last turns.
pub(crate) struct RollingSummary {
    flat: Flat,
    summary: Note,
    /// The turns in the summary; their words are kept only to find out whether they still are.
    carried: Vec<(usize, Stored)>,
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
            summary: Note::default(),
            carried: Vec::new(),
            summary_tokens,
            recent_tokens: RECENT_TOKENS.min(budget - summary_tokens),
        }
    }

    /// Rewrites the summary from itself and the oldest turns.
    fn renew(&mut self) -> Result<()> {
        let kit = Arc::clone(&self.flat.kit);
        let mut texts = vec![std::mem::take(&mut self.summary.text)];
        while texts.len() <= BLOCK_TURNS || self.flat.tokens > self.recent_tokens {
            let Some((number, turn)) = self.flat.forget_oldest() else {
                break;
            };
            texts.push(turn.said.clone());
            self.carried.push((number, turn));
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.summary = self.noted(kit.writer.summarise(&texts, self.summary_tokens)?);
        let carries = &self.summary.carries;
        self.carried
            .retain(|(number, _)| carries.iter().any(|(other, _)| other == number));
        Ok(())
    }

    /// A summary with the turns that it carries.
    fn noted(&self, text: String) -> Note {
        let turns = self.carried.iter().map(|(number, turn)| (*number, turn));
        Note::of(&self.flat.kit, text, turns)
    }
}

impl Method for RollingSummary {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        self.flat.push(heard);
        if self.flat.tokens > self.recent_tokens {
            self.renew()?;
        }
        Ok(())
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let tokens_max = query.context_tokens / 2;
        let cut = || self.flat.kit.writer.cut(&self.summary.text, tokens_max);
        let shorter = (self.summary.tokens > tokens_max).then(|| self.noted(cut().to_owned()));
        let mut filling = Filling::new(&self.flat, query.context_tokens);
        filling.note(shorter.as_ref().unwrap_or(&self.summary));
        filling.turns(self.flat.turns().rev().map(|(number, _)| number));
        Ok(filling.recalled())
    }

    fn held(&self) -> Option<Vec<String>> {
        let kept = self.flat.held()?;
        let carried = self.summary.carries.iter().map(|(_, id)| id.to_string());
        Some(carried.chain(kept).collect())
    }

    fn stored_tokens(&self) -> usize {
        self.flat.tokens + self.summary.tokens
    }
}
