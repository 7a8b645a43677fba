//! From a source's samples to utterances: the loop around a model.
//!
//! It spawns no thread, reads no clock and opens no file; replays, live sources and measurements
//! run this one. The model is lent to it for a window at a time, so one model serves many sources.
//! Invariant: what comes out of a recording depends on the samples and the model alone, not on the
//! chunks they came in.

use crate::guarded::{GuardedTranscriber, HeardWindow};
use crate::guards::GuardsConfig;
use crate::listener::{ListenError, Listener};
use crate::segmenter::SegmenterConfig;
use crate::window::{Rest, Windows};
use crate::{Channels, Segment, SourceSpec, Transcribe, TranscribeError};

/// Settings of a recogniser.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecogniserConfig {
    /// Mixed or kept apart.
    pub channels: Channels,
    /// How speech is cut; its longest segment is lowered to what the model understands.
    pub segmenter: SegmenterConfig,
    /// What passes as words.
    pub guards: GuardsConfig,
}

impl RecogniserConfig {
    /// The defaults for a model.
    #[must_use]
    pub fn for_model<T: Transcribe + ?Sized>(model: &T) -> Self {
        Self {
            segmenter: SegmenterConfig::for_model(model.max_segment_ms()),
            guards: model.guards(),
            ..Self::default()
        }
    }
}

/// The sound of one source on its way through a model.
pub struct Recogniser {
    listener: Listener,
    windows: Windows,
    cut: Vec<Segment>,
    /// Segments that are still to be passed over.
    skipping: u64,
    /// Segments of the window that was recognised last.
    last_window: u64,
    ended: bool,
}

impl Recogniser {
    /// The loop around a listener, with segments packed into these windows.
    #[must_use]
    pub fn new(listener: Listener, windows: Windows) -> Self {
        Self {
            listener,
            windows,
            cut: Vec::new(),
            skipping: 0,
            last_window: 0,
            ended: false,
        }
    }

    /// The loop for one source, and the model with its guards.
    ///
    /// # Errors
    /// A source that cannot be taken or a setting outside its range.
    pub fn for_source<T: Transcribe>(
        spec: &SourceSpec,
        config: RecogniserConfig,
        model: T,
    ) -> Result<(Self, GuardedTranscriber<T>), ListenError> {
        let mut segmenter = config.segmenter;
        segmenter.max_segment_ms = segmenter.max_segment_ms.min(model.max_segment_ms());
        let listener = Listener::new(spec, config.channels, &segmenter)?;
        let windows = Windows::new(model.max_window_ms());
        let transcriber = GuardedTranscriber::new(model, config.guards)?;
        Ok((Self::new(listener, windows), transcriber))
    }

    /// The front end and segmenters, for their counts and planes.
    #[must_use]
    pub fn listener(&self) -> &Listener {
        &self.listener
    }

    /// Segments that are cut and not recognised.
    pub fn waiting(&self) -> impl Iterator<Item = &Segment> {
        self.windows.waiting()
    }

    /// Passes over the next `segments`: whoever goes on with a recording has them already.
    pub fn skip(&mut self, segments: u64) {
        self.skipping = segments;
    }

    /// Segments that are still to be passed over.
    #[must_use]
    pub fn skipping(&self) -> u64 {
        self.skipping
    }

    /// Segments of the window that was recognised last.
    #[must_use]
    pub fn last_window(&self) -> u64 {
        self.last_window
    }

    /// Lets go of the segments that wait.
    pub fn drop_waiting(&mut self) {
        while self.windows.next(Rest::Give).is_some() {}
    }

    /// Takes interleaved samples.
    pub fn step(&mut self, interleaved: &[f32]) {
        self.listener.step(interleaved, &mut self.cut);
        self.take_cut();
    }

    /// Takes the end of the source: what was open is cut.
    pub fn finish(&mut self) {
        self.ended = true;
        self.listener.finish(&mut self.cut);
        self.take_cut();
    }

    fn take_cut(&mut self) {
        let cut = self.cut.len() as u64;
        let skipped = self.skipping.min(cut);
        self.skipping -= skipped;
        for segment in self.cut.drain(..skipped as usize) {
            self.listener.recycle(segment);
        }
        self.windows.extend(self.cut.drain(..));
    }

    /// Recognises the next window; `None` when none is full. With [`Rest::Give`], and after the end
    /// of the source, what waits is a window.
    ///
    /// # Errors
    /// When the model fails on the window. Its segments are counted as failed, and the next call
    /// goes on behind it.
    pub fn recognise<T: Transcribe>(
        &mut self,
        transcriber: &mut GuardedTranscriber<T>,
        rest: Rest,
    ) -> Option<Result<HeardWindow, TranscribeError>> {
        let rest = if self.ended { Rest::Give } else { rest };
        let window = self.windows.next(rest)?;
        self.last_window = window.len() as u64;
        let heard = transcriber.hear(&window);
        for segment in window {
            self.listener.recycle(segment);
        }
        Some(heard)
    }
}
