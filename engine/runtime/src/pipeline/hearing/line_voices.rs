//! Who speaks in the lines of a stream file that do not say it.
//!
//! The speech of these lines, joined in the file's order, is one source for the diarizer. What is
//! heard together ends at a question, at a break and after a number of lines, so that no speaker
//! depends on what stands below a question, and no line waits for long. Invariant: labels depend on
//! the file alone, wherever a replay goes on.

use crate::pipeline::feed::Notice;
use crate::pipeline::hearing::diarized::SpeakerTrack;
use crate::pipeline::hearing::recognition::Recognition;
use weir_asr::{SampleSpan, Segment};
use weir_core::limits;

/// The speakers of a stream file.
pub(crate) struct LineVoices {
    pub(crate) track: SpeakerTrack,
    /// Lines since the last pause.
    lines: usize,
}

impl LineVoices {
    pub(crate) fn new(track: SpeakerTrack) -> Self {
        Self { track, lines: 0 }
    }

    /// Takes the speech of the next line, none of one whose speaker is known; returns its place in
    /// the joined speech.
    pub(crate) fn hear(
        &mut self,
        segments: &[Segment],
        hearing: &mut Recognition,
        notices: &mut Vec<Notice>,
    ) -> SampleSpan {
        let start = self.track.taken();
        for segment in segments {
            self.track.step(&segment.samples);
            hearing.diarize(&mut self.track, notices);
        }
        let place = SampleSpan::new(start, self.track.taken());
        self.lines += 1;
        if self.lines >= limits::STRETCHES_AHEAD_MAX {
            self.pause(hearing, notices);
        }
        place
    }

    /// Ends what is heard together: the speakers of all lines so far are known.
    pub(crate) fn pause(&mut self, hearing: &mut Recognition, notices: &mut Vec<Notice>) {
        self.lines = 0;
        self.track.gap(1);
        hearing.diarize(&mut self.track, notices);
    }

    /// Whether the speaker of a line at this place is known.
    pub(crate) fn is_ready(&self, place: SampleSpan) -> bool {
        place.is_empty() || self.track.is_ready(place.end)
    }

    /// The label of who speaks longest in a line at this place; `None` if no voice is clear.
    pub(crate) fn label(&mut self, place: SampleSpan) -> Option<String> {
        let speaker = self.track.longest(place)?;
        Some(self.track.fed(speaker))
    }
}
