//! The header of a WAV file, read by chunks: RIFF, RIFX (big-endian), RF64 and BW64.
//!
//! hound and symphonia read plain files only: both refuse 64-bit lengths and big-endian samples,
//! believe the length of 0 that a killed recorder leaves, and differ where a sample has fewer bits
//! than its bytes. So the header is read here, and stated again for them as a plain one. Invariant:
//! the data range lies inside the file and holds whole frames.

use std::io::{Read, Seek, SeekFrom};

use super::complaint::{io_error, unsupported};
use crate::AudioError;

/// A data length that means "unknown when the header was written".
const LEN_UNKNOWN: u32 = u32::MAX;
/// Most bytes of a format chunk that are read.
const FMT_BYTES_MAX: u64 = 64;
/// Most chunks accepted before the data.
const CHUNKS_MAX: u32 = 10_000;

/// Format tags.
pub(super) const PCM: u16 = 0x0001;
pub(super) const FLOAT: u16 = 0x0003;
const MS_ADPCM: u16 = 0x0002;
pub(super) const A_LAW: u16 = 0x0006;
pub(super) const MU_LAW: u16 = 0x0007;
const IMA_ADPCM: u16 = 0x0011;
const EXTENSIBLE: u16 = 0xfffe;

/// Encoding of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    pub tag: u16,
    pub channels: u16,
    pub rate_hz: u32,
    pub sample_bytes: u16,
    /// Bits of a sample that are read.
    pub bits: u16,
    /// Bytes that are decoded together: one frame, or one block of ADPCM.
    pub block_bytes: u16,
    /// Frames in a block.
    pub block_frames: u16,
    /// Bits of a sample and bytes of a block as the header states them, if they contradict each
    /// other.
    pub contradicts: Option<(u16, u16)>,
}

impl Format {
    /// For ADPCM: its name, the bytes at the head of a block for each channel, and the frames that
    /// they hold.
    pub(super) fn adpcm(&self) -> Option<(&'static str, u64, u64)> {
        match self.tag {
            MS_ADPCM => Some(("Microsoft ADPCM", 7, 2)),
            IMA_ADPCM => Some(("IMA ADPCM", 4, 1)),
            _ => None,
        }
    }

    /// Frames in these bytes; the last block of ADPCM may be short.
    pub(super) fn frames(&self, bytes: u64) -> u64 {
        let block = u64::from(self.block_bytes);
        bytes / block * u64::from(self.block_frames) + self.frames_of_block(bytes % block)
    }

    fn frames_of_block(&self, bytes: u64) -> u64 {
        let channels = u64::from(self.channels);
        let Some((_, head, frames)) = self.adpcm() else {
            return 0;
        };
        match bytes.checked_sub(head * channels) {
            None => 0,
            // eight frames of one channel alternate with eight of the other
            Some(bytes) if self.tag == IMA_ADPCM && channels == 2 => frames + bytes / 8 * 8,
            Some(bytes) => frames + bytes * 2 / channels,
        }
    }
}

/// Position and encoding of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub format: Format,
    pub big_endian: bool,
    pub data_start: u64,
    /// Data bytes stated by the header; `None` if it states that the length is unknown.
    pub stated_bytes: Option<u64>,
    /// Data bytes present in the file.
    pub data_bytes: u64,
    /// Number of frames that the fact chunk states.
    pub fact_frames: Option<u64>,
    /// True when the header states 0 bytes but samples follow it.
    pub found_behind_zero: bool,
}

impl Layout {
    /// Number of frames in the data. Writers of ADPCM fill up the last block; the fact chunk then
    /// states where the sound ends.
    pub(super) fn frames(&self) -> u64 {
        let frames = self.format.frames(self.data_bytes);
        let fill = u64::from(self.format.block_frames);
        let fact = self.fact_frames.filter(|fact| (1..frames).contains(fact));
        fact.filter(|fact| frames - fact < fill).unwrap_or(frames)
    }

    /// Number of zero bytes that complete the last block.
    pub(super) fn fill_bytes(&self) -> u64 {
        let block = u64::from(self.format.block_bytes);
        self.data_bytes.next_multiple_of(block) - self.data_bytes
    }

    /// A plain header for the data; its length saturates.
    pub(super) fn plain_header(&self) -> Vec<u8> {
        let Format {
            tag,
            channels,
            rate_hz,
            bits,
            block_bytes: frame,
            block_frames,
            ..
        } = self.format;
        // hound takes 32-bit integers without the extension's length only, symphonia the laws of
        // telephony with it only
        let [low, high] = block_frames.to_le_bytes();
        let extension: &[u8] = match tag {
            PCM => &[],
            IMA_ADPCM => &[2, 0, low, high],
            // room for the coefficients: symphonia has its own
            MS_ADPCM => &[&[32, 0, low, high], &[0; 30][..]].concat(),
            _ => &[0, 0],
        };
        let data = self.data_bytes.saturating_add(self.fill_bytes());
        let data = u32::try_from(data).unwrap_or(u32::MAX);
        let format_bytes = 16 + extension.len() as u32;
        let parts: [&[u8]; 13] = [
            b"RIFF",
            &data.saturating_add(20 + format_bytes).to_le_bytes(),
            b"WAVEfmt ",
            &format_bytes.to_le_bytes(),
            &tag.to_le_bytes(),
            &channels.to_le_bytes(),
            &rate_hz.to_le_bytes(),
            &rate_hz.saturating_mul(frame.into()).to_le_bytes(),
            &frame.to_le_bytes(),
            &bits.to_le_bytes(),
            extension,
            b"data",
            &data.to_le_bytes(),
        ];
        parts.concat()
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
    let magic: [u8; 4] = walk.exact("the RIFF header")?;
    walk.big_endian = &magic == b"RIFX";
    let wide = matches!(&magic, b"RF64" | b"BW64");
    walk.exact::<8>("the RIFF header")?;
    let mut format = None;
    let mut wide_data = None;
    let mut fact_frames = None;
    for _ in 0..CHUNKS_MAX {
        let Some((id, len)) = walk.chunk_header()? else {
            break;
        };
        let body = walk.at;
        match &id {
            b"fmt " => format = Some(walk.format(u64::from(len))?),
            b"ds64" if wide => {
                walk.exact::<8>("its 64-bit sizes")?;
                wide_data = Some(u64::from_le_bytes(walk.exact("its 64-bit sizes")?));
            }
            b"fact" if len >= 4 => {
                let frames = walk.exact("its fact chunk")?;
                fact_frames = Some(u64::from(walk.u32(frames)));
            }
            b"data" => {
                let Some(format) = format else {
                    return Err(walk.damaged("its data comes before its format chunk"));
                };
                let stated = match (len, wide_data) {
                    (LEN_UNKNOWN, wide_data) => wide_data,
                    (len, _) => Some(u64::from(len)),
                };
                let layout = walk.data(format, stated)?;
                return Ok(Layout {
                    fact_frames,
                    ..layout
                });
            }
            _ => {}
        }
        // Chunks are padded to an even length.
        walk.seek_to(body + u64::from(len) + u64::from(len & 1))?;
    }
    let missing = if format.is_none() { "format" } else { "data" };
    Err(walk.damaged(&format!("there is no {missing} chunk in it")))
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
        self.fill(&mut chunk, "its format chunk")?;
        let word = |at: usize| chunk.get(at..at + 2).map_or(0, |b| self.u16([b[0], b[1]]));
        let (channels, block) = (word(2), word(12));
        let rate_hz = self.u32([chunk[4], chunk[5], chunk[6], chunk[7]]);
        if channels == 0 {
            return Err(self.bad("channels", 0, "1 to 256"));
        }
        // WAVE_FORMAT_EXTENSIBLE stores the format tag in the first four bytes of a GUID.
        let low_half = if self.big_endian { 26 } else { 24 };
        let extensible = word(0) == EXTENSIBLE && chunk.len() >= 28;
        let tag = if extensible { word(low_half) } else { word(0) };
        let format = Format {
            tag,
            channels,
            rate_hz,
            sample_bytes: 1,
            bits: word(14),
            block_bytes: block,
            block_frames: 1,
            contradicts: None,
        };
        if format.adpcm().is_some() {
            return self.adpcm(format);
        }
        let byte_rate = self.u32([chunk[8], chunk[9], chunk[10], chunk[11]]);
        self.samples(format, byte_rate)
    }

    /// Sets the bytes and bits of a sample. If bits and block size contradict each other, the bits
    /// decide: more writers state a wrong block size than wrong bits.
    fn samples(&self, mut format: Format, byte_rate: u32) -> Result<Format, AudioError> {
        let Format {
            tag,
            channels,
            bits: stated,
            block_bytes: block,
            ..
        } = format;
        let by_bits = stated.div_ceil(8);
        let is_legal = match tag {
            PCM => (1..=4).contains(&by_bits),
            FLOAT => matches!(by_bits, 4 | 8),
            A_LAW | MU_LAW => true,
            _ => false,
        };
        let by_bits = if matches!(tag, A_LAW | MU_LAW) {
            1
        } else {
            by_bits
        };
        // 17 to 31 bits stored in four bytes each are legal if the byte rate agrees
        let agrees = u64::from(byte_rate) == u64::from(format.rate_hz) * u64::from(block);
        let is_wide = matches!(stated, 17..=31) && channels.checked_mul(4) == Some(block) && agrees;
        let go_by_bits = is_legal && !is_wide && channels.checked_mul(by_bits) != Some(block);
        if go_by_bits {
            format.contradicts = Some((stated, block));
        } else if block % channels != 0 {
            return Err(self.bad("block size", block, "a multiple of the channel count"));
        }
        let bytes = if go_by_bits {
            by_bits
        } else {
            block / channels
        };
        self.check_coding(tag, bytes, stated)?;
        format.sample_bytes = bytes;
        format.block_bytes = channels.saturating_mul(bytes);
        // 24 bits in the low end of four bytes are the one exception. All other formats put fewer
        // bits than the container has at its high end, so the whole container is read.
        format.bits = match (bytes, stated) {
            (4, 24) => 24,
            _ => bytes * 8,
        };
        Ok(format)
    }

    fn check_coding(&self, tag: u16, sample_bytes: u16, bits: u16) -> Result<(), AudioError> {
        let what = match (tag, sample_bytes) {
            (PCM, 1..=4) | (FLOAT, 4 | 8) | (A_LAW | MU_LAW, 1) => return Ok(()),
            (PCM, 5..=8) => format!("WAV with {bits}-bit integers"),
            (PCM | FLOAT | A_LAW | MU_LAW, other) => {
                return Err(self.bad("bytes a sample", other, "1 to 4, of a float 4 or 8"));
            }
            (0x0031, _) => "WAV with GSM 6.10".to_owned(),
            (0x0050 | 0x0055, _) => "WAV with MPEG audio".to_owned(),
            (tag, _) => format!("WAV with coding 0x{tag:04x}"),
        };
        Err(unsupported(self.name, &what))
    }

    /// Sets the number of frames in a block of ADPCM.
    fn adpcm(&self, mut format: Format) -> Result<Format, AudioError> {
        let Some((coding, head, _)) = format.adpcm() else {
            return Ok(format);
        };
        let (channels, block) = (format.channels, u64::from(format.block_bytes));
        if format.bits != 4 || channels > 2 {
            let bits = format.bits;
            let what = format!("WAV with {coding} of {bits} bits, {channels} channels");
            return Err(unsupported(self.name, &what));
        }
        let head = head * u64::from(channels);
        // a block of two channels holds whole groups of eight frames
        let is_ragged = format.tag == IMA_ADPCM && channels == 2 && block % 8 != 0;
        if block <= head || is_ragged {
            return Err(self.bad("block size", block, "a head and whole groups of frames"));
        }
        let frames = format.frames_of_block(block);
        format.block_frames = u16::try_from(frames)
            .map_err(|_| self.bad("block size", block, "at most 65535 frames"))?;
        Ok(format)
    }

    fn data(&mut self, format: Format, stated: Option<u64>) -> Result<Layout, AudioError> {
        let start = self.at;
        let behind = self.file_bytes.saturating_sub(start);
        let found_behind_zero =
            stated == Some(0) && behind > 0 && !self.chunks_to_the_end(start)?;
        let stated_bytes = if found_behind_zero { None } else { stated };
        let data_bytes = stated_bytes.unwrap_or(behind).min(behind);
        // a short last block is left out unless it holds a frame
        let rest = data_bytes % u64::from(format.block_bytes);
        let cut = if format.frames_of_block(rest) == 0 {
            rest
        } else {
            0
        };
        Ok(Layout {
            big_endian: self.big_endian,
            data_start: start,
            stated_bytes,
            data_bytes: data_bytes - cut,
            fact_frames: None,
            found_behind_zero,
            format,
        })
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
        let id = self.exact("a chunk header")?;
        let len = self.exact("a chunk header")?;
        Ok(Some((id, self.u32(len))))
    }

    fn exact<const N: usize>(&mut self, part: &str) -> Result<[u8; N], AudioError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, part)?;
        Ok(bytes)
    }

    fn fill(&mut self, buffer: &mut [u8], part: &str) -> Result<(), AudioError> {
        if self.at + buffer.len() as u64 > self.file_bytes {
            let bytes = self.file_bytes;
            return Err(self.damaged(&format!(
                "its header is cut short inside {part} (the file has {bytes} bytes)"
            )));
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
        match self.big_endian {
            true => u16::from_be_bytes(bytes),
            false => u16::from_le_bytes(bytes),
        }
    }

    fn u32(&self, bytes: [u8; 4]) -> u32 {
        match self.big_endian {
            true => u32::from_be_bytes(bytes),
            false => u32::from_le_bytes(bytes),
        }
    }

    fn bad(
        &self,
        field: &'static str,
        value: impl std::fmt::Display,
        expected: &'static str,
    ) -> AudioError {
        AudioError::BadHeader {
            name: self.name.to_owned(),
            field,
            value: value.to_string(),
            expected,
        }
    }

    fn damaged(&self, reason: &str) -> AudioError {
        AudioError::Damaged {
            name: self.name.to_owned(),
            at_frame: 0,
            reason: reason.to_owned(),
        }
    }
}
