//! What a change would do, found on a copy of the session.

use crate::pipeline::service::error::ServiceError;
use crate::pipeline::service::handle::SessionHandle;
use std::sync::Arc;
use weir_core::session::{Erased, Erasure, Input, Session, Target};
use weir_core::transcript::Transcript;

impl SessionHandle {
    /// What an erasure of these would remove now, found by making it on a copy of the session.
    ///
    /// # Errors
    /// [`ServiceError::Erase`] if a target does not exist.
    pub fn would_erase(
        &self,
        targets: &[Target],
        transcript: &dyn Transcript,
    ) -> Result<(Erasure, Erased), ServiceError> {
        let mut copy = Session::clone(&self.session());
        let encoder = Some(self.0.encoder.as_ref());
        let erasure = copy
            .erasure(targets, encoder, Some(transcript))
            .map_err(|error| ServiceError::Erase(Arc::new(error)))?;
        let outcome = copy.apply(&Input::Erase(Box::new(erasure.clone())))?;
        Ok((erasure, outcome.erased.unwrap_or_default()))
    }
}
