//! A session as JSON Lines: the memory, where its recordings are and which inputs it has processed,
//! and its transcript.

use super::transcript::{ExchangeError, TranscriptReader, TranscriptWriter, transcript_folder};
use super::{Draft, KnownInput, Recordings, StoreError, Writer};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use std::sync::Arc;
use weir_core::limits;
use weir_core::session::{ImportError, Imported, Session};
use weir_models::CountTokens;

/// The line between the memory and the transcript.
#[derive(Serialize, Deserialize)]
struct InputsLine {
    inputs: ExportedInputs,
}

/// What a session has heard, so that a copy can play it and processes nothing twice.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ExportedInputs {
    /// The exported session's directory, which holds its own recordings; empty if unknown.
    pub session: String,
    /// Folders of its other recordings.
    #[serde(rename = "sources")]
    pub recordings: Recordings,
    /// Inputs that it has processed.
    pub known: Vec<KnownInput>,
}

impl ExportedInputs {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = InputsLine {
            inputs: self.clone(),
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")
    }

    /// Reads the line, or returns the line in its place: some exports have none.
    fn read(input: &mut dyn BufRead) -> io::Result<Result<Self, Vec<u8>>> {
        let mut line = Vec::new();
        let most = limits::IMPORT_LINE_BYTES_MAX as u64;
        Read::take(input, most).read_until(b'\n', &mut line)?;
        if !line.starts_with(b"{\"inputs\":") {
            return Ok(Err(line));
        }
        let line: InputsLine = serde_json::from_slice(&line)?;
        Ok(Ok(line.inputs))
    }
}

/// Whether an imported session may play files of this machine that its lines name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedFiles {
    /// Yes: who imports it chose the file.
    Play,
    /// No: the lines may come from anybody.
    Ignore,
}

/// An imported session.
pub struct ImportedSession {
    /// The session as it was stored.
    pub session: Session,
    /// Whether nothing was changed since the export.
    pub unchanged: bool,
    /// Lines of its transcript.
    pub lines: u64,
    /// What it has heard.
    pub inputs: ExportedInputs,
}

/// Why a session was not imported. Nothing was created then.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The lines of the memory.
    #[error("it is not an exported session: {0}")]
    Session(#[from] ImportError),
    /// The line about its inputs.
    #[error("its inputs cannot be imported: {0}")]
    Inputs(#[source] io::Error),
    /// The lines of the transcript.
    #[error("its transcript cannot be imported: {0}")]
    Transcript(#[from] ExchangeError),
    /// The directory has a session.
    #[error("there is a session already, and import creates a new one")]
    Exists,
    /// It cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Writes a session, what it has heard, and its transcript. Cost: about ten bytes per float held.
///
/// # Errors
/// Write errors of `out`.
pub fn export_session(
    session: &Session,
    inputs: Option<&ExportedInputs>,
    transcript: &TranscriptReader,
    out: &mut dyn Write,
) -> io::Result<()> {
    session.export(out)?;
    inputs.map_or(Ok(()), |inputs| inputs.write(out))?;
    transcript.export(out)
}

/// Creates a session in a directory that has none, from what [`export_session`] wrote, edited or
/// not.
///
/// # Errors
/// [`TransferError`]; nothing is created then.
pub fn import_session(
    input: &mut dyn BufRead,
    dir: &Path,
    counter: Arc<dyn CountTokens>,
    files: NamedFiles,
) -> Result<ImportedSession, TransferError> {
    let Imported { session, unchanged } = Session::import(input, counter)?;
    let (mut inputs, first) = match ExportedInputs::read(input).map_err(TransferError::Inputs)? {
        Ok(inputs) => (inputs, Vec::new()),
        Err(first) => (ExportedInputs::default(), first),
    };
    if files == NamedFiles::Ignore {
        (inputs.session, inputs.recordings) = Default::default();
    }
    let draft = Draft::of(dir)?.ok_or(TransferError::Exists)?;
    let mut writer = Writer::open(draft.dir(), || Ok(session.to_image()))?;
    let folder = transcript_folder(draft.dir());
    let limit_bytes = session.config().transcript_bytes;
    let lines = TranscriptWriter::import(&folder, limit_bytes, &mut first.chain(input))?;
    writer.remember_all(&inputs.known)?;
    inputs.recordings.write(draft.dir())?;
    writer.close(&session)?;
    draft.put_in_place()?;
    Ok(ImportedSession {
        session,
        unchanged,
        lines,
        inputs,
    })
}
