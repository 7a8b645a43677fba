//! Test doubles: a source whose samples encode their own index, and an opener for such sources.

use crate::pipeline::hearing::spans::OpenAudio;
use std::path::Path;
use std::sync::Arc;
use weir_asr::{AudioError, AudioSource, SourceSpec, SourceWarning};

/// A 16 kHz mono source whose sample `n` encodes `n` modulo 4096.
pub(crate) struct CountingSource {
    spec: SourceSpec,
    at: u64,
    len: u64,
}

impl CountingSource {
    pub(crate) fn new(len: u64) -> Self {
        Self {
            spec: SourceSpec {
                name: "counted".into(),
                format: "numbers".into(),
                rate_hz: 16_000,
                channels: 1,
                frames: Some(len),
            },
            at: 0,
            len,
        }
    }

    /// The number that a sample encodes.
    pub(crate) fn number(sample: f32) -> u64 {
        (sample * 4_096.0).round() as u64
    }

    /// The number that sample `n` encodes.
    pub(crate) fn expected(n: u64) -> u64 {
        n % 4_096
    }
}

impl AudioSource for CountingSource {
    fn spec(&self) -> &SourceSpec {
        &self.spec
    }

    fn read(&mut self, out: &mut Vec<f32>) -> Result<usize, AudioError> {
        let end = (self.at + 1_000).min(self.len);
        out.clear();
        out.extend((self.at..end).map(|n| Self::expected(n) as f32 / 4_096.0));
        self.at = end;
        Ok(out.len())
    }

    fn take_warnings(&mut self, _out: &mut Vec<SourceWarning>) {}
}

/// An opener made of a closure.
pub(crate) fn opener<F>(open: F) -> OpenAudio
where
    F: Fn(&Path) -> Result<Box<dyn AudioSource>, AudioError> + Send + Sync + 'static,
{
    Arc::new(open)
}
