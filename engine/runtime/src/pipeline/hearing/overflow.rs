//! The edge from a live source: never blocks the source, never loses audio silently.
//!
//! Audio waits in memory. When that is full, it goes to an unnamed file. When that fails or is full
//! too, it is replaced by a counted gap of the same length, so that times stay exact. After a gap,
//! audio is kept again as soon as there is room. Invariant: the output is the input in order, with
//! silence in place of gaps.

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
    /// What waits, in order.
    queue: VecDeque<Waiting>,
    /// Samples of it in memory.
    in_memory: usize,
    disk: Option<Disk>,
    closed: bool,
}

/// Audio that waits, or a gap. Neighbours on disk are one piece, and so are neighbouring gaps.
enum Waiting {
    InMemory(Vec<f32>),
    OnDisk { samples: u64 },
    Gap { samples: u64 },
}

/// The backlog file, used as a ring: bytes ever written and ever read, modulo its limit.
struct Disk {
    file: File,
    bytes_max: u64,
    read: u64,
    written: u64,
}

impl OverflowQueue {
    /// An edge with its file in `folder`. Without a writable file, audio that does not fit into
    /// memory is lost and counted.
    #[must_use]
    pub fn new(folder: &Path, limits: CaptureLimits) -> Self {
        let disk = tempfile::tempfile_in(folder)
            .inspect_err(|error| log::warn!("{}: no backlog on disk: {error}", folder.display()))
            .ok();
        let backlog = Backlog {
            limits,
            queue: VecDeque::new(),
            in_memory: 0,
            disk: disk.map(|file| Disk {
                file,
                bytes_max: limits.disk_bytes / SAMPLE_BYTES * SAMPLE_BYTES,
                read: 0,
                written: 0,
            }),
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
        backlog.in_memory as u64 + on_disk / SAMPLE_BYTES
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
const PIECE_SAMPLES: u64 = 16_000;

impl Backlog {
    fn push(&mut self, samples: &[f32]) {
        let count = samples.len() as u64;
        if self.in_memory + samples.len() <= self.limits.memory_samples {
            self.in_memory += samples.len();
            self.queue.push_back(Waiting::InMemory(samples.to_vec()));
            return;
        }
        match (self.spill(samples), self.queue.back_mut()) {
            (Ok(()), Some(Waiting::OnDisk { samples })) => *samples += count,
            (Ok(()), _) => self.queue.push_back(Waiting::OnDisk { samples: count }),
            (Err(_), Some(Waiting::Gap { samples })) => *samples += count,
            (Err(error), _) => {
                log::warn!("audio is lost: {error}");
                self.queue.push_back(Waiting::Gap { samples: count });
            }
        }
    }

    fn spill(&mut self, samples: &[f32]) -> io::Result<()> {
        let none = || io::Error::other("there is no backlog on disk");
        self.disk.as_mut().ok_or_else(none)?.write(samples)
    }

    fn pop(&mut self) -> io::Result<Captured> {
        match self.queue.front_mut() {
            None => Ok(Captured::Nothing),
            Some(Waiting::OnDisk { samples }) if *samples > PIECE_SAMPLES => {
                *samples -= PIECE_SAMPLES;
                self.unspill(PIECE_SAMPLES)
            }
            Some(_) => match self.queue.pop_front() {
                Some(Waiting::InMemory(samples)) => {
                    self.in_memory -= samples.len();
                    Ok(Captured::Sound(samples))
                }
                Some(Waiting::OnDisk { samples }) => self.unspill(samples),
                Some(Waiting::Gap { samples }) => Ok(Captured::Gap { samples }),
                None => Ok(Captured::Nothing),
            },
        }
    }

    fn unspill(&mut self, samples: u64) -> io::Result<Captured> {
        let none = || io::Error::other("there is no backlog on disk");
        let disk = self.disk.as_mut().ok_or_else(none)?;
        Ok(Captured::Sound(disk.read(samples)?))
    }
}

impl Disk {
    fn waiting(&self) -> u64 {
        self.written - self.read
    }

    /// Writes all of it or none that counts.
    fn write(&mut self, samples: &[f32]) -> io::Result<()> {
        let bytes: Vec<u8> = samples.iter().flat_map(|s| s.to_le_bytes()).collect();
        if self.waiting() + bytes.len() as u64 > self.bytes_max {
            return Err(io::Error::other("the backlog on disk is full"));
        }
        let at = self.written % self.bytes_max;
        let (head, tail) = bytes.split_at(bytes.len().min((self.bytes_max - at) as usize));
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write_all(head)?;
        if !tail.is_empty() {
            self.file.seek(SeekFrom::Start(0))?;
            self.file.write_all(tail)?;
        }
        self.written += bytes.len() as u64;
        Ok(())
    }

    fn read(&mut self, samples: u64) -> io::Result<Vec<f32>> {
        let mut bytes = vec![0; (samples * SAMPLE_BYTES) as usize];
        let at = self.read % self.bytes_max;
        let head = bytes.len().min((self.bytes_max - at) as usize);
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut bytes[..head])?;
        if head < bytes.len() {
            self.file.seek(SeekFrom::Start(0))?;
            self.file.read_exact(&mut bytes[head..])?;
        }
        self.read += bytes.len() as u64;
        if self.waiting() == 0 {
            self.file.set_len(0)?;
            (self.read, self.written) = (0, 0);
        }
        let samples = bytes.chunks_exact(size_of::<f32>());
        Ok(samples
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(from: u32, to: u32) -> Vec<f32> {
        (from..to).map(|n| n as f32).collect()
    }

    /// A queue with room for so many samples in memory and on disk.
    fn queue(memory_samples: usize, on_disk: u64) -> (tempfile::TempDir, OverflowQueue) {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = CaptureLimits {
            memory_samples,
            disk_bytes: on_disk * SAMPLE_BYTES,
        };
        let queue = OverflowQueue::new(folder.path(), limits);
        (folder, queue)
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
        let (folder, capture) = queue(100, 1 << 18);
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
        let (_folder, capture) = queue(10, 20);
        for n in 0..5 {
            capture.push(&numbers(n * 10, n * 10 + 10));
        }
        assert_eq!(drain(&capture), (numbers(0, 30), 20));
        capture.push(&numbers(50, 60));
        assert_eq!(drain(&capture), (numbers(50, 60), 0));
    }

    /// A long backlog must not turn what comes after one gap into silence until it is drained.
    #[test]
    fn behind_a_gap_sound_is_kept_as_soon_as_there_is_room() {
        let (_folder, capture) = queue(10, 25);
        for n in 0..4 {
            capture.push(&numbers(n * 10, n * 10 + 10));
        }
        let take = || capture.take(Duration::ZERO).expect("it reads back");
        assert_eq!(take(), Captured::Sound(numbers(0, 10)));
        capture.push(&numbers(40, 50));
        assert_eq!(take(), Captured::Sound(numbers(10, 30)), "on disk");
        // around the end of the file
        capture.push(&numbers(50, 60));
        capture.push(&numbers(60, 70));
        assert_eq!(take(), Captured::Gap { samples: 10 });
        assert_eq!(drain(&capture), (numbers(40, 70), 0));
    }

    proptest::proptest! {
        /// Whatever is pushed and taken when: what comes out is what went in, in order, and gaps
        /// stand for the rest.
        #[test]
        fn nothing_is_out_of_order(
            steps in proptest::collection::vec((0_u32..3, 1_u32..30), 1..80),
        ) {
            let (_folder, capture) = queue(40, 60);
            let (mut pushed, mut taken) = (0, 0);
            let mut check = |got: Captured| match got {
                Captured::Sound(samples) => {
                    let next = taken + samples.len() as u32;
                    assert_eq!(samples, numbers(taken, next));
                    taken = next;
                    true
                }
                Captured::Gap { samples } => {
                    taken += samples as u32;
                    true
                }
                Captured::Nothing | Captured::Closed => false,
            };
            for (takes, samples) in steps {
                capture.push(&numbers(pushed, pushed + samples));
                pushed += samples;
                for _ in 0..takes {
                    check(capture.take(Duration::ZERO).expect("it reads back"));
                }
            }
            while check(capture.take(Duration::ZERO).expect("it reads back")) {}
            assert_eq!(taken, pushed);
        }
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
