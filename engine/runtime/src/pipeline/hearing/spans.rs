//! Reads labelled stretches of an audio file in the order requested.
//!
//! Files are read once from start to end; the last seconds are kept, so that utterances may
//! overlap. A stretch further back reopens the file. Holds at most the window and one chunk, never
//! a whole file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_asr::{AudioError, AudioSource, Channels, FrontEnd, SampleSpan, SourceWarning};

/// Opens an audio file; a value, so that tests need no file.
pub type OpenAudio = Arc<dyn Fn(&Path) -> Result<Box<dyn AudioSource>, AudioError> + Send + Sync>;

/// Samples kept behind the reading position: 30 s, longer than people overlap.
const LOOKBACK_SAMPLES: usize = 30 * weir_asr::SAMPLE_RATE_HZ as usize;

/// One audio file, mixed to 16 kHz mono.
pub struct SpanReader {
    path: PathBuf,
    open: OpenAudio,
    source: Box<dyn AudioSource>,
    front_end: FrontEnd,
    chunk: Vec<f32>,
    planes: Vec<Vec<f32>>,
    /// Samples from `window_start` to the reading position.
    window: Vec<f32>,
    window_start: u64,
    ended: bool,
    warnings: Vec<SourceWarning>,
}

impl SpanReader {
    /// Opens a file.
    ///
    /// # Errors
    /// [`AudioError`] of the opener.
    pub fn open(path: &Path, open: &OpenAudio) -> Result<Self, AudioError> {
        let source = open(path)?;
        Ok(Self {
            path: path.to_path_buf(),
            open: Arc::clone(open),
            front_end: FrontEnd::new(source.spec(), Channels::Mix)?,
            source,
            chunk: Vec::new(),
            planes: Vec::new(),
            window: Vec::new(),
            window_start: 0,
            ended: false,
            warnings: Vec::new(),
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its length in milliseconds, if its end was reached.
    #[must_use]
    pub fn len_ms(&self) -> Option<u64> {
        let samples = self.window_start + self.window.len() as u64;
        self.ended.then(|| SampleSpan::new(0, samples).len_ms())
    }

    /// Moves the warnings collected so far to the end of `out`.
    pub fn take_warnings(&mut self, out: &mut Vec<SourceWarning>) {
        out.append(&mut self.warnings);
    }

    /// Passes the samples of `span` to `take` in pieces and returns their number: fewer than
    /// requested if the file ends earlier.
    ///
    /// # Errors
    /// [`AudioError`] when the file cannot be read further; earlier samples were passed on.
    pub fn read(
        &mut self,
        span: SampleSpan,
        take: &mut dyn FnMut(&[f32]),
    ) -> Result<u64, AudioError> {
        if span.start < self.window_start {
            let warnings = std::mem::take(&mut self.warnings);
            *self = Self::open(&self.path.clone(), &self.open.clone())?;
            self.warnings = warnings;
        }
        let mut at = span.start;
        loop {
            let known = self.window_start + self.window.len() as u64;
            if at < known.min(span.end) {
                let from = (at - self.window_start) as usize;
                let to = (known.min(span.end) - self.window_start) as usize;
                take(&self.window[from..to]);
                at = self.window_start + to as u64;
            }
            if at >= span.end || self.ended {
                return Ok(at.saturating_sub(span.start));
            }
            self.advance()?;
        }
    }

    /// Reads one chunk into the window and drops samples that are too far back.
    fn advance(&mut self) -> Result<(), AudioError> {
        let read = self.source.read(&mut self.chunk);
        self.source.take_warnings(&mut self.warnings);
        if read? == 0 {
            self.front_end.finish(&mut self.planes);
            self.ended = true;
        } else {
            self.front_end.step(&self.chunk, &mut self.planes);
        }
        if let Some(mono) = self.planes.first() {
            self.window.extend_from_slice(mono);
        }
        // drop large pieces at a time, so that moving the rest is cheap
        if self.window.len() > 2 * LOOKBACK_SAMPLES {
            let forgotten = self.window.len() - LOOKBACK_SAMPLES;
            self.window.drain(..forgotten);
            self.window_start += forgotten as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::fakes::{CountingSource, opener};

    fn reader(seconds: u64) -> SpanReader {
        let open = opener(move |_| Ok(Box::new(CountingSource::new(seconds * 16_000))));
        SpanReader::open(Path::new("counted"), &open).expect("it opens")
    }

    fn read(reader: &mut SpanReader, start: u64, end: u64) -> Vec<u64> {
        let mut out = Vec::new();
        let read = reader
            .read(SampleSpan::new(start, end), &mut |piece| {
                out.extend(piece.iter().map(|s| CountingSource::number(*s)));
            })
            .expect("it reads");
        assert_eq!(read as usize, out.len());
        out
    }

    #[test]
    fn spans_are_exact_in_any_order() {
        let mut reader = reader(200);
        for (start, end) in [
            (0, 10),
            (5, 20_000),
            (1_600_000, 1_600_100),
            (1_599_990, 1_600_010),
            (7, 9),
            (3_199_990, 3_200_000),
        ] {
            let expected: Vec<u64> = (start..end).map(CountingSource::expected).collect();
            assert_eq!(read(&mut reader, start, end), expected, "{start}..{end}");
        }
    }

    #[test]
    fn a_span_beyond_the_end_gives_what_there_is() {
        let mut reader = reader(1);
        assert_eq!(read(&mut reader, 15_990, 17_000).len(), 10);
        assert_eq!(read(&mut reader, 20_000, 30_000).len(), 0);
    }
}
