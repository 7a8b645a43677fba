//! A turn of one speaker, and the label that people read.

use crate::SampleSpan;
use std::fmt;

/// A speaker of the whole source, numbered from 0 in order of appearance.
///
/// Displayed as `Speaker 1`, `Speaker 2`, and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpeakerId(pub u16);

impl SpeakerId {
    /// Position in a list of speakers.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for SpeakerId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Speaker {}", u32::from(self.0) + 1)
    }
}

/// A stretch in which one person speaks and the number of speakers does not change between one and
/// several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpeakerTurn {
    /// Position in the source.
    pub span: SampleSpan,
    /// The speaker; `None` when too little was heard to know the voice.
    pub speaker: Option<SpeakerId>,
    /// True when somebody else speaks at the same time.
    pub overlap: bool,
}

/// Joins turns of one speaker that touch or overlap, or are at most `gap_samples` apart; overlap is
/// ignored and left unmarked. Takes turns in any order and returns them by start.
///
/// Stable turns are cut where a window ended; this makes turns of them as a person would mark them.
#[must_use]
pub fn join_turns(turns: &[SpeakerTurn], gap_samples: u64) -> Vec<SpeakerTurn> {
    let mut sorted = turns.to_vec();
    sorted.sort_by_key(|turn| (turn.speaker, turn.span));
    let mut joined: Vec<SpeakerTurn> = Vec::new();
    for turn in sorted {
        match joined.last_mut() {
            Some(last)
                if last.speaker == turn.speaker
                    && turn.span.start <= last.span.end.saturating_add(gap_samples) =>
            {
                last.span = last.span.hull(turn.span);
            }
            _ => joined.push(SpeakerTurn {
                overlap: false,
                ..turn
            }),
        }
    }
    joined.sort();
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(speaker: u16, start: u64, end: u64, overlap: bool) -> SpeakerTurn {
        SpeakerTurn {
            span: SampleSpan::new(start, end),
            speaker: Some(SpeakerId(speaker)),
            overlap,
        }
    }

    #[test]
    fn pieces_of_a_turn_become_one() {
        let turns = [
            turn(0, 0, 100, false),
            turn(0, 100, 150, true),
            turn(1, 100, 150, true),
            turn(0, 170, 200, false),
            turn(1, 400, 500, false),
        ];
        let expected = [
            turn(0, 0, 150, false),
            turn(1, 100, 150, false),
            turn(0, 170, 200, false),
            turn(1, 400, 500, false),
        ];
        assert_eq!(join_turns(&turns, 0), expected);
        assert_eq!(join_turns(&turns, 20)[0], turn(0, 0, 200, false));
    }

    #[test]
    fn people_count_from_one() {
        assert_eq!(SpeakerId(0).to_string(), "Speaker 1");
        assert_eq!(SpeakerId(u16::MAX).to_string(), "Speaker 65536");
    }
}
