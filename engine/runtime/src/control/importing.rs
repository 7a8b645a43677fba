//! Takes the conversations of a file into a session, wherever it is open.

use super::client::{Client, ControlError};
use super::wire::{change_of, utterance};
use crate::import::ImportedStream;
use crate::pipeline::{ErrorClass, ServiceError, SessionHandle};
use std::path::Path;
use std::time::Duration;
use weir_api::{Change, Said};

/// Utterances, and bytes of their words, that are heard in one go.
const BATCH_MAX: usize = 64;
const BATCH_BYTES_MAX: usize = 1 << 20;
/// Time within which another process begins with them: it may hear something else first.
const WITHIN: Duration = Duration::from_secs(600);

/// The session that hears.
#[derive(Clone, Copy)]
pub enum ImportInto<'a> {
    /// It is open here.
    Here(&'a SessionHandle),
    /// Another process has the session of this folder open.
    Elsewhere(&'a Path),
}

/// Why a session did not hear, or begin a stream.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(transparent)]
    Here(#[from] ServiceError),
    #[error(transparent)]
    Elsewhere(#[from] ControlError),
}

impl Refused {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Here(error) => error.class(),
            Self::Elsewhere(ControlError::Refused(failure)) => failure.class,
            Self::Elsewhere(ControlError::Io(_)) => ErrorClass::Gone,
        }
    }
}

/// An import that came to an end before all was taken in.
#[derive(Debug, thiserror::Error)]
#[error(
    "{imported} of {all} messages were imported, up to a part of `{stream}`, then: {why}; import \
     the file again to go on"
)]
pub struct ImportStopped {
    /// Messages that the session has now.
    pub imported: u64,
    /// Messages that were to be imported.
    pub all: u64,
    /// The conversation at which it stopped.
    pub stream: String,
    /// Why.
    pub why: String,
    /// What a client can do about it.
    pub class: ErrorClass,
}

impl ImportInto<'_> {
    fn change(self, change: Change) -> Result<(), Refused> {
        match self {
            Self::Here(session) => {
                let change = change_of(change, session.encoder())?;
                session.change(change, None)?;
            }
            Self::Elsewhere(dir) => {
                Client::connect(dir)?.change(change)?;
            }
        }
        Ok(())
    }

    fn hear(self, said: Vec<Said>) -> Result<(), Refused> {
        match self {
            Self::Here(session) => session.hear(said.into_iter().map(utterance), None)?,
            Self::Elsewhere(dir) => Client::connect(dir)?.hear(said, None, WITHIN)?,
        };
        Ok(())
    }

    /// Begins a stream beside those that are open. One of its name that an import left open when
    /// its process was killed ends first.
    fn begin(self, stream: &ImportedStream) -> Result<(), Refused> {
        let begin = || Change::Begin {
            name: stream.name.clone(),
            started_at_unix_ms: stream.started_at_unix_ms,
            zone: None,
            beside: true,
        };
        match self.change(begin()) {
            Err(refused) if refused.class() == ErrorClass::Conflict => {
                self.end(stream)?;
                self.change(begin())
            }
            done => done,
        }
    }

    fn end(self, stream: &ImportedStream) -> Result<(), Refused> {
        self.change(Change::End {
            stream: stream.name.clone(),
        })
    }
}

/// Takes conversations into a session, one after the other, each as a stream of its own. `tell`
/// gets the number of messages taken so far, and returns whether to go on. Returns that number.
///
/// # Errors
/// [`ImportStopped`]: what was taken until then stays.
pub fn carry_in(
    streams: &[ImportedStream],
    session: ImportInto<'_>,
    tell: &mut dyn FnMut(u64) -> bool,
) -> Result<u64, ImportStopped> {
    let all = streams.iter().map(|it| it.said.len() as u64).sum();
    let mut imported = 0;
    for stream in streams {
        let stopped = |imported, class, why: String| ImportStopped {
            imported,
            all,
            stream: stream.name.clone(),
            why,
            class,
        };
        let refused =
            |imported, error: Refused| stopped(imported, error.class(), error.to_string());
        session
            .begin(stream)
            .map_err(|error| refused(imported, error))?;
        for batch in batches(&stream.said) {
            let number = batch.len() as u64;
            let named = batch.iter().cloned().map(|said| Said {
                stream: Some(stream.name.clone()),
                ..said
            });
            let goes_on = session.hear(named.collect()).map(|()| {
                imported += number;
                tell(imported)
            });
            let why = match goes_on {
                Ok(true) => continue,
                Ok(false) => stopped(imported, ErrorClass::Gone, "it was stopped".to_owned()),
                Err(error) => refused(imported, error),
            };
            // what was heard of it stays; the first error counts
            let _ = session.end(stream);
            return Err(why);
        }
        session
            .end(stream)
            .map_err(|error| refused(imported, error))?;
    }
    Ok(imported)
}

/// Utterances in pieces that are heard in one go.
fn batches(mut said: &[Said]) -> impl Iterator<Item = &[Said]> {
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |it: &&Said| {
            bytes += it.text.len();
            bytes <= BATCH_BYTES_MAX
        };
        let number = said.iter().take(BATCH_MAX).take_while(fits).count().max(1);
        let (batch, rest) = said.split_at_checked(number)?;
        said = rest;
        Some(batch)
    })
}
