//! Transcripts as JSON: `segments` of OpenAI's Whisper, its interface and WhisperX,
//! `transcription` of whisper.cpp.

use super::draft::{At, Draft, digest};
use super::error::{ImportError, json};
use super::files::Files;
use super::format::Format;
use serde::Deserialize;
use weir_api::LeftOutReason;
use weir_core::limits::STREAM_MS_MAX;
use weir_core::stream::Span;

#[derive(Deserialize)]
struct Transcript {
    #[serde(default)]
    segments: Vec<Segment>,
    #[serde(default)]
    transcription: Vec<CppSegment>,
}

#[derive(Deserialize)]
struct Segment {
    start: Option<f64>,
    end: Option<f64>,
    #[serde(default)]
    text: String,
    speaker: Option<String>,
}

#[derive(Deserialize)]
struct CppSegment {
    offsets: Offsets,
    #[serde(default)]
    text: String,
    speaker: Option<String>,
}

#[derive(Deserialize)]
struct Offsets {
    from: i64,
    to: i64,
}

/// Reads the one file.
pub(super) fn read(files: &mut Files, draft: &mut Draft) -> Result<(), ImportError> {
    let name = files.names[0].clone();
    let text = files.text(&name)?;
    let read = serde_json::from_str::<Transcript>(&text);
    let read = read.map_err(|error| json(&files.shown, Format::Whisper, &error))?;
    draft.begin(&name, digest(&[&text]));
    let ms = |s: Option<f64>| {
        s.filter(|s| s.is_finite())
            .map(|s| (s * 1_000.0).round() as i64)
    };
    let segments = read.segments.into_iter();
    let segments = segments.map(|it| (ms(it.start), ms(it.end), it.text, it.speaker));
    let of_cpp = read.transcription.into_iter();
    let of_cpp = of_cpp.map(|it| {
        (
            Some(it.offsets.from),
            Some(it.offsets.to),
            it.text,
            it.speaker,
        )
    });
    for (start, end, text, speaker) in segments.chain(of_cpp) {
        let in_stream = |ms: i64| u64::try_from(ms).ok().filter(|ms| *ms <= STREAM_MS_MAX);
        let Some(start) = start.and_then(in_stream) else {
            draft.leave(LeftOutReason::Unreadable);
            continue;
        };
        let span = Span::new(start, end.and_then(in_stream).unwrap_or(start));
        let said = draft.say(speaker.as_deref(), &text, At::Recording(span));
        said.map_err(|problem| problem.at(&files.shown, None))?;
    }
    Ok(())
}
