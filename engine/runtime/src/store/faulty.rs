//! A disk for tests that refuses one call, or every call from one on, or loses its power.

use redb::StorageBackend;
use redb::backends::FileBackend;
use std::fs::OpenOptions;
use std::io;
use std::ops::Bound;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use weir_fixtures::Rng;

/// What the store asks of a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Read,
    Write,
    SetLen,
    Sync,
}

/// What goes wrong at the call that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// That call alone is refused.
    Once,
    /// It and everything after it is.
    ForGood,
    /// Everything after it is, and of what was written since the last sync some is lost.
    PowerCut,
}

/// When the disk fails, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault {
    pub(super) call: Call,
    /// Calls of that kind that are obeyed before.
    pub(super) after: u64,
    pub(super) trouble: Trouble,
    pub(super) kind: io::ErrorKind,
}

/// The state of a disk, over all files opened on it.
#[derive(Debug)]
struct State {
    calls: [u64; 4],
    struck: bool,
    dead: bool,
    /// Writes since the last sync: where, and what was there before.
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
    /// A disk with a fault to come, or a healthy one that counts.
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

    /// Whether the fault has come.
    pub(super) fn has_struck(&self) -> bool {
        self.state().struck
    }

    /// Opens a store file on it, made when absent.
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

    /// Counts a call on `file`; refuses it where it is the one, or the disk is dead.
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
            // Writes reach a disk in any order: each that no sync vouches for is there or is not.
            for (offset, old) in std::mem::take(&mut state.unsynced).into_iter().rev() {
                if state.lots.chance(0.5) {
                    file.write(offset, &old)?;
                }
            }
        }
        Err(fault.kind.into())
    }
}

/// A file on the disk. Nothing is synced for real: the tests read it back through the same system.
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
        // What was written beyond a new end cannot be put back.
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
