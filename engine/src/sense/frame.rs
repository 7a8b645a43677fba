//! The sensing buffer in pieces: where its blocks begin and end, apart from the talk.

use super::boundary::DriftState;
use super::{Cause, SensingBuffer, Waiting};
use crate::distil::Heard;
use crate::session::rendered;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
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

    /// Puts a buffer together again.
    pub(crate) fn assembled(frame: BufferFrame, raw: Vec<Heard>) -> Result<Self, String> {
        let parts = frame.pending.iter().map(|waiting| waiting.len);
        let counted = parts.fold(frame.leading.checked_add(frame.fresh), |sum, len| {
            sum?.checked_add(len)
        });
        if counted != Some(raw.len()) {
            return Err(format!(
                "{} raw utterances, where the blocks have {}",
                raw.len(),
                counted.map_or_else(|| "too many".into(), |n| n.to_string())
            ));
        }
        Ok(Self {
            raw: raw.into(),
            leading: frame.leading,
            pending: frame.pending,
            fresh: frame.fresh,
            begun: frame.begun,
            blocks_cut: frame.blocks_cut,
            drift: frame.drift,
        })
    }

    /// Counts the tokens of the talk anew.
    pub(crate) fn recount(&mut self, counter: &dyn CountTokens) {
        for heard in &mut self.raw {
            heard.tokens = counter.count(&rendered(&heard.utterance)) as u32;
        }
    }
}
