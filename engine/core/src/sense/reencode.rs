//! Raw talk with vectors of another encoder.

use super::SensingBuffer;
use super::boundary::DriftState;
use weir_models::{Encoded, Terms};

impl SensingBuffer {
    /// The same buffer with new vectors, one an utterance in order; where blocks were cut stays,
    /// and drift is learnt anew.
    ///
    /// An utterance without a new vector keeps its old one, so give them all.
    #[must_use]
    pub(crate) fn with_vectors(&self, found: Vec<Encoded>) -> Self {
        debug_assert_eq!(found.len(), self.raw.len());
        let mut buffer = self.clone();
        for (heard, found) in buffer.raw.iter_mut().zip(found) {
            (heard.vector, heard.terms) = (found.vector, found.terms);
        }
        buffer.drift = DriftState::default();
        buffer
    }

    /// Gives the utterances other terms, one an utterance in order.
    pub(crate) fn set_terms(&mut self, terms: impl Iterator<Item = Terms>) {
        for (heard, terms) in self.raw.iter_mut().zip(terms) {
            heard.terms = terms;
        }
    }
}
