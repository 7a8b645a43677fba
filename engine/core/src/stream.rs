//! The data that flows through the engine: utterances, their spans, and their audio.
//!
//! Plain data with public fields. Nothing here reads a clock or a file. There are two times, which
//! are never mixed: *stream time* (milliseconds since a stream began, used in files and citations)
//! and *session time* (milliseconds since the session's first stream began; streams follow one
//! another on it or lie beside one another, and it never runs backwards). Wall time is Unix
//! milliseconds, and `None` if unknown.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A range of stream time in milliseconds, `start_ms <= end_ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// First millisecond.
    pub start_ms: u64,
    /// First millisecond after.
    pub end_ms: u64,
}

impl Span {
    /// A span from start to end; an end before the start becomes the start.
    #[must_use]
    pub fn new(start_ms: u64, end_ms: u64) -> Self {
        Self {
            start_ms,
            end_ms: end_ms.max(start_ms),
        }
    }
}

/// A span of an audio file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AudioSpan {
    /// Path as in the stream file, or the recorded file inside the session directory.
    pub file: String,
    /// Position in that file.
    pub span: Span,
}

/// Something said by one speaker, as recognised or read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Utterance {
    /// Unique within its stream.
    pub id: String,
    /// Name of the stream it belongs to.
    pub stream: String,
    /// The speaker; `None` if unknown.
    pub speaker: Option<String>,
    /// Its span in stream time.
    pub span: Span,
    /// Its audio, if any.
    pub audio: Option<AudioSpan>,
    /// The recogniser's confidence in `0.0..=1.0`; `None` for text.
    pub confidence: Option<f32>,
    /// The words.
    pub text: String,
}

impl Utterance {
    /// An utterance without id, stream and time yet.
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

    /// Sets its span in stream time.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        Self { span, ..self }
    }

    /// Its line in a context.
    #[must_use]
    pub fn rendered(&self) -> String {
        spoken_line(self.speaker.as_deref(), &self.text)
    }
}

/// Whether a text says anything: it has a letter, a digit or a picture (an emoji, an arrow).
#[must_use]
pub fn says_anything(text: &str) -> bool {
    let is_picture = |c: char| matches!(u32::from(c), 0x2190..=0x2bff | 0x1_f000..=0x1_faff);
    text.contains(|c: char| c.is_alphanumeric() || is_picture(c))
}

/// Words with their speaker before them, the form that is counted and encoded.
#[must_use]
pub fn spoken_line(speaker: Option<&str>, text: &str) -> String {
    match speaker {
        Some(speaker) => format!("{speaker}: {text}"),
        None => text.to_owned(),
    }
}

/// A name as it stands in a prompt: in quotation marks if it has characters with which it could
/// imitate another line or another speaker.
pub(crate) fn name_in_prompt(name: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || " -'’._()".contains(c);
    match name.chars().all(is_plain) {
        true => Cow::Borrowed(name),
        false => Cow::Owned(format!("{name:?}")),
    }
}

/// Gives a speaker who is called `from` the name `to`.
pub(crate) fn rename_speaker(speaker: &mut Option<String>, from: &str, to: &str) {
    if speaker.as_deref() == Some(from) {
        *speaker = Some(to.to_owned());
    }
}

/// The speaker of what a model says in a chat: of a machine nothing is believed.
pub const ASSISTANT: &str = "Assistant";

/// The label of a speaker without a name; counted from 1.
#[must_use]
pub fn speaker_label(number: u32) -> String {
    format!("Speaker {number}")
}

/// The number in such a label; `None` for any other text.
#[must_use]
pub fn label_number(label: &str) -> Option<u32> {
    let number = label.strip_prefix("Speaker ")?.parse().ok()?;
    (number > 0 && speaker_label(number) == label).then_some(number)
}

/// The beginning of a stream inside a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StreamStart {
    /// Name in results and citations.
    pub name: String,
    /// Wall time of stream time 0 in Unix milliseconds.
    pub started_at_unix_ms: Option<i64>,
    /// IANA name of its time zone: that of questions which name none. Stored after the input, as
    /// is the next.
    #[serde(skip)]
    pub zone: Option<String>,
    /// Whether the streams that are open go on beside it; else they end.
    #[serde(skip)]
    pub beside: bool,
}

impl StreamStart {
    /// A stream that begins alone, in no time zone.
    #[must_use]
    pub fn new(name: impl Into<String>, started_at_unix_ms: Option<i64>) -> Self {
        Self {
            name: name.into(),
            started_at_unix_ms,
            ..Self::default()
        }
    }
}
