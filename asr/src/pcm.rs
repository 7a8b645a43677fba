//! Raw PCM from a pipe: it has no header, so the caller gives rate, channels and format.
//!
//! Nothing is guessed. Invariant: every whole frame of the pipe is returned once, in order; an
//! incomplete last frame is dropped and reported. NaN and infinite samples become silence and are
//! counted: one bad sample must not end a live source.

use std::io::{ErrorKind, Read};

use crate::{AudioError, AudioSource, SourceSpec, SourceWarning};

/// Bytes read at once. Small, so that live sound is not delayed: 64 ms of 16-bit mono at 16 kHz.
const CHUNK_BYTES: usize = 2_048;

/// Sample format, little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PcmFormat {
    /// Signed 16-bit integers.
    S16,
    /// 32-bit floats, nominally -1 to 1.
    F32,
}

impl PcmFormat {
    /// Bytes of one sample.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::S16 => 2,
            Self::F32 => 4,
        }
    }
}

/// Reads raw PCM from any reader.
pub struct PcmReader<R> {
    reader: R,
    spec: SourceSpec,
    format: PcmFormat,
    buffer: Vec<u8>,
    fill: usize,
    frames: u64,
    non_finite: u64,
    ended: bool,
    warnings: Vec<SourceWarning>,
}

impl<R: Read> PcmReader<R> {
    /// Makes a source of raw PCM called `name`.
    ///
    /// # Errors
    /// The rate or channel count is out of range.
    pub fn new(
        reader: R,
        name: &str,
        format: PcmFormat,
        rate_hz: u32,
        channels: u16,
    ) -> Result<Self, AudioError> {
        let label = match format {
            PcmFormat::S16 => "raw PCM, signed 16-bit little-endian",
            PcmFormat::F32 => "raw PCM, 32-bit float little-endian",
        };
        let spec = SourceSpec {
            name: name.to_owned(),
            format: label.to_owned(),
            rate_hz,
            channels,
            frames: None,
        }
        .check()?;
        let frame = usize::from(channels) * format.bytes();
        Ok(Self {
            reader,
            spec,
            format,
            buffer: vec![0; CHUNK_BYTES.max(frame).next_multiple_of(frame)],
            fill: 0,
            frames: 0,
            non_finite: 0,
            ended: false,
            warnings: Vec::new(),
        })
    }

    fn frame_bytes(&self) -> usize {
        usize::from(self.spec.channels) * self.format.bytes()
    }

    /// Reads until there is a whole frame or the pipe ends; returns the bytes of whole frames.
    fn fill_buffer(&mut self) -> Result<usize, AudioError> {
        let frame = self.frame_bytes();
        while self.fill < frame && !self.ended {
            match self.reader.read(&mut self.buffer[self.fill..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.fill += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(AudioError::Io {
                        name: self.spec.name.clone(),
                        source,
                    });
                }
            }
        }
        Ok(self.fill / frame * frame)
    }

    fn end(&mut self) {
        let name = self.spec.name.clone();
        if self.fill > 0 {
            self.fill = 0;
            self.warnings.push(SourceWarning::Truncated {
                name: name.clone(),
                expected_frames: self.frames + 1,
                found_frames: self.frames,
                rate_hz: self.spec.rate_hz,
            });
        }
        if self.non_finite > 0 {
            let count = std::mem::take(&mut self.non_finite);
            self.warnings.push(SourceWarning::NonFinite { name, count });
        }
    }
}

impl<R: Read + Send> AudioSource for PcmReader<R> {
    fn spec(&self) -> &SourceSpec {
        &self.spec
    }

    fn read(&mut self, out: &mut Vec<f32>) -> Result<usize, AudioError> {
        out.clear();
        let whole = self.fill_buffer()?;
        if whole == 0 {
            self.end();
            return Ok(0);
        }
        let bytes = &self.buffer[..whole];
        match self.format {
            PcmFormat::S16 => out.extend(
                bytes
                    .chunks_exact(2)
                    .map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32_768.0),
            ),
            PcmFormat::F32 => out.extend(
                bytes
                    .chunks_exact(4)
                    .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            ),
        }
        self.non_finite += silence_non_finite(out);
        self.buffer.copy_within(whole..self.fill, 0);
        self.fill -= whole;
        self.frames += (whole / self.frame_bytes()) as u64;
        Ok(out.len())
    }

    fn take_warnings(&mut self, out: &mut Vec<SourceWarning>) {
        out.append(&mut self.warnings);
    }
}

/// Replaces NaN and infinite samples by silence and returns their number.
fn silence_non_finite(samples: &mut [f32]) -> u64 {
    let mut count = 0;
    for sample in samples {
        if !sample.is_finite() {
            *sample = 0.0;
            count += 1;
        }
    }
    count
}
