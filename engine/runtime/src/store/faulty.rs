//! A disk for tests that fails at one call, at every call from one on, or by a power cut.

use redb::StorageBackend;
use redb::backends::FileBackend;
use std::fs::OpenOptions;
use std::io;
use std::ops::Bound;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use weir_fixtures::Rng;

/// Kinds of disk calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Read,
    Write,
    SetLen,
    Sync,
}

/// Kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Only that call fails.
    Once,
    /// That call and all later ones fail.
    ForGood,
    /// All later calls fail, and some of the writes since the last sync are lost.
    PowerCut,
}

/// When and how the disk fails.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault {
    pub(super) call: Call,
    /// Number of calls of that kind that succeed before.
    pub(super) after: u64,
    pub(super) trouble: Trouble,
    pub(super) kind: io::ErrorKind,
}

/// State of a disk, shared by all files opened on it.
#[derive(Debug)]
struct State {
    calls: [u64; 4],
    struck: bool,
    dead: bool,
    /// Writes since the last sync: offset and previous content.
    unsynced: Vec<(u64, Vec<u8>)>,
    lots: Rng,
}

/// A disk that fails.
#[derive(Debug, Clone)]
pub(super) struct Disk {
    fault: Option<Fault>,
    state: Arc<Mutex<State>>,
}

impl Disk {
    /// A disk with a planned fault, or a healthy one that counts calls.
    pub(super) fn new(fault: Option<Fault>) -> Self {
        let lots = Rng::new(fault.map_or(0, |fault| fault.after));
        Self {
            fault,
            state: Arc::new(Mutex::new(State {
                calls: [0; 4],
                struck: false,
                dead: false,
                unsynced: Vec::new(),
                lots,
            })),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Calls of one kind so far.
    pub(super) fn calls(&self, call: Call) -> u64 {
        self.state().calls[call as usize]
    }

    /// Whether the fault has happened.
    pub(super) fn has_struck(&self) -> bool {
        self.state().struck
    }

    /// Opens or creates a store file on it.
    pub(super) fn open(&self, file: &Path) -> Result<redb::Database, redb::DatabaseError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(file)?;
        self.state().unsynced.clear();
        redb::Builder::new().create_with_backend(File {
            file: FileBackend::new(file)?,
            disk: self.clone(),
        })
    }

    /// Counts a call on `file`; fails if it is the planned one or the disk has failed.
    fn ask(&self, call: Call, file: &FileBackend) -> io::Result<()> {
        let mut state = self.state();
        let Some(fault) = self.fault else {
            state.calls[call as usize] += 1;
            return Ok(());
        };
        if state.dead {
            return Err(fault.kind.into());
        }
        let before = state.calls[call as usize];
        state.calls[call as usize] += 1;
        if state.struck || call != fault.call || before < fault.after {
            return Ok(());
        }
        state.struck = true;
        state.dead = fault.trouble != Trouble::Once;
        if fault.trouble == Trouble::PowerCut {
            // Unsynced writes reach a disk in any order: keep or undo each at random.
            for (offset, old) in std::mem::take(&mut state.unsynced).into_iter().rev() {
                if state.lots.chance(0.5) {
                    file.write(offset, &old)?;
                }
            }
        }
        Err(fault.kind.into())
    }
}

/// A file on the disk. It never really syncs: the tests read it back on the same system.
#[derive(Debug)]
struct File {
    file: FileBackend,
    disk: Disk,
}

impl StorageBackend for File {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.disk.ask(Call::Read, &self.file)?;
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.disk.ask(Call::SetLen, &self.file)?;
        // Data beyond a truncated end cannot be restored.
        let mut state = self.disk.state();
        state.unsynced.retain(|(offset, _)| *offset < len);
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.disk.ask(Call::Sync, &self.file)?;
        self.disk.state().unsynced.clear();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.disk.ask(Call::Write, &self.file)?;
        let mut old = vec![0; data.len()];
        self.file.read(offset, &mut old)?;
        self.disk.state().unsynced.push((offset, old));
        self.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, redb::BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), redb::BackendError> {
        self.file.unlock_range(start, end)
    }
}
