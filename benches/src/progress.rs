//! Progress of long work, and the estimated remaining time.

use std::time::{Duration, Instant};

/// Items of work, some of which were done before.
pub(crate) struct Progress {
    total: usize,
    before: usize,
    made: usize,
    every: Duration,
    began: Instant,
    /// Time of the last report.
    told: Option<Instant>,
}

/// A progress report.
pub(crate) struct Pace {
    pub(crate) done: usize,
    pub(crate) total: usize,
    /// Seconds per item.
    pub(crate) each_s: f64,
    pub(crate) minutes_left: f64,
}

impl Progress {
    /// This many items; sets the shortest interval between reports.
    pub(crate) fn new(total: usize, every: Duration) -> Self {
        Self {
            total,
            before: 0,
            made: 0,
            every,
            began: Instant::now(),
            told: None,
        }
    }

    /// Counts an item that was done before.
    pub(crate) fn known(&mut self) {
        self.before += 1;
    }

    /// Counts an item as done; returns a report if one is due, and at the end.
    pub(crate) fn step(&mut self) -> Option<Pace> {
        self.made += 1;
        let done = self.before + self.made;
        let recent = self.told.is_some_and(|told| told.elapsed() < self.every);
        if recent && done < self.total {
            return None;
        }
        self.told = Some(Instant::now());
        let each_s = self.began.elapsed().as_secs_f64() / self.made as f64;
        Some(Pace {
            done,
            total: self.total,
            each_s,
            minutes_left: self.total.saturating_sub(done) as f64 * each_s / 60.0,
        })
    }
}
