//! One stream of a live feed: a capture, or a recording that an earlier process left.

use crate::pipeline::feed::Notice;
use crate::pipeline::hearing::overflow::OverflowQueue;
use crate::pipeline::hearing::recognition::Recognition;
use crate::pipeline::hearing::speech::Speech;
use crate::store::Recorded;
use weir_asr::{ListenError, SAMPLE_RATE_HZ, SampleSpan, SourceSpec};
use weir_core::session::OpenStream;
use weir_core::stream::{Span, StreamStart};

/// The session's state of an open stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeptUntil {
    /// Its name.
    pub(crate) stream: String,
    /// End of its last stored utterance, in stream time.
    pub(crate) ms: u64,
}

impl KeptUntil {
    pub(crate) fn of(stream: &OpenStream) -> Self {
        Self {
            stream: stream.name.clone(),
            ms: stream.heard_ms,
        }
    }
}

/// One stream being recognised.
pub(crate) struct Source {
    pub(crate) sound: Sound,
    pub(crate) start: StreamStart,
    /// Number of channels of the interleaved samples.
    pub(crate) planes: u16,
    pub(crate) speech: Speech,
    /// Stream time at which its audio begins.
    pub(crate) from_ms: u64,
    pub(crate) stage: LiveStage,
    /// Number of utterances so far, and the end of the last one.
    pub(crate) spoken: u64,
    pub(crate) said_ms: u64,
    pub(crate) counted_ms: u64,
}

pub(crate) enum Sound {
    Live(OverflowQueue),
    Recorded(Recorded),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LiveStage {
    Before,
    Recognition,
    Draining,
    Ended,
}

/// Captured sound.
fn spec(stream: &str, planes: u16) -> SourceSpec {
    SourceSpec {
        name: stream.to_owned(),
        format: "live".to_owned(),
        rate_hz: SAMPLE_RATE_HZ,
        channels: planes,
        frames: None,
    }
}

impl Source {
    pub(crate) fn new(
        hearing: &Recognition,
        sound: Sound,
        start: StreamStart,
        planes: u16,
    ) -> Result<Self, ListenError> {
        let recogniser = hearing.live_source(&spec(&start.name, planes))?;
        Ok(Self {
            sound,
            start,
            planes,
            speech: Speech::new(recogniser, None),
            from_ms: 0,
            stage: LiveStage::Before,
            spoken: 0,
            said_ms: 0,
            counted_ms: 0,
        })
    }

    /// The same for a recording.
    pub(crate) fn unhurried(self, hearing: &Recognition) -> Result<Self, ListenError> {
        let recogniser = hearing.source(&spec(&self.start.name, self.planes))?;
        Ok(Self {
            speech: Speech::new(recogniser, None),
            ..self
        })
    }

    pub(crate) fn span(&self, span: SampleSpan) -> Span {
        Span::new(self.from_ms + span.start_ms(), self.from_ms + span.end_ms())
    }

    /// Samples per channel after the start of the first waiting segment or utterance, or after the
    /// settled part.
    pub(crate) fn open(&self) -> u64 {
        let speech = &self.speech;
        let listener = speech.recogniser.listener();
        let settled = match self.stage {
            LiveStage::Before | LiveStage::Recognition => listener.settled(),
            LiveStage::Draining | LiveStage::Ended => listener.samples_heard(),
        };
        let waiting = speech.recogniser.waiting();
        let waiting = waiting.map(|segment| segment.span.start);
        let unlabelled = speech.unlabelled.iter().map(|said| said.span.start);
        let first = waiting.chain(unlabelled).min();
        listener.samples_heard() - first.unwrap_or(settled).min(settled)
    }

    /// Samples per channel taken in so far.
    pub(crate) fn samples(&self) -> u64 {
        self.speech.recogniser.listener().samples_heard()
    }

    /// Inserts silence for lost audio, so that times stay exact.
    pub(crate) fn gap(&mut self, samples: u64, notices: &mut Vec<Notice>) {
        let planes = self.planes.max(1);
        let frames = samples / u64::from(planes);
        notices.push(Notice::Gap {
            stream: self.start.name.clone(),
            at_ms: self.from_ms + SampleSpan::new(0, self.samples()).len_ms(),
            lost_ms: SampleSpan::new(0, frames).len_ms(),
        });
        let silence = vec![0.0; usize::from(planes) * SAMPLE_RATE_HZ as usize];
        let mut left = samples;
        while left > 0 {
            let piece = left.min(silence.len() as u64);
            self.speech.recogniser.step(&silence[..piece as usize]);
            left -= piece;
        }
        if let Some(speakers) = &mut self.speech.speakers {
            speakers.gap(frames);
        }
    }
}
