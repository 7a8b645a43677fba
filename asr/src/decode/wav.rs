//! Reads WAV samples after the header that `riff` reads.
//!
//! Invariant: every whole frame of the data is returned once; fewer frames than the header states
//! give a warning.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Take};

use super::complaint::io_error;
use super::riff::{self, Coding, Layout};
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
    Ok(Box::new(Wave {
        reader: reader.take(layout.data_bytes),
        layout,
        tally,
        bytes: Vec::new(),
    }))
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

/// Frames stated by the file's header.
fn promised_frames(layout: &Layout) -> Option<u64> {
    layout
        .stated_bytes
        .map(|bytes| bytes / layout.frame_bytes())
}

struct Wave {
    reader: Take<BufReader<File>>,
    layout: Layout,
    tally: Tally,
    /// Bytes of the current chunk, as in the file.
    bytes: Vec<u8>,
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
        self.bytes.clear();
        let frame_bytes = self.layout.frame_bytes();
        let mut chunk = self.reader.by_ref().take(CHUNK_FRAMES * frame_bytes);
        chunk
            .read_to_end(&mut self.bytes)
            .map_err(|error| io_error(&self.tally.spec.name, error))?;
        // a truncated file ends here; its incomplete last frame is dropped
        let whole = self.bytes.len() - self.bytes.len() % frame_bytes as usize;
        let samples = self.bytes[..whole].chunks_exact(self.layout.coding.sample_bytes().into());
        out.extend(samples.map(|bytes| sample(&self.layout, bytes)));
        if out.is_empty() {
            self.tally.end(promised_frames(&self.layout));
        }
        self.tally.chunk(out)
    }

    fn take_warnings(&mut self, out: &mut Vec<SourceWarning>) {
        out.append(&mut self.tally.warnings);
    }
}

/// Converts a sample of 1 to 8 bytes; integers are scaled to -1 to 1.
fn sample(layout: &Layout, bytes: &[u8]) -> f32 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    if layout.big_endian {
        word[..bytes.len()].reverse();
    }
    let word = u64::from_le_bytes(word);
    match layout.coding {
        // 8-bit samples are unsigned, with zero at 128
        Coding::Int {
            container_bytes: 1, ..
        } => integer(word ^ 0x80, 8),
        // 24 bits in the low end of four bytes are the one exception. All other formats put fewer
        // bits than the container has at its high end, so the whole container is read.
        Coding::Int {
            container_bytes: 4,
            bits: 24,
        } => integer(word, 24),
        Coding::Int {
            container_bytes, ..
        } => integer(word, u32::from(container_bytes) * 8),
        Coding::Float => f32::from_bits(word as u32),
        Coding::Double => f64::from_bits(word) as f32,
        Coding::MuLaw => integer(mu_law(word as u8) as u64, 16),
        Coding::ALaw => integer(a_law(word as u8) as u64, 16),
    }
}

/// The low bits of a word as a signed integer.
fn integer(word: u64, bits: u32) -> f32 {
    let value = (word as i64) << (64 - bits) >> (64 - bits);
    value as f32 / (1_u64 << (bits - 1)) as f32
}

/// G.711, mu-law: sign, three bits of exponent, four of mantissa, all inverted.
fn mu_law(byte: u8) -> i16 {
    const BIAS: i16 = 0x84;
    let byte = !byte;
    let size = ((i16::from(byte & 0x0f) << 3) + BIAS) << ((byte >> 4) & 7);
    match byte & 0x80 {
        0 => size - BIAS,
        _ => BIAS - size,
    }
}

/// G.711, A-law: the same, with every other bit inverted and another step around zero.
fn a_law(byte: u8) -> i16 {
    let byte = byte ^ 0x55;
    let mantissa = (i16::from(byte & 0x0f) << 4) + 8;
    let size = match (byte >> 4) & 7 {
        0 => mantissa,
        exponent => (mantissa + 0x100) << (exponent - 1),
    };
    match byte & 0x80 {
        0 => -size,
        _ => size,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(coding: Coding, big_endian: bool, bytes: &[u8]) -> f32 {
        let layout = Layout {
            coding,
            channels: 1,
            rate_hz: 8_000,
            big_endian,
            data_start: 44,
            stated_bytes: None,
            data_bytes: 0,
            found_behind_zero: false,
        };
        sample(&layout, bytes)
    }

    fn int(container_bytes: u16, bits: u16) -> Coding {
        Coding::Int {
            container_bytes,
            bits,
        }
    }

    #[test]
    fn integers_are_shares_of_full_scale() {
        assert_eq!(of(int(1, 8), false, &[0]), -1.0);
        assert_eq!(of(int(1, 8), false, &[0x80]), 0.0);
        assert_eq!(of(int(2, 16), false, &[0, 0x80]), -1.0);
        assert_eq!(of(int(2, 12), false, &[0, 0x40]), 0.5);
        assert_eq!(of(int(2, 16), true, &[0xc0, 0]), -0.5);
        assert_eq!(of(int(3, 24), false, &[0, 0, 0x20]), 0.25);
        assert_eq!(of(int(4, 32), true, &[0x80, 0, 0, 0]), -1.0);
        assert_eq!(of(int(4, 24), false, &[0, 0, 0xc0, 0x7f]), -0.5);
    }

    #[test]
    fn floats_are_taken_as_they_are() {
        assert_eq!(of(Coding::Float, false, &0.3_f32.to_le_bytes()), 0.3);
        assert_eq!(of(Coding::Double, true, &0.3_f64.to_be_bytes()), 0.3);
    }

    /// Values from the G.711 tables, scaled to 16 bits.
    #[test]
    fn the_laws_of_telephony_are_those_of_g711() {
        let mu = [0x00, 0x7f, 0x80, 0x8f, 0xff, 0xe3].map(mu_law);
        assert_eq!(mu, [-32_124, 0, 32_124, 16_764, 0, 324]);
        let a = [0x00, 0x2a, 0x55, 0xaa, 0xd5, 0x80].map(a_law);
        assert_eq!(a, [-5_504, -32_256, -8, 32_256, 8, 5_504]);
    }
}
