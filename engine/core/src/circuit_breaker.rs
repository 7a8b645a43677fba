//! When a model that keeps failing is left alone, so that a dead one does not cost its whole time
//! limit again and again.
//!
//! Counts requests and reads no clock: the same failures, the same requests go without the model.

use weir_models::GenerateError;

/// Failures in a row after which a model is left alone.
pub(crate) const FAILURES_MAX: u32 = 3;
/// Requests that then go without it; twice as many each time it has failed once more, up to the
/// most.
const REST_FIRST: u32 = 8;
const REST_MAX: u32 = 64;

/// What a model's last requests came to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CircuitBreaker {
    failed: u32,
    /// Requests that still go without the model.
    left: u32,
    /// How many went without it the last time.
    rest: u32,
}

impl CircuitBreaker {
    /// Whether this request goes without the model; each such call counts as one.
    pub(crate) fn is_open(&mut self) -> bool {
        let open = self.left > 0;
        self.left = self.left.saturating_sub(1);
        open
    }

    /// Requests that go without the model from now on.
    pub(crate) fn left(&self) -> u32 {
        self.left
    }

    /// Takes note of how a request ended: whether the model was lost, not merely wrong.
    pub(crate) fn note(&mut self, lost: bool) {
        if !lost {
            *self = Self::default();
            return;
        }
        self.failed += 1;
        if self.failed >= FAILURES_MAX {
            self.rest = (2 * self.rest).clamp(REST_FIRST, REST_MAX);
            self.left = self.rest;
        }
    }
}

/// Whether an error means that the model does not work or not in time; one that refuses a request
/// or comes to no end does work.
pub(crate) fn is_transient(error: &GenerateError) -> bool {
    matches!(
        error,
        GenerateError::TooSlow { .. } | GenerateError::Failed { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of so many requests reach a model that fails whenever it is asked.
    fn asked(requests: u32) -> Vec<u32> {
        let mut breaker = CircuitBreaker::default();
        let asks = |request: &u32| {
            let asks = !breaker.is_open();
            if asks {
                breaker.note(true);
            }
            asks && *request > 0
        };
        (1..=requests).filter(asks).collect()
    }

    #[test]
    fn a_dead_model_is_asked_ever_more_rarely() {
        assert_eq!(asked(300), [1, 2, 3, 12, 29, 62, 127, 192, 257]);
    }

    #[test]
    fn one_success_makes_good() {
        let mut breaker = CircuitBreaker::default();
        for lost in [true, true, false, true, true] {
            assert!(!breaker.is_open());
            breaker.note(lost);
        }
        assert!(!breaker.is_open() && breaker.left() == 0);
        breaker.note(true);
        assert_eq!(breaker.left(), REST_FIRST);
    }
}
