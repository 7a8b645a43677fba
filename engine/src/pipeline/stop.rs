//! A request to stop, and waiting that it interrupts.
//!
//! Set once, by whoever owns the pipeline; never taken back. Invariant: a wait ends at its time or
//! at the request, whichever is first, and burns nothing meanwhile.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Instant;

/// A request to stop, shared by all stages.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<(Mutex<bool>, Condvar)>);

impl Stop {
    /// Asks everybody to stop.
    pub fn set(&self) {
        let (set, changed) = &*self.0;
        *set.lock() = true;
        changed.notify_all();
    }

    /// Whether somebody asked.
    #[must_use]
    pub fn is_set(&self) -> bool {
        *self.0.0.lock()
    }

    /// Waits until `when`; whether it got there without being asked to stop.
    pub fn wait_until(&self, when: Instant) -> bool {
        let (set, changed) = &*self.0;
        let mut asked = set.lock();
        while !*asked {
            if changed.wait_until(&mut asked, when).timed_out() {
                break;
            }
        }
        !*asked
    }
}

/// Ties stream time to the clock on the wall, or lets it run free.
#[derive(Debug, Clone, Copy)]
pub struct Pacer {
    started: Instant,
    /// Stream milliseconds a millisecond; `None` when nothing is waited for.
    speed: Option<u32>,
}

impl Pacer {
    /// Never waits.
    #[must_use]
    pub fn free() -> Self {
        Self {
            started: Instant::now(),
            speed: None,
        }
    }

    /// `speed` times as fast as live, counted from now; 0 counts as 1.
    #[must_use]
    pub fn times(speed: u32) -> Self {
        Self {
            started: Instant::now(),
            speed: Some(speed.max(1)),
        }
    }

    /// Counts from now on: at the beginning of a stream.
    pub fn restart(&mut self) {
        self.started = Instant::now();
    }

    /// Waits until stream time `ms` would have come; false when it was asked to stop.
    pub fn wait(&self, ms: u64, stop: &Stop) -> bool {
        match self.speed {
            None => !stop.is_set(),
            Some(speed) => {
                let after = std::time::Duration::from_millis(ms / u64::from(speed));
                stop.wait_until(self.started + after)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_wait_ends_at_its_time_or_at_the_request() {
        let stop = Stop::default();
        assert!(stop.wait_until(Instant::now()));
        let other = stop.clone();
        let waiting = std::thread::spawn(move || {
            other.wait_until(Instant::now() + Duration::from_secs(3_600))
        });
        stop.set();
        assert!(!waiting.join().expect("it does not panic"));
        assert!(!stop.wait_until(Instant::now() + Duration::from_secs(3_600)));
    }

    #[test]
    fn a_free_pacer_never_waits() {
        let stop = Stop::default();
        assert!(Pacer::free().wait(u64::MAX, &stop));
        stop.set();
        assert!(!Pacer::free().wait(0, &stop));
        assert!(!Pacer::times(4).wait(u64::MAX / 2, &stop));
    }
}
