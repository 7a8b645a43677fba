//! Writers of result files: a line is on its way to disk before the next is made.
//!
//! An existing file is replaced from its beginning: results are flushed as they come, so there is
//! no moment at which a whole new file could take the old one's place. A replay that goes on keeps
//! the answers that are there. After a failed write the
//! file ends within a line and the writer refuses to go on, so that a gap cannot hide between good
//! lines.

use super::format::{ProbeResult, Summary};
use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The file cannot be made.
    #[error("{}: cannot write results there: {source}; choose another file", file.display())]
    Create {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A line was not written whole.
    #[error(
        "{}: writing line {line} failed: {source}; the {} lines before it are whole, \
         make room and run again", file.display(), line - 1
    )]
    Write {
        /// The file.
        file: PathBuf,
        /// The line.
        line: u64,
        /// What the system says.
        source: std::io::Error,
    },
}

/// Writes JSON objects, one a line.
#[derive(Debug)]
struct Lines {
    file: PathBuf,
    sink: File,
    written: u64,
    broken: bool,
}

impl Lines {
    fn create(path: &Path) -> Result<Self, ResultsError> {
        Self::open(path, 0, 0)
    }

    /// Keeps the whole lines about probes that a file begins with: not the summary, and not half a
    /// line of a process that was killed.
    fn go_on(path: &Path) -> Result<Self, ResultsError> {
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

    /// Opens a file, made when absent, of which so much is kept.
    fn open(path: &Path, bytes: u64, lines: u64) -> Result<Self, ResultsError> {
        let mut options = OpenOptions::new();
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

/// Writes probe results and one summary (`--results`).
#[derive(Debug)]
pub struct ResultsWriter(Lines);

impl ResultsWriter {
    /// Begins a result file, replacing one that is there.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path) -> Result<Self, ResultsError> {
        Lines::create(path).map(Self)
    }

    /// Goes on in a result file, behind the answers in it; its summary gives way to a new one.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn go_on(path: &Path) -> Result<Self, ResultsError> {
        Lines::go_on(path).map(Self)
    }

    /// Writes what came of one probe.
    ///
    /// # Errors
    /// When the line cannot be written whole, a full disk among others.
    pub fn probe(&mut self, result: &ProbeResult) -> Result<(), ResultsError> {
        self.0.put(result)
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
        self.0.put(&Line { summary })
    }
}

/// Writes, at each probe, which utterances memory still holds (`--held`):
/// `{"probe": "q1", "held": ["u1", "u7"]}`, with `"stream"` when there are several.
#[derive(Debug)]
pub struct HeldWriter(Lines);

impl HeldWriter {
    /// Begins a file, replacing one that is there.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path) -> Result<Self, ResultsError> {
        Lines::create(path).map(Self)
    }

    /// Goes on in such a file.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn go_on(path: &Path) -> Result<Self, ResultsError> {
        Lines::go_on(path).map(Self)
    }

    /// Writes the ids of the probe's stream that are held when it is asked.
    ///
    /// # Errors
    /// When the line cannot be written whole.
    pub fn probe<'a>(
        &mut self,
        probe: &str,
        stream: Option<&str>,
        held: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), ResultsError> {
        #[derive(Serialize)]
        struct Line<'a> {
            probe: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            stream: Option<&'a str>,
            held: Vec<&'a str>,
        }
        self.0.put(&Line {
            probe,
            stream,
            held: held.into_iter().collect(),
        })
    }
}
