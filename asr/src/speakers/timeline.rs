//! Averages what overlapping windows say of each frame, and turns frames that no later window
//! changes into turns.
//!
//! Windows are weighted by a Hamming window, since a model knows least at its edges. In each frame
//! the mean number of speakers, rounded, says how many speak, and the most active speakers of the
//! frame are those. Memory: the frames that are still open, at most a window of them.

use super::contract::{Activities, FrameGrid};
use super::turn::{SpeakerId, SpeakerTurn};
use crate::SampleSpan;
use std::collections::VecDeque;

/// Weight of unknown voices against known speakers in a frame: a window that came too early to know
/// a voice must not hide it from later windows, and a trace of a known voice must not take over
/// what an unknown one says.
const UNKNOWN_WEIGHT: f32 = 0.25;

/// Weighted sums of one frame.
#[derive(Clone, Default)]
struct Frame {
    weight: f32,
    /// Activity of all local speakers.
    all: f32,
    /// Activity of local speakers without a label.
    unknown: f32,
    known: Vec<(SpeakerId, f32)>,
}

/// Frames of one run that are not stable yet.
pub(super) struct Timeline {
    grid: FrameGrid,
    /// Hamming weights of a window's frames.
    weights: Vec<f32>,
    run_start: u64,
    /// First open frame, relative to the run.
    start: i64,
    frames: VecDeque<Frame>,
    /// One past the last sample heard: no turn ends later.
    heard_until: u64,
}

impl Timeline {
    /// An empty timeline of the run that begins at `run_start`.
    pub(super) fn new(grid: FrameGrid, run_start: u64) -> Self {
        let last = (grid.frames.max(2) - 1) as f32;
        let weight = |frame: usize| {
            let phase = std::f32::consts::TAU * frame as f32 / last;
            0.46f32.mul_add(-phase.cos(), 0.54)
        };
        Self {
            grid,
            weights: (0..grid.frames).map(weight).collect(),
            run_start,
            // frames before the first may still reach into the run
            start: -(grid.offset_samples.div_ceil(grid.step_samples) as i64),
            frames: VecDeque::new(),
            heard_until: run_start,
        }
    }

    pub(super) fn run_start(&self) -> u64 {
        self.run_start
    }

    /// Adds a window; `labels` has one entry per local speaker. Frames that are stable stay as they
    /// are.
    pub(super) fn add(
        &mut self,
        first_frame: i64,
        heard_until: u64,
        activities: &Activities,
        labels: &[Option<SpeakerId>],
    ) {
        self.heard_until = heard_until;
        let end = first_frame + self.grid.frames as i64;
        let open = (end - self.start).max(0) as usize;
        if self.frames.len() < open {
            self.frames.resize(open, Frame::default());
        }
        let nobody = &[][..];
        let said = activities.iter().chain(std::iter::repeat(nobody));
        for (at, (weight, values)) in self.weights.iter().zip(said).enumerate() {
            let place = first_frame + at as i64 - self.start;
            let Some(frame) = usize::try_from(place).ok().map(|it| &mut self.frames[it]) else {
                continue;
            };
            frame.weight += weight;
            for (value, label) in values.iter().zip(labels) {
                frame.add(*label, weight * value);
            }
        }
    }

    /// Makes the frames before `until` stable and appends their turns, ordered by start.
    pub(super) fn settle(&mut self, until: i64, out: &mut Vec<SpeakerTurn>) {
        let count = (until - self.start).clamp(0, self.frames.len() as i64) as usize;
        out.extend(self.turns(count));
        self.frames.drain(..count);
        self.start = self.start.max(until);
    }

    /// Makes all frames stable at the end of the run.
    pub(super) fn end(&mut self, out: &mut Vec<SpeakerTurn>) {
        self.settle(self.start + self.frames.len() as i64, out);
    }

    /// Turns of the open frames, as far as they were heard.
    pub(super) fn open_turns(&self) -> Vec<SpeakerTurn> {
        self.turns(self.frames.len())
    }

    /// Position before which everything is stable, in samples of the source.
    pub(super) fn stable_until(&self) -> u64 {
        self.sample(self.start)
    }

    /// Where a frame begins in the source, inside what was heard.
    fn sample(&self, frame: i64) -> u64 {
        let into_run = self.grid.offset_samples as i64 + frame * self.grid.step_samples as i64;
        (self.run_start + into_run.max(0) as u64).min(self.heard_until)
    }

    /// Turns of the first `count` open frames.
    fn turns(&self, count: usize) -> Vec<SpeakerTurn> {
        let (mut done, mut open) = (Vec::new(), Vec::<Open>::new());
        let (mut speaking, mut ranked) = (Vec::new(), Vec::new());
        for (at, frame) in self.frames.iter().take(count).enumerate() {
            let overlap = frame.speaking(&mut ranked, &mut speaking);
            let goes_on = |it: &Open| it.overlap == overlap && speaking.contains(&it.speaker);
            let ended = open.extract_if(.., |it| !goes_on(it));
            done.extend(ended.filter_map(|it| self.turn(&it, at)));
            for speaker in &speaking {
                if open.iter().all(|it| it.speaker != *speaker) {
                    open.push(Open {
                        speaker: *speaker,
                        from: at,
                        overlap,
                    });
                }
            }
        }
        done.extend(open.iter().filter_map(|it| self.turn(it, count)));
        done.sort();
        done
    }

    /// The turn from an open frame to another; `None` if nothing of it was heard.
    fn turn(&self, open: &Open, to: usize) -> Option<SpeakerTurn> {
        let [start, end] = [open.from, to].map(|at| self.sample(self.start + at as i64));
        let span = SampleSpan::new(start, end);
        (!span.is_empty()).then_some(SpeakerTurn {
            span,
            speaker: open.speaker,
            overlap: open.overlap,
        })
    }
}

/// A turn that has begun.
struct Open {
    speaker: Option<SpeakerId>,
    from: usize,
    overlap: bool,
}

impl Frame {
    fn add(&mut self, label: Option<SpeakerId>, activity: f32) {
        if activity <= 0.0 {
            return;
        }
        self.all += activity;
        let Some(label) = label else {
            self.unknown += activity;
            return;
        };
        match self.known.iter_mut().find(|(speaker, _)| *speaker == label) {
            Some((_, sum)) => *sum += activity,
            None => self.known.push((label, activity)),
        }
    }

    /// Fills `speaking` with those who speak; returns whether several do. All unknown voices are
    /// one.
    fn speaking(
        &self,
        ranked: &mut Vec<(Option<SpeakerId>, f32)>,
        speaking: &mut Vec<Option<SpeakerId>>,
    ) -> bool {
        let mean = self.all / self.weight.max(f32::MIN_POSITIVE);
        let count = (mean + 0.5).floor() as usize;
        ranked.clear();
        ranked.extend(
            self.known
                .iter()
                .map(|(speaker, sum)| (Some(*speaker), *sum)),
        );
        if self.unknown > 0.0 {
            ranked.push((None, self.unknown * UNKNOWN_WEIGHT));
        }
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        speaking.clear();
        speaking.extend(ranked.iter().take(count).map(|(speaker, _)| *speaker));
        count > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: FrameGrid = FrameGrid {
        window_samples: 50,
        frames: 4,
        step_samples: 10,
        offset_samples: 5,
    };

    fn speaker(number: u16) -> Option<SpeakerId> {
        Some(SpeakerId(number))
    }

    /// Activities of local speakers, one line each, one mark a frame.
    fn activities(lines: &[&str]) -> Activities {
        let frames = 0..lines[0].len();
        let value = |line: &&str, at: usize| f32::from(u8::from(line.as_bytes()[at] == b'#'));
        let values = frames.flat_map(|at| lines.iter().map(move |line| value(line, at)));
        Activities::new(lines.len(), values.collect())
    }

    fn told(turns: &[SpeakerTurn]) -> Vec<(Option<u16>, u64, u64, bool)> {
        let of = |it: &SpeakerTurn| {
            let speaker = it.speaker.map(|id| id.0);
            (speaker, it.span.start, it.span.end, it.overlap)
        };
        turns.iter().map(of).collect()
    }

    #[test]
    fn frames_lie_where_the_grid_says_and_overlap_is_marked() {
        let mut timeline = Timeline::new(GRID, 1_000);
        let said = activities(&["###.", ".##."]);
        timeline.add(0, 1_050, &said, &[speaker(4), speaker(2)]);
        let expected = [
            (Some(4), 1_005, 1_015, false),
            (Some(2), 1_015, 1_035, true),
            (Some(4), 1_015, 1_035, true),
        ];
        assert_eq!(told(&timeline.open_turns()), expected);
        let mut stable = Vec::new();
        timeline.settle(2, &mut stable);
        assert_eq!(timeline.stable_until(), 1_025);
        timeline.end(&mut stable);
        let expected = [
            (Some(4), 1_005, 1_015, false),
            (Some(2), 1_015, 1_025, true),
            (Some(4), 1_015, 1_025, true),
            (Some(2), 1_025, 1_035, true),
            (Some(4), 1_025, 1_035, true),
        ];
        assert_eq!(told(&stable), expected);
    }

    #[test]
    fn nothing_lies_outside_what_was_heard() {
        let mut timeline = Timeline::new(GRID, 1_000);
        let said = activities(&["####"]);
        timeline.add(-3, 1_012, &said, &[speaker(0)]);
        timeline.add(0, 1_012, &said, &[speaker(0)]);
        assert_eq!(
            told(&timeline.open_turns()),
            [(Some(0), 1_000, 1_012, false)]
        );
    }

    #[test]
    fn the_middle_of_a_window_counts_more_than_its_edge() {
        let mut timeline = Timeline::new(GRID, 0);
        timeline.add(0, 1_000, &activities(&["####"]), &[speaker(0)]);
        timeline.add(2, 1_000, &activities(&["####"]), &[speaker(1)]);
        let expected = [(Some(0), 5, 35, false), (Some(1), 35, 65, false)];
        assert_eq!(told(&timeline.open_turns()), expected);
    }

    #[test]
    fn a_voice_that_is_known_later_is_known_from_its_beginning() {
        let mut timeline = Timeline::new(GRID, 0);
        timeline.add(0, 1_000, &activities(&["..##"]), &[None]);
        assert_eq!(told(&timeline.open_turns()), [(None, 25, 45, false)]);
        timeline.add(1, 1_000, &activities(&[".###"]), &[speaker(0)]);
        assert_eq!(told(&timeline.open_turns()), [(Some(0), 25, 55, false)]);
    }

    #[test]
    fn a_window_in_which_nobody_speaks_counts_too() {
        let mut timeline = Timeline::new(GRID, 0);
        timeline.add(0, 1_000, &activities(&["####"]), &[speaker(0)]);
        timeline.add(0, 1_000, &Activities::default(), &[]);
        timeline.add(0, 1_000, &Activities::default(), &[]);
        assert_eq!(timeline.open_turns(), []);
    }

    #[test]
    fn stable_frames_are_not_touched_by_late_windows() {
        let mut timeline = Timeline::new(GRID, 0);
        let mut stable = Vec::new();
        timeline.settle(3, &mut stable);
        timeline.add(1, 1_000, &activities(&["####"]), &[speaker(0)]);
        timeline.end(&mut stable);
        assert_eq!(told(&stable), [(Some(0), 35, 55, false)]);
        assert_eq!(timeline.stable_until(), 55);
    }
}
