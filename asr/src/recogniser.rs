//! Converts a source's samples to utterances: the loop around a model.
//!
//! It spawns no thread, reads no clock and opens no file; replays, live sources and benchmarks
//! share it. The caller lends it the model for one window at a time, so one model serves many
//! sources. Invariant: the output depends on the samples and the model alone, not on chunk sizes.

use crate::guarded::{GuardedTranscriber, HeardWindow};
use crate::guards::GuardsConfig;
use crate::language::LanguageTrack;
use crate::listener::{ListenError, Listener};
use crate::segmenter::SegmenterConfig;
use crate::window::{self, Ahead, Rest, Windows};
use crate::{Channels, Segment, SourceSpec, Transcribe, TranscribeError};

/// Settings of a recogniser.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecogniserConfig {
    /// Whether channels are mixed or kept apart.
    pub channels: Channels,
    /// How speech is cut; the longest segment is reduced to the model's limit.
    pub segmenter: SegmenterConfig,
    /// Which words are accepted.
    pub guards: GuardsConfig,
}

impl RecogniserConfig {
    /// The defaults for a model.
    #[must_use]
    pub fn for_model<T: Transcribe + ?Sized>(model: &T) -> Self {
        Self {
            segmenter: SegmenterConfig::for_model(model.max_segment_ms()),
            ..Self::default()
        }
    }
}

/// Recognition state of one source.
pub struct Recogniser {
    listener: Listener,
    windows: Windows,
    language: LanguageTrack,
    cut: Vec<Segment>,
    /// Segments still to be skipped.
    skipping: u64,
    /// Segments of the last recognised window.
    last_window: u64,
    ended: bool,
    is_live: bool,
}

impl Recogniser {
    /// A loop around a listener that packs segments into these windows.
    #[must_use]
    pub fn new(listener: Listener, windows: Windows) -> Self {
        Self {
            listener,
            windows,
            language: LanguageTrack::default(),
            cut: Vec::new(),
            skipping: 0,
            last_window: 0,
            ended: false,
            is_live: false,
        }
    }

    /// The same for a source whose listeners wait: a pause ends a window.
    #[must_use]
    pub fn live(self) -> Self {
        Self {
            is_live: true,
            ..self
        }
    }

    /// The same for a source whose listeners wait for each segment: it is a window by itself.
    #[must_use]
    pub fn live_by_segment(self) -> Self {
        let live = self.live();
        Self {
            windows: live.windows.one_by_one(),
            ..live
        }
    }

    /// A loop for one source, and the model with its guards.
    ///
    /// # Errors
    /// The source is not supported, or a setting is outside its range.
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

    /// The next window of a live source so far, as it would be recognised if nobody goes on.
    #[must_use]
    pub fn forming(&self) -> Option<Segment> {
        let segments: Vec<&Segment> = self.windows.forming().collect();
        let forming = match segments[..] {
            [] => return None,
            [alone] => alone.clone(),
            _ => window::join(&segments, Vec::new()),
        };
        Some(Segment {
            language: self.language(),
            ..forming
        })
    }

    /// Code of the source's language, if it was found.
    #[must_use]
    pub fn language(&self) -> Option<&'static str> {
        self.language.code()
    }

    /// Where the next window of a live source begins; `None` if no segment waits.
    #[must_use]
    pub fn forming_start(&self) -> Option<u64> {
        self.windows.forming().next().map(|it| it.span.start)
    }

    /// How far the source is behind its waiting segments.
    fn ahead(&self, rest: Rest) -> Ahead {
        let channel = self.windows.waiting().next().map(|it| it.channel);
        let open = self.listener.open_speech();
        let open = open.filter(|it| Some(it.channel) == channel);
        let open = open
            .map(|it| it.voice_end.saturating_sub(it.span.start))
            .max();
        Ahead {
            settled: match rest {
                Rest::Give => u64::MAX,
                Rest::Keep => self.listener.settled(),
            },
            open: open.unwrap_or(0),
        }
    }

    /// Segments that are cut but not yet recognised.
    pub fn waiting(&self) -> impl Iterator<Item = &Segment> {
        self.windows.waiting()
    }

    /// Skips the next `segments`: a caller that resumes a recording has them already.
    pub fn skip(&mut self, segments: u64) {
        self.skipping = segments;
    }

    /// Segments still to be skipped.
    #[must_use]
    pub fn skipping(&self) -> u64 {
        self.skipping
    }

    /// Segments of the last recognised window.
    #[must_use]
    pub fn last_window(&self) -> u64 {
        self.last_window
    }

    /// Drops what was said before this position, in samples at 16 kHz, and is not recognised yet.
    pub fn discard_before(&mut self, at: u64) {
        self.listener.discard_before(at);
        self.windows.discard_before(at);
    }

    /// Drops the waiting segments.
    pub fn drop_waiting(&mut self) {
        while self.windows.next(Rest::Give).is_some() {}
    }

    /// Takes interleaved samples.
    pub fn step(&mut self, interleaved: &[f32]) {
        self.listener.step(interleaved, &mut self.cut);
        self.take_cut();
    }

    /// Ends the source and closes open segments.
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

    /// Recognises the next window; `None` if no window is complete. With [`Rest::Give`], and after
    /// the end of the source, the waiting segments form a window.
    ///
    /// # Errors
    /// The model fails on the window. Its segments are counted as failed, and the next call
    /// continues after it.
    pub fn recognise<T: Transcribe>(
        &mut self,
        transcriber: &mut GuardedTranscriber<T>,
        rest: Rest,
    ) -> Option<Result<HeardWindow, TranscribeError>> {
        let rest = if self.ended { Rest::Give } else { rest };
        let mut window = match self.is_live {
            true => self.windows.next_live(self.ahead(rest)),
            false => self.windows.next(rest),
        }?;
        self.last_window = window.len() as u64;
        let found = transcriber.find_language(&mut self.language, &mut window);
        let mut heard = transcriber.hear(&window);
        if let Ok(heard) = &mut heard {
            let (track, refused) = (&mut self.language, heard.refused.iter().copied());
            heard.language = found.or_else(|| transcriber.doubt_language(track, &window, refused));
        }
        for segment in window {
            self.listener.recycle(segment);
        }
        Some(heard)
    }
}
