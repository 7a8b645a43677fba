//! The sensing buffer of image format 4, which had no terms.

use super::boundary::DriftState;
use super::{Cause, SensingBuffer, Waiting};
use crate::stream::Utterance;
use crate::talk::BufferedUtterance;
use crate::text::Term;
use serde::Deserialize;
use std::collections::VecDeque;
use weir_models::Terms;

#[derive(Deserialize)]
pub(crate) struct BufferV4 {
    raw: VecDeque<HeardV4>,
    leading: usize,
    pending: VecDeque<Waiting>,
    fresh: usize,
    begun: Cause,
    blocks_cut: u64,
    drift: DriftState,
}

#[derive(Deserialize)]
struct HeardV4 {
    utterance: Utterance,
    turn: u64,
    vector: Vec<f32>,
    new_terms: Vec<Term>,
    tokens: u32,
    session_ms: u64,
    said_at_unix_ms: Option<i64>,
}

impl From<BufferV4> for SensingBuffer {
    fn from(old: BufferV4) -> Self {
        let heard = |heard: HeardV4| BufferedUtterance {
            utterance: heard.utterance,
            turn: heard.turn,
            vector: heard.vector,
            terms: Terms::default(),
            new_terms: heard.new_terms,
            tokens: heard.tokens,
            session_ms: heard.session_ms,
            said_at_unix_ms: heard.said_at_unix_ms,
        };
        Self {
            raw: old.raw.into_iter().map(heard).collect(),
            leading: old.leading,
            pending: old.pending,
            fresh: old.fresh,
            begun: old.begun,
            blocks_cut: old.blocks_cut,
            drift: old.drift,
        }
    }
}
