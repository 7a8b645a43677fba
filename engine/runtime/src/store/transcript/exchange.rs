//! A transcript as JSON Lines, after the lines of an exported session.
//!
//! ```text
//! {"said":{"turn":0,"stream":…,"utterance":…,"text":…}}    one an utterance, oldest first
//! {"said_end":{"lines":…}}                                   without it the file was cut off
//! ```

use super::{Line, TranscriptReader, TranscriptWriter};
use crate::store::StoreError;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use weir_core::limits;
use weir_core::transcript::Place;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Exchanged {
    Said(Box<Said>),
    SaidEnd { lines: u64 },
}

#[derive(Serialize, Deserialize)]
struct Said {
    turn: u64,
    #[serde(flatten)]
    line: Line,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
}

/// Why lines are not a valid transcript.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// A line is invalid.
    #[error("line {line} of the transcript: {reason}")]
    Line {
        /// Its number, from 1, after the session's own lines.
        line: u64,
        /// The reason.
        reason: String,
    },
    /// The last line is missing.
    #[error("the transcript ends without its last line; it was cut off, export it again")]
    CutOff,
    /// It cannot be read.
    #[error("it cannot be read")]
    Io(#[from] io::Error),
    /// It cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TranscriptReader {
    /// Writes every readable line, oldest first; nothing without a transcript.
    ///
    /// # Errors
    /// Write errors of `out`.
    pub fn export(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut lines = 0;
        for (turn, line) in self.lines() {
            let place = line.place.clone();
            write_line(out, &Exchanged::Said(Box::new(Said { turn, line, place })))?;
            lines += 1;
        }
        match lines {
            0 => Ok(()),
            lines => write_line(out, &Exchanged::SaidEnd { lines }),
        }
    }
}

impl TranscriptWriter {
    /// Creates a transcript from the output of [`TranscriptReader::export`]; returns its number of
    /// lines.
    ///
    /// # Errors
    /// [`ExchangeError`] names the first invalid line.
    pub fn import(
        folder: &Path,
        limit_bytes: u64,
        input: &mut dyn BufRead,
    ) -> Result<u64, ExchangeError> {
        let mut writer: Option<Self> = None;
        let (mut number, mut last) = (0, None);
        loop {
            let Some(text) = next_line(input, number + 1)? else {
                return if number == 0 {
                    Ok(0)
                } else {
                    Err(ExchangeError::CutOff)
                };
            };
            number += 1;
            let wrong = |reason: String| ExchangeError::Line {
                line: number,
                reason,
            };
            match serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))? {
                Exchanged::Said(said) => {
                    let Said { turn, line, place } = *said;
                    let line = Line { place, ..line };
                    if last.is_some_and(|last| turn <= last) {
                        return Err(wrong(format!("turn {turn} does not follow the one before")));
                    }
                    last = Some(turn);
                    if writer.is_none() {
                        writer = Some(Self::open(folder, limit_bytes, 0)?);
                    }
                    if let Some(writer) = &mut writer {
                        writer.append(turn, &line);
                    }
                }
                Exchanged::SaidEnd { lines } if lines + 1 == number => {
                    if let Some(writer) = &mut writer {
                        writer.sync();
                        if let (1.., Some(problem)) = (writer.failures(), writer.problems().last())
                        {
                            return Err(io::Error::other(problem.clone()).into());
                        }
                    }
                    return Ok(lines);
                }
                Exchanged::SaidEnd { lines } => {
                    return Err(wrong(format!(
                        "{} lines, not the {lines} it names",
                        number - 1
                    )));
                }
            }
        }
    }
}

fn next_line(input: &mut dyn BufRead, line: u64) -> Result<Option<Vec<u8>>, ExchangeError> {
    let mut text = Vec::new();
    let most = limits::IMPORT_LINE_BYTES_MAX;
    let read = Read::take(&mut *input, most as u64 + 1).read_until(b'\n', &mut text)?;
    if read > most {
        let reason = format!("it is longer than {most} bytes");
        return Err(ExchangeError::Line { line, reason });
    }
    Ok((read > 0).then_some(text))
}

fn write_line(out: &mut dyn Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}
