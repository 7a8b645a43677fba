//! WAV samples: hound behind a header of ours, symphonia for what hound cannot take.
//!
//! hound refuses headers that are common in the wild (a length of 0 or 0xFFFFFFFF, RF64, RIFX,
//! inconsistent byte rates). So it never sees the file's own header but a plain one of ours, which
//! states what is really there; big-endian samples are turned around on the way. Invariant: every
//! whole frame of the data comes out once, and a promise the file does not keep is a warning.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};

use hound::{SampleFormat, WavReader};

use super::complaint::io_error;
use super::riff::{Coding, Layout};
use super::tally::Tally;
use super::{container, riff};
use crate::{AudioError, AudioSource, SourceSpec, SourceWarning};

/// Most bytes of data behind one header of ours: hound counts in 32 bits.
const PART_BYTES_MAX: u64 = 1 << 30;
/// Frames handed out at once.
const CHUNK_FRAMES: usize = 4_096;

/// Opens a WAV file of any dialect.
pub(super) fn open(
    file: File,
    file_bytes: u64,
    name: &str,
) -> Result<Box<dyn AudioSource>, AudioError> {
    let mut reader = BufReader::new(file);
    let layout = riff::read(&mut reader, file_bytes, name)?;
    let spec = SourceSpec {
        name: name.to_owned(),
        format: describe(&layout),
        rate_hz: layout.rate_hz,
        channels: layout.channels,
        frames: Some(layout.data_bytes / layout.frame_bytes()),
    }
    .check()?;
    if layout.data_bytes == 0 {
        return Err(AudioError::NoSamples {
            name: spec.name,
            format: spec.format,
        });
    }
    reader
        .seek(SeekFrom::Start(layout.data_start))
        .map_err(|source| io_error(name, source))?;
    let mut tally = Tally::new(spec);
    if layout.found_behind_zero {
        tally.warnings.push(SourceWarning::HeaderRepaired {
            name: name.to_owned(),
            what: "the header says 0 bytes of sound".to_owned(),
            bytes: layout.data_bytes,
        });
    }
    match layout.coding {
        Coding::Int { .. } | Coding::Float => Ok(Box::new(Wave::new(reader, layout, tally)?)),
        Coding::Double | Coding::MuLaw | Coding::ALaw => {
            let data = Data::new(reader, &layout, layout.data_bytes);
            container::open_wav(data, tally, promised_frames(&layout))
        }
    }
}

fn describe(layout: &Layout) -> String {
    let coding = match layout.coding {
        Coding::Int { bits, .. } => format!("{bits}-bit PCM"),
        Coding::Float => "32-bit float".to_owned(),
        Coding::Double => "64-bit float".to_owned(),
        Coding::MuLaw => "mu-law".to_owned(),
        Coding::ALaw => "A-law".to_owned(),
    };
    let order = if layout.big_endian {
        ", big-endian"
    } else {
        ""
    };
    format!("WAV, {coding}{order}")
}

/// Frames the file's own header promises.
fn promised_frames(layout: &Layout) -> Option<u64> {
    layout
        .stated_bytes
        .map(|bytes| bytes / layout.frame_bytes())
}

/// A plain header and the data behind it, in little-endian order.
struct Data {
    header: Cursor<Vec<u8>>,
    reader: BufReader<File>,
    left: u64,
    /// Bytes of a sample to be turned around; 1 leaves all as it is.
    swap_bytes: usize,
    sample: [u8; 8],
    /// Bytes of `sample` already handed out; `swap_bytes` when a new one is needed.
    given: usize,
}

impl Data {
    fn new(reader: BufReader<File>, layout: &Layout, bytes: u64) -> Self {
        let swap_bytes = if layout.big_endian {
            usize::from(layout.coding.sample_bytes())
        } else {
            1
        };
        let mut data = Self {
            header: Cursor::new(Vec::new()),
            reader,
            left: 0,
            swap_bytes,
            sample: [0; 8],
            given: swap_bytes,
        };
        data.next_part(layout, bytes);
        data
    }

    fn next_part(&mut self, layout: &Layout, bytes: u64) {
        self.header = Cursor::new(plain_header(layout, bytes));
        self.left = bytes;
    }
}

impl Read for Data {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let head = self.header.read(out)?;
        if head > 0 || out.is_empty() {
            return Ok(head);
        }
        let most = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(out.len());
        if self.swap_bytes == 1 {
            let count = self.reader.read(&mut out[..most])?;
            self.left -= count as u64;
            return Ok(count);
        }
        for (i, slot) in out[..most].iter_mut().enumerate() {
            if self.given == self.swap_bytes {
                let sample = &mut self.sample[..self.swap_bytes];
                match self.reader.read_exact(sample) {
                    Ok(()) => sample.reverse(),
                    Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                        return Ok(i);
                    }
                    Err(error) => return Err(error),
                }
                self.given = 0;
            }
            *slot = self.sample[self.given];
            self.given += 1;
            self.left -= 1;
        }
        Ok(most)
    }
}

/// A RIFF header with the plainest format chunk, as every reader takes it.
fn plain_header(layout: &Layout, bytes: u64) -> Vec<u8> {
    let (tag, bits) = match layout.coding {
        // 24 bits in the low end of four bytes is the one odd container hound knows. Everywhere
        // else fewer bits than the container's stand at its high end, so it is read whole.
        Coding::Int {
            container_bytes: 4,
            bits: 24,
        } => (1u16, 24),
        Coding::Int {
            container_bytes, ..
        } => (1, container_bytes * 8),
        Coding::Float => (3, 32),
        Coding::Double => (3, 64),
        Coding::ALaw => (6, 8),
        Coding::MuLaw => (7, 8),
    };
    let block = layout.channels.saturating_mul(layout.coding.sample_bytes());
    let data_len = u32::try_from(bytes).unwrap_or(u32::MAX);
    // Codings other than PCM carry the length of what follows them, which is nothing.
    let fmt_len = if tag == 1 || tag == 3 { 16u32 } else { 18 };
    let mut header = Vec::with_capacity(46);
    header.extend_from_slice(b"RIFF");
    header.extend_from_slice(&data_len.saturating_add(fmt_len + 20).to_le_bytes());
    header.extend_from_slice(b"WAVEfmt ");
    header.extend_from_slice(&fmt_len.to_le_bytes());
    header.extend_from_slice(&tag.to_le_bytes());
    header.extend_from_slice(&layout.channels.to_le_bytes());
    header.extend_from_slice(&layout.rate_hz.to_le_bytes());
    let byte_rate = layout.rate_hz.saturating_mul(u32::from(block));
    header.extend_from_slice(&byte_rate.to_le_bytes());
    header.extend_from_slice(&block.to_le_bytes());
    header.extend_from_slice(&bits.to_le_bytes());
    if fmt_len == 18 {
        header.extend_from_slice(&0u16.to_le_bytes());
    }
    header.extend_from_slice(b"data");
    header.extend_from_slice(&data_len.to_le_bytes());
    header
}

/// Integer and 32-bit float WAV.
struct Wave {
    layout: Layout,
    tally: Tally,
    /// `None` only between two parts.
    reader: Option<WavReader<Data>>,
    /// Bytes of data behind the part under way.
    left: u64,
}

impl Wave {
    fn new(reader: BufReader<File>, layout: Layout, tally: Tally) -> Result<Self, AudioError> {
        let part = part_bytes(&layout, layout.data_bytes);
        let data = Data::new(reader, &layout, part);
        let mut wave = Self {
            layout,
            tally,
            reader: None,
            left: layout.data_bytes - part,
        };
        wave.begin(data)?;
        Ok(wave)
    }

    fn begin(&mut self, data: Data) -> Result<(), AudioError> {
        let reader = WavReader::new(data).map_err(|error| self.damaged(&error))?;
        self.reader = Some(reader);
        Ok(())
    }

    fn damaged(&self, error: &hound::Error) -> AudioError {
        AudioError::Damaged {
            name: self.tally.spec.name.clone(),
            at_frame: self.tally.frames,
            reason: error.to_string(),
        }
    }

    /// Fills `out` from the part under way. A file cut short ends here without an error.
    fn fill(&mut self, out: &mut Vec<f32>) -> Result<(), AudioError> {
        let Some(reader) = &mut self.reader else {
            return Ok(());
        };
        let most = CHUNK_FRAMES * usize::from(self.layout.channels);
        let spec = reader.spec();
        let mut failure = None;
        if spec.sample_format == SampleFormat::Float {
            let samples = reader.samples::<f32>().take(most);
            out.extend(samples.map_while(|s| s.map_err(|e| failure = Some(e)).ok()));
        } else {
            let scale = 1.0 / (1i64 << (spec.bits_per_sample - 1)) as f32;
            let samples = reader.samples::<i32>().take(most);
            out.extend(samples.map_while(|s| {
                s.map(|s| s as f32 * scale)
                    .map_err(|e| failure = Some(e))
                    .ok()
            }));
        }
        out.truncate(out.len() - out.len() % usize::from(self.layout.channels));
        match failure {
            Some(hound::Error::IoError(error))
                if error.kind() != std::io::ErrorKind::UnexpectedEof =>
            {
                Err(io_error(&self.tally.spec.name, error))
            }
            Some(error @ (hound::Error::FormatError(_) | hound::Error::Unsupported)) => {
                Err(self.damaged(&error))
            }
            _ => Ok(()),
        }
    }
}

/// Bytes of the next part: whole frames.
fn part_bytes(layout: &Layout, left: u64) -> u64 {
    let most = PART_BYTES_MAX - PART_BYTES_MAX % layout.frame_bytes();
    left.min(most)
}

impl AudioSource for Wave {
    fn spec(&self) -> &SourceSpec {
        &self.tally.spec
    }

    fn read(&mut self, out: &mut Vec<f32>) -> Result<usize, AudioError> {
        out.clear();
        if self.tally.ended {
            return Ok(0);
        }
        self.fill(out)?;
        if out.is_empty() && self.left > 0 {
            let part = part_bytes(&self.layout, self.left);
            self.left -= part;
            if let Some(reader) = self.reader.take() {
                let mut data = reader.into_inner();
                data.next_part(&self.layout, part);
                self.begin(data)?;
            }
            self.fill(out)?;
        }
        if out.is_empty() {
            self.left = 0;
            self.tally.end(promised_frames(&self.layout));
        }
        self.tally.chunk(out)
    }

    fn take_warnings(&mut self, out: &mut Vec<SourceWarning>) {
        out.append(&mut self.tally.warnings);
    }
}
