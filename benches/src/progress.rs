//! How far long work is, and how long the rest takes.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Pieces of work, some of which were done before.
pub(crate) struct Progress {
    total: usize,
    before: usize,
    every: Duration,
    began: Instant,
    /// Pieces done since, and when that was told last.
    made: Mutex<(usize, Option<Instant>)>,
}

/// What is told of it.
pub(crate) struct Pace {
    pub(crate) done: usize,
    pub(crate) total: usize,
    /// Seconds a piece.
    pub(crate) each_s: f64,
    pub(crate) minutes_left: f64,
}

impl Progress {
    /// Of `total` pieces `before` are done; it is told so often at most.
    pub(crate) fn new(total: usize, before: usize, every: Duration) -> Self {
        Self {
            total,
            before,
            every,
            began: Instant::now(),
            made: Mutex::default(),
        }
    }

    /// One more was done before.
    pub(crate) fn known(&mut self) {
        self.before += 1;
    }

    /// One more is done; what is to be told, at its time and at the end.
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
