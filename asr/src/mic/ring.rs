//! A bounded lock-free ring buffer between an audio callback and a reader.
//!
//! One writer, one reader. The writer never waits: samples that do not fit are dropped and recorded
//! as a gap of exactly that length at exactly that position. Invariant: samples read and samples in
//! gaps together are the samples written, in order.

use rtrb::{Consumer, Producer, RingBuffer};

/// Gaps that can wait to be read. While all are in use, the writer extends the last one that it has
/// not recorded yet, so the count stays exact.
const GAPS_MAX: usize = 64;

/// Position (in samples that fitted) and length of a gap.
type Gap = (u64, u64);

/// The writer, for the callback.
pub(super) struct RingWriter {
    samples: Producer<f32>,
    gaps: Producer<Gap>,
    written: u64,
    /// Samples dropped since the last one that fitted.
    lost: u64,
}

/// The reader.
pub(super) struct RingReader {
    samples: Consumer<f32>,
    gaps: Consumer<Gap>,
    read: u64,
}

/// Result of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Samples were appended.
    Samples(usize),
    /// This many samples were lost here.
    Gap(u64),
    /// No samples are available yet.
    Nothing,
}

/// Makes a ring for `capacity` samples.
pub(super) fn ring(capacity: usize) -> (RingWriter, RingReader) {
    let (into, out_of) = RingBuffer::new(capacity.max(1));
    let (note, noted) = RingBuffer::new(GAPS_MAX);
    let writer = RingWriter {
        samples: into,
        gaps: note,
        written: 0,
        lost: 0,
    };
    let reader = RingReader {
        samples: out_of,
        gaps: noted,
        read: 0,
    };
    (writer, reader)
}

impl RingWriter {
    /// Writes the whole block, or drops all of it if it does not fit, so only whole frames are
    /// written. Never waits, never allocates.
    pub(super) fn write(&mut self, block: &[f32]) {
        match self.samples.write_chunk_uninit(block.len()) {
            // a gap is recorded before the samples after it, so that the reader sees it first
            Ok(room) if self.lost == 0 || self.gaps.push((self.written, self.lost)).is_ok() => {
                self.lost = 0;
                self.written += room.fill_from_iter(block.iter().copied()) as u64;
            }
            _ => self.lost += block.len() as u64,
        }
    }
}

impl RingReader {
    /// Appends at most `most` samples, up to the next gap.
    pub(super) fn read(&mut self, most: usize, out: &mut Vec<f32>) -> Found {
        // read the count before the gaps: a gap is recorded before the samples after it
        let mut count = self.samples.slots().min(most);
        if let Ok(&(at, len)) = self.gaps.peek() {
            if at == self.read {
                let _ = self.gaps.pop();
                return Found::Gap(len);
            }
            count = count.min(usize::try_from(at - self.read).unwrap_or(usize::MAX));
        }
        match self.samples.read_chunk(count) {
            Ok(chunk) if count > 0 => {
                out.extend(chunk);
                self.read += count as u64;
                Found::Samples(count)
            }
            _ => Found::Nothing,
        }
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
            // A last block that fits makes the gap before it visible.
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
        // The retries of the last block count as lost too.
        assert!(out.len() as u64 + lost >= BLOCKS * 4 + 4);
        assert_eq!((out.len() as u64 + lost) % 4, 0);
    }
}
