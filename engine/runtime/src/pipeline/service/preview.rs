//! What a change would do, found on a copy of the session.

use crate::pipeline::service::error::ServiceError;
use crate::pipeline::service::handle::SessionHandle;
use crate::store::audio_to_silence;
use std::path::Path;
use std::sync::Arc;
use weir_core::session::{Erased, Erasure, Input, Session, Target};
use weir_core::transcript::Transcript;
use weir_models::Encode;

/// What an erasure would remove.
#[derive(Debug)]
pub struct WouldErase {
    /// What it would be made of.
    pub erasure: Erasure,
    /// What its receipt would count.
    pub erased: Erased,
    /// Milliseconds of recorded audio that it would silence.
    pub audio_ms: u64,
}

/// What an erasure of these would remove now from a session in a directory, found by making it on a
/// copy of the session. Without an encoder it works as an erasure without one.
///
/// # Errors
/// [`ServiceError::Erase`] if a target does not exist, [`ServiceError::Failed`] if the recordings
/// cannot be listed.
pub fn would_erase(
    session: &Session,
    dir: &Path,
    targets: &[Target],
    encoder: Option<&dyn Encode>,
    transcript: &dyn Transcript,
) -> Result<WouldErase, ServiceError> {
    let mut copy = session.clone();
    let erasure = copy
        .erasure(targets, encoder, Some(transcript))
        .map_err(|error| ServiceError::Erase(Arc::new(error)))?;
    let outcome = copy.apply(&Input::Erase(Box::new(erasure.clone())))?;
    let audio_ms = audio_to_silence(dir, &erasure).map_err(|error| ServiceError::Failed {
        why: error.to_string(),
        class: weir_api::ErrorClass::Storage,
    })?;
    Ok(WouldErase {
        erasure,
        erased: outcome.erased.unwrap_or_default(),
        audio_ms,
    })
}

impl SessionHandle {
    /// What an erasure of these would remove now from the session in a directory, as
    /// [`would_erase`] says.
    ///
    /// # Errors
    /// As there.
    pub fn would_erase(
        &self,
        dir: &Path,
        targets: &[Target],
        transcript: &dyn Transcript,
    ) -> Result<WouldErase, ServiceError> {
        let encoder = Some(self.0.encoder.as_ref());
        would_erase(&self.session(), dir, targets, encoder, transcript)
    }
}
