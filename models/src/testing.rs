//! A scripted generator for tests.

use crate::generate::{Ended, Flow, Generate, GenerateError, Generated, Request};
use std::sync::{Arc, Mutex, PoisonError};

type Say = dyn FnMut(&Request) -> Result<String, String> + Send;

/// Returns what a closure makes of each request, word by word, and records the requests. Clones
/// share their state.
#[derive(Clone)]
pub struct Says {
    say: Arc<Mutex<Say>>,
    asked: Arc<Mutex<Vec<Request>>>,
}

impl Says {
    /// Replies with the closure's text, or fails with its error.
    pub fn with(say: impl FnMut(&Request) -> Result<String, String> + Send + 'static) -> Self {
        Self {
            say: Arc::new(Mutex::new(say)),
            asked: Arc::default(),
        }
    }

    /// Gives the same reply to every request.
    #[must_use]
    pub fn new(reply: &str) -> Self {
        let reply = reply.to_owned();
        Self::with(move |_| Ok(reply.clone()))
    }

    /// Fails on every request.
    #[must_use]
    pub fn failing(reason: &str) -> Self {
        let reason = reason.to_owned();
        Self::with(move |_| Err(reason.clone()))
    }

    /// The requests so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Request> {
        let asked = self.asked.lock();
        asked.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Generate for Says {
    fn name(&self) -> &'static str {
        "script"
    }

    fn context_tokens(&self) -> usize {
        4_096
    }

    fn generate(
        &mut self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        let asked = self.asked.lock();
        asked
            .unwrap_or_else(PoisonError::into_inner)
            .push(request.clone());
        let mut say = self.say.lock().unwrap_or_else(PoisonError::into_inner);
        let text = say(request).map_err(|reason| GenerateError::Failed {
            model: self.name().into(),
            reason,
        })?;
        let mut said = String::new();
        for piece in text.split_inclusive(' ') {
            if on_piece(piece) == Flow::Stop {
                break;
            }
            said.push_str(piece);
        }
        Ok(Generated {
            ended: match said.len() == text.len() {
                true => Ended::Done,
                false => Ended::Stopped,
            },
            prompt_tokens: 100,
            reused_tokens: 0,
            reply_tokens: text.split(' ').count(),
            text: said,
        })
    }
}
