//! Result files: the answers of a replay as lines, and its costs as one summary.
//!
//! The types are the file format, field by field, so a change here changes the format. Writers
//! flush every line, so that an answer is on disk before the next question. Nothing here computes
//! an answer.

mod figures;
mod format;
mod line;
mod writer;

pub use figures::Histogram;
pub use format::{
    AnswersResult, ChecksResult, DistilledResult, IngestMs, Machine, QueryUs, Summary,
};
pub use line::{ProbeLine, Scores};
pub use writer::{ResultsError, ResultsWriter};
