//! The header of a WAV file, read by chunks: RIFF, RIFX (big-endian), RF64 and BW64.
//!
//! It reads no samples. Invariant: the returned data range lies inside the file: the data begins at
//! the returned offset and at least the returned number of bytes follow.

use std::io::{Read, Seek, SeekFrom};

use super::complaint::{CONVERT, io_error, shown};
use crate::AudioError;

/// A data length that means "unknown when the header was written".
const LEN_UNKNOWN: u32 = u32::MAX;
/// Most bytes of a format chunk that are read.
const FMT_BYTES_MAX: u64 = 64;
/// Most chunks accepted before the data.
const CHUNKS_MAX: u32 = 10_000;

/// How a sample is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// Integers in containers of 1 to 4 bytes, of which `bits` are used.
    Int {
        container_bytes: u16,
        bits: u16,
    },
    /// 32-bit floats.
    Float,
    /// 64-bit floats.
    Double,
    MuLaw,
    ALaw,
}

impl Coding {
    pub(super) fn sample_bytes(self) -> u16 {
        match self {
            Self::Int {
                container_bytes, ..
            } => container_bytes,
            Self::Float => 4,
            Self::Double => 8,
            Self::MuLaw | Self::ALaw => 1,
        }
    }
}

/// Position and encoding of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub coding: Coding,
    pub channels: u16,
    pub rate_hz: u32,
    pub big_endian: bool,
    pub data_start: u64,
    /// Data bytes stated by the header; `None` if it states that the length is unknown.
    pub stated_bytes: Option<u64>,
    /// Data bytes present in the file.
    pub data_bytes: u64,
    /// True when the header states 0 bytes but samples follow it.
    pub found_behind_zero: bool,
}

impl Layout {
    pub(super) fn frame_bytes(&self) -> u64 {
        u64::from(self.channels) * u64::from(self.coding.sample_bytes())
    }
}

/// Reads chunks up to the data chunk.
///
/// # Errors
/// The header is damaged, the encoding is not supported, or there is no data chunk.
pub(super) fn read<R: Read + Seek>(
    reader: &mut R,
    file_bytes: u64,
    name: &str,
) -> Result<Layout, AudioError> {
    let mut walk = Walk {
        reader,
        name,
        file_bytes,
        at: 0,
        big_endian: false,
    };
    let mut magic = [0u8; 4];
    walk.exact(&mut magic, "the RIFF header")?;
    walk.big_endian = &magic == b"RIFX";
    let wide = matches!(&magic, b"RF64" | b"BW64");
    walk.exact(&mut [0; 8], "the RIFF header")?;
    let mut format = None;
    let mut wide_data = None;
    for _ in 0..CHUNKS_MAX {
        let Some((id, len)) = walk.chunk_header()? else {
            break;
        };
        let body = walk.at;
        match &id {
            b"fmt " => format = Some(walk.format(u64::from(len))?),
            b"ds64" if wide => wide_data = Some(walk.wide_sizes()?),
            b"data" => {
                let Some(format) = format else {
                    return Err(walk.damaged("its data comes before its format chunk"));
                };
                let stated = match (len, wide_data) {
                    (LEN_UNKNOWN, wide_data) => wide_data,
                    (len, _) => Some(u64::from(len)),
                };
                return walk.data(format, stated);
            }
            _ => {}
        }
        // Chunks are padded to an even length.
        walk.seek_to(body + u64::from(len) + u64::from(len & 1))?;
    }
    let missing = if format.is_none() { "format" } else { "data" };
    Err(walk.damaged(&format!("there is no {missing} chunk in it")))
}

/// Content of a format chunk.
#[derive(Clone, Copy)]
struct Format {
    coding: Coding,
    channels: u16,
    rate_hz: u32,
}

struct Walk<'a, R> {
    reader: &'a mut R,
    name: &'a str,
    file_bytes: u64,
    at: u64,
    big_endian: bool,
}

impl<R: Read + Seek> Walk<'_, R> {
    fn format(&mut self, len: u64) -> Result<Format, AudioError> {
        if len < 14 {
            return Err(self.bad("format chunk length", len, "16 bytes or more"));
        }
        let mut chunk = vec![0u8; usize::try_from(len.min(FMT_BYTES_MAX)).unwrap_or(0)];
        self.exact(&mut chunk, "its format chunk")?;
        let word = |at: usize| chunk.get(at..at + 2).map_or(0, |b| self.u16([b[0], b[1]]));
        let (channels, block) = (word(2), word(12));
        let rate_hz = self.u32([chunk[4], chunk[5], chunk[6], chunk[7]]);
        if channels == 0 {
            return Err(self.bad("channels", 0, "1 to 256"));
        }
        if rate_hz == 0 {
            return Err(self.bad("sampling rate", "0 Hz", "1000 to 768000 Hz"));
        }
        // WAVE_FORMAT_EXTENSIBLE stores the format tag in the first four bytes of a GUID.
        let low_half = if self.big_endian { 26 } else { 24 };
        let extensible = word(0) == 0xfffe && chunk.len() >= 28;
        let tag = if extensible { word(low_half) } else { word(0) };
        // It may use fewer valid bits than the container has.
        let stated = word(14);
        let coding = self.coding(tag, stated, block / channels)?;
        if block % channels != 0 {
            return Err(self.bad("block size", block, "a multiple of the channel count"));
        }
        Ok(Format {
            coding,
            channels,
            rate_hz,
        })
    }

    fn coding(&self, tag: u16, bits: u16, container_bytes: u16) -> Result<Coding, AudioError> {
        let coding = match tag {
            0x0001 => match container_bytes {
                1..=4 if (1..=container_bytes * 8).contains(&bits) => Coding::Int {
                    container_bytes,
                    bits,
                },
                1..=4 => return Err(self.bad("bits a sample", bits, "1 to 8 a byte of the block")),
                5..=8 => return Err(self.unsupported(&format!("WAV with {bits}-bit integers"))),
                other => return Err(self.bad("bytes a sample", other, "1 to 4")),
            },
            0x0003 if container_bytes == 4 => Coding::Float,
            0x0003 if container_bytes == 8 => Coding::Double,
            0x0003 => return Err(self.bad("bytes a float sample", container_bytes, "4 or 8")),
            0x0006 => Coding::ALaw,
            0x0007 => Coding::MuLaw,
            0x0002 => return Err(self.unsupported("WAV with Microsoft ADPCM")),
            0x0011 => return Err(self.unsupported("WAV with IMA ADPCM")),
            0x0031 => return Err(self.unsupported("WAV with GSM 6.10")),
            0x0050 | 0x0055 => return Err(self.unsupported("WAV with MPEG audio")),
            tag => return Err(self.unsupported(&format!("WAV with coding 0x{tag:04x}"))),
        };
        if matches!(coding, Coding::ALaw | Coding::MuLaw) && container_bytes != 1 {
            return Err(self.bad("bytes a sample", container_bytes, "1"));
        }
        Ok(coding)
    }

    /// Data length in the `ds64` chunk of an RF64 file.
    fn wide_sizes(&mut self) -> Result<u64, AudioError> {
        let mut chunk = [0u8; 16];
        self.exact(&mut chunk, "its 64-bit sizes")?;
        let mut size = [0u8; 8];
        size.copy_from_slice(&chunk[8..]);
        Ok(u64::from_le_bytes(size))
    }

    fn data(&mut self, format: Format, stated: Option<u64>) -> Result<Layout, AudioError> {
        let start = self.at;
        let behind = self.file_bytes.saturating_sub(start);
        let found_behind_zero =
            stated == Some(0) && behind > 0 && !self.chunks_to_the_end(start)?;
        let stated_bytes = if found_behind_zero { None } else { stated };
        let mut layout = Layout {
            coding: format.coding,
            channels: format.channels,
            rate_hz: format.rate_hz,
            big_endian: self.big_endian,
            data_start: start,
            stated_bytes,
            data_bytes: stated_bytes.unwrap_or(behind).min(behind),
            found_behind_zero,
        };
        layout.data_bytes -= layout.data_bytes % layout.frame_bytes();
        Ok(layout)
    }

    /// True when only well-formed chunks lie between `from` and the end of the file: then a data
    /// length of 0 is correct.
    fn chunks_to_the_end(&mut self, from: u64) -> Result<bool, AudioError> {
        let mut at = from;
        while at + 8 <= self.file_bytes {
            self.seek_to(at)?;
            let Some((id, len)) = self.chunk_header()? else {
                return Ok(false);
            };
            if !id.iter().all(|b| b.is_ascii_graphic() || *b == b' ') {
                return Ok(false);
            }
            at += 8 + u64::from(len) + u64::from(len & 1);
        }
        // Many writers omit the padding byte of the last chunk.
        Ok(at == self.file_bytes || at == self.file_bytes + 1)
    }

    /// Name and length of the next chunk; `None` at the end of the file.
    fn chunk_header(&mut self) -> Result<Option<([u8; 4], u32)>, AudioError> {
        if self.at + 8 > self.file_bytes {
            return Ok(None);
        }
        let mut header = [0u8; 8];
        self.exact(&mut header, "a chunk header")?;
        let id = [header[0], header[1], header[2], header[3]];
        Ok(Some((
            id,
            self.u32([header[4], header[5], header[6], header[7]]),
        )))
    }

    fn exact(&mut self, buffer: &mut [u8], part: &str) -> Result<(), AudioError> {
        if self.at + buffer.len() as u64 > self.file_bytes {
            let (bytes, name) = (self.file_bytes, self.name.to_owned());
            let reason =
                format!("its header is cut short inside {part} (the file has {bytes} bytes)");
            return Err(AudioError::Damaged {
                name,
                at_frame: 0,
                reason,
            });
        }
        self.reader
            .read_exact(buffer)
            .map_err(|source| io_error(self.name, source))?;
        self.at += buffer.len() as u64;
        Ok(())
    }

    fn seek_to(&mut self, at: u64) -> Result<(), AudioError> {
        let at = at.min(self.file_bytes);
        self.reader
            .seek(SeekFrom::Start(at))
            .map_err(|source| io_error(self.name, source))?;
        self.at = at;
        Ok(())
    }

    fn u16(&self, bytes: [u8; 2]) -> u16 {
        if self.big_endian {
            u16::from_be_bytes(bytes)
        } else {
            u16::from_le_bytes(bytes)
        }
    }

    fn u32(&self, bytes: [u8; 4]) -> u32 {
        if self.big_endian {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        }
    }

    fn bad(
        &self,
        field: &'static str,
        value: impl std::fmt::Display,
        expected: &'static str,
    ) -> AudioError {
        let name = self.name.to_owned();
        AudioError::BadHeader {
            name,
            field,
            value: format!("{value}"),
            expected,
        }
    }

    fn unsupported(&self, what: &str) -> AudioError {
        let (name, what) = (self.name.to_owned(), shown(what.as_bytes()));
        AudioError::Unsupported {
            name,
            what,
            advice: CONVERT.to_owned(),
        }
    }

    fn damaged(&self, reason: &str) -> AudioError {
        let name = self.name.to_owned();
        AudioError::Damaged {
            name,
            at_frame: 0,
            reason: reason.to_owned(),
        }
    }
}
