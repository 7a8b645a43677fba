//! What a window tells of one local speaker: where it speaks, and where it speaks alone.

use super::contract::{Activities, FrameGrid};
use std::ops::Range;

/// Activity from which a speaker counts as speaking in a frame.
pub(super) const ACTIVE: f32 = 0.5;

/// Stretches of samples of a window in which exactly one person speaks, of some frames.
pub(super) fn clean_stretches(
    activities: &Activities,
    grid: &FrameGrid,
    frames: Range<usize>,
    heard: &Range<usize>,
) -> Vec<Range<usize>> {
    let alone = |frame: &[f32]| frame.iter().filter(|it| **it >= ACTIVE).count() == 1;
    stretches(activities, grid, frames, heard, alone)
}

/// Stretches of the frames that `wanted` accepts. Samples outside `heard` pad the window and are no
/// speech.
fn stretches(
    activities: &Activities,
    grid: &FrameGrid,
    frames: Range<usize>,
    heard: &Range<usize>,
    wanted: impl Fn(&[f32]) -> bool,
) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let all = activities.iter().enumerate().skip(frames.start);
    for (frame, values) in all.take(frames.len()) {
        let (start, end) = (grid.sample(frame), grid.sample(frame + 1));
        let inside = heard.start <= start && end <= heard.end;
        if !inside || !wanted(values) {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => found.push(start..end),
        }
    }
    found
}

/// Where one local speaker speaks.
#[derive(Clone)]
pub(super) struct LocalSpeech {
    /// Stretches of samples in which nobody else speaks, relative to the window, in order.
    clean: Vec<Range<usize>>,
}

impl LocalSpeech {
    /// Reads one speaker's column; `None` if the speaker is active nowhere. Samples outside `heard`
    /// pad the window and are no speech.
    pub(super) fn of(
        speaker: usize,
        activities: &Activities,
        grid: &FrameGrid,
        heard: &Range<usize>,
    ) -> Option<Self> {
        let active = |frame: &[f32]| frame[speaker] >= ACTIVE;
        if !activities.iter().any(active) {
            return None;
        }
        let alone = |values: &[f32]| {
            let speaking = values.iter().filter(|value| **value >= ACTIVE).count();
            speaking == 1 && active(values)
        };
        let clean = stretches(activities, grid, 0..activities.frames(), heard, alone);
        Some(Self { clean })
    }

    /// Samples of clean speech.
    pub(super) fn clean_samples(&self) -> usize {
        self.clean.iter().map(ExactSizeIterator::len).sum()
    }

    /// The clean speech, joined in order of time, at most `samples_max` of it. Longest stretches
    /// are taken first: the edges of a stretch are the least sure.
    pub(super) fn clean_speech(&self, window: &[f32], samples_max: usize) -> Vec<f32> {
        let mut longest: Vec<&Range<usize>> = self.clean.iter().collect();
        longest.sort_by_key(|it| (std::cmp::Reverse(it.len()), it.start));
        let mut left = samples_max;
        let mut taken: Vec<Range<usize>> = Vec::new();
        for stretch in longest {
            let len = stretch.len().min(left);
            left -= len;
            taken.push(stretch.start..stretch.start + len);
        }
        taken.sort_by_key(|it| it.start);
        let mut speech = Vec::with_capacity(samples_max - left);
        for stretch in taken {
            speech.extend_from_slice(&window[stretch]);
        }
        speech
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: FrameGrid = FrameGrid {
        window_samples: 100,
        frames: 9,
        step_samples: 10,
        offset_samples: 5,
    };

    /// Activities of two speakers from two lines, one mark a frame.
    fn activities(lines: [&str; 2]) -> Activities {
        let [a, b] = lines.map(str::chars);
        let value = |mark: char| if mark == '#' { 1.0 } else { 0.0 };
        let frames = a.zip(b).flat_map(|(a, b)| [value(a), value(b)]);
        Activities::new(2, frames.collect())
    }

    fn speech(speaker: usize, lines: [&str; 2], heard: Range<usize>) -> Option<LocalSpeech> {
        LocalSpeech::of(speaker, &activities(lines), &GRID, &heard)
    }

    fn pairs(speech: &LocalSpeech) -> Vec<(usize, usize)> {
        speech.clean.iter().map(|it| (it.start, it.end)).collect()
    }

    #[test]
    fn overlapped_frames_are_left_out() {
        let lines = [".###.#...", "...###..."];
        let first = speech(0, lines, 0..100).expect("it speaks");
        assert_eq!(pairs(&first), [(15, 35)]);
        let second = speech(1, lines, 0..100).expect("it speaks");
        assert_eq!(pairs(&second), [(45, 55)]);
        assert_eq!(second.clean_samples(), 10);
        assert!(speech(1, ["#########", "........."], 0..100).is_none());
    }

    #[test]
    fn padding_is_no_speech() {
        let lines = ["#########", "........."];
        let found = speech(0, lines, 30..72).expect("it speaks");
        assert_eq!(pairs(&found), [(35, 65)]);
    }

    #[test]
    fn the_longest_stretches_are_taken_first_and_in_order() {
        let window: Vec<f32> = (0..100).map(|it| it as f32).collect();
        let found = speech(0, ["#.##.###.", "........."], 0..100).expect("it speaks");
        assert_eq!(found.clean_samples(), 60);
        let starts = |max: usize| -> Vec<f32> {
            let speech = found.clean_speech(&window, max);
            speech.chunks(10).map(|chunk| chunk[0]).collect()
        };
        assert_eq!(starts(100), [5.0, 25.0, 35.0, 55.0, 65.0, 75.0]);
        assert_eq!(starts(40), [25.0, 55.0, 65.0, 75.0]);
        assert_eq!(starts(20), [55.0, 65.0]);
        assert_eq!(found.clean_speech(&window, 1), [55.0]);
    }
}
