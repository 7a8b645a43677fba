//! A circuit breaker: skips a failing model for some requests, so that it does not cost its full
//! time limit every time.
//!
//! It counts requests and reads no clock: the same failures skip the same requests.

use weir_models::GenerateError;

/// Consecutive failures after which a model is skipped.
pub(crate) const FAILURES_MAX: u32 = 3;
/// Requests then skipped; doubled after each further failure, up to the maximum.
const REST_FIRST: u32 = 8;
const REST_MAX: u32 = 64;

/// State of a model's recent requests.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CircuitBreaker {
    failed: u32,
    /// Requests still to be skipped.
    left: u32,
    /// Number of requests skipped the last time.
    rest: u32,
}

impl CircuitBreaker {
    /// Whether to skip the model for this request; each such call counts as one request.
    pub(crate) fn is_open(&mut self) -> bool {
        let open = self.left > 0;
        self.left = self.left.saturating_sub(1);
        open
    }

    /// Number of requests still to be skipped.
    pub(crate) fn left(&self) -> u32 {
        self.left
    }

    /// Records the end of a request; `lost` means that the model did not work, not that it was
    /// wrong.
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

/// Whether an error means that the model does not work or is too slow; a model that refuses a
/// request or does not finish its reply does work.
pub(crate) fn is_transient(error: &GenerateError) -> bool {
    matches!(
        error,
        GenerateError::TooSlow { .. } | GenerateError::Failed { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of this many requests reach a model that always fails.
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
