//! A bounded ring between an audio callback and a reader, without a lock on either side.
//!
//! One writer, one reader. The writer never waits: what does not fit is left out and noted as a
//! gap of exactly that length at exactly that place. Invariant: samples read and samples in gaps
//! together are the samples written, in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Gaps that can wait to be read. While all are taken the writer lengthens the last one it has
/// not yet noted, so nothing is miscounted.
const GAPS_MAX: usize = 64;

/// What both ends share.
struct Shared {
    /// Samples as bits, so that no unsafe code is needed.
    samples: Vec<AtomicU32>,
    written: AtomicU64,
    read: AtomicU64,
    /// Place (in written samples) and length of each gap.
    gaps: Vec<(AtomicU64, AtomicU64)>,
    gaps_written: AtomicU64,
    gaps_read: AtomicU64,
}

/// The callback's end.
pub(super) struct RingWriter {
    shared: Arc<Shared>,
    /// Samples left out since the last one that fitted.
    lost: u64,
}

/// The reader's end.
pub(super) struct RingReader {
    shared: Arc<Shared>,
}

/// What the reader finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Samples were appended.
    Samples(usize),
    /// So many samples were lost here.
    Gap(u64),
    /// Nothing is there yet.
    Nothing,
}

/// Makes a ring for `capacity` samples.
pub(super) fn ring(capacity: usize) -> (RingWriter, RingReader) {
    let shared = Arc::new(Shared {
        samples: (0..capacity.max(1)).map(|_| AtomicU32::new(0)).collect(),
        written: AtomicU64::new(0),
        read: AtomicU64::new(0),
        gaps: (0..GAPS_MAX)
            .map(|_| (AtomicU64::new(0), AtomicU64::new(0)))
            .collect(),
        gaps_written: AtomicU64::new(0),
        gaps_read: AtomicU64::new(0),
    });
    (
        RingWriter {
            shared: Arc::clone(&shared),
            lost: 0,
        },
        RingReader { shared },
    )
}

impl RingWriter {
    /// Writes all of a block, or leaves out all of it when it does not fit: whole blocks are whole
    /// frames. Never waits, never allocates.
    pub(super) fn write(&mut self, block: &[f32]) {
        let shared = Arc::clone(&self.shared);
        let capacity = shared.samples.len() as u64;
        let written = shared.written.load(Ordering::Relaxed);
        let used = written - shared.read.load(Ordering::Acquire);
        if capacity - used < block.len() as u64 || !self.note_gap(written) {
            self.lost += block.len() as u64;
            return;
        }
        for (offset, sample) in block.iter().enumerate() {
            let at = ((written + offset as u64) % capacity) as usize;
            shared.samples[at].store(sample.to_bits(), Ordering::Relaxed);
        }
        shared
            .written
            .store(written + block.len() as u64, Ordering::Release);
    }

    /// Notes what was left out before sample `at`; false when there is no room to note it.
    fn note_gap(&mut self, at: u64) -> bool {
        if self.lost == 0 {
            return true;
        }
        let shared = &*self.shared;
        let noted = shared.gaps_written.load(Ordering::Relaxed);
        if noted - shared.gaps_read.load(Ordering::Acquire) == GAPS_MAX as u64 {
            return false;
        }
        let slot = &shared.gaps[noted as usize % GAPS_MAX];
        slot.0.store(at, Ordering::Relaxed);
        slot.1.store(self.lost, Ordering::Relaxed);
        shared.gaps_written.store(noted + 1, Ordering::Release);
        self.lost = 0;
        true
    }
}

impl RingReader {
    /// Appends at most `most` samples, up to the next gap.
    pub(super) fn read(&mut self, most: usize, out: &mut Vec<f32>) -> Found {
        let shared = &*self.shared;
        // The gaps are loaded after the samples they stand before: a gap is noted first.
        let written = shared.written.load(Ordering::Acquire);
        let read = shared.read.load(Ordering::Relaxed);
        let seen = shared.gaps_read.load(Ordering::Relaxed);
        let mut end = written;
        if shared.gaps_written.load(Ordering::Acquire) > seen {
            let slot = &shared.gaps[seen as usize % GAPS_MAX];
            let (at, len) = (
                slot.0.load(Ordering::Relaxed),
                slot.1.load(Ordering::Relaxed),
            );
            if at == read {
                shared.gaps_read.store(seen + 1, Ordering::Release);
                return Found::Gap(len);
            }
            end = end.min(at);
        }
        let count = usize::try_from(end - read).unwrap_or(usize::MAX).min(most);
        if count == 0 {
            return Found::Nothing;
        }
        let capacity = shared.samples.len() as u64;
        out.extend((read..read + count as u64).map(|at| {
            f32::from_bits(shared.samples[(at % capacity) as usize].load(Ordering::Relaxed))
        }));
        shared.read.store(read + count as u64, Ordering::Release);
        Found::Samples(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_a_gap_of_its_length_at_its_place() {
        let (mut writer, mut reader) = ring(8);
        writer.write(&[1.0, 2.0, 3.0, 4.0]);
        writer.write(&[5.0, 6.0, 7.0, 8.0]);
        writer.write(&[9.0, 9.0]);
        writer.write(&[9.0, 9.0]);
        let mut out = Vec::new();
        assert_eq!(reader.read(6, &mut out), Found::Samples(6));
        writer.write(&[10.0, 11.0]);
        assert_eq!(reader.read(99, &mut out), Found::Samples(2));
        assert_eq!(reader.read(99, &mut out), Found::Gap(4));
        assert_eq!(reader.read(99, &mut out), Found::Samples(2));
        assert_eq!(reader.read(99, &mut out), Found::Nothing);
        assert_eq!(out, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 11.0]);
    }

    #[test]
    fn two_threads_lose_no_sample_uncounted() {
        let (mut writer, mut reader) = ring(64);
        const BLOCKS: u64 = 20_000;
        let thread = std::thread::spawn(move || {
            for block in 0..BLOCKS {
                writer.write(&[block as f32; 4]);
            }
            // Room for a last block shows the gap before it.
            loop {
                writer.write(&[-1.0; 4]);
                if writer.lost == 0 {
                    return;
                }
                std::thread::yield_now();
            }
        });
        let (mut out, mut lost, mut last) = (Vec::new(), 0, -1.0);
        loop {
            let from = out.len();
            match reader.read(16, &mut out) {
                Found::Gap(len) => lost += len,
                Found::Nothing => std::thread::yield_now(),
                Found::Samples(_) => {
                    for sample in &out[from..] {
                        assert!(*sample >= last || *sample == -1.0, "in order");
                        last = *sample;
                    }
                    if out.last() == Some(&-1.0) {
                        break;
                    }
                }
            }
        }
        thread.join().expect("the writer ends");
        // The retries of the last block are counted as lost too.
        assert!(out.len() as u64 + lost >= BLOCKS * 4 + 4);
        assert_eq!((out.len() as u64 + lost) % 4, 0);
    }
}
