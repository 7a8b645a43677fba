//! The sensing buffer: raw talk in order, cut into blocks where it drifts (ProStream 5.1).
//!
//! One queue holds all raw text of a session: utterances already distilled that stay as leading
//! context, then blocks that are cut and wait, then the fresh utterances of the block being heard.
//! An utterance leaves only at the front, after its block was mounted, so nothing that was said is
//! ever in no part of memory.

mod erase;
#[cfg(feature = "streams")]
mod frame;
mod reencode;
mod stored;

#[cfg(feature = "streams")]
pub(crate) use frame::BufferFrame;

use crate::config::EncoderProfile;
use crate::distil::{Block, BlockId, Heard};
use crate::limits;
use crate::memory::dot;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A cut block that waits: how many utterances it spans.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Waiting {
    id: BlockId,
    len: usize,
}

/// Raw talk not yet, or only just, in the tree.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SensingBuffer {
    raw: VecDeque<Heard>,
    leading: usize,
    pending: VecDeque<Waiting>,
    fresh: usize,
    blocks_cut: u64,
}

impl SensingBuffer {
    /// Whether an utterance of so many tokens fits now. When it does not, a block waits: distil and
    /// mount it first.
    #[must_use]
    pub fn has_room(&self, tokens: u32) -> bool {
        let held = self.pending_tokens() + self.fresh_tokens();
        self.pending.is_empty() || held + tokens as usize <= limits::RAW_TOKENS_MAX
    }

    /// Takes an utterance in; returns the blocks this cut.
    ///
    /// A block is cut before the utterance when its cosine to the one before falls below
    /// `drift_cosine`, and after it when the block is full, in utterances or in tokens.
    pub fn push(&mut self, heard: Heard, profile: &EncoderProfile) -> Vec<BlockId> {
        let mut cut = Vec::new();
        let drifted = self.fresh > 0
            && self
                .raw
                .back()
                .is_some_and(|before| dot(&before.vector, &heard.vector) < profile.drift_cosine);
        if drifted || self.fresh_tokens() + heard.tokens as usize > limits::BLOCK_TOKENS_MAX {
            cut.extend(self.cut());
        }
        self.raw.push_back(heard);
        self.fresh += 1;
        if self.fresh >= limits::BLOCK_UTTERANCES_MAX {
            cut.extend(self.cut());
        }
        self.trim();
        cut
    }

    /// Closes the block being heard, if it has any utterance.
    pub fn cut(&mut self) -> Option<BlockId> {
        if self.fresh == 0 {
            return None;
        }
        self.blocks_cut += 1;
        let id = BlockId(self.blocks_cut);
        self.pending.push_back(Waiting {
            id,
            len: self.fresh,
        });
        self.fresh = 0;
        Some(id)
    }

    /// The oldest waiting block with its leading context.
    #[must_use]
    pub fn next_block(&self) -> Option<Block> {
        let waiting = self.pending.front()?;
        let leading = self.raw.range(..self.leading).cloned().collect();
        let fresh = self
            .raw
            .range(self.leading..self.leading + waiting.len)
            .cloned()
            .collect();
        Some(Block {
            id: waiting.id,
            leading,
            fresh,
        })
    }

    /// Name of the oldest waiting block.
    #[must_use]
    pub fn next_id(&self) -> Option<BlockId> {
        self.pending.front().map(|waiting| waiting.id)
    }

    /// The oldest block was mounted: its utterances become leading context.
    pub fn release(&mut self) {
        if let Some(waiting) = self.pending.pop_front() {
            self.leading += waiting.len;
            self.trim();
        }
    }

    /// Everything held as raw text, oldest first.
    pub fn raw(&self) -> impl Iterator<Item = &Heard> {
        self.raw.iter()
    }

    /// What is in no unit yet: waiting blocks, then fresh utterances; each with whether it waits.
    pub fn unmounted(&self) -> impl Iterator<Item = (&Heard, Section)> {
        let waiting: usize = self.pending.iter().map(|waiting| waiting.len).sum();
        self.raw
            .iter()
            .enumerate()
            .skip(self.leading)
            .map(move |(at, heard)| {
                let section = if at < self.leading + waiting {
                    Section::Pending
                } else {
                    Section::ShortTerm
                };
                (heard, section)
            })
    }

    /// Leading context: in the tree already, kept for reading on.
    pub fn leading(&self) -> impl Iterator<Item = &Heard> {
        self.raw.range(..self.leading)
    }

    /// Tokens that wait to be distilled.
    #[must_use]
    pub fn pending_tokens(&self) -> usize {
        let waiting: usize = self.pending.iter().map(|waiting| waiting.len).sum();
        tokens(self.raw.range(self.leading..self.leading + waiting))
    }

    /// Tokens of leading and fresh utterances.
    #[must_use]
    pub fn buffer_tokens(&self) -> usize {
        tokens(self.raw.iter()) - self.pending_tokens()
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.raw
            .iter()
            .map(|heard| {
                size_of::<Heard>()
                    + heard.vector.len() * size_of::<f32>()
                    + heard.utterance.text.len()
                    + heard.utterance.id.len()
                    + heard.utterance.stream.len()
            })
            .sum()
    }

    fn fresh_tokens(&self) -> usize {
        tokens(self.raw.range(self.raw.len() - self.fresh..))
    }

    /// Leading context gives way first: to its own bound and to the bound on raw text.
    fn trim(&mut self) {
        while self.leading > 0
            && (self.leading > limits::LEADING_UTTERANCES
                || tokens(self.raw.iter()) > limits::RAW_TOKENS_MAX)
        {
            self.raw.pop_front();
            self.leading -= 1;
        }
    }
}

/// Which part of raw memory an utterance is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// The block being heard, and the leading context.
    ShortTerm,
    /// A block that waits to be distilled.
    Pending,
}

fn tokens<'a>(heard: impl Iterator<Item = &'a Heard>) -> usize {
    heard.map(|heard| heard.tokens as usize).sum()
}
