//! Who speaks in the lines of a stream file that do not say it.
//!
//! The speech of these lines, joined in the file's order, is one source for the diarizer. What is
//! heard together ends at a question, at a break and after a number of lines, of which a paced
//! replay has one, so that no speaker depends on what stands below a question, and no line waits
//! for long. Invariant: labels depend on the file and on the pace alone, wherever a replay goes on.

use crate::pipeline::feed::Notice;
use crate::pipeline::hearing::diarized::SpeakerTrack;
use crate::pipeline::hearing::recognition::Recognition;
use std::collections::{BTreeMap, VecDeque};
use weir_asr::{SampleSpan, Segment, SpeakerId};
use weir_core::limits;

/// The speakers of a stream file.
pub(crate) struct LineVoices {
    pub(crate) track: SpeakerTrack,
    /// Lines since the last pause, and the most that are heard together.
    lines: usize,
    lines_max: usize,
    /// Places whose speaker is not known yet, at most [`limits::STRETCHES_AHEAD_MAX`].
    open: VecDeque<SampleSpan>,
    /// Who speaks longest where it is known, by the beginning of the place; taken once.
    known: BTreeMap<u64, Option<SpeakerId>>,
}

impl LineVoices {
    pub(crate) fn new(track: SpeakerTrack, is_paced: bool) -> Self {
        let many = limits::STRETCHES_AHEAD_MAX;
        Self {
            track,
            lines: 0,
            lines_max: if is_paced { 1 } else { many },
            open: VecDeque::new(),
            known: BTreeMap::new(),
        }
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
            // before a long line makes the track forget the turns of those before it
            self.settle();
        }
        let place = SampleSpan::new(start, self.track.taken());
        self.open.extend((!place.is_empty()).then_some(place));
        self.lines += 1;
        if self.lines >= self.lines_max {
            self.pause(hearing, notices);
        }
        place
    }

    /// Ends what is heard together: the speakers of all lines so far are known.
    pub(crate) fn pause(&mut self, hearing: &mut Recognition, notices: &mut Vec<Notice>) {
        self.lines = 0;
        self.track.gap(1);
        hearing.diarize(&mut self.track, notices);
        self.settle();
    }

    fn settle(&mut self) {
        while let Some(place) = self.open.pop_front_if(|it| self.track.is_ready(it.end)) {
            self.known.insert(place.start, self.track.longest(place));
        }
    }

    /// Whether the speaker of a line at this place is known.
    pub(crate) fn is_ready(&self, place: SampleSpan) -> bool {
        place.is_empty() || self.known.contains_key(&place.start)
    }

    /// Takes who speaks longest in a line at this place, known or not; `None` if no voice is clear.
    pub(crate) fn take(&mut self, place: SampleSpan) -> Option<SpeakerId> {
        if place.is_empty() {
            return None; // the next line begins at the same place
        }
        self.open.retain(|open| *open != place);
        self.known.remove(&place.start)?
    }
}
