//! The sensing buffer: raw talk in order, split into blocks where the talk drifts (ProStream 5.1).
//!
//! One queue holds all raw text of a session: distilled utterances kept as leading context, then
//! blocks that wait to be distilled, then the fresh utterances of the open block. An utterance
//! leaves only at the front, after its block was mounted, so memory always holds everything said.

mod boundary;
mod erase;
mod frame;
mod recut;
mod reencode;
mod rename;
mod stored;

pub(crate) use frame::BufferFrame;

pub use boundary::{AdaptiveRule, Level, Rule};

use crate::analysis::Analysis;
use crate::config::RawLimits;
use crate::limits;
use crate::stream::Utterance;
use crate::talk::{Block, BlockId, BufferedUtterance, longest_pause_ms};
use crate::vectors::dot;
use boundary::DriftState;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;

/// Why a block begins where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Cause {
    /// The stream began or went on after a pause.
    #[default]
    Start,
    /// The talk drifted.
    Drift,
    /// The previous block was full.
    Full,
}

/// A waiting block: the number of its utterances.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Waiting {
    id: BlockId,
    len: usize,
    cause: Cause,
}

/// Raw talk that is not yet, or only recently, in the tree.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SensingBuffer {
    /// Shared with earlier states of the session until they change.
    raw: VecDeque<Arc<BufferedUtterance>>,
    leading: usize,
    pending: VecDeque<Waiting>,
    fresh: usize,
    begun: Cause,
    blocks_cut: u64,
    drift: DriftState,
}

impl SensingBuffer {
    /// Whether an utterance of this many tokens fits now. If not, a block is waiting: distil and
    /// mount it first.
    #[must_use]
    pub fn has_room(&self, tokens: u32, limits: &RawLimits) -> bool {
        let held = self.pending_tokens() + self.fresh_tokens();
        self.pending.is_empty() || held + tokens as usize <= limits.held
    }

    /// Adds an utterance; returns the blocks that this closed.
    ///
    /// Under [`Rule::Paper`] a block ends with the utterance whose cosine to the one before is
    /// below `tau_drift`, and with the fifth new one. Under [`Rule::Adaptive`] it ends where the
    /// theme changes, before an utterance that follows a long pause, and, when full, at its most
    /// likely seam.
    pub fn push(
        &mut self,
        heard: Arc<BufferedUtterance>,
        rule: &Rule,
        limits: &RawLimits,
    ) -> Vec<BlockId> {
        let mut cut = Vec::new();
        let tokens = heard.tokens as usize;
        if matches!(rule, Rule::Adaptive(_)) && self.fresh > 0 && self.follows_pause(&heard) {
            cut.extend(self.cut_whole(rule, Cause::Start));
        }
        while self.fresh > 0 && self.is_full(tokens, rule, limits) {
            cut.extend(self.cut_full(rule));
        }
        match rule {
            Rule::Paper { drift_cosine } => {
                let before = self.raw.back();
                let drifted =
                    before.is_some_and(|before| dot(&before.vector, &heard.vector) < *drift_cosine);
                self.raw.push_back(heard);
                self.fresh += 1;
                if drifted {
                    cut.extend(self.close(0, Cause::Drift));
                } else if self.fresh >= limits::BLOCK_UTTERANCES_MAX {
                    cut.extend(self.close(0, Cause::Full));
                }
            }
            Rule::Adaptive(rule) => {
                self.raw.push_back(heard);
                self.fresh += 1;
                let fresh = self.raw.range(self.raw.len() - self.fresh..);
                let fresh: Vec<&BufferedUtterance> = fresh.map(Arc::as_ref).collect();
                if let Some(after) = self.drift.hear(&fresh, rule) {
                    cut.extend(self.close(after, Cause::Drift));
                }
            }
        }
        self.trim(limits);
        cut
    }

    /// Whether an utterance begins another occasion than the talk before it.
    fn follows_pause(&self, heard: &BufferedUtterance) -> bool {
        let held = self.raw.iter().map(|heard| heard.moment());
        let before = self.raw.back().map(|heard| heard.moment());
        before.is_some_and(|before| heard.moment().since(before) >= longest_pause_ms(held))
    }

    /// Whether this many more tokens would exceed a bound of the block.
    fn is_full(&self, tokens: usize, rule: &Rule, limits: &RawLimits) -> bool {
        let utterances_max = match rule {
            Rule::Paper { .. } => limits::BLOCK_UTTERANCES_MAX,
            Rule::Adaptive(_) => limits::ADAPTIVE_BLOCK_UTTERANCES_MAX,
        };
        self.fresh >= utterances_max || self.fresh_tokens() + tokens > limits.block
    }

    /// Cuts a full block: at its most likely seam, or whole if there is none.
    fn cut_full(&mut self, rule: &Rule) -> Option<BlockId> {
        if matches!(rule, Rule::Adaptive(_))
            && let Some(after) = self.drift.weakest(self.fresh)
        {
            return self.close(after, Cause::Full);
        }
        self.cut_whole(rule, Cause::Full)
    }

    /// Closes the open block, if it has any utterances.
    pub fn cut(&mut self, rule: &Rule) -> Option<BlockId> {
        self.cut_whole(rule, Cause::Start)
    }

    fn cut_whole(&mut self, rule: &Rule, cause: Cause) -> Option<BlockId> {
        if let Rule::Adaptive(rule) = rule {
            if self.drift.changed_at_start(self.fresh) && self.fresh > 0 {
                self.begun = Cause::Drift;
            }
            let fresh = self.raw.range(self.raw.len() - self.fresh..);
            let fresh: Vec<&BufferedUtterance> = fresh.map(Arc::as_ref).collect();
            self.drift.cut_all(&fresh, rule);
        }
        self.close(0, cause)
    }

    /// Closes the open block before its last `after` utterances, which begin the next one with the
    /// given cause.
    fn close(&mut self, after: usize, next: Cause) -> Option<BlockId> {
        let len = self.fresh - after;
        let cause = std::mem::replace(&mut self.begun, next);
        if len == 0 {
            return None;
        }
        self.blocks_cut += 1;
        let id = BlockId(self.blocks_cut);
        self.pending.push_back(Waiting { id, len, cause });
        self.fresh = after;
        Some(id)
    }

    /// Why the oldest waiting block begins where it does.
    #[must_use]
    pub fn next_cause(&self) -> Option<Cause> {
        self.pending.front().map(|waiting| waiting.cause)
    }

    /// The oldest waiting block with its leading context.
    #[must_use]
    pub fn next_block(&self) -> Option<Block> {
        let waiting = self.pending.front()?;
        let copied = |range| {
            self.raw
                .range(range)
                .map(|heard| (**heard).clone())
                .collect()
        };
        let leading = copied(0..self.leading);
        let fresh = copied(self.leading..self.leading + waiting.len);
        Some(Block {
            id: waiting.id,
            leading,
            fresh,
        })
    }

    /// Id of the oldest waiting block.
    #[must_use]
    pub fn next_id(&self) -> Option<BlockId> {
        self.pending.front().map(|waiting| waiting.id)
    }

    /// Marks the oldest block as mounted: its last utterances become leading context, as many as
    /// the bound allows.
    pub fn release(&mut self, limits: &RawLimits) {
        if let Some(waiting) = self.pending.pop_front() {
            self.leading += waiting.len;
            self.trim(limits);
        }
    }

    /// Everything held as raw text, oldest first.
    pub fn raw(&self) -> impl Iterator<Item = &BufferedUtterance> {
        self.raw.iter().map(Arc::as_ref)
    }

    /// Sets what was read from the words of each utterance, oldest first.
    pub(crate) fn analyse(&mut self, mut of: impl FnMut(&Utterance) -> Analysis) {
        for heard in &mut self.raw {
            let analysis = of(&heard.utterance);
            Arc::make_mut(heard).analysis = analysis;
        }
    }

    /// Utterances in no unit yet: waiting blocks, then fresh utterances, each with its section.
    pub fn unmounted(&self) -> impl Iterator<Item = (&BufferedUtterance, Section)> {
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
                (heard.as_ref(), section)
            })
    }

    /// Leading context: already in the tree, kept as context for the next block.
    pub fn leading(&self) -> impl Iterator<Item = &BufferedUtterance> {
        self.raw.range(..self.leading).map(Arc::as_ref)
    }

    /// Tokens of waiting blocks.
    #[must_use]
    pub fn pending_tokens(&self) -> usize {
        let waiting: usize = self.pending.iter().map(|waiting| waiting.len).sum();
        tokens(self.raw().skip(self.leading).take(waiting))
    }

    /// Tokens of leading and fresh utterances.
    #[must_use]
    pub fn buffer_tokens(&self) -> usize {
        tokens(self.raw()) - self.pending_tokens()
    }

    /// Tokens of waiting blocks and of the open block.
    #[must_use]
    pub fn unmounted_tokens(&self) -> usize {
        self.pending_tokens() + self.fresh_tokens()
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.raw
            .iter()
            .map(|heard| {
                size_of::<BufferedUtterance>()
                    + heard.vector.len() * size_of::<f32>()
                    + heard.utterance.text.len()
                    + heard.utterance.id.len()
                    + heard.utterance.stream.len()
                    + heard.analysis.bytes()
            })
            .sum()
    }

    fn fresh_tokens(&self) -> usize {
        tokens(self.raw().skip(self.raw.len() - self.fresh))
    }

    /// Drops leading context first: down to its own bounds and the bound on raw text.
    pub(crate) fn trim(&mut self, limits: &RawLimits) {
        while self.leading > 0
            && (self.leading > limits::LEADING_UTTERANCES
                || tokens(self.leading()) > limits.leading
                || tokens(self.raw()) > limits.held)
        {
            self.raw.pop_front();
            self.leading -= 1;
        }
    }
}

/// Which part of raw memory an utterance is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// The open block, and the leading context.
    ShortTerm,
    /// A block that waits to be distilled.
    Pending,
}

fn tokens<'a>(heard: impl Iterator<Item = &'a BufferedUtterance>) -> usize {
    heard.map(|heard| heard.tokens as usize).sum()
}
