//! Writers of result files: each line is flushed before the next is written.
//!
//! An existing file is overwritten from its beginning: results are flushed as they come, so the new
//! file cannot replace the old one as a whole. A resumed replay keeps the existing answers. After a
//! failed write the file ends within a line and the writer refuses to continue, so that no gap is
//! hidden between good lines.

use super::format::Summary;
use super::line::ProbeLine;
use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The file cannot be created.
    #[error("{}: cannot write results there: {source}; choose another file", file.display())]
    Create {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A line was not written completely.
    #[error(
        "{}: writing line {line} failed: {source}; the {} lines before it are complete, \
         free disk space and run again", file.display(), line - 1
    )]
    Write {
        /// The file.
        file: PathBuf,
        /// The line.
        line: u64,
        /// The system's error.
        source: std::io::Error,
    },
}

/// Writes probe results and one summary (`--results`), as JSON objects, one per line.
#[derive(Debug)]
pub struct ResultsWriter {
    file: PathBuf,
    sink: File,
    written: u64,
    broken: bool,
}

impl ResultsWriter {
    /// Creates a result file, or replaces an existing one.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(path: &Path) -> Result<Self, ResultsError> {
        Self::open(path, 0, 0)
    }

    /// Continues a result file after its answers: keeps the complete probe lines at its start, not
    /// the summary, and not the partial line of a killed process.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn go_on(path: &Path) -> Result<Self, ResultsError> {
        // a pipe has nothing to keep, and reading from it would wait
        let is_file = std::fs::metadata(path).is_ok_and(|there| there.is_file());
        let there = match is_file {
            true => std::fs::read(path).unwrap_or_default(),
            false => Vec::new(),
        };
        let (mut bytes, mut lines) = (0, 0);
        for line in there.split_inclusive(|byte| *byte == b'\n') {
            if !line.starts_with(b"{\"probe\":") || !line.ends_with(b"\n") {
                break;
            }
            (bytes, lines) = (bytes + line.len() as u64, lines + 1);
        }
        Self::open(path, bytes, lines)
    }

    /// Opens or creates a file and keeps its first `bytes` bytes.
    fn open(path: &Path, bytes: u64, lines: u64) -> Result<Self, ResultsError> {
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let opened = options.write(true).create(true).truncate(bytes == 0);
        let opened = opened.open(path).and_then(|mut sink| {
            if bytes > 0 {
                sink.set_len(bytes)?;
                sink.seek(SeekFrom::End(0))?;
            }
            Ok(sink)
        });
        let sink = opened.map_err(|source| ResultsError::Create {
            file: path.to_path_buf(),
            source,
        })?;
        Ok(Self {
            file: path.to_path_buf(),
            sink,
            written: lines,
            broken: false,
        })
    }

    /// Writes the line of one probe.
    ///
    /// # Errors
    /// The line cannot be written completely, for example on a full disk.
    pub fn probe(&mut self, line: &ProbeLine<'_>) -> Result<(), ResultsError> {
        self.put(line)
    }

    /// Writes the summary, the last line.
    ///
    /// # Errors
    /// As [`Self::probe`].
    pub fn summary(&mut self, summary: &Summary) -> Result<(), ResultsError> {
        #[derive(Serialize)]
        struct Line<'a> {
            summary: &'a Summary,
        }
        self.put(&Line { summary })
    }

    fn put(&mut self, object: &impl Serialize) -> Result<(), ResultsError> {
        let written = if self.broken {
            Err(std::io::Error::other("an earlier line is incomplete"))
        } else {
            serde_json::to_vec(object)
                .map_err(std::io::Error::from)
                .and_then(|mut line| {
                    line.push(b'\n');
                    self.sink.write_all(&line)
                })
        };
        let line = self.written + 1;
        match written {
            Ok(()) => self.written = line,
            Err(source) => {
                self.broken = true;
                let file = self.file.clone();
                return Err(ResultsError::Write { file, line, source });
            }
        }
        Ok(())
    }
}
