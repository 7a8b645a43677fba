//! Raw talk with vectors of another encoder.

use super::SensingBuffer;
use super::boundary::DriftState;

impl SensingBuffer {
    /// The same buffer with new vectors, one an utterance in order; where blocks were cut stays,
    /// and drift is learnt anew.
    ///
    /// An utterance without a new vector keeps its old one, so give them all.
    #[must_use]
    pub(crate) fn with_vectors(&self, vectors: Vec<Vec<f32>>) -> Self {
        debug_assert_eq!(vectors.len(), self.raw.len());
        let mut buffer = self.clone();
        for (heard, vector) in buffer.raw.iter_mut().zip(vectors) {
            heard.vector = vector;
        }
        buffer.drift = DriftState::default();
        buffer
    }
}
