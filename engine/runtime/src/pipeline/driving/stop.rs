//! A stop request, and waits that it interrupts.
//!
//! The owner of the pipeline sets it once and never resets it. `set` lets queued work finish;
//! `interrupt` also skips slow, optional work. Invariant: a wait ends at its time or at the
//! request, whichever is first, and uses no processor time.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Wish {
    #[default]
    GoOn,
    Stop,
    Hurry,
}

/// What the clones of a [`Stop`] share: the request, and the flags of work that an interrupt
/// cancels.
#[derive(Debug, Default)]
struct Wished {
    wish: Wish,
    cancels: Vec<Arc<AtomicBool>>,
}

/// A request to stop, shared by all stages.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<(Mutex<Wished>, Condvar)>);

impl Stop {
    /// Asks all stages to stop.
    pub fn set(&self) {
        self.wish(Wish::Stop);
    }

    /// Asks all stages to stop, and to skip slow, optional work.
    pub fn interrupt(&self) {
        self.wish(Wish::Hurry);
    }

    fn wish(&self, wish: Wish) {
        let (wished, changed) = &*self.0;
        let mut wished = wished.lock();
        wished.wish = wish.max(wished.wish);
        if wished.wish == Wish::Hurry {
            set_all(&wished.cancels, true);
        }
        changed.notify_all();
    }

    /// Has an interrupt, also an earlier one, set these flags in their order, until what is
    /// returned is dropped; then none is set.
    pub(crate) fn cancelling(&self, flags: impl Iterator<Item = Arc<AtomicBool>>) -> Cancelling {
        let flags: Vec<_> = flags.collect();
        let mut wished = self.0.0.lock();
        wished.cancels.extend(flags.iter().cloned());
        if wished.wish == Wish::Hurry {
            set_all(&flags, true);
        }
        Cancelling {
            stop: self.clone(),
            flags,
        }
    }

    /// Whether a stop or an interrupt was requested.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.0.lock().wish >= Wish::Stop
    }

    /// Whether an interrupt was requested.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.0.0.lock().wish == Wish::Hurry
    }

    /// Waits until `when`; returns true if no stop was requested before.
    pub fn wait_until(&self, when: Instant) -> bool {
        let (wished, changed) = &*self.0;
        let mut wished = wished.lock();
        while wished.wish == Wish::GoOn {
            if changed.wait_until(&mut wished, when).timed_out() {
                break;
            }
        }
        wished.wish == Wish::GoOn
    }
}

fn set_all(flags: &[Arc<AtomicBool>], to: bool) {
    flags
        .iter()
        .for_each(|flag| flag.store(to, Ordering::SeqCst));
}

/// Work that an interrupt cancels, while this is held.
pub(crate) struct Cancelling {
    stop: Stop,
    flags: Vec<Arc<AtomicBool>>,
}

impl Drop for Cancelling {
    fn drop(&mut self) {
        let mut wished = self.stop.0.0.lock();
        let is_own = |it: &Arc<AtomicBool>| self.flags.iter().any(|own| Arc::ptr_eq(own, it));
        wished.cancels.retain(|it| !is_own(it));
        set_all(&self.flags, false);
    }
}

/// Ties stream time to wall time, or runs as fast as possible.
#[derive(Debug, Clone, Copy)]
pub struct Pacer {
    started: Instant,
    /// Stream milliseconds per millisecond; `None` for no waiting.
    speed: Option<u32>,
}

impl Pacer {
    /// A pacer that never waits.
    #[must_use]
    pub fn free() -> Self {
        Self {
            started: Instant::now(),
            speed: None,
        }
    }

    /// `speed` times real time, from now on; 0 counts as 1.
    #[must_use]
    pub fn times(speed: u32) -> Self {
        Self {
            started: Instant::now(),
            speed: Some(speed.max(1)),
        }
    }

    /// Whether it ever waits.
    #[must_use]
    pub fn is_paced(&self) -> bool {
        self.speed.is_some()
    }

    /// Restarts the pace: stream time `ms` is now.
    pub fn restart(&mut self, ms: u64) {
        let now = Instant::now();
        let speed = u64::from(self.speed.unwrap_or(1));
        let before = std::time::Duration::from_millis(ms / speed);
        self.started = now.checked_sub(before).unwrap_or(now);
    }

    /// Waits until stream time `ms`; false if a stop was requested.
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
    fn an_interruption_cancels_what_is_held() {
        let stop = Stop::default();
        let [early, late] = [(); 2].map(|()| Arc::<AtomicBool>::default());
        let held = stop.cancelling(std::iter::once(Arc::clone(&early)));
        stop.set();
        assert!(!early.load(Ordering::SeqCst));
        stop.interrupt();
        assert!(early.load(Ordering::SeqCst));
        let other = stop.cancelling(std::iter::once(Arc::clone(&late)));
        assert!(late.load(Ordering::SeqCst), "an earlier one counts");
        drop(held);
        assert!(!early.load(Ordering::SeqCst) && late.load(Ordering::SeqCst));
        drop(other);
        assert!(stop.0.0.lock().cancels.is_empty());
    }

    #[test]
    fn an_interruption_is_a_stop_that_no_later_one_calms() {
        let stop = Stop::default();
        stop.set();
        assert!(stop.is_set() && !stop.is_interrupted());
        stop.interrupt();
        stop.set();
        assert!(stop.is_set() && stop.is_interrupted());
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
