//! The edge from a live source: never blocks the source, never loses audio silently.
//!
//! Audio waits in memory. When that is full, it goes to an unnamed file. When that fails or is full
//! too, it is replaced by a counted gap of the same length, so that times stay exact. Invariant:
//! the output is the input in order, with silence in place of gaps.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Capacity of the queue.
#[derive(Debug, Clone, Copy)]
pub struct CaptureLimits {
    /// Samples in memory.
    pub memory_samples: usize,
    /// Bytes on disk, four per sample.
    pub disk_bytes: u64,
}

impl Default for CaptureLimits {
    /// Half a minute of 16 kHz mono in memory (2 MB), nine hours on disk (2 GiB).
    fn default() -> Self {
        Self {
            memory_samples: 30 * 16_000,
            disk_bytes: 2 << 30,
        }
    }
}

/// Output of the edge.
#[derive(Debug, Clone, PartialEq)]
pub enum Captured {
    /// Interleaved samples.
    Sound(Vec<f32>),
    /// This many interleaved samples were lost, because memory and disk were full.
    Gap {
        /// Number of samples.
        samples: u64,
    },
    /// Nothing arrived in time.
    Nothing,
    /// The edge is closed and empty.
    Closed,
}

/// Both ends of the edge; cloning shares it.
#[derive(Clone)]
pub struct OverflowQueue(Arc<(Mutex<Backlog>, Condvar)>);

struct Backlog {
    limits: CaptureLimits,
    queue: VecDeque<Vec<f32>>,
    queued: usize,
    disk: Option<Disk>,
    lost: u64,
    closed: bool,
}

/// The backlog file: appended at its end, read from its beginning, truncated once read completely.
struct Disk {
    file: File,
    read_at: u64,
    write_at: u64,
}

impl OverflowQueue {
    /// An edge with its file in `folder`. Without a writable file, audio that does not fit into
    /// memory is lost and counted.
    #[must_use]
    pub fn new(folder: &Path, limits: CaptureLimits) -> Self {
        let disk = nameless(folder)
            .inspect_err(|error| log::warn!("{}: no backlog on disk: {error}", folder.display()))
            .ok();
        let backlog = Backlog {
            limits,
            queue: VecDeque::new(),
            queued: 0,
            disk: disk.map(|file| Disk {
                file,
                read_at: 0,
                write_at: 0,
            }),
            lost: 0,
            closed: false,
        };
        Self(Arc::new((Mutex::new(backlog), Condvar::new())))
    }

    /// Adds audio; never blocks.
    pub fn push(&self, samples: &[f32]) {
        let (backlog, filled) = &*self.0;
        backlog.lock().push(samples);
        filled.notify_one();
    }

    /// Marks the end of the input.
    pub fn close(&self) {
        let (backlog, filled) = &*self.0;
        backlog.lock().closed = true;
        filled.notify_all();
    }

    /// Number of waiting samples, including those on disk.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        let backlog = self.0.0.lock();
        let on_disk = backlog.disk.as_ref().map_or(0, Disk::waiting);
        backlog.queued as u64 + on_disk / SAMPLE_BYTES
    }

    /// Takes the oldest audio; waits at most `wait` for it.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn take(&self, wait: Duration) -> io::Result<Captured> {
        let until = Instant::now() + wait;
        let (backlog, filled) = &*self.0;
        let mut backlog = backlog.lock();
        loop {
            match backlog.pop()? {
                Captured::Nothing if backlog.closed => return Ok(Captured::Closed),
                Captured::Nothing => {}
                taken => return Ok(taken),
            }
            if filled.wait_until(&mut backlog, until).timed_out() {
                return Ok(Captured::Nothing);
            }
        }
    }
}

const SAMPLE_BYTES: u64 = size_of::<f32>() as u64;
/// Samples read from disk at a time.
const PIECE_SAMPLES: usize = 16_000;

impl Backlog {
    fn push(&mut self, samples: &[f32]) {
        let spilled = self.disk.as_ref().is_some_and(|disk| disk.waiting() > 0);
        // keep the order: after a gap or file data, new audio goes there too
        if self.lost > 0 {
            self.lost += samples.len() as u64;
        } else if !spilled && self.queued + samples.len() <= self.limits.memory_samples {
            self.queued += samples.len();
            self.queue.push_back(samples.to_vec());
        } else if let Err(error) = self.spill(samples) {
            log::warn!("audio is lost: {error}");
            self.lost += samples.len() as u64;
        }
    }

    fn spill(&mut self, samples: &[f32]) -> io::Result<()> {
        let disk_bytes = self.limits.disk_bytes;
        let disk = self
            .disk
            .as_mut()
            .ok_or_else(|| io::Error::other("there is no backlog on disk"))?;
        let bytes: Vec<u8> = samples.iter().flat_map(|s| s.to_le_bytes()).collect();
        if disk.write_at + bytes.len() as u64 > disk_bytes {
            return Err(io::Error::other("the backlog on disk is full"));
        }
        disk.file.seek(SeekFrom::Start(disk.write_at))?;
        disk.file.write_all(&bytes)?;
        disk.write_at += bytes.len() as u64;
        Ok(())
    }

    fn pop(&mut self) -> io::Result<Captured> {
        if let Some(samples) = self.queue.pop_front() {
            self.queued -= samples.len();
            return Ok(Captured::Sound(samples));
        }
        if let Some(disk) = self.disk.as_mut().filter(|disk| disk.waiting() > 0) {
            return Ok(Captured::Sound(disk.read()?));
        }
        if self.lost > 0 {
            let samples = std::mem::take(&mut self.lost);
            return Ok(Captured::Gap { samples });
        }
        Ok(Captured::Nothing)
    }
}

impl Disk {
    fn waiting(&self) -> u64 {
        self.write_at - self.read_at
    }

    fn read(&mut self) -> io::Result<Vec<f32>> {
        let samples = (self.waiting() / SAMPLE_BYTES).min(PIECE_SAMPLES as u64);
        let mut bytes = vec![0; (samples * SAMPLE_BYTES) as usize];
        self.file.seek(SeekFrom::Start(self.read_at))?;
        self.file.read_exact(&mut bytes)?;
        self.read_at += bytes.len() as u64;
        if self.waiting() == 0 {
            self.file.set_len(0)?;
            (self.read_at, self.write_at) = (0, 0);
        }
        let samples = bytes.chunks_exact(size_of::<f32>());
        Ok(samples
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect())
    }
}

/// A file that is deleted with the process, if the system supports that.
fn nameless(folder: &Path) -> io::Result<File> {
    let path = folder.join(format!(".weir-backlog-{}.tmp", std::process::id()));
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(&path)?;
    // elsewhere the file keeps its name until the next run, empty or small
    let _ = std::fs::remove_file(&path);
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(from: u32, to: u32) -> Vec<f32> {
        (from..to).map(|n| n as f32).collect()
    }

    fn drain(capture: &OverflowQueue) -> (Vec<f32>, u64) {
        let (mut sound, mut lost) = (Vec::new(), 0);
        loop {
            match capture.take(Duration::ZERO).expect("it reads back") {
                Captured::Sound(samples) => sound.extend(samples),
                Captured::Gap { samples } => lost += samples,
                Captured::Nothing | Captured::Closed => return (sound, lost),
            }
        }
    }

    #[test]
    fn what_does_not_fit_memory_comes_back_from_disk_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = CaptureLimits {
            memory_samples: 100,
            disk_bytes: 1 << 20,
        };
        let capture = OverflowQueue::new(folder.path(), limits);
        for n in 0..50 {
            capture.push(&numbers(n * 10, n * 10 + 10));
        }
        assert_eq!(capture.waiting(), 500);
        assert_eq!(drain(&capture), (numbers(0, 500), 0));
        capture.push(&numbers(500, 510));
        capture.close();
        assert_eq!(drain(&capture), (numbers(500, 510), 0));
        let left = std::fs::read_dir(folder.path()).expect("it lists").count();
        assert_eq!(left, 0, "the backlog file has no name");
    }

    #[test]
    fn where_the_disk_is_full_too_the_gap_is_counted_and_time_goes_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = CaptureLimits {
            memory_samples: 10,
            disk_bytes: 20 * SAMPLE_BYTES,
        };
        let capture = OverflowQueue::new(folder.path(), limits);
        for n in 0..5 {
            capture.push(&numbers(n * 10, n * 10 + 10));
        }
        assert_eq!(drain(&capture), (numbers(0, 30), 20));
        capture.push(&numbers(50, 60));
        assert_eq!(drain(&capture), (numbers(50, 60), 0));
    }

    #[test]
    fn without_a_folder_to_write_in_the_loss_is_counted() {
        let limits = CaptureLimits {
            memory_samples: 10,
            disk_bytes: 1 << 20,
        };
        let capture = OverflowQueue::new(Path::new("/nowhere/at/all"), limits);
        capture.push(&numbers(0, 10));
        capture.push(&numbers(10, 25));
        assert_eq!(drain(&capture), (numbers(0, 10), 15));
    }
}
