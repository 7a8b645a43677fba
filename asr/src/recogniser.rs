//! From a source's samples to utterances: listener, model and guards as one state machine.
//!
//! It spawns no thread, reads no clock and opens no file; a caller that wants the model on a thread
//! of its own takes [`Listener`] there and [`Ear`] here. Invariant: what comes out depends on the
//! samples and the model alone, not on the chunks they came in, and no stretch of speech vanishes
//! without being counted.

use crate::guards::{Guards, GuardsConfig, Refusal};
use crate::listener::{ListenError, Listener};
use crate::segmenter::{SegmenterConfig, SegmenterCounts};
use crate::{
    Channels, Recognised, SampleSpan, Segment, SettingError, SourceSpec, Transcribe,
    TranscribeError, Word,
};

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

/// What became of the segments a model was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EarCounts {
    /// Segments that became utterances.
    pub recognised: u64,
    /// Words in them.
    pub words: u64,
    /// Segments the model failed on.
    pub failed: u64,
    refused: [u64; Refusal::ALL.len()],
}

impl EarCounts {
    /// How many segments were refused for this reason.
    #[must_use]
    pub fn refused(&self, why: Refusal) -> u64 {
        self.refused[why as usize]
    }

    /// How many segments were refused in all.
    #[must_use]
    pub fn refused_in_all(&self) -> u64 {
        self.refused.iter().sum()
    }
}

/// A model and the guards behind it.
pub struct Ear<T> {
    model: T,
    guards: Guards,
    counts: EarCounts,
}

impl<T: Transcribe> Ear<T> {
    /// Puts guards behind a model.
    ///
    /// # Errors
    /// A limit outside its range.
    pub fn new(model: T, guards: GuardsConfig) -> Result<Self, SettingError> {
        Ok(Self {
            model,
            guards: Guards::new(guards)?,
            counts: EarCounts::default(),
        })
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &T {
        &self.model
    }

    /// What became of the segments so far.
    #[must_use]
    pub fn counts(&self) -> &EarCounts {
        &self.counts
    }

    /// Recognises one segment; `None` when the guards refuse it, which is counted.
    ///
    /// # Errors
    /// When the model fails; the segment is counted as failed and the next one may be given.
    pub fn hear(&mut self, segment: &Segment) -> Result<Option<Recognised>, TranscribeError> {
        match self.judge(segment)? {
            Ok(recognised) => {
                self.counts.recognised += 1;
                self.counts.words += recognised.words.len() as u64;
                Ok(Some(recognised))
            }
            Err(why) => {
                self.counts.refused[why as usize] += 1;
                log::debug!("{} ms: refused: {}", segment.span.start_ms(), why.reason());
                Ok(None)
            }
        }
    }

    fn judge(&mut self, segment: &Segment) -> Result<Result<Recognised, Refusal>, TranscribeError> {
        if let Err(why) = self.guards.admit(segment) {
            return Ok(Err(why));
        }
        let transcript = match self.model.transcribe(segment) {
            Ok(transcript) => transcript,
            Err(error) => {
                self.counts.failed += 1;
                return Err(error);
            }
        };
        log::trace!(
            "{} ms: voice {:.2}, confidence {:.2}, no speech {:.2}: {}",
            segment.span.start_ms(),
            segment.voice,
            transcript.confidence,
            transcript.no_speech,
            transcript.text(),
        );
        Ok(self
            .guards
            .judge(segment, transcript)
            .map(|transcript| Recognised {
                span: segment.span,
                channel: segment.channel,
                words: transcript.words,
                confidence: transcript.confidence,
            }))
    }
}

/// A whole recogniser for one source.
pub struct Recogniser<T> {
    listener: Listener,
    ear: Ear<T>,
    /// Segments cut and not yet recognised: more than a few only after a model's failure.
    waiting: Vec<Segment>,
}

impl<T: Transcribe> Recogniser<T> {
    /// Makes a recogniser for one source.
    ///
    /// # Errors
    /// A source that cannot be taken or a setting outside its range.
    pub fn new(spec: &SourceSpec, config: RecogniserConfig, model: T) -> Result<Self, ListenError> {
        let mut segmenter_config = config.segmenter;
        segmenter_config.max_segment_ms =
            segmenter_config.max_segment_ms.min(model.max_segment_ms());
        Ok(Self {
            listener: Listener::new(spec, config.channels, &segmenter_config)?,
            ear: Ear::new(model, config.guards)?,
            waiting: Vec::new(),
        })
    }

    /// What the segmenters saw.
    #[must_use]
    pub fn listened(&self) -> SegmenterCounts {
        self.listener.counts()
    }

    /// What became of the segments.
    #[must_use]
    pub fn counts(&self) -> &EarCounts {
        self.ear.counts()
    }

    /// The front end and segmenters, for their counts and planes.
    #[must_use]
    pub fn listener(&self) -> &Listener {
        &self.listener
    }

    /// Takes interleaved samples and appends the utterances they complete.
    ///
    /// # Errors
    /// When the model fails on a segment. That segment is counted as failed; those behind it stay
    /// in line and come with the next call.
    pub fn step(
        &mut self,
        interleaved: &[f32],
        out: &mut Vec<Recognised>,
    ) -> Result<(), TranscribeError> {
        self.listener.step(interleaved, &mut self.waiting);
        self.drain(out)
    }

    /// Takes the end of the source and appends what was still open.
    ///
    /// # Errors
    /// As `step`; call again to go on behind the failed segment.
    pub fn finish(&mut self, out: &mut Vec<Recognised>) -> Result<(), TranscribeError> {
        self.listener.finish(&mut self.waiting);
        self.drain(out)
    }

    fn drain(&mut self, out: &mut Vec<Recognised>) -> Result<(), TranscribeError> {
        while !self.waiting.is_empty() {
            let segment = self.waiting.remove(0);
            let heard = self.ear.hear(&segment);
            self.listener.recycle(segment);
            out.extend(heard?);
        }
        Ok(())
    }
}

/// The span words cover, where there are any.
#[must_use]
pub fn words_span(words: &[Word]) -> Option<SampleSpan> {
    let (first, last) = (words.first()?, words.last()?);
    Some(first.span.hull(last.span))
}
