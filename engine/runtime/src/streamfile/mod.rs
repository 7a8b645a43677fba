//! Stream files (`*.stream.jsonl`, version 1): what was said, where it paused, what was asked.
//!
//! A [`StreamReader`] reads line by line and holds one line at a time; [`survey()`] reads a whole
//! file and keeps nothing of it but its counts, so that a bad line is found before anything is fed;
//! [`golds()`] reads the gold labels of its probes. None opens an audio file. What a
//! reader gives out has passed every check of the format: ids are unique, times run the right way,
//! evidence stands above its probe, audio lies inside the stream's folder.

mod audio;
mod error;
mod fields;
mod golds;
mod ids;
mod item;
mod lines;
mod reader;
mod survey;

pub use audio::AudioPolicy;
pub use error::{BadLine, Problem, StreamFileError};
pub use golds::{Labelled, golds};
pub use item::{Category, Gold, Header, Item, Line, LineAudio, Probe};
pub use reader::StreamReader;
pub use survey::{InputDigest, Late, Survey, survey};

use std::path::Path;

/// Whether a path is named like a stream file, in any case: `something.stream.jsonl`.
#[must_use]
pub fn is_stream_file(path: &Path) -> bool {
    path.file_name()
        .map(|name| name.to_string_lossy().to_ascii_lowercase())
        .is_some_and(|name| name.ends_with(".stream.jsonl"))
}
