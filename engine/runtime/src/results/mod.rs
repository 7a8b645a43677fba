//! Result files: what a replay answered, line by line, and what it cost, as one summary.
//!
//! The types are the file format itself, field by field, so a change here is a change of format.
//! Writers flush every line, so that what was answered is on disk when the next question comes.
//! Nothing here computes an answer.

mod figures;
mod format;
mod writer;

pub use figures::Histogram;
pub use format::{
    AnswerKind, AnswersResult, Asked, AudioResult, CitationResult, DistilledResult, IngestMs,
    Machine, ProbeResult, QueryUs, Summary, TimingsUs, TranscriptResult, rfc3339,
};
pub use writer::{HeldWriter, ResultsError, ResultsWriter};
