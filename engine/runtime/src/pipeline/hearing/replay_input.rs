//! The inputs of a replay: what they are, and where an earlier replay left them.

use crate::pipeline::feed::{AskRequest, FeedItem};
use crate::store::InputProgress;
use crate::streamfile::Probe;
use jiff::tz::TimeZone;
use std::path::PathBuf;
use weir_asr::{Channels, Recognised};
use weir_core::answer::QuestionTime;
use weir_core::stream::{AudioSpan, Span, Utterance};

/// One input of a replay.
#[derive(Debug, Clone)]
pub struct ReplayInput {
    /// Its path.
    pub path: PathBuf,
    /// Name of its stream.
    pub stream: String,
    /// Its kind.
    pub kind: InputKind,
    /// Its length in milliseconds of stream time, if known; used for progress only.
    pub len_ms: Option<u64>,
    /// Where to resume, if the session holds the beginning of it.
    pub resume: Option<Resume>,
}

impl ReplayInput {
    /// Its time zone.
    pub(crate) fn zone(&self) -> Option<TimeZone> {
        match &self.kind {
            InputKind::Stream { zone, .. } => zone.clone(),
            InputKind::Audio { .. } => None,
        }
    }

    /// A question at the time of its stream, so that a run gives the same whenever it is made.
    pub(crate) fn question(&self, probe: Probe) -> FeedItem {
        FeedItem::Ask(AskRequest {
            id: probe.id,
            stream: Some(self.stream.clone()),
            text: probe.question,
            asked_by: probe.asked_by,
            at: QuestionTime {
                unix_ms: None,
                zone: self.zone(),
            },
        })
    }

    /// An utterance of a recording.
    pub(crate) fn spoken(
        &self,
        number: u64,
        heard: &Recognised,
        voice: Option<String>,
        channels: Channels,
    ) -> Utterance {
        let split = channels == Channels::Split;
        let named = match &self.kind {
            InputKind::Audio { named } => named.clone(),
            InputKind::Stream { .. } => self.stream.clone(),
        };
        let span = Span::new(heard.span.start_ms(), heard.span.end_ms());
        Utterance {
            id: format!("{}#{number}", self.stream),
            stream: self.stream.clone(),
            speaker: match split {
                true => Some(format!("channel {}", heard.channel + 1)),
                false => voice,
            },
            span,
            audio: Some(AudioSpan { file: named, span }),
            confidence: Some(heard.confidence),
            text: heard.text(),
        }
    }
}

/// Where to resume an input that an earlier replay left midway.
#[derive(Debug, Clone)]
pub struct Resume {
    /// The part that the session holds.
    pub progress: InputProgress,
    /// Whether its stream is the session's last one; then it continues without a beginning.
    pub running: bool,
}

/// Kind of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputKind {
    /// A stream file.
    Stream {
        /// Wall time of its beginning, in Unix milliseconds.
        started_at_unix_ms: Option<i64>,
        /// The time zone of its questions; `None` for UTC.
        zone: Option<TimeZone>,
        /// The largest number of a label, such as "Speaker 2", that its lines have; 0 for none.
        labels: u32,
    },
    /// A recording with unknown speakers.
    Audio {
        /// The file's name in citations.
        named: String,
    },
}
