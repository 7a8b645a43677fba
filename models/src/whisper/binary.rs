//! Reads a binary file sequentially, with an error if it ends too early.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::{self, ConvertError};

/// A file and the read position.
pub(super) struct Binary {
    file: PathBuf,
    reader: BufReader<File>,
    bytes: u64,
    at: u64,
}

impl Binary {
    pub(super) fn open(file: &Path) -> Result<Self, ConvertError> {
        let opened = File::open(file).map_err(error::read(file))?;
        let bytes = opened.metadata().map_err(error::read(file))?.len();
        Ok(Self {
            file: file.to_owned(),
            reader: BufReader::new(opened),
            bytes,
            at: 0,
        })
    }

    /// The size of the file in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The position of the next byte.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// The next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self, part: &str) -> Result<[u8; N], ConvertError> {
        let mut bytes = [0; N];
        self.check(N as u64, part)?;
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// The next number of four bytes.
    pub(super) fn number(&mut self, part: &str) -> Result<u32, ConvertError> {
        Ok(u32::from_le_bytes(self.array(part)?))
    }

    /// The next `count` bytes; the caller limits `count`.
    pub(super) fn take(&mut self, count: usize, part: &str) -> Result<Vec<u8>, ConvertError> {
        self.check(count as u64, part)?;
        let mut bytes = vec![0; count];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// Skips `count` bytes.
    pub(super) fn skip(&mut self, count: u64, part: &str) -> Result<(), ConvertError> {
        self.check(count, part)?;
        let step = i64::try_from(count).unwrap_or(i64::MAX);
        self.reader
            .seek_relative(step)
            .map_err(error::read(&self.file))?;
        self.at += count;
        Ok(())
    }

    /// Seeks to a position inside the file.
    pub(super) fn go_to(&mut self, at: u64) -> Result<(), ConvertError> {
        self.reader
            .seek(SeekFrom::Start(at))
            .map_err(error::read(&self.file))?;
        self.at = at;
        Ok(())
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), ConvertError> {
        self.reader
            .read_exact(bytes)
            .map_err(error::read(&self.file))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn check(&self, count: u64, part: &str) -> Result<(), ConvertError> {
        let expected = self.at.saturating_add(count);
        if expected <= self.bytes {
            return Ok(());
        }
        Err(ConvertError::Truncated {
            file: self.file.clone(),
            found: self.bytes,
            expected,
            part: part.to_owned(),
        })
    }
}

/// Reads a whole text file of at most `bytes_max` bytes.
pub(super) fn text(file: &Path, bytes_max: u64) -> Result<Vec<u8>, ConvertError> {
    let mut binary = Binary::open(file)?;
    if binary.bytes > bytes_max {
        let reason = format!(
            "it has {} bytes, at most {bytes_max} are read",
            binary.bytes
        );
        return Err(error::format(file, "JSON", reason));
    }
    let bytes = binary.bytes as usize;
    binary.take(bytes, "text")
}

/// Reads a JSON file of at most `bytes_max` bytes.
pub(super) fn json(file: &Path, bytes_max: u64) -> Result<serde_json::Value, ConvertError> {
    serde_json::from_slice(&text(file, bytes_max)?)
        .map_err(|failure| error::format(file, "JSON", failure.to_string()))
}
