//! Carries out one change of a session in a folder, wherever the session is open.

use crate::control::client::{Client, ControlError};
use crate::control::wire::change_of;
use crate::pipeline::{
    DistilWhen, PipelineError, PipelineParts, ServiceError, SessionService, SessionWriter,
};
use crate::store::{StoreError, open_session_any};
use std::path::Path;
use std::sync::Arc;
use weir_api::{Change, Changed};
use weir_core::session::EncoderStamp;
use weir_models::{CountTokens, Encode, EncodeError, EncoderIdentity, WordPieceCounter};

/// Why a change was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The session cannot be opened.
    #[error(transparent)]
    Open(#[from] StoreError),
    /// The process that has it open did not carry it out.
    #[error(transparent)]
    Elsewhere(#[from] ControlError),
    /// The session refused it.
    #[error(transparent)]
    Refused(#[from] ServiceError),
    /// The session could not be closed; the change is stored.
    #[error(transparent)]
    Close(#[from] PipelineError),
}

/// Stands for an encoder that is not here. Changes that need no vectors work without it.
struct Absent(EncoderIdentity);

impl Absent {
    fn of(stamp: &EncoderStamp) -> Self {
        let (name, digest) = (stamp.name.clone(), stamp.digest.clone());
        Self(EncoderIdentity { name, digest })
    }
}

impl Encode for Absent {
    fn dimension(&self) -> usize {
        0
    }

    fn identity(&self) -> &EncoderIdentity {
        &self.0
    }

    fn encode(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        Err(EncodeError::Query {
            reason: format!("the session's encoder {} is not here", self.0.name),
        })
    }
}

/// Carries out a change: in the process that has the session open, else by opening it here.
/// Without an encoder, changes that need vectors are refused. An erasure then also erases the same
/// words where they were said elsewhere. Questions find a renamed speaker's talk less well.
///
/// # Errors
/// [`ChangeError`]; the session is unchanged, except after [`ChangeError::Close`].
pub fn carry_out(
    dir: &Path,
    change: Change,
    encoder: Option<Arc<dyn Encode>>,
) -> Result<Changed, ChangeError> {
    // where nobody has the session, nobody serves its socket
    if let Ok(client) = Client::connect(dir) {
        return Ok(client.change(change)?);
    }
    let counter: Arc<dyn CountTokens> = Arc::new(WordPieceCounter::shared());
    let opened = open_session_any(dir, Arc::clone(&counter))?;
    let encoder = encoder.unwrap_or_else(|| Arc::new(Absent::of(opened.session.encoder())));
    let (writer, failed) = SessionWriter::opened(opened);
    if let Some(error) = failed {
        log::warn!("cannot write the transcript: {error}");
    }
    let parts = PipelineParts::plain(writer, encoder, counter);
    let service = SessionService::start(parts, DistilWhen::AtOnce)?;
    let session = service.handle();
    let done = change_of(change, session.encoder()).and_then(|change| session.change(change, None));
    service.close()?;
    Ok(done?)
}
