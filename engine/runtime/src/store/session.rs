//! A session and its directory together: open, recover, snapshot, publish, read.
//!
//! Recovery is the newest snapshot and the inputs after it, applied in order; a session is a
//! function of its inputs, so what comes out is what there was when the last of them was
//! acknowledged.

use super::error::StoreError;
use super::layout::{Found, Layout};
use super::lock;
use super::migrate;
use super::opened::Opened;
use super::reader::Reader;
use super::tables;
use super::writer::Writer;
use std::path::Path;
use std::sync::Arc;
use weir_core::config::SessionConfig;
use weir_core::session::{EncoderStamp, FORMAT, Input, RULES, Session, TakenUp};
use weir_models::CountTokens;

/// What a session is opened with.
pub struct OpenOptions {
    /// Settings of a session that is made now; one that is there keeps its own.
    pub config: SessionConfig,
    /// The encoder at hand; a session with vectors of another is refused. One with terms of
    /// another opens as it is ([`Session::with_terms_of`] makes them anew).
    pub encoder: EncoderStamp,
    /// The token counter at hand.
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

/// Opens a session for writing, or makes it; recovers and publishes what the last writer left.
///
/// # Errors
/// When another writer is there, the directory is something else, newer, damaged or of another
/// encoder, a setting is out of range, or the system refuses. A session of another encoder keeps
/// what it holds.
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
        // Nothing was changed, so no later reader need think that this writer died.
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

/// Opens a session that is there for writing, whatever its encoder: to encode it anew.
///
/// # Errors
/// As [`open_session`]; also when there is no session.
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
    let taken = taken_up(writer.dir(), &writer.image()?, counter)?;
    let same_rules = writer.tables.rules()? == Some(u64::from(RULES));
    if taken.format < FORMAT || !same_rules {
        return migrate::migrated(writer, taken);
    }
    let mut session = taken.session;
    let replayed = writer.replay(|input: Input| {
        let applied = session.apply(&input);
        applied.map(drop).map_err(|wrong| wrong.to_string())
    })?;
    writer.publish(&session)?;
    Ok(Opened {
        created: writer.created(),
        session,
        writer,
        replayed,
        migrated: None,
    })
}

fn taken_up(
    dir: &Path,
    image: &[u8],
    counter: Arc<dyn CountTokens>,
) -> Result<TakenUp, StoreError> {
    Session::taken_up(image, counter).map_err(|source| StoreError::Image {
        dir: dir.to_path_buf(),
        source,
    })
}

/// Reads a session as it was last published, without waiting for a writer or keeping one out.
///
/// Where a writer died, what it acknowledged is recovered and published first; should that be
/// impossible (a writer comes first, a disk that may not be written), the last publication is read.
pub(super) fn read_published(
    dir: &Path,
    counter: Arc<dyn CountTokens>,
) -> Result<Session, StoreError> {
    // Before the view is looked for: a writer that died over its first one left none.
    if lock::abandoned(&Layout::of(dir)) {
        match open_session_any(dir, Arc::clone(&counter)) {
            Ok(opened) => {
                opened.writer.release()?;
                return Ok(opened.session);
            }
            Err(StoreError::InUse { .. } | StoreError::File { .. }) => {}
            Err(wrong) => return Err(wrong),
        }
    }
    Ok(taken_up(dir, Reader::open(dir)?.image(), counter)?.session)
}

/// Looks whether the store of a session can be read, beside what was last published of it.
///
/// # Errors
/// What keeps it from being read.
pub fn check_session(dir: &Path) -> Result<(), StoreError> {
    let layout = Layout::of(dir);
    // what a writer left open when it died is recovered by the next one, not here
    if lock::abandoned(&layout) {
        return Ok(());
    }
    tables::check(&layout.memory())
}

impl Writer {
    /// Stores a snapshot of the session, which must have all acknowledged inputs applied and no
    /// others, and empties the journal, as one.
    ///
    /// # Errors
    /// As [`Self::checkpoint_image`].
    pub fn checkpoint(&mut self, session: &Session) -> Result<(), StoreError> {
        self.checkpoint_image(&session.to_image())
    }

    /// Puts the session where readers find it; it must have no input applied that is not
    /// acknowledged.
    ///
    /// # Errors
    /// As [`Self::publish_image`].
    pub fn publish(&mut self, session: &Session) -> Result<(), StoreError> {
        self.publish_image(&session.to_image())
    }

    /// Ends in order: snapshot, publication, and the lock given back.
    ///
    /// # Errors
    /// When one of them fails; what was acknowledged is kept all the same.
    pub fn close(mut self, session: &Session) -> Result<(), StoreError> {
        let image = session.to_image();
        self.checkpoint_image(&image)?;
        self.publish_image(&image)?;
        self.release()
    }
}
