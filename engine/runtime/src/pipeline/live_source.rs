//! One stream of a live feed: a capture, or a recording that an earlier process left.

use super::feed::Notice;
use super::overflow::OverflowQueue;
use super::recognition::Recognition;
use super::speech::Speech;
use crate::store::Recorded;
use weir_asr::{ListenError, SAMPLE_RATE_HZ, SampleSpan, SourceSpec};
use weir_core::stream::{Span, StreamStart};

/// One stream being recognised.
pub(super) struct Source {
    pub(super) sound: Sound,
    pub(super) start: StreamStart,
    /// Number of channels of the interleaved samples.
    pub(super) planes: u16,
    pub(super) speech: Speech,
    /// Stream time at which its audio begins.
    pub(super) from_ms: u64,
    pub(super) stage: LiveStage,
    /// Number of utterances so far, and the end of the last one.
    pub(super) spoken: u64,
    pub(super) said_ms: u64,
    pub(super) counted_ms: u64,
}

pub(super) enum Sound {
    Live(OverflowQueue),
    Recorded(Recorded),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LiveStage {
    Before,
    Recognition,
    Draining,
    Ended,
}

impl Source {
    pub(super) fn new(
        hearing: &Recognition,
        sound: Sound,
        start: StreamStart,
        planes: u16,
    ) -> Result<Self, ListenError> {
        let recogniser = hearing.live_source(&SourceSpec {
            name: start.name.clone(),
            format: "live".to_owned(),
            rate_hz: SAMPLE_RATE_HZ,
            channels: planes,
            frames: None,
        })?;
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

    pub(super) fn span(&self, span: SampleSpan) -> Span {
        Span::new(self.from_ms + span.start_ms(), self.from_ms + span.end_ms())
    }

    /// Samples per channel after the start of the first waiting segment or utterance, or after the
    /// settled part.
    pub(super) fn open(&self) -> u64 {
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
    pub(super) fn samples(&self) -> u64 {
        self.speech.recogniser.listener().samples_heard()
    }

    /// Inserts silence for lost audio, so that times stay exact.
    pub(super) fn gap(&mut self, samples: u64, notices: &mut Vec<Notice>) {
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
