//! Converts a source's samples to segments of speech: the front end and one segmenter per channel.
//!
//! It uses no model. Invariant: segments come out in the same order for any chunk sizes of the
//! input, because all channels process the same frames together.

use crate::front_end::FrontEnd;
use crate::segmenter::{Segmenter, SegmenterConfig, SegmenterCounts};
use crate::voice::VOICE_FRAME_SAMPLES;
use crate::{AudioError, Channels, OpenSpeech, Segment, SettingError, SourceSpec, SourceWarning};

/// Why a listener could not be created.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The source is not supported.
    #[error(transparent)]
    Audio(#[from] AudioError),
    /// A setting is outside its range.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

/// Takes a source's interleaved samples and returns segments of speech.
pub struct Listener {
    front_end: FrontEnd,
    segmenters: Vec<Segmenter>,
    planes: Vec<Vec<f32>>,
    /// Samples at 16 kHz taken by every segmenter.
    taken: u64,
}

impl Listener {
    /// Makes a listener for one source.
    ///
    /// # Errors
    /// The source is not supported, or a setting is outside its range.
    pub fn new(
        spec: &SourceSpec,
        channels: Channels,
        config: &SegmenterConfig,
    ) -> Result<Self, ListenError> {
        let front_end = FrontEnd::new(spec, channels)?;
        let segmenters = (0..front_end.planes())
            .map(|plane| {
                let channel = u16::try_from(plane).unwrap_or(u16::MAX);
                Ok(Segmenter::new(config.clone())?.on_channel(channel))
            })
            .collect::<Result<Vec<_>, SettingError>>()?;
        Ok(Self {
            front_end,
            segmenters,
            planes: Vec::new(),
            taken: 0,
        })
    }

    /// Samples at 16 kHz processed so far, per channel.
    #[must_use]
    pub fn samples_heard(&self) -> u64 {
        self.front_end.samples_out()
    }

    /// Samples at 16 kHz, per channel, that can no longer become part of a segment.
    #[must_use]
    pub fn settled(&self) -> u64 {
        let settled = self.segmenters.iter().map(Segmenter::settled);
        settled.min().unwrap_or(self.taken)
    }

    /// Segments that are not closed yet, at most one per channel.
    pub fn open_speech(&self) -> impl Iterator<Item = OpenSpeech<'_>> {
        self.segmenters.iter().filter_map(Segmenter::open_speech)
    }

    /// What is worth a warning about the signal of the named recording, once it has ended: it is
    /// too quiet, its channels cancel each other, or each has somebody of its own.
    #[must_use]
    pub fn warnings(&self, name: &str) -> Vec<SourceWarning> {
        self.front_end.warnings(name)
    }

    /// NaN and infinite samples, replaced by silence.
    #[must_use]
    pub fn non_finite(&self) -> u64 {
        self.front_end.non_finite()
    }

    /// Counts summed over all channels.
    #[must_use]
    pub fn counts(&self) -> SegmenterCounts {
        self.segmenters.iter().map(Segmenter::counts).fold(
            SegmenterCounts::default(),
            |sum, part| SegmenterCounts {
                samples: sum.samples + part.samples,
                speech_samples: sum.speech_samples + part.speech_samples,
                segments: sum.segments + part.segments,
                too_short: sum.too_short + part.too_short,
                forced_cuts: sum.forced_cuts + part.forced_cuts,
            },
        )
    }

    /// The 16 kHz planes of the last chunk, for a journal of the audio.
    #[must_use]
    pub fn planes(&self) -> &[Vec<f32>] {
        &self.planes
    }

    /// Takes interleaved samples and appends the segments they complete.
    pub fn step(&mut self, interleaved: &[f32], out: &mut Vec<Segment>) {
        let mut planes = std::mem::take(&mut self.planes);
        self.front_end.step(interleaved, &mut planes);
        self.segment(&planes, out);
        self.planes = planes;
    }

    /// Ends the source and appends the segments still open.
    pub fn finish(&mut self, out: &mut Vec<Segment>) {
        let mut planes = std::mem::take(&mut self.planes);
        self.front_end.finish(&mut planes);
        self.segment(&planes, out);
        self.planes = planes;
        for segmenter in &mut self.segmenters {
            segmenter.finish(out);
        }
    }

    /// Takes sound before this position, in samples at 16 kHz, for silence, as far as no segment of
    /// it was returned.
    pub fn discard_before(&mut self, at: u64) {
        for segmenter in &mut self.segmenters {
            segmenter.discard_before(at);
        }
    }

    /// Takes back a segment's buffer for reuse.
    pub fn recycle(&mut self, segment: Segment) {
        if let Some(segmenter) = self.segmenters.get_mut(usize::from(segment.channel)) {
            segmenter.recycle(segment.samples);
        }
    }

    /// Feeds frames to all channels in turn; frames are counted from the start of the source.
    fn segment(&mut self, planes: &[Vec<f32>], out: &mut Vec<Segment>) {
        let len = planes.first().map_or(0, Vec::len);
        let mut at = 0;
        while at < len {
            let into_frame = (self.taken % VOICE_FRAME_SAMPLES as u64) as usize;
            let take = (VOICE_FRAME_SAMPLES - into_frame).min(len - at);
            for (segmenter, plane) in self.segmenters.iter_mut().zip(planes) {
                segmenter.step(&plane[at..at + take], out);
            }
            at += take;
            self.taken += take as u64;
        }
    }
}
