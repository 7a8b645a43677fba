//! Carries out one change of a session in a folder, wherever the session is open.

use crate::control::client::{Client, ControlError};
use crate::control::wire::{change_of, changed};
use crate::pipeline::{
    AskSettings, DiskLog, DistilWhen, KeptTranscript, PipelineError, PipelineParts, ServiceError,
    SessionService, SessionWriter,
};
use crate::store::{Opened, StoreError, open_session_any};
use std::path::Path;
use std::sync::Arc;
use weir_api::{Change, Changed, Request};
use weir_core::answer::Quote;
use weir_core::distil::Extractive;
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
/// Without an encoder, changes that need vectors are refused, an erasure also erases what was said
/// elsewhere in the same words, and questions find less of a speaker who is renamed.
///
/// # Errors
/// [`ChangeError`]; the session is unchanged, except after [`ChangeError::Close`].
pub fn carry_out(
    dir: &Path,
    change: Change,
    encoder: Option<Arc<dyn Encode>>,
) -> Result<Changed, ChangeError> {
    let counter = || Arc::new(WordPieceCounter::shared()) as Arc<dyn CountTokens>;
    let opened = match open_session_any(dir, counter()) {
        Err(in_use @ StoreError::InUse { .. }) => {
            let client = Client::connect(dir).map_err(|_| in_use)?;
            return Ok(client.change(&Request { change, key: None })?);
        }
        opened => opened?,
    };
    let service = service(dir, opened, encoder, counter())?;
    let session = service.handle();
    let done = change_of(change, session.encoder())
        .and_then(|change| session.change(change, None))
        .map(changed);
    service.close()?;
    Ok(done?)
}

fn service(
    dir: &Path,
    opened: Opened,
    encoder: Option<Arc<dyn Encode>>,
    counter: Arc<dyn CountTokens>,
) -> Result<SessionService, ChangeError> {
    let stamp: EncoderStamp = opened.session.encoder().clone();
    let encoder = encoder.unwrap_or_else(|| {
        let (name, digest) = (stamp.name, stamp.digest);
        Arc::new(Absent(EncoderIdentity { name, digest }))
    });
    let transcript = KeptTranscript::beside(dir, &opened.session)?;
    let log = DiskLog::new(opened.writer, Vec::new());
    let parts = PipelineParts {
        session_writer: SessionWriter::kept(opened.session, Box::new(log))
            .with_transcript(transcript),
        encoder,
        counter,
        distiller: Box::new(Extractive),
        answerer: Box::new(Quote),
        reranker: None,
        check: None,
        settings: AskSettings::default(),
        live: None,
    };
    Ok(SessionService::start(parts, DistilWhen::AtOnce)?)
}
