//! Evidence as clients read it.

use weir_api as api;
use weir_core::session::Session;
use weir_core::stream::{AudioSpan, Span};
use weir_core::talk::Evidence;
use weir_core::transcript::Transcript;

/// A piece of evidence.
#[must_use]
pub fn evidence(item: &Evidence) -> api::Evidence {
    api::Evidence {
        stream: item.stream.clone(),
        utterance: item.utterance.clone(),
        turn: item.turn,
        speaker: item.speaker.clone(),
        span: span(item.span),
        said_at_unix_ms: item.said_at_unix_ms,
        audio: item.audio.as_ref().map(audio),
        confidence: item.confidence,
        verbatim: item.verbatim,
        share: item.share,
    }
}

/// A piece of evidence with its words.
#[must_use]
pub fn quoted(item: &Evidence, session: &Session, transcript: &dyn Transcript) -> api::Quoted {
    api::Quoted {
        evidence: evidence(item),
        quote: session.quote(item, Some(transcript)),
    }
}

pub(super) fn span(Span { start_ms, end_ms }: Span) -> api::Span {
    api::Span { start_ms, end_ms }
}

/// A span of an audio file.
pub(crate) fn audio(audio: &AudioSpan) -> api::AudioSpan {
    api::AudioSpan {
        file: audio.file.clone(),
        start_ms: audio.span.start_ms,
        end_ms: audio.span.end_ms,
    }
}
