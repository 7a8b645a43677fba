//! Cuts rolling windows from a source, with its gaps.
//!
//! A source is a list of runs: sound without a gap. Windows start at multiples of the hop from the
//! start of a run; silence stands before and after the run, so the first window ends one hop into
//! it. Invariant: the windows depend on the samples and the gaps, not on the sizes of chunks.

use super::contract::FrameGrid;
use std::collections::VecDeque;
use std::ops::Range;

/// A window, or the end of a run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// The next window; its samples are in the buffer.
    Window {
        /// First sample of the run, in samples of the source.
        run_start: u64,
        /// First frame of the window, relative to the run; negative before it.
        first_frame: i64,
        /// Samples of the window that were heard; silence pads the others.
        heard: Range<usize>,
        /// One past the last sample of the run that was heard when the window was due.
        heard_until: u64,
    },
    /// All windows of a run were given.
    End {
        /// One past the last sample of the run.
        run_end: u64,
    },
}

/// Sound without a gap.
struct Run {
    start: u64,
    /// Samples of the run that are no longer kept.
    dropped: usize,
    samples: Vec<f32>,
    /// The next window, counted in hops from the start of the run.
    next: i64,
    ended: bool,
}

/// Takes samples and gives windows.
pub(super) struct WindowCutter {
    grid: FrameGrid,
    hop_frames: usize,
    runs: VecDeque<Run>,
    /// Samples and gaps taken so far.
    taken: u64,
}

impl WindowCutter {
    /// Windows of a grid, `hop_frames` apart; at most as many as a window has.
    pub(super) fn new(grid: FrameGrid, hop_frames: usize) -> Self {
        assert!(
            (1..=grid.frames).contains(&hop_frames),
            "no frame is left out"
        );
        Self {
            grid,
            hop_frames,
            runs: VecDeque::new(),
            taken: 0,
        }
    }

    /// Position behind everything taken, in samples of the source.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Takes samples that follow the last ones.
    pub(super) fn step(&mut self, samples: &[f32]) {
        if samples.is_empty() {
            return;
        }
        if self.runs.back().is_none_or(|run| run.ended) {
            let hops = (self.grid.window_samples - self.hop_samples()) / self.hop_samples();
            self.runs.push_back(Run {
                start: self.taken,
                dropped: 0,
                samples: Vec::new(),
                next: -(hops as i64),
                ended: false,
            });
        }
        if let Some(run) = self.runs.back_mut() {
            run.samples.extend_from_slice(samples);
        }
        self.taken += samples.len() as u64;
    }

    /// Passes over samples that nobody has.
    pub(super) fn gap(&mut self, samples: u64) {
        if samples > 0 {
            self.finish();
            self.taken += samples;
        }
    }

    /// Ends the run.
    pub(super) fn finish(&mut self) {
        if let Some(run) = self.runs.back_mut() {
            run.ended = true;
        }
    }

    /// The next window or end, as soon as its samples are there; fills `window`.
    pub(super) fn next(&mut self, window: &mut Vec<f32>) -> Option<Cut> {
        let (hop, size) = (self.hop_samples() as i64, self.grid.window_samples as i64);
        let run = self.runs.front_mut()?;
        let heard = (run.dropped + run.samples.len()) as i64;
        let start = run.next * hop;
        if heard < start + size {
            if !run.ended {
                return None;
            }
            // the frames of a window end a little before its samples
            let covered = (run.next - 1) * hop + self.grid.sample(self.grid.frames) as i64;
            if covered >= heard {
                let run_end = run.start + heard as u64;
                self.runs.pop_front();
                return Some(Cut::End { run_end });
            }
        }
        let until = heard.min(start + size);
        let inside = ((-start).max(0) as usize)..((until - start) as usize);
        let from = start.max(0) as usize - run.dropped;
        window.clear();
        window.resize(inside.start, 0.0);
        window.extend_from_slice(&run.samples[from..from + inside.len()]);
        window.resize(size as usize, 0.0);
        let first_frame = run.next * self.hop_frames as i64;
        run.next += 1;
        run.drop_before((run.next * hop).clamp(0, heard) as usize);
        Some(Cut::Window {
            run_start: run.start,
            first_frame,
            heard_until: run.start + until as u64,
            heard: inside,
        })
    }

    fn hop_samples(&self) -> usize {
        self.hop_frames * self.grid.step_samples
    }
}

impl Run {
    fn drop_before(&mut self, sample: usize) {
        self.samples.drain(..sample - self.dropped);
        self.dropped = sample;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows of 20 samples, four frames of 4 from sample 2 on, two frames apart.
    fn cutter() -> WindowCutter {
        let grid = FrameGrid {
            window_samples: 20,
            frames: 4,
            step_samples: 4,
            offset_samples: 2,
        };
        WindowCutter::new(grid, 2)
    }

    /// First frame and samples of each window; ends as `None` with the end's position.
    fn all(cutter: &mut WindowCutter) -> Vec<(Option<i64>, Vec<f32>)> {
        let (mut window, mut found) = (Vec::new(), Vec::new());
        while let Some(cut) = cutter.next(&mut window) {
            found.push(match cut {
                Cut::Window { first_frame, .. } => (Some(first_frame), window.clone()),
                Cut::End { run_end } => (None, vec![run_end as f32]),
            });
        }
        found
    }

    fn ramp(from: usize, to: usize) -> Vec<f32> {
        (from..to).map(|it| it as f32 + 1.0).collect()
    }

    #[test]
    fn windows_begin_before_the_sound_and_end_behind_it() {
        let mut cutter = cutter();
        cutter.step(&ramp(0, 30));
        let windows = all(&mut cutter);
        let silence = |count: usize| vec![0.0; count];
        let padded = |count: usize| (silence(count), 20 - count);
        let (before, sound) = padded(8);
        assert_eq!(windows[0], (Some(-2), [before, ramp(0, sound)].concat()));
        assert_eq!(windows[1], (Some(0), ramp(0, 20)));
        assert_eq!(windows[2], (Some(2), ramp(8, 28)));
        assert_eq!(windows.len(), 3);
        cutter.finish();
        let rest = all(&mut cutter);
        assert_eq!(rest[0], (Some(4), [ramp(16, 30), silence(6)].concat()));
        assert_eq!(rest[1], (None, vec![30.0]));
        assert_eq!(rest.len(), 2);
        assert_eq!(all(&mut cutter), []);
    }

    #[test]
    fn a_gap_ends_a_run_and_counts_as_time() {
        let mut cutter = cutter();
        cutter.step(&ramp(0, 5));
        cutter.gap(1_000);
        cutter.step(&ramp(0, 12));
        let mut window = Vec::new();
        let mut runs = Vec::new();
        while let Some(cut) = cutter.next(&mut window) {
            runs.push(match cut {
                Cut::Window {
                    run_start,
                    first_frame,
                    ref heard,
                    heard_until,
                } => (run_start, first_frame, heard.clone(), heard_until),
                Cut::End { run_end } => (run_end, 0, 0..0, 0),
            });
        }
        let expected = [
            (0, -2, 8..13, 5),
            (5, 0, 0..0, 0),
            (1_005, -2, 8..20, 1_017),
        ];
        assert_eq!(runs, expected);
        assert_eq!(cutter.taken(), 1_017);
    }

    #[test]
    fn only_samples_of_windows_to_come_are_kept() {
        let mut cutter = cutter();
        let mut window = Vec::new();
        for _ in 0..1_000 {
            cutter.step(&ramp(0, 7));
            while cutter.next(&mut window).is_some() {}
            assert!(cutter.runs[0].samples.len() < 20);
        }
    }
}
