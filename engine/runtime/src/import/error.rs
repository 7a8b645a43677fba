//! Why a file of another program was refused: each message names file, line and what to do.

use super::format::Format;
use weir_core::limits::{IMPORT_FILE_BYTES_MAX, IMPORT_FILES_MAX, IMPORT_MESSAGES_MAX};

/// Why nothing was taken from a file.
#[derive(Debug, thiserror::Error)]
#[error("{file}{}: {problem}", at(*line))]
pub struct ImportError {
    /// The file; inside an archive or a folder with its name there.
    pub file: String,
    /// Its line, the first being 1, if one is to blame.
    pub line: Option<u64>,
    /// What is wrong.
    pub problem: ImportProblem,
}

fn at(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(", line {line}"))
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum ImportProblem {
    /// It cannot be read.
    #[error("cannot read it: {0}; check the path and that you may read it")]
    Read(std::io::Error),
    /// It is neither a file nor a folder.
    #[error("a pipe or a device; give a file, a zip archive or a folder")]
    NoFile,
    /// The archive is damaged.
    #[error("cannot read the archive: {0}; unpack it and give the folder, or export again")]
    Archive(String),
    /// All that would be read of it together is too large.
    #[error(
        "more text than {} MiB, which is the limit; export fewer conversations at a time",
        IMPORT_FILE_BYTES_MAX >> 20
    )]
    TooLarge,
    /// Too many files.
    #[error(
        "more than {IMPORT_FILES_MAX} files, which is the limit; give the folder of the export \
         alone"
    )]
    TooManyFiles,
    /// Too many messages.
    #[error(
        "more than {IMPORT_MESSAGES_MAX} messages, which is the limit; export fewer conversations \
         at a time"
    )]
    TooManyMessages,
    /// It is not UTF-8.
    #[error("not UTF-8; save the file as UTF-8")]
    NotUtf8,
    /// The format is not known from its content.
    #[error(
        "cannot tell its format from its content; known are {}",
        Format::names()
    )]
    Unknown,
    /// It begins as JSON and is none.
    #[error("not whole JSON: {0}; export the file again")]
    Json(String),
    /// It is not of the format that was named, or of the one it looks like.
    #[error("cannot read it as {format}: {why}")]
    NotOf {
        /// The format.
        format: Format,
        /// What is wrong.
        why: String,
    },
    /// Days and months cannot be told apart.
    #[error(
        "day and month cannot be told apart: `{example}` and all other dates can be read both \
         ways; say which comes first, day-first or month-first"
    )]
    Dates {
        /// One of the dates.
        example: String,
    },
}

impl ImportProblem {
    /// The problem with its place.
    pub(super) fn at(self, file: &str, line: Option<u64>) -> ImportError {
        ImportError {
            file: file.to_owned(),
            line,
            problem: self,
        }
    }
}

/// An error of the JSON reader, with its line.
pub(super) fn json(file: &str, format: Format, error: &serde_json::Error) -> ImportError {
    let why = error.to_string();
    // the line has its own place in the message
    let why = why.split(" at line ").next().unwrap_or_default().to_owned();
    let line = u64::try_from(error.line()).ok().filter(|line| *line > 0);
    let problem = match error.is_data() {
        true => ImportProblem::NotOf { format, why },
        // cut or damaged, whatever it was
        false => ImportProblem::Json(why),
    };
    problem.at(file, line)
}
