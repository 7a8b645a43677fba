//! One segment: names, headers, index entries and records as bytes.

use super::Line;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use weir_core::limits::{TRANSCRIPT_RECORD_BYTES_MAX, TRANSCRIPT_SEGMENT_BYTES_MAX};
use weir_core::transcript::Place;

/// Bytes of the header of either file.
pub(super) const HEAD_BYTES: u64 = 20;
/// Bytes of the index for each turn.
pub(super) const ENTRY_BYTES: u64 = 8;
/// Files written here are never longer; a longer one is not ours.
pub(super) const FILE_BYTES_MAX: u64 =
    TRANSCRIPT_SEGMENT_BYTES_MAX + TRANSCRIPT_RECORD_BYTES_MAX + 2 * HEAD_BYTES + ENTRY_BYTES;
/// Format of both files.
const FORMAT: u32 = 1;
/// Bytes of a record before the line: checksum and turn.
const RECORD_HEAD_BYTES: usize = 12;
/// Added to the name of a file that was set aside.
pub(super) const DAMAGED: &str = ".damaged";

/// The two files of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Records.
    Lines,
    /// Where each turn's record is.
    Index,
}

impl Part {
    fn ending(self) -> &'static str {
        match self {
            Self::Lines => ".lines",
            Self::Index => ".index",
        }
    }

    fn magic(self) -> &'static [u8; 8] {
        match self {
            Self::Lines => b"WEIRLINE",
            Self::Index => b"WEIRTIDX",
        }
    }

    /// The file of a segment.
    pub(super) fn path(self, folder: &Path, first: u64) -> PathBuf {
        folder.join(format!("{first:020}{}", self.ending()))
    }

    /// The header of the file.
    pub(super) fn head(self, first: u64) -> [u8; HEAD_BYTES as usize] {
        let mut head = [0; HEAD_BYTES as usize];
        head[..8].copy_from_slice(self.magic());
        head[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        head[12..].copy_from_slice(&first.to_le_bytes());
        head
    }

    /// Checks header and length of a file; returns its length. An error of kind `UnexpectedEof`
    /// means an incomplete header, `InvalidData` a wrong one.
    pub(super) fn check(self, mut file: &File, first: u64) -> io::Result<u64> {
        let bytes = file.metadata()?.len();
        let mut found = [0; HEAD_BYTES as usize];
        file.seek(SeekFrom::Start(0))?;
        file.read_exact(&mut found)
            .map_err(|wrong| match wrong.kind() {
                io::ErrorKind::UnexpectedEof => {
                    io::Error::new(wrong.kind(), "its header is incomplete")
                }
                _ => wrong,
            })?;
        if found != self.head(first) {
            return Err(invalid("its header is not that of a transcript file"));
        }
        if bytes > FILE_BYTES_MAX {
            return Err(invalid("it is longer than any transcript file"));
        }
        Ok(bytes)
    }

    /// The first turn in such a file name; `None` for other names.
    fn first_of(self, name: &str) -> Option<u64> {
        let digits = name.strip_suffix(self.ending())?;
        let plain = digits.len() == 20 && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse().ok())?
    }
}

/// An error for invalid bytes.
pub(super) fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The files of a folder, by name.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// First turns of `.lines` files, ascending.
    pub(super) lines: Vec<u64>,
    /// First turns of `.index` files, ascending.
    pub(super) index: Vec<u64>,
    /// Files set aside.
    pub(super) damaged: Vec<PathBuf>,
}

/// Lists a folder. Ignores other files; a missing folder counts as empty.
pub(super) fn list(folder: &Path) -> io::Result<Listing> {
    let mut found = Listing::default();
    let entries = match std::fs::read_dir(folder) {
        Err(wrong) if wrong.kind() == io::ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    for entry in entries {
        let name = entry?.file_name();
        let Some(name) = name.to_str() else { continue };
        let (plain, aside) = match name.strip_suffix(DAMAGED) {
            Some(plain) => (plain, true),
            None => (name, false),
        };
        let (lines, index) = (Part::Lines.first_of(plain), Part::Index.first_of(plain));
        if aside && (lines.is_some() || index.is_some()) {
            found.damaged.push(folder.join(name));
        } else if !aside {
            found.lines.extend(lines);
            found.index.extend(index);
        }
    }
    found.lines.sort_unstable();
    found.index.sort_unstable();
    Ok(found)
}

/// Position of a turn's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// From the beginning of `.lines`.
    pub(super) offset: u32,
    /// Bytes of the record; 0 is a gap.
    pub(super) length: u32,
}

impl Entry {
    /// No record.
    pub(super) const GAP: Self = Self {
        offset: 0,
        length: 0,
    };

    /// The entry's bytes in the index.
    pub(super) fn to_bytes(self) -> [u8; ENTRY_BYTES as usize] {
        let mut bytes = [0; ENTRY_BYTES as usize];
        bytes[..4].copy_from_slice(&self.offset.to_le_bytes());
        bytes[4..].copy_from_slice(&self.length.to_le_bytes());
        bytes
    }

    /// Position of an entry in the index, counted from the segment's first turn.
    pub(super) fn place(at: u64) -> u64 {
        HEAD_BYTES.saturating_add(at.saturating_mul(ENTRY_BYTES))
    }

    /// Reads the next entry.
    pub(super) fn read(mut index: impl Read) -> io::Result<Self> {
        let mut bytes = [0; ENTRY_BYTES as usize];
        index.read_exact(&mut bytes)?;
        let [o0, o1, o2, o3, l0, l1, l2, l3] = bytes;
        Ok(Self {
            offset: u32::from_le_bytes([o0, o1, o2, o3]),
            length: u32::from_le_bytes([l0, l1, l2, l3]),
        })
    }

    /// Whether the turn has no record.
    pub(super) fn is_gap(self) -> bool {
        self.length == 0
    }

    /// First byte after the record.
    pub(super) fn end(self) -> u64 {
        u64::from(self.offset) + u64::from(self.length)
    }

    /// Whether the record can be within a file of this length.
    pub(super) fn fits(self, lines_bytes: u64) -> bool {
        let length = u64::from(self.length);
        u64::from(self.offset) >= HEAD_BYTES
            && self.end() <= lines_bytes
            && length >= RECORD_HEAD_BYTES as u64
            && length <= TRANSCRIPT_RECORD_BYTES_MAX
    }
}

/// A line as a record.
pub(super) fn encode(turn: u64, line: &Line) -> io::Result<Vec<u8>> {
    let mut record = vec![0; RECORD_HEAD_BYTES];
    record[4..].copy_from_slice(&turn.to_le_bytes());
    let mut record = postcard::to_extend(line, record).map_err(io::Error::other)?;
    if let Some(place) = &line.place {
        record = postcard::to_extend(place, record).map_err(io::Error::other)?;
    }
    let check = crc32fast::hash(&record[4..]);
    record[..4].copy_from_slice(&check.to_le_bytes());
    Ok(record)
}

/// Whether bytes are the complete record of a turn.
pub(super) fn is_sound(turn: u64, record: &[u8]) -> bool {
    record.len() >= RECORD_HEAD_BYTES
        && record[4..12] == turn.to_le_bytes()
        && record[..4] == crc32fast::hash(&record[4..]).to_le_bytes()
}

/// The turn and the length of the intact record at the beginning of some bytes, if there is one of
/// these turns.
pub(super) fn record_at(bytes: &[u8], turns: Range<u64>) -> Option<(u64, usize)> {
    let turn = u64::from_le_bytes(bytes.get(4..RECORD_HEAD_BYTES)?.try_into().ok()?);
    if !turns.contains(&turn) {
        return None;
    }
    let most = bytes.len().min(TRANSCRIPT_RECORD_BYTES_MAX as usize);
    let (_, rest): (Line, _) = postcard::take_from_bytes(&bytes[RECORD_HEAD_BYTES..most]).ok()?;
    let without_place = most - rest.len();
    if is_sound(turn, &bytes[..without_place]) {
        return Some((turn, without_place));
    }
    let (_, rest): (Place, _) = postcard::take_from_bytes(rest).ok()?;
    let length = most - rest.len();
    is_sound(turn, &bytes[..length]).then_some((turn, length))
}

/// The line in the record of a turn; `None` when it is damaged.
pub(super) fn decode(turn: u64, record: &[u8]) -> Option<Line> {
    if !is_sound(turn, record) {
        return None;
    }
    let (mut line, rest): (Line, _) =
        postcard::take_from_bytes(&record[RECORD_HEAD_BYTES..]).ok()?;
    if !rest.is_empty() {
        let (place, rest) = postcard::take_from_bytes(rest).ok()?;
        line.place = Some(place).filter(|_| rest.is_empty());
        line.place.as_ref()?;
    }
    Some(line)
}

/// Reads records, mostly one after another, through one buffer.
#[derive(Debug)]
pub(super) struct Records {
    lines: BufReader<File>,
    at: u64,
    bytes: u64,
    record: Vec<u8>,
}

impl Records {
    /// Reads from the beginning of a file of this length.
    pub(super) fn new(mut lines: File, bytes: u64) -> io::Result<Self> {
        lines.rewind()?;
        Ok(Self {
            lines: BufReader::with_capacity(64 << 10, lines),
            at: 0,
            bytes,
            record: Vec::new(),
        })
    }

    /// Whether the record of a turn is intact at its entry's position.
    pub(super) fn is_sound(&mut self, turn: u64, entry: Entry) -> io::Result<bool> {
        if !entry.fits(self.bytes) {
            return Ok(false);
        }
        let by = i64::from(entry.offset) - self.at as i64;
        self.lines.seek_relative(by)?;
        self.record.resize(entry.length as usize, 0);
        self.lines.read_exact(&mut self.record)?;
        self.at = entry.end();
        Ok(is_sound(turn, &self.record))
    }
}
