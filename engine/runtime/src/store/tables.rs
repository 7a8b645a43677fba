//! The tables of `memory.redb` and the operations on them, one transaction each.
//!
//! Works on bytes and sequence numbers, not on sessions. Every commit is durable when it returns.

use super::backend::Backend;
use super::error::StoreError;
use super::layout::{self, FORMAT};
use crate::private;
use parking_lot::{Mutex, MutexGuard};
use redb::{
    Database, Durability, ReadOnlyDatabase, ReadOnlyTable, ReadTransaction, ReadableDatabase,
    ReadableTable, ReadableTableMetadata, TableDefinition, TableError, TableHandle,
    WriteTransaction,
};
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::Once;
use weir_core::limits;
use weir_core::session::RULES;

/// Numbers: format, snapshot_seq, snapshot_bytes, inputs (order of the two tables below), rules
/// (version of the rules that the journal was written by), and marks of streams ([`super::apart`]).
pub(super) const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
/// The snapshot in pieces, and under [`CHECK_PIECE`] its SHA-256.
pub(super) const SNAPSHOT: TableDefinition<'_, u32, &[u8]> = TableDefinition::new("snapshot");
pub(super) const CHECK_PIECE: u32 = u32::MAX;
/// Pieces of the next snapshot while it is written. Older stores lack this table.
pub(super) const STAGED: TableDefinition<'_, u32, &[u8]> = TableDefinition::new("staged");
/// Inputs after the snapshot, by sequence number.
pub(super) const JOURNAL: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("journal");
/// Fingerprints of completed inputs: position in the order of all, and name.
const REPLAYED: ByDigest = TableDefinition::new("replayed");
/// Fingerprints of unfinished inputs: position, and progress as JSON. Older stores lack this table.
const UNDER_WAY: ByDigest = TableDefinition::new("under_way");

type Numbered = (u64, &'static str);
type ByDigest = TableDefinition<'static, &'static [u8; 32], Numbered>;
type ReadByDigest = ReadOnlyTable<&'static [u8; 32], Numbered>;

/// Extent of snapshot and journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Extent {
    /// Last input in the snapshot.
    pub(super) snapshot_seq: u64,
    /// Bytes of the snapshot.
    pub(super) snapshot_bytes: u64,
    /// Last input stored.
    pub(super) last_seq: u64,
    /// Bytes of the journal's entries.
    pub(super) journal_bytes: u64,
}

/// Opens a store file; tests use a failing backend.
pub(super) type Opener<'a> = &'a dyn Fn(&Path) -> Result<Database, redb::DatabaseError>;

/// Opens or creates a store file.
pub(super) fn plain(file: &Path) -> Result<Database, redb::DatabaseError> {
    Database::builder()
        .set_cache_size(limits::STORE_CACHE_BYTES)
        .create_with_backend(Backend::open(file)?)
}

/// The open store file.
pub(super) struct Tables {
    db: Database,
    file: PathBuf,
    /// Held by who writes; given on in turn, so that pieces of a snapshot let inputs pass.
    turn: Mutex<()>,
}

/// Converts a store error to one for the user.
fn store_error<'a, E: Into<redb::Error>>(
    file: &'a Path,
    doing: &'static str,
) -> impl Fn(E) -> StoreError + 'a {
    use std::io::ErrorKind as Kind;
    move |wrong| match wrong.into() {
        redb::Error::Io(io) if matches!(io.kind(), Kind::InvalidData | Kind::UnexpectedEof) => {
            StoreError::damaged(file, io)
        }
        redb::Error::Io(source) => StoreError::file(file, doing)(source),
        redb::Error::PreviousIo | redb::Error::DatabaseClosed => StoreError::Stopped {
            dir: folder_of(file),
        },
        redb::Error::DatabaseAlreadyOpen => StoreError::InUse {
            dir: folder_of(file),
            pid: None,
        },
        redb::Error::UpgradeRequired(found) => StoreError::damaged(
            file,
            format!("its store format {found} is not read any more"),
        ),
        other => StoreError::damaged(file, other),
    }
}

/// Runs an operation on the store and converts its errors for the user.
///
/// redb verifies its checksums only after a crash. A file that was corrupted after closing can make
/// it panic on an index out of bounds. That panic is caught here and reported as damage.
fn guarded<T>(
    file: &Path,
    doing: &'static str,
    work: impl FnOnce() -> Result<T, redb::Error>,
) -> Result<T, StoreError> {
    match caught(work) {
        Some(done) => done.map_err(store_error(file, doing)),
        None => Err(StoreError::damaged(
            file,
            "the store stopped in the middle; the file is probably corrupt",
        )),
    }
}

thread_local! {
    /// Whether a panic of this thread is caught by [`caught`].
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Runs a call into redb; `None` if it panics. The panic goes to the log, not to the terminal.
fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| match IS_CAUGHT.get() {
            true => log::debug!("the store: {panic}"),
            false => hook(panic),
        }));
    });
    let before = IS_CAUGHT.replace(true);
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    IS_CAUGHT.set(before);
    done.ok()
}

/// Checks that a closed store file can be read, without changing it. A file that a writer has open
/// is assumed to be good.
///
/// # Errors
/// The error that prevents reading it.
pub(super) fn check(file: &Path) -> Result<(), StoreError> {
    guarded(file, READ, || {
        private::open(file, OpenOptions::new().read(true))?;
        match Database::builder().open_read_only(file) {
            Err(redb::DatabaseError::DatabaseAlreadyOpen) => Ok(()),
            Err(other) => Err(other.into()),
            Ok(store) => {
                let meta = store.begin_read()?.open_table(META)?;
                Ok(meta.iter()?.try_for_each(|entry| entry.map(drop))?)
            }
        }
    })
}

fn folder_of(file: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new(".")).to_path_buf()
}

const COMMIT: &str = "write to the session";
const READ: &str = "read the session";

impl Tables {
    /// Creates a store file with a first snapshot, atomically.
    pub(super) fn make(file: &Path, opener: Opener<'_>, image: &[u8]) -> Result<(), StoreError> {
        Self::prepare(file, opener)?.snapshot(0, image)?;
        layout::put_in_place(file).map(drop)
    }

    /// Creates an empty store under a temporary name.
    fn prepare(file: &Path, opener: Opener<'_>) -> Result<Self, StoreError> {
        let new = private::prepared(file);
        // an interrupted creation may have left a partial file
        layout::remove(&new)?;
        Self::open_at(&new, opener)
    }

    /// Prepares a store with a snapshot and the inputs remembered here, and no other data.
    pub(super) fn copy_without_journal(
        &self,
        file: &Path,
        seq: u64,
        image: &[u8],
    ) -> Result<(), StoreError> {
        let copy = Self::prepare(file, &plain)?;
        copy.snapshot(seq, image)?;
        copy.commit(|transaction| {
            let read = self.db.begin_read()?;
            if let Some(order) = read.open_table(META)?.get("inputs")? {
                let mut meta = transaction.open_table(META)?;
                meta.insert("inputs", order.value())?;
            }
            for kept in [REPLAYED, UNDER_WAY] {
                let mut copy = transaction.open_table(kept)?;
                let Some(table) = table_of(&read, kept)? else {
                    continue;
                };
                for entry in table.iter()? {
                    let (digest, value) = entry?;
                    copy.insert(digest.value(), value.value())?;
                }
            }
            Ok(())
        })
    }

    /// Opens an existing store file.
    pub(super) fn open(file: &Path, opener: Opener<'_>) -> Result<Self, StoreError> {
        let length = std::fs::metadata(file).map_err(StoreError::file(file, "open it"))?;
        // redb would take an empty file for a new one
        if length.len() == 0 {
            return Err(StoreError::damaged(file, "it is empty"));
        }
        let tables = Self::open_at(file, opener)?;
        tables.check_format()?;
        Ok(tables)
    }

    fn open_at(file: &Path, opener: Opener<'_>) -> Result<Self, StoreError> {
        let db = guarded(file, "open it", || Ok(opener(file)?))?;
        let (file, turn) = (file.to_path_buf(), Mutex::default());
        Ok(Self { db, file, turn })
    }

    fn check_format(&self) -> Result<(), StoreError> {
        let found = number_in(&self.db, &self.file, "format")?;
        layout::check_format(&self.file, u32::try_from(found).unwrap_or(u32::MAX))
    }

    /// One durable transaction.
    pub(super) fn commit(
        &self,
        change: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>,
    ) -> Result<(), StoreError> {
        let turn = self.turn.lock();
        let done = guarded(&self.file, COMMIT, || {
            let mut transaction = self.db.begin_write()?;
            transaction.set_durability(Durability::Immediate)?;
            change(&transaction)?;
            Ok(transaction.commit()?)
        });
        MutexGuard::unlock_fair(turn);
        done
    }

    /// Replaces the snapshot and empties the journal.
    pub(super) fn snapshot(&self, seq: u64, image: &[u8]) -> Result<(), StoreError> {
        self.commit(|transaction| {
            transaction.delete_table(SNAPSHOT)?;
            transaction.delete_table(STAGED)?;
            transaction.delete_table(JOURNAL)?;
            transaction.open_table(JOURNAL)?;
            transaction.open_table(REPLAYED)?;
            let mut pieces = transaction.open_table(SNAPSHOT)?;
            for (at, piece) in (0..).zip(image.chunks(limits::SNAPSHOT_PIECE_BYTES)) {
                pieces.insert(at, piece)?;
            }
            pieces.insert(CHECK_PIECE, &Sha256::digest(image)[..])?;
            note_snapshot(transaction, seq, image.len() as u64)
        })
    }

    /// Adds entries to the journal, the first one after `last_seq`, together with the progress of
    /// their input.
    pub(super) fn append(
        &self,
        last_seq: u64,
        entries: &[Vec<u8>],
        progress: Option<(&[u8; 32], &str)>,
    ) -> Result<(), StoreError> {
        self.commit(|transaction| {
            let mut journal = transaction.open_table(JOURNAL)?;
            for (seq, entry) in (last_seq + 1..).zip(entries) {
                journal.insert(seq, &entry[..])?;
            }
            match progress {
                Some((digest, progress)) => put(transaction, UNDER_WAY, digest, progress),
                None => Ok(()),
            }
        })
    }

    /// Records a completed input.
    pub(super) fn remember(&self, digest: &[u8; 32], name: &str) -> Result<(), StoreError> {
        self.commit(|transaction| {
            transaction.open_table(UNDER_WAY)?.remove(digest)?;
            put(transaction, REPLAYED, digest, name)
        })
    }

    /// The name of a completed input.
    pub(super) fn seen(&self, digest: &[u8; 32]) -> Result<Option<String>, StoreError> {
        self.text_of(REPLAYED, digest)
    }

    /// The progress of an unfinished input.
    pub(super) fn progress(&self, digest: &[u8; 32]) -> Result<Option<String>, StoreError> {
        self.text_of(UNDER_WAY, digest)
    }

    /// Reads in one transaction.
    pub(super) fn read<T>(
        &self,
        look: impl FnOnce(&ReadTransaction) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        guarded(&self.file, READ, || look(&self.db.begin_read()?))
    }

    fn text_of(&self, table: ByDigest, digest: &[u8; 32]) -> Result<Option<String>, StoreError> {
        self.read(|read| {
            let table = table_of(read, table)?;
            let found = table.map(|it| it.get(digest)).transpose()?.flatten();
            Ok(found.map(|entry| entry.value().1.to_owned()))
        })
    }

    /// The extent of the store; reads the whole journal.
    pub(super) fn extent(&self) -> Result<Extent, StoreError> {
        let mut extent = Extent {
            snapshot_seq: number_in(&self.db, &self.file, "snapshot_seq")?,
            snapshot_bytes: number_in(&self.db, &self.file, "snapshot_bytes")?,
            ..Extent::default()
        };
        extent.last_seq = extent.snapshot_seq;
        self.entries(|seq, entry| {
            extent.last_seq = seq;
            extent.journal_bytes += entry.len() as u64;
            Ok(())
        })?;
        Ok(extent)
    }

    /// Version of the rules that the journal was written by.
    pub(super) fn rules(&self) -> Result<u64, StoreError> {
        number_in(&self.db, &self.file, "rules")
    }

    /// The snapshot, with its checksum verified.
    pub(super) fn image(&self) -> Result<Vec<u8>, StoreError> {
        image_in(&self.db, &self.file)
    }

    /// Reads the journal in order; a gap is damage.
    pub(super) fn entries(
        &self,
        visit: impl FnMut(u64, &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let seq = number_in(&self.db, &self.file, "snapshot_seq")?;
        entries_in(&self.db, &self.file, seq, visit)
    }
}

pub(super) fn note_snapshot(
    transaction: &WriteTransaction,
    seq: u64,
    bytes: u64,
) -> Result<(), redb::Error> {
    let mut meta = transaction.open_table(META)?;
    meta.insert("format", u64::from(FORMAT))?;
    meta.insert("snapshot_seq", seq)?;
    meta.insert("snapshot_bytes", bytes)?;
    meta.insert("rules", RULES)?;
    Ok(())
}

/// A table by fingerprint; `None` if the store is older than the table.
fn table_of(read: &ReadTransaction, table: ByDigest) -> Result<Option<ReadByDigest>, redb::Error> {
    match read.open_table(table) {
        Ok(table) => Ok(Some(table)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(wrong) => Err(wrong.into()),
    }
}

/// Stores a text by fingerprint; at most [`limits::REPLAYED_INPUTS_MAX`] are kept, the oldest is
/// dropped.
fn put(
    transaction: &WriteTransaction,
    table: ByDigest,
    digest: &[u8; 32],
    text: &str,
) -> Result<(), redb::Error> {
    let mut meta = transaction.open_table(META)?;
    let order = meta.get("inputs")?.map_or(0, |number| number.value()) + 1;
    meta.insert("inputs", order)?;
    let mut table = transaction.open_table(table)?;
    table.insert(digest, (order, text))?;
    if table.len()? > limits::REPLAYED_INPUTS_MAX {
        let mut oldest = (u64::MAX, [0; 32]);
        for entry in table.iter()? {
            let (digest, value) = entry?;
            oldest = oldest.min((value.value().0, *digest.value()));
        }
        table.remove(&oldest.1)?;
    }
    Ok(())
}

fn number_in(db: &impl ReadableDatabase, file: &Path, name: &str) -> Result<u64, StoreError> {
    let found = guarded(file, READ, || {
        let table = db.begin_read()?.open_table(META)?;
        let found = table.get(name)?;
        Ok(found.map(|number| number.value()))
    });
    found?.ok_or_else(|| StoreError::damaged(file, format!("`{name}` is missing")))
}

fn image_in(db: &impl ReadableDatabase, file: &Path) -> Result<Vec<u8>, StoreError> {
    let read = guarded(file, READ, || {
        let table = db.begin_read()?.open_table(SNAPSHOT)?;
        let (mut image, mut check) = (Vec::new(), Vec::new());
        for piece in table.iter()? {
            let (at, bytes) = piece?;
            let whole = if at.value() == CHECK_PIECE {
                &mut check
            } else {
                &mut image
            };
            whole.extend_from_slice(bytes.value());
        }
        Ok((image, check))
    });
    let (image, check) = read?;
    if Sha256::digest(&image)[..] != check[..] {
        return Err(StoreError::damaged(
            file,
            "the checksum of its snapshot does not match",
        ));
    }
    Ok(image)
}

fn entries_in(
    db: &impl ReadableDatabase,
    file: &Path,
    snapshot_seq: u64,
    mut visit: impl FnMut(u64, &[u8]) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut entries = guarded(file, READ, || {
        let table = db.begin_read()?.open_table(JOURNAL)?;
        Ok(table.range::<u64>(..)?)
    })?;
    let mut expected = snapshot_seq;
    while let Some((seq, bytes)) = guarded(file, READ, || Ok(entries.next().transpose()?))? {
        expected += 1;
        if seq.value() != expected {
            let what = format!("journal entry {expected} is missing");
            return Err(StoreError::damaged(file, what));
        }
        visit(expected, bytes.value())?;
    }
    Ok(())
}

/// The snapshot and its sequence number, read alongside other readers and without repair.
///
/// For readers without a view; it blocks a writer only while it reads.
pub(super) fn snapshot_of(file: &Path) -> Result<(u64, Vec<u8>), StoreError> {
    let db = read_only(file)?;
    let seq = number_in(&db, file, "snapshot_seq")?;
    Ok((seq, image_in(&db, file)?))
}

/// Passes every recorded input to `visit`: its fingerprint, its text, and whether it is complete.
/// Reads as [`snapshot_of`] does.
pub(super) fn inputs_of(
    file: &Path,
    mut visit: impl FnMut((&[u8; 32], &str, bool)),
) -> Result<(), StoreError> {
    let db = read_only(file)?;
    guarded(file, READ, || {
        let read = db.begin_read()?;
        for table in [REPLAYED, UNDER_WAY] {
            let Some(entries) = table_of(&read, table)? else {
                continue;
            };
            for entry in entries.iter()? {
                let (digest, value) = entry?;
                visit((
                    digest.value(),
                    value.value().1,
                    table.name() == REPLAYED.name(),
                ));
            }
        }
        Ok(())
    })
}

fn read_only(file: &Path) -> Result<ReadOnlyDatabase, StoreError> {
    guarded(file, "open it", || {
        // redb itself would follow a link, or wait for a pipe
        private::open(file, OpenOptions::new().read(true))?;
        Ok(redb::Builder::new()
            .set_cache_size(limits::STORE_CACHE_BYTES)
            .open_read_only(file)?)
    })
}
