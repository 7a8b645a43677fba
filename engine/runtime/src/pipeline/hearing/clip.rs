//! The sound of a piece of evidence.

use crate::pipeline::hearing::spans::{OpenAudio, SpanReader};
use crate::store::{AudioArchive, Recordings, StoreError, clip_bytes, is_recorded};
use std::path::{Path, PathBuf};
use weir_asr::{AudioError, SampleSpan};
use weir_core::stream::{AudioSpan, Span};

/// Longest clip, in milliseconds; the sound of longer evidence is cut off there.
pub const CLIP_MS_MAX: u64 = 60_000;

/// Why there is no clip.
#[derive(Debug, thiserror::Error)]
pub enum ClipError {
    /// The session's recordings cannot be read, or are gone.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The recording cannot be read.
    #[error(transparent)]
    Audio(#[from] AudioError),
    /// The recording is a file that the session cannot find.
    #[error(
        "{file}: the session does not know the file's folder; the evidence is at {} to {} ms",
        span.start_ms, span.end_ms
    )]
    NoFolder {
        /// The file.
        file: String,
        /// The evidence's place in it.
        span: Span,
    },
    /// The recording is not where it was.
    #[error("{}: file not found", file.display())]
    NoFile {
        /// Where it was.
        file: PathBuf,
        /// The session's directory.
        session: PathBuf,
    },
    /// The recording ends before the evidence.
    #[error(
        "{}: ends before {start_ms} ms; this is not the recording that was processed",
        file.display()
    )]
    Short {
        /// The file.
        file: PathBuf,
        /// Where the evidence begins.
        start_ms: u64,
    },
}

/// The sound of evidence in a stream of the session in a directory: 16 kHz mono, at most
/// [`CLIP_MS_MAX`]. `open` opens recordings that are not the session's own.
///
/// # Errors
/// [`ClipError`].
pub fn clip_samples(
    session: &Path,
    stream: &str,
    audio: &AudioSpan,
    open: &OpenAudio,
) -> Result<Vec<i16>, ClipError> {
    let mut audio = audio.clone();
    let (start_ms, end_ms) = (audio.span.start_ms, audio.span.end_ms);
    audio.span.end_ms = end_ms.min(start_ms.saturating_add(CLIP_MS_MAX));
    if is_recorded(&audio) {
        return Ok(AudioArchive::open(session)?.read(&audio)?);
    }
    let Some(file) = Recordings::read(session)?.file(stream, &audio) else {
        let (file, span) = (audio.file, audio.span);
        return Err(ClipError::NoFolder { file, span });
    };
    if !file.exists() {
        let session = session.to_path_buf();
        return Err(ClipError::NoFile { file, session });
    }
    let mut reader = SpanReader::open(&file, open)?;
    let span = SampleSpan::from_ms(start_ms, audio.span.end_ms);
    let mut samples = Vec::new();
    reader.read(span, &mut |piece| {
        samples.extend(piece.iter().map(|sample| (sample * 32_767.0) as i16));
    })?;
    match samples.is_empty() {
        true => Err(ClipError::Short { file, start_ms }),
        false => Ok(samples),
    }
}

/// The same as a complete WAV file.
///
/// # Errors
/// [`ClipError`].
pub fn clip_wav(
    session: &Path,
    stream: &str,
    audio: &AudioSpan,
    open: &OpenAudio,
) -> Result<Vec<u8>, ClipError> {
    clip_samples(session, stream, audio, open).map(|samples| clip_bytes(&samples))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::fakes::{CountingSource, opener};
    use crate::store::AudioSpool;
    use std::io::Cursor;

    #[test]
    fn a_clip_is_the_recorded_sound_up_to_a_minute() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut spool = AudioSpool::open(dir.path(), 1 << 30).expect("it opens");
        spool.begin("live", 0).expect("it begins");
        spool.append(&vec![7; 62 * 16_000]).expect("written");
        let open = opener(|_| Ok(Box::new(CountingSource::new(0))));
        let clip = |end_ms| {
            let span = Span::new(500, end_ms);
            let audio = spool.locate("live", span).expect("it was recorded");
            clip_wav(dir.path(), "live", &audio, &open).expect("it is there")
        };
        let wav = hound::WavReader::new(Cursor::new(clip(1_500))).expect("it is WAV");
        assert_eq!((wav.spec().sample_rate, wav.duration()), (16_000, 16_000));
        let wav = hound::WavReader::new(Cursor::new(clip(61_900))).expect("it is WAV");
        assert_eq!(u64::from(wav.duration()), CLIP_MS_MAX * 16);
    }

    #[test]
    fn a_clip_of_a_file_is_read_where_the_session_knows_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let audio = |start_ms, end_ms| AudioSpan {
            file: "talk.wav".to_owned(),
            span: Span::new(start_ms, end_ms),
        };
        let open = opener(|_| Ok(Box::new(CountingSource::new(16_000))));
        let clip = |start, end| clip_samples(dir.path(), "talk", &audio(start, end), &open);
        let unknown = clip(0, 10).expect_err("no folder is known").to_string();
        assert!(unknown.contains("talk.wav"), "{unknown}");
        let file = dir.path().join("talk.wav");
        let mut recordings = Recordings::default();
        assert_eq!(recordings.add("talk", "abc", &file), "talk");
        assert_eq!(recordings.add("talk", "def", &file), "talk (2)");
        recordings.write(dir.path()).expect("written");
        assert!(matches!(clip(0, 10), Err(ClipError::NoFile { .. })));
        std::fs::write(&file, "").expect("written");
        assert_eq!(clip(0, 10).expect("it is there").len(), 160);
        assert!(matches!(clip(1_001, 1_100), Err(ClipError::Short { .. })));
    }
}
