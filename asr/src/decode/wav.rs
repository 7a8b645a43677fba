//! Reads WAV files: hound decodes integers and 32-bit floats, symphonia 64-bit floats, the laws
//! of telephony and ADPCM, both behind the header that `riff` restates.
//!
//! Invariant: every whole frame of the data is returned once; fewer frames than the header states
//! give a warning.

use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read, Seek, SeekFrom, Take};

use hound::{Sample, SampleFormat, WavReader, WavSpec};
use symphonia::core::io::ReadOnlySource;

use super::complaint::io_error;
use super::container::{self, Opening};
use super::riff::{self, A_LAW, FLOAT, Layout, MU_LAW};
use super::tally::Tally;
use crate::{AudioError, AudioSource, SourceSpec, SourceWarning};

/// Frames returned at once.
const CHUNK_FRAMES: u64 = 4_096;

/// Opens a WAV file of any variant.
pub(super) fn open(
    file: File,
    file_bytes: u64,
    name: &str,
) -> Result<Box<dyn AudioSource>, AudioError> {
    let mut reader = BufReader::new(file);
    let layout = riff::read(&mut reader, file_bytes, name)?;
    let format = layout.format;
    let spec = SourceSpec {
        name: name.to_owned(),
        format: describe(&layout),
        rate_hz: format.rate_hz,
        channels: format.channels,
        frames: Some(layout.frames()),
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
    if let Some((bits, block)) = format.contradicts {
        tally.warnings.push(SourceWarning::BlockIgnored {
            name: name.to_owned(),
            bits,
            block,
            channels: format.channels,
            bytes: format.sample_bytes,
        });
    }
    let stated_frames = layout.stated_bytes.map(|bytes| format.frames(bytes));
    Ok(Box::new(Wave {
        samples: Samples::open(&layout, reader, name)?,
        // if all bytes are there, nothing is missing, although the last block of ADPCM may be short
        stated_frames: stated_frames.filter(|_| layout.stated_bytes != Some(layout.data_bytes)),
        tally,
    }))
}

fn describe(layout: &Layout) -> String {
    let format = layout.format;
    let coding = match (format.adpcm(), format.tag) {
        (Some((coding, ..)), _) => coding.to_owned(),
        (None, A_LAW) => "A-law".to_owned(),
        (None, MU_LAW) => "mu-law".to_owned(),
        (None, FLOAT) => format!("{}-bit float", format.bits),
        (None, _) => format!("{}-bit PCM", format.bits),
    };
    let order = if layout.big_endian {
        ", big-endian"
    } else {
        ""
    };
    format!("WAV, {coding}{order}")
}

/// The data behind a plain header.
type Plain = Chain<Cursor<Vec<u8>>, BufReader<LittleEndian<Take<BufReader<File>>>>>;

/// The decoder of a file.
enum Samples {
    Hound {
        /// Stands behind the header: hound's own count of samples ends at 4 GB.
        data: Plain,
        spec: WavSpec,
        sample_bytes: u16,
        left: u64,
    },
    Symphonia {
        source: Box<dyn AudioSource>,
        /// Samples that are left before the sound ends.
        left: u64,
    },
}

impl Samples {
    fn open(layout: &Layout, reader: BufReader<File>, name: &str) -> Result<Self, AudioError> {
        let format = layout.format;
        let data = LittleEndian {
            reader: reader.take(layout.data_bytes),
            swapped: layout.big_endian.then_some(format.sample_bytes.into()),
        };
        let plain = Cursor::new(layout.plain_header()).chain(BufReader::new(data));
        let is_law = matches!(format.tag, A_LAW | MU_LAW);
        if is_law || format.sample_bytes == 8 || format.adpcm().is_some() {
            let plain = plain.chain(io::repeat(0).take(layout.fill_bytes()));
            let media = Box::new(ReadOnlySource::new(plain));
            let source = container::open(media, name, Opening::default())?;
            let left = layout.frames() * u64::from(format.channels);
            return Ok(Self::Symphonia { source, left });
        }
        let reader = WavReader::new(plain).map_err(|error| AudioError::Damaged {
            name: name.to_owned(),
            at_frame: 0,
            reason: error.to_string(),
        })?;
        Ok(Self::Hound {
            spec: reader.spec(),
            data: reader.into_inner(),
            sample_bytes: format.sample_bytes,
            left: layout.frames(),
        })
    }

    /// Replaces `out` by the next samples; none at the end.
    fn read(&mut self, out: &mut Vec<f32>, name: &str) -> Result<(), AudioError> {
        let (data, spec, bytes, left) = match self {
            Self::Symphonia { source, left } => {
                source.read(out)?;
                out.truncate(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= out.len() as u64;
                return Ok(());
            }
            Self::Hound {
                data,
                spec,
                sample_bytes,
                left,
            } => (data, spec, *sample_bytes, left),
        };
        out.clear();
        let frames = CHUNK_FRAMES.min(*left);
        *left -= frames;
        let (format, bits) = (spec.sample_format, spec.bits_per_sample);
        let scale = 1.0 / (1_u64 << (bits - 1)) as f32;
        let mut sample = || match format {
            SampleFormat::Int => i32::read(data, format, bytes, bits).map(|it| it as f32 * scale),
            SampleFormat::Float => f32::read(data, format, bytes, bits),
        };
        for _ in 0..frames * u64::from(spec.channels) {
            let sample = sample().map_err(|error| io_error(name, io::Error::other(error)))?;
            out.push(sample);
        }
        Ok(())
    }
}

struct Wave {
    samples: Samples,
    /// Frames stated by the file's header.
    stated_frames: Option<u64>,
    tally: Tally,
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
        self.samples.read(out, &self.tally.spec.name)?;
        if out.is_empty() {
            self.tally.end(self.stated_frames);
        }
        self.tally.chunk(out)
    }

    fn take_warnings(&mut self, out: &mut Vec<SourceWarning>) {
        if let Samples::Symphonia { source, .. } = &mut self.samples {
            source.take_warnings(out);
        }
        out.append(&mut self.tally.warnings);
    }
}

/// Whole samples, each turned round if they are big-endian.
struct LittleEndian<R> {
    reader: R,
    /// Bytes of a big-endian sample.
    swapped: Option<usize>,
}

impl<R: Read> Read for LittleEndian<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some(width) = self.swapped else {
            return self.reader.read(out);
        };
        // the buffer in front of it is larger than a sample, and the data holds whole ones
        let whole = out.len() - out.len() % width;
        let mut filled = self.reader.read(&mut out[..whole])?;
        while filled % width != 0 {
            match self.reader.read(&mut out[filled..whole])? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                more => filled += more,
            }
        }
        out[..filled]
            .chunks_exact_mut(width)
            .for_each(<[u8]>::reverse);
        Ok(filled)
    }
}
