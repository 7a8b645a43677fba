//! Erases raw talk on request.

use super::SensingBuffer;
use super::boundary::DriftState;
use crate::talk::Utterances;
use crate::talk::{BlockId, BufferedUtterance};
use std::sync::Arc;

impl SensingBuffer {
    /// Erases utterances from all parts of the buffer and returns them.
    ///
    /// If a waiting block or its leading context loses an utterance, all waiting blocks get new
    /// ids, so that a distiller's result for an old block is refused. An empty block is removed.
    pub(crate) fn erase(&mut self, utterances: &Utterances) -> Vec<Arc<BufferedUtterance>> {
        let named = |heard: &Arc<BufferedUtterance>| {
            let utterance = &heard.utterance;
            utterances.has(&utterance.stream, &utterance.id)
        };
        let gone: Vec<bool> = self.raw.iter().map(named).collect();
        let lost =
            |from: usize, len: usize| gone[from..from + len].iter().filter(|gone| **gone).count();
        let mut at = self.leading;
        // leading context was read together with the block
        let mut changed = lost(0, self.leading) > 0;
        self.leading -= lost(0, self.leading);
        for waiting in &mut self.pending {
            let taken = lost(at, waiting.len);
            at += waiting.len;
            waiting.len -= taken;
            changed |= taken > 0;
        }
        self.fresh -= lost(at, self.fresh);
        if changed {
            self.pending.retain(|waiting| waiting.len > 0);
            // waiting blocks have consecutive ids; the last id is the last one cut
            for waiting in &mut self.pending {
                self.blocks_cut += 1;
                waiting.id = BlockId(self.blocks_cut);
            }
        }
        let (mut kept, mut erased) = (Vec::new(), Vec::new());
        for (heard, gone) in self.raw.drain(..).zip(gone) {
            if gone { &mut erased } else { &mut kept }.push(heard);
        }
        self.raw = kept.into();
        // the theme vector contains erased talk too, so it is reset
        self.drift = DriftState::default();
        erased
    }
}
