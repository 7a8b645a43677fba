//! The sensing buffer of image format 3.

use super::boundary::DriftState;
use super::{Cause, SensingBuffer, Waiting};
use crate::stream::Utterance;
use crate::talk::BufferedUtterance;
use serde::Deserialize;
use std::collections::VecDeque;
use weir_models::Terms;

#[derive(Deserialize)]
pub(crate) struct BufferV3 {
    pub(super) raw: VecDeque<HeardV3>,
    pub(super) leading: usize,
    pub(super) pending: VecDeque<Waiting>,
    pub(super) fresh: usize,
    pub(super) begun: Cause,
    pub(super) blocks_cut: u64,
    pub(super) drift: DriftState,
}

#[derive(Deserialize)]
pub(crate) struct HeardV3 {
    utterance: Utterance,
    vector: Vec<f32>,
    tokens: u32,
    session_ms: u64,
    said_at_unix_ms: Option<i64>,
}

impl BufferV3 {
    /// Converts the buffer of a session that has heard `turns` utterances; the buffer holds the
    /// last of them.
    pub(crate) fn migrated(self, turns: u64) -> SensingBuffer {
        let first = turns.saturating_sub(self.raw.len() as u64);
        let heard = |(turn, heard): (u64, HeardV3)| BufferedUtterance {
            utterance: heard.utterance,
            turn,
            vector: heard.vector,
            terms: Terms::default(),
            // which words were new at the time is no longer known
            new_terms: Vec::new(),
            tokens: heard.tokens,
            session_ms: heard.session_ms,
            said_at_unix_ms: heard.said_at_unix_ms,
        };
        SensingBuffer {
            raw: (first..).zip(self.raw).map(heard).collect(),
            leading: self.leading,
            pending: self.pending,
            fresh: self.fresh,
            begun: self.begun,
            blocks_cut: self.blocks_cut,
            drift: self.drift,
        }
    }
}
