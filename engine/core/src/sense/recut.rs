//! Cuts blocks again where a journal of another program version says they ended.

use super::boundary::DriftState;
use super::{Cause, Rule, SensingBuffer, Waiting};
use crate::config::RawLimits;
use crate::talk::{BlockId, BufferedUtterance};
use std::collections::VecDeque;

impl SensingBuffer {
    /// Makes `id` the next block: it ends with the last waiting utterance that is `named`. Later
    /// utterances are pushed again. Returns `false` if no waiting utterance is named.
    pub(crate) fn recut(
        &mut self,
        id: BlockId,
        named: impl Fn(&BufferedUtterance) -> bool,
        rule: &Rule,
        limits: &RawLimits,
    ) -> bool {
        let mut waiting = self.raw.range(self.leading..);
        let Some(last) = waiting.rposition(|heard| named(heard)) else {
            return false;
        };
        let len = last + 1;
        let cause = self.next_cause().unwrap_or(self.begun);
        let after = self.raw.split_off(self.leading + len);
        self.pending = VecDeque::from([Waiting { id, len, cause }]);
        self.fresh = 0;
        self.begun = Cause::Full;
        self.blocks_cut = id.0;
        self.drift = DriftState::default();
        for heard in after {
            self.push(heard, rule, limits);
        }
        true
    }
}
