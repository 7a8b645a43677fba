//! Errors in a stream file: each message names file, line and field, and says what to do.

use std::path::{Path, PathBuf};
use weir_core::limits;

/// Why a stream file was refused.
#[derive(Debug, thiserror::Error)]
pub enum StreamFileError {
    /// It cannot be opened.
    #[error(
        "{}: cannot open it: {source}; check the path and that you may read it",
        file.display()
    )]
    Open {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A read error midway.
    #[error(
        "{}, line {line}: reading failed: {source}; check the disk and try again",
        file.display()
    )]
    Read {
        /// The file.
        file: PathBuf,
        /// The line that was being read.
        line: u64,
        /// The system's error.
        source: std::io::Error,
    },
    /// A line breaks the format.
    #[error(transparent)]
    Bad(#[from] Box<BadLine>),
}

/// A line that breaks the format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}, line {line}{}: {problem}", file.display(), in_field(field))]
pub struct BadLine {
    /// The file.
    pub file: PathBuf,
    /// Its line, the first being 1.
    pub line: u64,
    /// The field, such as `utterance.end_ms`; empty for the line as a whole.
    pub field: String,
    /// What is wrong, and what to do.
    pub problem: Problem,
}

fn in_field(field: &str) -> String {
    match field {
        "" => String::new(),
        field => format!(", field `{field}`"),
    }
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The file has no line at all.
    #[error(
        "the file is empty; its first line must be \
         {{\"weir_stream\": 1, \"name\": \"...\", \"started_at\": null}}"
    )]
    Empty,
    /// The first line is not a header.
    #[error(
        "the header is missing; the first line must be \
         {{\"weir_stream\": 1, \"name\": \"...\", \"started_at\": null}}"
    )]
    NoHeader,
    /// A header below the first line.
    #[error("a second header; a file holds one stream, put the other stream into its own file")]
    SecondHeader,
    /// A version this program does not read.
    #[error(
        "stream format {found}; this weir reads format 1: \
         convert the file, or use a weir that reads this format"
    )]
    Version {
        /// The version as written.
        found: String,
    },
    /// Longer than the limit.
    #[error(
        "the line is longer than {} bytes; split the utterance into several",
        limits::STREAM_LINE_BYTES_MAX
    )]
    TooLong,
    /// Bytes that are not UTF-8.
    #[error("byte {at} of the line is not UTF-8; save the file as UTF-8")]
    NotUtf8 {
        /// Where, the first byte being 1.
        at: usize,
    },
    /// Not JSON, or not an object.
    #[error("not a JSON object: {what}; each line holds one whole object")]
    NotJson {
        /// The parser's message.
        what: String,
    },
    /// An unknown field.
    #[error("unknown field; known here: {known} (remarks go into \"note\")")]
    Unknown {
        /// The fields allowed there.
        known: String,
    },
    /// A field given twice.
    #[error("given twice; keep one")]
    Twice,
    /// A missing field.
    #[error("missing; it must be {needed}")]
    Missing {
        /// What it must be.
        needed: String,
    },
    /// A field of the wrong kind.
    #[error("{found} is not {needed}")]
    Kind {
        /// The value as written, shortened.
        found: String,
        /// What it must be.
        needed: String,
    },
    /// None or several of utterance, break and probe.
    #[error("a line holds exactly one of utterance, break, probe; this one holds {found}")]
    NotOne {
        /// What it holds.
        found: String,
    },
    /// An id used before.
    #[error("id `{id}` was used before; give each {what} of the file its own id")]
    SameId {
        /// The id.
        id: String,
        /// Utterance or probe.
        what: &'static str,
    },
    /// Too many ids that do not form a run.
    #[error(
        "more than {} ids that do not count up; name utterances u1, u2 ... or split the file",
        limits::STREAM_LOOSE_IDS_MAX
    )]
    TooManyIds,
    /// An end before its start.
    #[error(
        "end_ms {end_ms} is before start_ms {start_ms}; an utterance ends at or after its start"
    )]
    EndFirst {
        /// The start.
        start_ms: u64,
        /// The end.
        end_ms: u64,
    },
    /// A start before the last break.
    #[error(
        "start_ms {start_ms} is before the break above it, which is at {break_ms} ms; \
         put utterances from before a break above it"
    )]
    BeforeBreak {
        /// The start.
        start_ms: u64,
        /// The time of the break.
        break_ms: u64,
    },
    /// Neither text nor audio.
    #[error("an utterance needs text or audio; this one has neither, leave it out or complete it")]
    Nothing,
    /// An audio offset without an audio file.
    #[error("audio_start_ms without audio; name the audio file or leave the offset out")]
    NoAudio,
    /// A probe before any utterance.
    #[error("a probe before any utterance; move it below what it asks about")]
    ProbeFirst,
    /// Evidence after the probe, or missing.
    #[error(
        "evidence `{id}` is not an utterance above probe `{probe}`; \
         move the probe below its evidence or correct the id"
    )]
    LookAhead {
        /// The probe's id.
        probe: String,
        /// The id.
        id: String,
    },
    /// A path that may lead outside the folder.
    #[error(
        "audio path `{path}` {why}; \
         give a path relative to the stream file, inside its folder"
    )]
    AudioOutside {
        /// The path as written.
        path: String,
        /// Why it is refused.
        why: String,
    },
    /// A missing audio file.
    #[error(
        "audio file `{path}` cannot be found beside the stream file ({why}); put it there, or \
         trust the text where the lines carry some"
    )]
    AudioMissing {
        /// The path as written.
        path: String,
        /// The system's error.
        why: String,
    },
}

impl Problem {
    /// The problem with its position.
    pub(super) fn at(self, file: &Path, line: u64, field: &str) -> StreamFileError {
        StreamFileError::Bad(Box::new(BadLine {
            file: file.to_path_buf(),
            line,
            field: field.to_owned(),
            problem: self,
        }))
    }
}
