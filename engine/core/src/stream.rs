//! What flows through the engine: utterances, their spans and where they can be heard again.
//!
//! Plain data with public fields. Nothing here reads a clock or a file. Two times exist and are
//! never mixed: *stream time* (milliseconds since a stream began, what files and citations speak
//! of) and *session time* (milliseconds since the session's first stream began; streams follow one
//! another on it and it never runs backwards). Wall time is Unix milliseconds, and `None` where
//! unknown.

use serde::{Deserialize, Serialize};

/// A stretch of stream time in milliseconds, `start_ms <= end_ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// First millisecond.
    pub start_ms: u64,
    /// First millisecond after.
    pub end_ms: u64,
}

impl Span {
    /// A span from start to end; an end before the start is moved up to the start.
    #[must_use]
    pub fn new(start_ms: u64, end_ms: u64) -> Self {
        Self {
            start_ms,
            end_ms: end_ms.max(start_ms),
        }
    }
}

/// The seconds of a file in which something can be heard again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AudioSpan {
    /// Path as the stream file gives it, or the recorded file inside the session directory.
    pub file: String,
    /// Where in that file.
    pub span: Span,
}

/// One thing said by one speaker, as it was heard or read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Utterance {
    /// Unique within its stream.
    pub id: String,
    /// Name of the stream it belongs to.
    pub stream: String,
    /// Who said it; `None` when unknown.
    pub speaker: Option<String>,
    /// When, in stream time.
    pub span: Span,
    /// Where it can be heard again.
    pub audio: Option<AudioSpan>,
    /// The recogniser's confidence in `0.0..=1.0`; `None` for text.
    pub confidence: Option<f32>,
    /// The words.
    pub text: String,
}

impl Utterance {
    /// Something that somebody said. It has no id, stream and time of its own yet.
    #[must_use]
    pub fn new(speaker: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            id: String::new(),
            stream: String::new(),
            speaker: Some(speaker.into()),
            span: Span::new(0, 0),
            audio: None,
            confidence: None,
            text: text.into(),
        }
    }

    /// The same at this stream time.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        Self { span, ..self }
    }

    /// The line a context shows of it.
    #[must_use]
    pub fn rendered(&self) -> String {
        spoken_line(self.speaker.as_deref(), &self.text)
    }
}

/// Words with their speaker before them, as they are counted and encoded.
#[must_use]
pub fn spoken_line(speaker: Option<&str>, text: &str) -> String {
    match speaker {
        Some(speaker) => format!("{speaker}: {text}"),
        None => text.to_owned(),
    }
}

/// The beginning of a stream inside a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamStart {
    /// Name, as results and citations quote it.
    pub name: String,
    /// Wall time of stream time 0 in Unix milliseconds.
    pub started_at_unix_ms: Option<i64>,
}
