//! Texts read from files, held beside what was heard: found by questions, cited by file and line.
//!
//! Nothing of a source is forgotten to make room: a source that does not fit is refused whole.

mod excerpt;
mod excerpts;
mod held;
mod passage;
mod subtitles;

pub use excerpt::{Excerpt, ExcerptError};
pub use excerpts::{TextKind, excerpts};
pub(crate) use held::SourceRoom;
pub use held::{SourceError, Sources};
pub use passage::{Passage, Source, SourceText, place};
