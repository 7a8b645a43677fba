//! A recording that delivers its samples at the pace of a microphone.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use weir_asr::{AudioError, AudioSource, SourceSpec, SourceWarning};

/// Pieces as a sound card delivers them.
const PIECES_PER_S: u32 = 50;

/// When the first sample was delivered.
pub(super) type Began = Arc<OnceLock<Instant>>;

pub(super) struct Paced {
    source: Box<dyn AudioSource>,
    /// Decoded and not yet delivered.
    ahead: Vec<f32>,
    delivered: u64,
    pub(super) began: Began,
}

impl Paced {
    /// Plays a source from the first read on.
    pub(super) fn new(source: Box<dyn AudioSource>) -> Self {
        Self {
            source,
            ahead: Vec::new(),
            delivered: 0,
            began: Began::default(),
        }
    }
}

impl AudioSource for Paced {
    fn spec(&self) -> &SourceSpec {
        self.source.spec()
    }

    fn read(&mut self, out: &mut Vec<f32>) -> Result<usize, AudioError> {
        let spec = self.source.spec();
        let (rate_hz, channels) = (spec.rate_hz, u64::from(spec.channels.max(1)));
        let piece = (rate_hz / PIECES_PER_S).max(1) as usize * channels as usize;
        let mut chunk = Vec::new();
        while self.ahead.len() < piece && self.source.read(&mut chunk)? > 0 {
            self.ahead.extend_from_slice(&chunk);
        }
        let took = piece.min(self.ahead.len());
        out.clear();
        out.extend(self.ahead.drain(..took));
        // a piece is there when its last sample was spoken
        self.delivered += took as u64;
        let began = *self.began.get_or_init(Instant::now);
        let spoken_s = (self.delivered / channels) as f64 / f64::from(rate_hz);
        let wait = (began + Duration::from_secs_f64(spoken_s)).duration_since(Instant::now());
        std::thread::sleep(wait);
        Ok(took)
    }

    fn take_warnings(&mut self, out: &mut Vec<SourceWarning>) {
        self.source.take_warnings(out);
    }
}
