//! Raw AAC (ADTS) whose rate or channels change inside the file. symphonia takes both from the
//! first header, so each stretch with one rate and number of channels is opened as a file.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use symphonia::core::io::ReadOnlySource;

use super::complaint::io_error;
use super::container::{self, Opening};
use super::reshape::Reshape;
use super::tally::Tally;
use crate::{AudioError, AudioSource, SourceWarning};

const HEADER_BYTES: usize = 7;

/// Opens a file whose first ADTS header stands at byte `start`; an ID3 tag may precede it.
pub(super) fn open(
    mut file: File,
    start: u64,
    name: &str,
    opening: Opening,
) -> Result<Box<dyn AudioSource>, AudioError> {
    let mut parts = stretches(&file, start).map_err(|error| io_error(name, error))?;
    if parts.len() < 2 {
        file.rewind().map_err(|error| io_error(name, error))?;
        return container::open(Box::new(file), name, opening);
    }
    let first = parts.pop_front().unwrap_or_default();
    let source = open_part(&file, first, name, opening)?;
    let mut spec = source.spec().clone();
    spec.frames = None;
    let reshape = Reshape::new(name, (spec.rate_hz, spec.channels));
    Ok(Box::new(Stretches {
        file,
        parts,
        source,
        opening,
        reshape,
        tally: Tally::new(spec),
        refused: 0,
        first_refusal: String::new(),
    }))
}

/// Most stretches of a file; the last one takes in all that follows.
const PARTS_MAX: usize = 4_096;

/// Start and length in bytes of each stretch of frames of one kind.
fn stretches(file: &File, start: u64) -> io::Result<VecDeque<(u64, u64)>> {
    let end = file.metadata()?.len();
    let mut reader = BufReader::with_capacity(1 << 16, file);
    reader.seek(SeekFrom::Start(start))?;
    let (mut at, mut kind, mut other) = (start, None, None);
    let mut starts = vec![start];
    while at + HEADER_BYTES as u64 <= end {
        let mut bytes = [0; HEADER_BYTES];
        reader.read_exact(&mut bytes)?;
        let mut step = 1;
        if let Some((found, length)) = header(bytes) {
            step = length;
            match (kind, other) {
                (Some(kind), _) if found == kind => other = None,
                // a single header of another kind may be damage
                (Some(_), Some((next, from))) if found == next && starts.len() < PARTS_MAX => {
                    starts.push(from);
                    (kind, other) = (Some(found), None);
                }
                (Some(_), _) => other = Some((found, at)),
                (None, _) => kind = Some(found),
            }
        }
        at += step;
        reader.seek_relative(step as i64 - HEADER_BYTES as i64)?;
    }
    let ends = starts.iter().skip(1).copied().chain([end]);
    Ok(starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(from, to)| (from, to - from))
        .collect())
}

/// Kind (profile, rate, channels) and length of a frame.
fn header(bytes: [u8; HEADER_BYTES]) -> Option<([u8; 2], u64)> {
    let [sync, version, kind, more, length, rest, _] = bytes;
    let length = u64::from(more & 3) << 11 | u64::from(length) << 3 | u64::from(rest >> 5);
    let is_header = sync == 0xff && version & 0xf6 == 0xf0 && kind >> 2 & 15 < 13;
    // the bit between rate and channels has no meaning for decoders
    let found = ([kind & 0xfd, more & 0xc0], length);
    (is_header && length >= HEADER_BYTES as u64).then_some(found)
}

fn open_part(
    file: &File,
    (from, bytes): (u64, u64),
    name: &str,
    opening: Opening,
) -> Result<Box<dyn AudioSource>, AudioError> {
    let part = || {
        let mut file = file.try_clone()?;
        file.seek(SeekFrom::Start(from))?;
        Ok(ReadOnlySource::new(BufReader::new(file).take(bytes)))
    };
    let part = part().map_err(|error| io_error(name, error))?;
    container::open(Box::new(part), name, opening)
}

struct Stretches {
    file: File,
    /// Stretches that are not opened yet.
    parts: VecDeque<(u64, u64)>,
    source: Box<dyn AudioSource>,
    opening: Opening,
    reshape: Reshape,
    tally: Tally,
    /// Number of stretches that could not be opened, and the error of the first.
    refused: u64,
    first_refusal: String,
}

impl Stretches {
    /// Opens the next stretch; false at the end.
    fn turn(&mut self) -> bool {
        self.source.take_warnings(&mut self.tally.warnings);
        while let Some(part) = self.parts.pop_front() {
            let name = self.tally.spec.name.clone();
            match open_part(&self.file, part, &name, self.opening) {
                Ok(source) => {
                    self.source = source;
                    return true;
                }
                Err(error) => {
                    if self.refused == 0 {
                        self.first_refusal = error.to_string();
                    }
                    self.refused += 1;
                }
            }
        }
        false
    }
}

impl AudioSource for Stretches {
    fn spec(&self) -> &crate::SourceSpec {
        &self.tally.spec
    }

    fn read(&mut self, out: &mut Vec<f32>) -> Result<usize, AudioError> {
        out.clear();
        while !self.tally.ended && out.is_empty() {
            if self.source.read(out)? > 0 {
                let shape = (self.source.spec().rate_hz, self.source.spec().channels);
                self.reshape.step(shape, out, self.tally.frames)?;
            } else if !self.turn() {
                self.reshape.finish(out);
                if out.is_empty() {
                    self.tally.warnings.extend(self.reshape.warning());
                    let name = self.tally.spec.name.clone();
                    let refused = (self.refused > 0).then(|| SourceWarning::Damaged {
                        name,
                        packets: self.refused,
                        reason: self.first_refusal.clone(),
                    });
                    self.tally.warnings.extend(refused);
                    self.tally.end(None);
                }
            }
        }
        self.tally.chunk(out)
    }

    fn take_warnings(&mut self, out: &mut Vec<SourceWarning>) {
        self.source.take_warnings(out);
        out.append(&mut self.tally.warnings);
    }
}
