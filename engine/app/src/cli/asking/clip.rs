//! Writes the audio of an answer's evidence as a WAV file.

use crate::cli::loading::wiring;
use crate::cli::output;
use anyhow::bail;
use std::path::Path;
use weir_core::answer::Answer;
use weir_core::stream::AudioSpan;
use weir_core::talk::Evidence;
use weir_engine::pipeline::clip_wav;

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
    let clip = clip_wav(session, &evidence.stream, audio, &wiring::opener())?;
    output::write(out, |file| file.write_all(&clip))
}
