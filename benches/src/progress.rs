//! Progress of long work, told on the terminal with the estimated remaining time.

use anyhow::Result;
use std::io::Write;
use std::time::{Duration, Instant};

/// Shortest interval between reports.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// Items of work, some of which were done before.
pub(crate) struct Progress {
    total: usize,
    /// The items' name.
    items: &'static str,
    before: usize,
    made: usize,
    began: Instant,
    /// Time of the last report.
    told: Option<Instant>,
}

impl Progress {
    pub(crate) fn new(total: usize, items: &'static str) -> Self {
        Self {
            total,
            items,
            before: 0,
            made: 0,
            began: Instant::now(),
            told: None,
        }
    }

    /// Counts an item that was done before.
    pub(crate) fn known(&mut self) {
        self.before += 1;
    }

    /// Counts an item of this name as done; tells it if a report is due, and at the end.
    pub(crate) fn step(&mut self, name: &str) -> Result<()> {
        self.made += 1;
        let (done, total, items) = (self.before + self.made, self.total, self.items);
        if done < total && self.told.is_some_and(|told| told.elapsed() < TOLD_EVERY) {
            return Ok(());
        }
        self.told = Some(Instant::now());
        let each_s = self.began.elapsed().as_secs_f64() / self.made as f64;
        let minutes = total.saturating_sub(done) as f64 * each_s / 60.0;
        writeln!(
            std::io::stderr(),
            "{done} of {total} {items}, {each_s:.1} s each, about {minutes:.0} min left: {name}"
        )?;
        Ok(())
    }
}
