//! Evidence for the tests of what is observed.

use super::Evidence;
use crate::stream::Span;

/// An utterance of Ana's, its turn in its id and times.
pub(crate) fn evidence(turn: u64) -> Evidence {
    Evidence {
        stream: "day".into(),
        utterance: format!("u{turn}"),
        turn,
        speaker: Some("Ana".into()),
        span: Span {
            start_ms: turn,
            end_ms: turn + 1,
        },
        said_at_unix_ms: None,
        audio: None,
        confidence: None,
        part: None,
        verbatim: false,
        content_words: 3,
        share: 0.0,
    }
}
