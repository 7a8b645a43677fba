//! Replaces the vectors of raw talk by those of another encoder.

use super::SensingBuffer;
use super::boundary::DriftState;
use std::sync::Arc;
use weir_models::{Encoded, Terms};

impl SensingBuffer {
    /// The same buffer with new vectors, one per utterance in order. Block boundaries stay, and the
    /// drift state is learnt again.
    ///
    /// An utterance without a new vector keeps its old one, so pass one for each.
    #[must_use]
    pub(crate) fn with_vectors(&self, found: Vec<Encoded>) -> Self {
        debug_assert_eq!(found.len(), self.raw.len());
        let mut buffer = self.clone();
        for (heard, found) in buffer.raw.iter_mut().zip(found) {
            let heard = Arc::make_mut(heard);
            (heard.vector, heard.terms) = (found.vector, found.terms);
        }
        buffer.drift = DriftState::default();
        buffer
    }

    /// Replaces the terms, one set per utterance in order.
    pub(crate) fn set_terms(&mut self, terms: impl Iterator<Item = Terms>) {
        for (heard, terms) in self.raw.iter_mut().zip(terms) {
            Arc::make_mut(heard).terms = terms;
        }
    }
}
