//! The sensing buffer in two parts: block boundaries, and the talk.

use super::boundary::DriftState;
use super::{Cause, SensingBuffer, Waiting};
use crate::talk::BufferedUtterance;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;
use weir_models::CountTokens;

/// Lengths of the buffer's parts, in utterances.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct BufferFrame {
    leading: usize,
    pending: VecDeque<Waiting>,
    fresh: usize,
    begun: Cause,
    blocks_cut: u64,
    drift: DriftState,
}

impl SensingBuffer {
    pub(crate) fn frame(&self) -> BufferFrame {
        BufferFrame {
            leading: self.leading,
            pending: self.pending.clone(),
            fresh: self.fresh,
            begun: self.begun,
            blocks_cut: self.blocks_cut,
            drift: self.drift.clone(),
        }
    }

    /// Assembles a stored buffer from its parts; the result must be checked before use.
    pub(crate) fn assembled(frame: BufferFrame, raw: Vec<BufferedUtterance>) -> Self {
        Self {
            raw: raw.into_iter().map(Arc::new).collect(),
            leading: frame.leading,
            pending: frame.pending,
            fresh: frame.fresh,
            begun: frame.begun,
            blocks_cut: frame.blocks_cut,
            drift: frame.drift,
        }
    }

    /// Counts the tokens of the talk again.
    pub(crate) fn recount(&mut self, counter: &dyn CountTokens) {
        for heard in &mut self.raw {
            let tokens = counter.count(&heard.utterance.rendered()) as u32;
            Arc::make_mut(heard).tokens = tokens;
        }
    }
}
