//! Writes the seconds of audio behind an answer as a WAV file.

use super::output;
use super::sources::Sources;
use super::terminal::clock;
use super::wiring;
use anyhow::bail;
use std::path::Path;
use weir_asr::SampleSpan;
use weir_core::answer::Answer;
use weir_core::stream::AudioSpan;
use weir_core::talk::Evidence;
use weir_engine::pipeline::SpanReader;
use weir_engine::store::{AudioArchive, clip_bytes, is_recorded};

/// Writes the sound of the best evidence that has any, and returns that evidence.
pub(super) fn write<'a>(
    answer: &'a Answer,
    session: &Path,
    out: &Path,
) -> anyhow::Result<&'a Evidence> {
    let heard = answer.citations.iter().find_map(|citation| {
        let audio = citation.evidence.audio.as_ref()?;
        Some((&citation.evidence, audio))
    });
    let Some((evidence, audio)) = heard else {
        bail!(
            "{}: not written, the answer has no evidence with sound; ask something that was spoken",
            out.display()
        );
    };
    let samples = if is_recorded(audio) {
        AudioArchive::open(session)?.read(audio)?
    } else {
        from_recording(evidence, audio, session)?
    };
    output::write(out, |file| file.write_all(&clip_bytes(&samples)))?;
    Ok(evidence)
}

fn from_recording(
    evidence: &Evidence,
    audio: &AudioSpan,
    session: &Path,
) -> anyhow::Result<Vec<i16>> {
    let (start, end) = (clock(audio.span.start_ms), clock(audio.span.end_ms));
    let Some(file) = Sources::read(session)?.file(&evidence.stream, audio) else {
        bail!(
            "{}: the session does not know where it lies; it was said there from {start} to {end}",
            audio.file
        );
    };
    if !file.exists() {
        bail!(
            "{}: not there any more; put it back, or `weir replay` it with --session {} from where \
             it lies now, which tells the place and hears nothing twice",
            file.display(),
            session.display()
        );
    }
    let mut reader = SpanReader::open(&file, &wiring::opener())?;
    let span = SampleSpan::from_ms(audio.span.start_ms, audio.span.end_ms);
    let mut samples = Vec::new();
    reader.read(span, &mut |piece| {
        samples.extend(piece.iter().map(|sample| (sample * 32_767.0) as i16));
    })?;
    if samples.is_empty() {
        bail!(
            "{}: ends before {} ms; it is not the recording that was heard",
            file.display(),
            audio.span.start_ms
        );
    }
    Ok(samples)
}
