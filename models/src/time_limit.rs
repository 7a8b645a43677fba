//! A generator that is not waited for longer than it was given.

use std::time::{Duration, Instant};

use crate::generate::{Ended, Flow, Generate, GenerateError, Generated, Request};

/// Ends every reply of another generator that takes longer than a limit.
///
/// The limit is looked at with each token, and with each piece of prompt that was read; what the
/// generator does between two of them is not cut short.
pub struct TimeLimit<G> {
    inner: G,
    limit: Duration,
}

impl<G: Generate> TimeLimit<G> {
    /// Gives each reply of `inner` so much time.
    pub fn new(inner: G, limit: Duration) -> Self {
        Self { inner, limit }
    }
}

impl<G: Generate> Generate for TimeLimit<G> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn context_tokens(&self) -> usize {
        self.inner.context_tokens()
    }

    /// # Errors
    /// [`GenerateError::TooSlow`] after the limit, besides what the inner one returns.
    fn generate(
        &mut self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        let until = Instant::now() + self.limit;
        let mut late = false;
        let made = self.inner.generate(request, &mut |piece| {
            late = Instant::now() >= until;
            if late { Flow::Stop } else { on_piece(piece) }
        })?;
        if late && made.ended == Ended::Stopped {
            return Err(GenerateError::TooSlow {
                model: self.inner.name().to_owned(),
                limit_ms: u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX),
            });
        }
        Ok(made)
    }
}
