//! Progress of long work, and the estimated remaining time.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Items of work, some of which were done before.
pub(crate) struct Progress {
    total: usize,
    before: usize,
    every: Duration,
    began: Instant,
    /// Items done since, and the time of the last report.
    made: Mutex<(usize, Option<Instant>)>,
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
    /// `before` of `total` items are done; sets the shortest interval between reports.
    pub(crate) fn new(total: usize, before: usize, every: Duration) -> Self {
        Self {
            total,
            before,
            every,
            began: Instant::now(),
            made: Mutex::default(),
        }
    }

    /// Counts an item that was done before.
    pub(crate) fn known(&mut self) {
        self.before += 1;
    }

    /// Counts an item as done; returns a report if one is due, and at the end.
    pub(crate) fn step(&self) -> Option<Pace> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.0 += 1;
        let done = self.before + made.0;
        let recent = made.1.is_some_and(|told| told.elapsed() < self.every);
        if recent && done < self.total {
            return None;
        }
        made.1 = Some(Instant::now());
        let each_s = self.began.elapsed().as_secs_f64() / made.0 as f64;
        Some(Pace {
            done,
            total: self.total,
            each_s,
            minutes_left: self.total.saturating_sub(done) as f64 * each_s / 60.0,
        })
    }
}
