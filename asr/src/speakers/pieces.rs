//! Vectors of short pieces of speech, each computed once and shared by all windows that see it.
//!
//! A piece is a second and a half of a run; a new one begins every half second. Its vector is that
//! of the samples in which exactly one person speaks, as the first window that holds it sees them.

use super::clean::clean_stretches;
use super::config::DiarizerConfig;
use super::contract::{Activities, EmbedSpeaker, FrameGrid, SpeakerError};
use super::voiceprint::Voiceprint;
use crate::span::SAMPLES_PER_MS;
use std::collections::VecDeque;
use std::ops::Range;

/// A piece of a run.
pub(super) struct Piece {
    /// Its frames, counted from the start of the run.
    pub(super) frames: Range<i64>,
    /// The voice; `None` if too little is said, or several people speak.
    pub(super) voice: Option<Voiceprint>,
}

/// The pieces that the current window may see.
///
/// Memory: the vectors of one window.
pub(super) struct Pieces {
    len: i64,
    hop: i64,
    samples_min: usize,
    known: VecDeque<Piece>,
    /// Index of the next piece in the run.
    next: i64,
}

impl Pieces {
    pub(super) fn new(config: &DiarizerConfig, grid: &FrameGrid) -> Self {
        let samples = |ms: u32| u64::from(ms) * SAMPLES_PER_MS;
        let frames = |ms: u32| (samples(ms) / grid.step_samples as u64).max(1) as i64;
        Self {
            len: frames(config.piece_ms),
            hop: frames(config.piece_hop_ms),
            samples_min: samples(config.piece_ms_min) as usize,
            known: VecDeque::new(),
            next: 0,
        }
    }

    /// Forgets everything: another run begins.
    pub(super) fn restart(&mut self) {
        self.known.clear();
        self.next = 0;
    }

    /// Embeds the pieces that end inside a window; returns how many. `first_frame` is that of the
    /// window, `heard` its samples that are no padding.
    ///
    /// # Errors
    /// The model fails on a piece; that piece has no voice.
    pub(super) fn embed<E: EmbedSpeaker + ?Sized>(
        &mut self,
        first_frame: i64,
        (window, heard): (&[f32], &Range<usize>),
        (activities, grid): (&Activities, &FrameGrid),
        model: &mut E,
    ) -> Result<u64, SpeakerError> {
        let frames = grid.frames as i64;
        self.known.retain(|piece| piece.frames.end > first_frame);
        let mut embedded = 0;
        let mut failed = None;
        loop {
            let start = self.next * self.hop;
            let inside = start - first_frame;
            if inside + self.len > frames {
                break;
            }
            let last = grid.sample((inside + self.len).max(0) as usize);
            if last > heard.end {
                break; // silence pads the window
            }
            self.next += 1;
            let from = inside.max(0) as usize;
            let to = (inside + self.len).max(0) as usize;
            let mut speech = Vec::new();
            for stretch in clean_stretches(activities, grid, from..to, heard) {
                speech.extend_from_slice(&window[stretch]);
            }
            let mut voice = None;
            if speech.len() >= self.samples_min {
                let vector = model.embed(&speech);
                match vector.and_then(|vector| Voiceprint::of_model(vector, model)) {
                    Ok(found) => {
                        embedded += 1;
                        voice = found;
                    }
                    Err(error) => failed = Some(error),
                }
            }
            self.known.push_back(Piece {
                frames: start..start + self.len,
                voice,
            });
        }
        failed.map_or(Ok(embedded), Err)
    }

    /// The pieces whose voices are known, in order of time.
    pub(super) fn voices(&self) -> impl Iterator<Item = (&Range<i64>, &Voiceprint)> {
        let known = self.known.iter();
        known.filter_map(|piece| Some((&piece.frames, piece.voice.as_ref()?)))
    }
}
