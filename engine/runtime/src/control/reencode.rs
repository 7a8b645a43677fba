//! Moves a session in a folder to another encoder.

use crate::store::{StoreError, open_session_any};
use std::path::Path;
use std::sync::Arc;
use weir_core::session::EncoderStamp;
use weir_models::{Encode, EncodeError, WordPieceCounter};

/// What moving a session to another encoder did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reencoded {
    /// Units encoded again; `None` if all vectors were from this encoder already.
    pub units: Option<usize>,
    /// What the user must know about how the session was recovered.
    pub warning: Option<String>,
}

/// Why a session was not moved; it is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum ReencodeError {
    /// The session cannot be opened or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The encoder failed.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// Encodes everything that a session holds with another encoder.
///
/// # Errors
/// [`ReencodeError`], also if another process has the session open.
pub fn reencode(dir: &Path, encoder: &dyn Encode) -> Result<Reencoded, ReencodeError> {
    let mut opened = open_session_any(dir, Arc::new(WordPieceCounter::shared()))?;
    let warning = opened.warning();
    let mut units = None;
    if *opened.session.encoder() != EncoderStamp::of(encoder) {
        let moved = opened.session.reencoded(encoder)?;
        // the journal refers to the old vectors, so a snapshot replaces it at once
        opened.writer.checkpoint(&moved)?;
        opened.session = moved;
        units = Some(opened.session.stats().memory.amus);
    }
    opened.writer.close(&opened.session)?;
    Ok(Reencoded { units, warning })
}
