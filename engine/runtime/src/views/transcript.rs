//! Lines of a transcript as clients read them.

use crate::time::rfc3339;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use weir_api::TranscriptLine;
use weir_core::stream::Utterance;
use weir_core::transcript::{HeldTranscript, ScanStep, Transcript, TranscriptUtterance};

/// Which end of a transcript comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranscriptOrder {
    /// What was heard first.
    OldestFirst,
    /// What was heard last.
    NewestFirst,
}

/// These utterances, read at once: each alone opens a file.
pub(super) fn utterances_of(transcript: &dyn Transcript, turns: &BTreeSet<u64>) -> HeldTranscript {
    let (held, missing) = (RefCell::<HeldTranscript>::default(), Cell::new(turns.len()));
    let mut glance = |_: &[u8]| match missing.get() {
        0 => ScanStep::Stop,
        _ => ScanStep::Read,
    };
    let mut read = |said: TranscriptUtterance| {
        if turns.contains(&said.found.turn) {
            missing.set(missing.get().saturating_sub(1));
            let utterance = Utterance {
                id: said.found.utterance,
                stream: said.found.stream,
                ..Utterance::new(said.speaker.unwrap_or_default(), said.text)
            };
            held.borrow_mut().insert(said.found.turn, utterance);
        }
    };
    transcript.newest_first(&mut glance, &mut read);
    held.into_inner()
}

/// An utterance of the transcript.
#[must_use]
pub fn transcript_line(said: TranscriptUtterance) -> TranscriptLine {
    TranscriptLine {
        turn: said.found.turn,
        stream: said.found.stream,
        utterance: said.found.utterance,
        speaker: said.speaker,
        session_ms: said.session_ms,
        said_at: said.said_at_unix_ms.and_then(rfc3339),
        text: said.text,
        sound: said.place.is_some_and(|it| it.audio.is_some()),
    }
}

/// A part of a transcript; all of it by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptPart {
    /// Session time when its utterances began.
    pub session_ms: Range<u64>,
    /// Their numbers in the session.
    pub turns: Range<u64>,
}

impl Default for TranscriptPart {
    fn default() -> Self {
        Self {
            session_ms: 0..u64::MAX,
            turns: 0..u64::MAX,
        }
    }
}

/// The first `most` utterances of a part. They are in the order in which they were heard: streams
/// that are heard side by side can be ahead of each other. Reads the transcript from its end,
/// newest first as far as needed, and holds no more than `most` lines.
#[must_use]
pub fn transcript_range(
    transcript: &dyn Transcript,
    part: &TranscriptPart,
    order: TranscriptOrder,
    most: usize,
) -> Vec<TranscriptLine> {
    let found: RefCell<VecDeque<TranscriptUtterance>> = RefCell::default();
    let is_full = || found.borrow().len() >= most;
    let is_past = Cell::new(most == 0);
    let mut glance = |_: &[u8]| match order {
        _ if is_past.get() => ScanStep::Stop,
        TranscriptOrder::NewestFirst if is_full() => ScanStep::Stop,
        _ => ScanStep::Read,
    };
    let mut read = |said: TranscriptUtterance| {
        let turn = said.found.turn;
        is_past.set(turn <= part.turns.start);
        if part.session_ms.contains(&said.session_ms) && part.turns.contains(&turn) {
            // reached with older lines still wanted: the newest one makes room
            if is_full() {
                found.borrow_mut().pop_front();
            }
            found.borrow_mut().push_back(said);
        }
    };
    transcript.newest_first(&mut glance, &mut read);
    let mut lines: Vec<_> = found
        .into_inner()
        .into_iter()
        .map(transcript_line)
        .collect();
    if order == TranscriptOrder::OldestFirst {
        lines.reverse();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::stream::Span;

    #[test]
    fn a_range_gives_its_first_lines_from_either_end() {
        let mut held = HeldTranscript::default();
        for turn in 0..6_u64 {
            let mut said = Utterance::new("Ana", format!("line {turn}"));
            // the third is of a stream that is behind
            let start_ms = if turn == 3 { 1_500 } else { turn * 1_000 };
            said.span = Span {
                start_ms,
                end_ms: start_ms + 500,
            };
            held.insert(turn, said);
        }
        let numbers = |part: TranscriptPart, order, most| -> Vec<u64> {
            let lines = transcript_range(&held, &part, order, most);
            lines.iter().map(|line| line.turn).collect()
        };
        let turns = |session_ms: Range<u64>, order, most| {
            let all = TranscriptPart::default();
            numbers(TranscriptPart { session_ms, ..all }, order, most)
        };
        let (oldest, newest) = (TranscriptOrder::OldestFirst, TranscriptOrder::NewestFirst);
        assert_eq!(turns(1_000..4_001, oldest, 9), [1, 2, 3, 4]);
        assert_eq!(turns(1_000..4_000, newest, 9), [3, 2, 1]);
        assert_eq!(turns(0..9_000, oldest, 2), [0, 1]);
        assert_eq!(turns(0..9_000, newest, 2), [5, 4]);
        assert!(turns(0..9_000, newest, 0).is_empty());
        let part = TranscriptPart {
            turns: 2..5,
            ..TranscriptPart::default()
        };
        assert_eq!(numbers(part.clone(), oldest, 2), [2, 3]);
        assert_eq!(numbers(part, newest, 9), [4, 3, 2]);
    }
}
