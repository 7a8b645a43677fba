//! Recordings and other files that clients send: kept in a temporary file while they are read.

use crate::problem::Problem;
use axum::body::Bytes;
use futures_util::{Stream, StreamExt as _};
use std::fmt::Display;
use std::io::Write as _;
use std::pin::pin;
use std::time::{SystemTime, UNIX_EPOCH};
use tempfile::NamedTempFile;
use weir_asr::AudioSource;
use weir_engine::time::rfc3339;

/// Writes the pieces of a recording or another file to a temporary file of at most so many bytes.
pub(crate) async fn stored<E: Display>(
    pieces: impl Stream<Item = Result<Bytes, E>>,
    most: u64,
) -> Result<NamedTempFile, Problem> {
    let mut file = NamedTempFile::new().map_err(Problem::internal)?;
    let (mut pieces, mut bytes) = (pin!(pieces), 0);
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(Problem::bad)?;
        bytes += piece.len() as u64;
        if bytes > most {
            let why = format!("the body has more than {most} bytes, which is the limit");
            return Err(Problem::bad(why));
        }
        file.write_all(&piece).map_err(Problem::internal)?;
    }
    Ok(file)
}

/// Opens a recording; its container is known by its content. Its name goes at once, so that a
/// process that is killed leaves nothing.
pub(crate) fn opened(file: NamedTempFile) -> Result<Box<dyn AudioSource>, Problem> {
    let opened = weir_asr::open_file(file.path()).map_err(|error| {
        // the temporary name tells a client nothing
        let path = file.path().to_string_lossy();
        Problem::bad(error.to_string().replace(&*path, "the recording"))
    });
    if let Err(error) = file.close() {
        log::warn!("a temporary file could not be removed: {error}");
    }
    opened
}

/// Wall time in Unix milliseconds.
pub(crate) fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |it| it.as_millis() as i64)
}

/// A name for a stream that begins now.
pub(crate) fn stream_name(kind: &str) -> String {
    format!("{kind} {}", rfc3339(now_ms()).unwrap_or_default())
}
