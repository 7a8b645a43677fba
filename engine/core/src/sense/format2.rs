//! The sensing buffer of image format 2, which did not store why a block begins.

use super::boundary::DriftState;
use super::format3::{BufferV3, HeardV3};
use super::{Cause, Waiting};
use crate::talk::BlockId;
use serde::Deserialize;
use std::collections::VecDeque;

#[derive(Deserialize)]
pub(crate) struct BufferV2 {
    raw: VecDeque<HeardV3>,
    leading: usize,
    pending: VecDeque<WaitingV2>,
    fresh: usize,
    blocks_cut: u64,
}

#[derive(Deserialize)]
struct WaitingV2 {
    id: BlockId,
    len: usize,
}

impl From<BufferV2> for BufferV3 {
    fn from(old: BufferV2) -> Self {
        let waiting = |waiting: WaitingV2| Waiting {
            id: waiting.id,
            len: waiting.len,
            cause: Cause::default(),
        };
        Self {
            raw: old.raw,
            leading: old.leading,
            pending: old.pending.into_iter().map(waiting).collect(),
            fresh: old.fresh,
            begun: Cause::default(),
            blocks_cut: old.blocks_cut,
            drift: DriftState::default(),
        }
    }
}
