//! Writes the audio of an answer's evidence as a WAV file.

use crate::cli::hearing::recordings::Recordings;
use crate::cli::loading::wiring;
use crate::cli::output;
use crate::cli::terminal::clock;
use anyhow::bail;
use std::path::Path;
use weir_asr::SampleSpan;
use weir_core::answer::Answer;
use weir_core::stream::AudioSpan;
use weir_core::talk::Evidence;
use weir_engine::pipeline::SpanReader;
use weir_engine::store::{AudioArchive, clip_bytes, is_recorded};

/// Writes the audio of the best evidence that has any, and returns that evidence; `None`, and no
/// file, for an answer that cites no speech.
pub(crate) fn write<'a>(
    answer: &'a Answer,
    session: &Path,
    out: &Path,
) -> anyhow::Result<Option<&'a Evidence>> {
    if answer.citations.is_empty() {
        return Ok(None);
    }
    let heard = answer.citations.iter().find_map(|citation| {
        let audio = citation.evidence.audio.as_ref()?;
        Some((&citation.evidence, audio))
    });
    let Some((evidence, audio)) = heard else {
        bail!(
            "{}: not written, the answer cites text that was typed or read; only speech has audio",
            out.display()
        );
    };
    save(evidence, audio, session, out)?;
    Ok(Some(evidence))
}

/// Writes the sound of an evidence item.
pub(crate) fn save(
    evidence: &Evidence,
    audio: &AudioSpan,
    session: &Path,
    out: &Path,
) -> anyhow::Result<()> {
    let samples = sound(evidence, audio, session)?;
    output::write(out, |file| file.write_all(&clip_bytes(&samples)))
}

/// The sound of an evidence item, 16 kHz mono.
pub(crate) fn sound(
    evidence: &Evidence,
    audio: &AudioSpan,
    session: &Path,
) -> anyhow::Result<Vec<i16>> {
    match is_recorded(audio) {
        true => Ok(AudioArchive::open(session)?.read(audio)?),
        false => from_recording(evidence, audio, session),
    }
}

fn from_recording(
    evidence: &Evidence,
    audio: &AudioSpan,
    session: &Path,
) -> anyhow::Result<Vec<i16>> {
    let (start, end) = (clock(audio.span.start_ms), clock(audio.span.end_ms));
    let Some(file) = Recordings::read(session)?.file(&evidence.stream, audio) else {
        bail!(
            "{}: the session does not know the file's folder; the evidence is at {start} to {end}",
            audio.file
        );
    };
    if !file.exists() {
        bail!(
            "{}: file not found; put it back, or run `weir replay` with --session {} on its new \
             path: that records the path and processes nothing twice",
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
            "{}: ends before {} ms; this is not the recording that was processed",
            file.display(),
            audio.span.start_ms
        );
    }
    Ok(samples)
}
