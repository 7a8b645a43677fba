//! Reads lines of bounded length.
//!
//! Holds one line, up to the limit; does not interpret it.

use super::error::{Problem, StreamFileError};
use std::io::{BufRead, Read};
use std::path::PathBuf;
use weir_core::limits;

/// A reader of lines that counts them.
#[derive(Debug)]
pub(super) struct Lines<R> {
    source: R,
    file: PathBuf,
    line: u64,
    bytes: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// Lines of `source`; messages use the name `file`.
    pub(super) fn new(source: R, file: PathBuf) -> Self {
        Self {
            source,
            file,
            line: 0,
            bytes: Vec::new(),
        }
    }

    /// Number of the last line, from 1; 0 before the first.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// The file's name for messages.
    pub(super) fn file(&self) -> &std::path::Path {
        &self.file
    }

    /// The next line that is not blank, without its end; `None` at the end of the file.
    pub(super) fn next_line(&mut self) -> Result<Option<&str>, StreamFileError> {
        loop {
            if !self.fill()? {
                return Ok(None);
            }
            if !self.bytes.iter().all(u8::is_ascii_whitespace) {
                break;
            }
        }
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => Ok(Some(text.trim())),
            Err(wrong) => {
                let at = wrong.valid_up_to() + 1;
                Err(Problem::NotUtf8 { at }.at(&self.file, self.line, ""))
            }
        }
    }

    /// Reads one line with its end into the buffer; `false` at the end of the file.
    fn fill(&mut self) -> Result<bool, StreamFileError> {
        self.bytes.clear();
        self.line += 1;
        let max = limits::STREAM_LINE_BYTES_MAX;
        let read = (&mut self.source)
            .take(max as u64 + 1)
            .read_until(b'\n', &mut self.bytes)
            .map_err(|source| StreamFileError::Read {
                file: self.file.clone(),
                line: self.line,
                source,
            })?;
        if read > max {
            return Err(Problem::TooLong.at(&self.file, self.line, ""));
        }
        // Editors on Windows begin a UTF-8 file with a byte order mark.
        if self.line == 1 && self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.bytes.drain(..3);
            return Ok(true);
        }
        Ok(read > 0)
    }
}
