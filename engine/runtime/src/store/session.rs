//! A session with its directory: open, recover, snapshot, publish, read.
//!
//! Recovery loads the newest snapshot and applies the inputs after it in order. A session is a
//! function of its inputs, so the result is the state when the last input was acknowledged.

use super::error::StoreError;
use super::layout::{Found, Layout};
use super::lock;
use super::opened::Opened;
use super::tables;
use super::uses;
use super::view;
use super::writer::Writer;
use crate::private;
use std::path::Path;
use std::sync::Arc;
use weir_core::config::SessionConfig;
use weir_core::session::{EncoderStamp, Input, InputError, RULES, Recovery, Session};
use weir_models::CountTokens;

/// Options for opening a session.
pub struct OpenOptions {
    /// Settings of a new session; an existing one keeps its own.
    pub config: SessionConfig,
    /// The available encoder; a session with vectors of another is refused. One with terms of
    /// another opens unchanged ([`Session::with_terms_of`] recomputes them).
    pub encoder: EncoderStamp,
    /// The available token counter.
    pub counter: Arc<dyn CountTokens>,
}

impl std::fmt::Debug for OpenOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenOptions")
            .field("config", &self.config)
            .field("encoder", &self.encoder)
            .field("counter", &self.counter.name())
            .finish()
    }
}

/// Opens or creates a session for writing; recovers and publishes what the last writer left.
///
/// # Errors
/// Another writer is running, the directory is not a session, newer, damaged or of another encoder,
/// a setting is out of range, or an I/O error. A session of another encoder is left unchanged.
pub fn open_session(dir: &Path, options: OpenOptions) -> Result<Opened, StoreError> {
    let OpenOptions {
        config,
        encoder,
        counter,
    } = options;
    let first = || {
        let session = Session::new(config, encoder.clone(), Arc::clone(&counter))?;
        Ok(session.to_image())
    };
    let opened = recover(Writer::open(dir, first)?, Arc::clone(&counter))?;
    if !opened.session.encoder().makes_vectors_of(&encoder) {
        // Nothing was changed, so later readers need not assume that this writer died.
        let expected = Box::new(opened.session.encoder().clone());
        opened.writer.release()?;
        return Err(StoreError::EncoderMismatch {
            dir: dir.to_path_buf(),
            expected,
            found: Box::new(encoder),
        });
    }
    Ok(opened)
}

/// Opens an existing session for writing, whatever its encoder: for re-encoding.
///
/// # Errors
/// As [`open_session`]; also if there is no session.
pub fn open_session_any(dir: &Path, counter: Arc<dyn CountTokens>) -> Result<Opened, StoreError> {
    let layout = Layout::of(dir);
    let no_session = || StoreError::NoSession {
        dir: dir.to_path_buf(),
    };
    if layout.look()? == Found::Nothing || !layout.memory().exists() {
        return Err(no_session());
    }
    recover(Writer::open(dir, || Err(no_session()))?, counter)
}

pub(super) fn recover(
    mut writer: Writer,
    counter: Arc<dyn CountTokens>,
) -> Result<Opened, StoreError> {
    let session = from_image(writer.dir(), &writer.image()?, counter)?;
    let same_rules = writer.tables.rules()? == RULES;
    let (mut session, replayed, skipped) = match same_rules {
        true => replay(&writer, session)?,
        false => replay_of_other_rules(&writer, session)?,
    };
    if !same_rules {
        // what this program adds to the journal follows its own rules
        writer.checkpoint(&session)?;
    }
    uses::count(&mut writer, &mut session)?;
    let unpublished = match writer.publish(&session) {
        Ok(()) => None,
        // a full disk, for example: what is stored can be used all the same
        Err(wrong @ StoreError::File { .. }) => Some(wrong.to_string()),
        Err(wrong) => return Err(wrong),
    };
    Ok(Opened {
        unpublished,
        created: writer.created(),
        session,
        writer,
        replayed,
        skipped,
    })
}

/// Applies the journal exactly; returns the session, and the numbers of inputs applied and skipped.
fn replay(writer: &Writer, mut session: Session) -> Result<(Session, u64, u64), StoreError> {
    let replayed = writer.replay(|entry| {
        let input = read_entry(entry, &session)?;
        session.apply(&input).map(drop).map_err(|it| unfit(&it))
    })?;
    Ok((session, replayed, 0))
}

/// The same for a journal of other rules, which may name nodes that do not exist under these.
fn replay_of_other_rules(
    writer: &Writer,
    session: Session,
) -> Result<(Session, u64, u64), StoreError> {
    let mut recovery = Recovery::of(session);
    let replayed = writer.replay(|entry| {
        let input = read_entry(entry, recovery.session())?;
        recovery.apply(input).map_err(|it| unfit(&it))
    })?;
    let (session, skipped) = recovery.finish();
    Ok((session, replayed, skipped))
}

fn read_entry(entry: &[u8], session: &Session) -> Result<Input, String> {
    Input::from_entry(entry, session).map_err(|wrong| format!("cannot be read: {wrong}"))
}

fn unfit(wrong: &InputError) -> String {
    format!("does not apply: {wrong}")
}

/// The session of an image that `dir` holds.
pub(super) fn from_image(
    dir: &Path,
    image: &[u8],
    counter: Arc<dyn CountTokens>,
) -> Result<Session, StoreError> {
    Session::from_image(image, counter).map_err(|source| StoreError::Image {
        dir: dir.to_path_buf(),
        source,
    })
}

/// Reads a session as last published, without waiting for a writer or blocking one.
///
/// If a writer died, its acknowledged inputs are first recovered and published. If that is
/// impossible (a writer started, a read-only disk, a damaged journal), the last publication is
/// read; `tell` is told of damage.
pub(super) fn read_published(
    dir: &Path,
    counter: &Arc<dyn CountTokens>,
    tell: &mut dyn FnMut(&str),
) -> Result<Session, StoreError> {
    let published = || from_image(dir, &read_image(dir)?.1, Arc::clone(counter));
    // before looking for the view: a writer that died before its first one left none
    if lock::abandoned(&Layout::of(dir)) {
        match open_session_any(dir, Arc::clone(counter)) {
            Ok(opened) => {
                opened.writer.release()?;
                return Ok(opened.session);
            }
            Err(StoreError::InUse { .. } | StoreError::File { .. }) => {}
            Err(
                damaged @ (StoreError::Damaged { .. }
                | StoreError::Image { .. }
                | StoreError::NoSession { .. }),
            ) => {
                let Ok(session) = published() else {
                    return Err(damaged);
                };
                tell(&format!("{damaged}; what was published last is read"));
                return Ok(session);
            }
            Err(wrong) => return Err(wrong),
        }
    }
    published()
}

/// Reads the last published image without waiting for the writer, and the sequence number of the
/// last input in it; without a view, the newest snapshot.
///
/// # Errors
/// There is no session, it is newer or damaged, or only the writer can read it.
pub fn read_image(dir: &Path) -> Result<(u64, Vec<u8>), StoreError> {
    let layout = Layout::of(dir);
    let no_session = || StoreError::NoSession {
        dir: dir.to_path_buf(),
    };
    if layout.look()? == Found::Nothing {
        return Err(no_session());
    }
    match view::read(&layout.view())? {
        Some(view) => Ok(view),
        None if !layout.memory().exists() => Err(no_session()),
        None => tables::snapshot_of(&layout.memory()),
    }
}

/// Whether a directory holds a session, or something else that is no remains of a creation that was
/// cut off.
#[must_use]
pub fn is_taken(dir: &Path) -> bool {
    !matches!(Layout::of(dir).look(), Ok(Found::Nothing))
}

/// Whether a directory holds a session, also one that cannot be read.
#[must_use]
pub fn is_session(dir: &Path) -> bool {
    let look = Layout::of(dir).look();
    !matches!(
        look,
        Ok(Found::Nothing) | Err(StoreError::NotASession { .. })
    )
}

/// Deletes a session directory with everything in it.
///
/// # Errors
/// Another process writes it, the directory is a link, or a file cannot be removed.
pub fn delete_session(dir: &Path) -> Result<(), StoreError> {
    let failed = StoreError::file(dir, "delete it");
    // the lock below would be made behind the link
    private::refuse_link(dir).map_err(&failed)?;
    // until the last file is gone, nobody else opens it
    let _lock = lock::WriterLock::take(&Layout::of(dir))?;
    private::remove_all(dir).map_err(failed)
}

/// Checks that the store of a session can be read, in addition to its last publication.
///
/// # Errors
/// The error that prevents reading it.
pub fn check_session(dir: &Path) -> Result<(), StoreError> {
    let layout = Layout::of(dir);
    // an unfinished store is recovered by the next writer, not here
    if lock::abandoned(&layout) {
        return Ok(());
    }
    tables::check(&layout.memory())
}

impl Writer {
    /// Stores a snapshot of the session and empties the journal in one transaction. The session
    /// must have exactly the acknowledged inputs applied.
    ///
    /// # Errors
    /// As [`Self::checkpoint_image`].
    pub fn checkpoint(&mut self, session: &Session) -> Result<(), StoreError> {
        self.checkpoint_image(&session.to_image())
    }

    /// Publishes the session for readers; it must have only acknowledged inputs applied.
    ///
    /// # Errors
    /// As [`Self::publish_image`].
    pub fn publish(&mut self, session: &Session) -> Result<(), StoreError> {
        self.publish_image(&session.to_image())
    }

    /// Closes normally: makes a snapshot, publishes, and releases the lock.
    ///
    /// # Errors
    /// One of these fails; acknowledged inputs are kept anyway.
    pub fn close(mut self, session: &Session) -> Result<(), StoreError> {
        let image = session.to_image();
        self.checkpoint_image(&image)?;
        self.publish_image(&image)?;
        self.release()
    }
}
