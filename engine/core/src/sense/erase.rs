//! Raw talk taken out on request.

use super::SensingBuffer;
use super::boundary::DriftState;
use crate::talk::Utterances;
use crate::talk::{BlockId, BufferedUtterance};

impl SensingBuffer {
    /// Takes utterances out wherever they are, and returns them.
    ///
    /// Where a waiting block or what was before it loses one, all that wait get new names, so that
    /// what a distiller made of an old one meanwhile is refused; a block left empty goes.
    pub(crate) fn erase(&mut self, utterances: &Utterances) -> Vec<BufferedUtterance> {
        let named = |heard: &BufferedUtterance| {
            let utterance = &heard.utterance;
            utterances.has(&utterance.stream, &utterance.id)
        };
        let gone: Vec<bool> = self.raw.iter().map(named).collect();
        let lost =
            |from: usize, len: usize| gone[from..from + len].iter().filter(|gone| **gone).count();
        let mut at = self.leading;
        // what was before a block was read with it
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
        // the theme of the talk so far is made of what was erased too, however long ago
        self.drift = DriftState::default();
        erased
    }
}
