//! Gives a speaker another name in raw talk.

use super::SensingBuffer;
use crate::stream::rename_speaker;
use std::sync::Arc;
use weir_models::{CountTokens, Encoded};

impl SensingBuffer {
    /// Replaces a speaker's name and counts the tokens of the talk again. `encoded` has vectors and
    /// terms under the new name, by ordinal of the utterance.
    pub(crate) fn rename(
        &mut self,
        from: &str,
        to: &str,
        encoded: &[(u64, Encoded)],
        counter: &dyn CountTokens,
    ) {
        for heard in &mut self.raw {
            rename_speaker(&mut Arc::make_mut(heard).utterance.speaker, from, to);
        }
        for (turn, found) in encoded {
            if let Some(heard) = self.raw.iter_mut().find(|heard| heard.turn == *turn) {
                let heard = Arc::make_mut(heard);
                heard.vector.clone_from(&found.vector);
                heard.terms = found.terms.clone();
            }
        }
        self.drift.rename(from, to);
        self.recount(counter);
    }
}
