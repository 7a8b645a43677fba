//! Raw talk taken out on request.

use super::SensingBuffer;
use super::boundary::DriftState;
use crate::distil::{BlockId, Heard};
use crate::memory::Utterances;

impl SensingBuffer {
    /// Takes utterances out wherever they are, and returns them.
    ///
    /// Where a waiting block loses one, all that wait get new names, so that what a distiller made
    /// of an old one meanwhile is refused; a block left empty goes.
    pub(crate) fn erase(&mut self, utterances: &Utterances) -> Vec<Heard> {
        let named = |heard: &Heard| {
            let utterance = &heard.utterance;
            utterances.contains(&(utterance.stream.clone(), utterance.id.clone()))
        };
        let gone: Vec<bool> = self.raw.iter().map(named).collect();
        let lost =
            |from: usize, len: usize| gone[from..from + len].iter().filter(|gone| **gone).count();
        let mut at = self.leading;
        self.leading -= lost(0, self.leading);
        let mut changed = false;
        for waiting in &mut self.pending {
            let taken = lost(at, waiting.len);
            at += waiting.len;
            waiting.len -= taken;
            changed |= taken > 0;
        }
        self.fresh -= lost(at, self.fresh);
        if changed {
            self.pending.retain(|waiting| waiting.len > 0);
            // those that wait are numbered in one row, the last as the last that was cut
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
        if !erased.is_empty() {
            // the theme of the talk so far is made of what was erased too
            self.drift = DriftState::default();
        }
        erased
    }
}
