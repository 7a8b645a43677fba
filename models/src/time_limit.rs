//! A generator with a time limit.

use std::time::{Duration, Instant};

use crate::generate::{Ended, Flow, Generate, GenerateError, Generated, Request};

/// Ends every reply of another generator that exceeds a time limit.
///
/// The limit is checked at each token and each piece of prompt read; work between two of them is
/// not interrupted.
pub struct TimeLimit<G> {
    inner: G,
    limit: Duration,
}

impl<G: Generate> TimeLimit<G> {
    /// Limits the time of each reply of `inner`.
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
    /// [`GenerateError::TooSlow`] after the limit, and the errors of the inner generator.
    fn generate(
        &mut self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        let until = Instant::now() + self.limit;
        let mut late = false;
        let made = self.inner.generate(request, &mut |piece| {
            // A piece is passed on however late it is: it may be the last of a whole reply.
            let flow = on_piece(piece);
            late = flow == Flow::On && Instant::now() >= until;
            if late { Flow::Stop } else { flow }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Message, Role};

    /// Returns one word, then another, and ends early only if the first was refused.
    struct Slow;

    impl Generate for Slow {
        fn name(&self) -> &'static str {
            "slow"
        }

        fn context_tokens(&self) -> usize {
            9
        }

        fn generate(
            &mut self,
            _request: &Request,
            on_piece: &mut dyn FnMut(&str) -> Flow,
        ) -> Result<Generated, GenerateError> {
            let mut made = Generated {
                text: "one".to_owned(),
                prompt_tokens: 1,
                reused_tokens: 0,
                reply_tokens: 1,
                ended: Ended::Stopped,
            };
            if on_piece("one") == Flow::On {
                std::thread::sleep(Duration::from_millis(600));
                made.text.push_str(" two");
                on_piece(" two");
                made.ended = Ended::Done;
            }
            Ok(made)
        }
    }

    fn heard(limit: Duration, flow: Flow) -> (String, Result<Generated, GenerateError>) {
        let mut pieces = String::new();
        let request = Request::new(vec![Message::new(Role::User, "Say two words.")], 9);
        let made = TimeLimit::new(Slow, limit).generate(&request, &mut |piece| {
            pieces.push_str(piece);
            flow
        });
        (pieces, made)
    }

    #[test]
    fn a_last_piece_is_given_on_however_late() {
        let (pieces, made) = heard(Duration::from_millis(500), Flow::On);
        let made = made.expect("it was whole");
        assert_eq!((pieces.as_str(), made.ended), ("one two", Ended::Done));
        assert_eq!(pieces, made.text);
    }

    #[test]
    fn a_reply_that_goes_on_beyond_the_limit_is_too_slow() {
        let (pieces, made) = heard(Duration::ZERO, Flow::On);
        assert!(
            matches!(made, Err(GenerateError::TooSlow { .. })),
            "{made:?}"
        );
        assert_eq!(pieces, "one");
        // the limit does not change a stop by its own listener
        let (_, made) = heard(Duration::ZERO, Flow::Stop);
        assert_eq!(made.expect("stopped").ended, Ended::Stopped);
    }
}
