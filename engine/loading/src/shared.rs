//! Models that write, shared by the parts of a session and by sessions.
//!
//! The weights and threads exist once, and write one reply at a time. Who comes second waits; the
//! wait counts as silence of the generator: the listener is polled meanwhile and may stop.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use weir_models::{
    Ended, Flow, Generate, GenerateError, Generated, Request, Summarise, T5Summariser,
};

/// How long to wait for another caller between two polls of the listener.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A generator behind a lock; its name can be read while it writes.
pub(crate) struct Locked<G: ?Sized> {
    name: String,
    context_tokens: usize,
    generator: Mutex<G>,
}

impl<G: Generate> Locked<G> {
    pub(crate) fn new(generator: G) -> Self {
        Self {
            name: generator.name().to_owned(),
            context_tokens: generator.context_tokens(),
            generator: Mutex::new(generator),
        }
    }
}

/// A handle to a shared generator.
#[derive(Clone)]
pub(crate) struct Shared(pub(crate) Arc<Locked<dyn Generate>>);

/// A handle to a shared summariser.
pub(crate) struct SharedSummariser(pub(crate) Arc<LockedSummariser>);

/// A summariser behind a lock.
pub(crate) struct LockedSummariser {
    name: String,
    model: Mutex<T5Summariser>,
}

impl LockedSummariser {
    pub(crate) fn new(model: T5Summariser) -> Self {
        Self {
            name: model.name().to_owned(),
            model: Mutex::new(model),
        }
    }
}

impl Summarise for SharedSummariser {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn summarise(&mut self, prompt: &str, tokens_max: usize) -> Result<String, GenerateError> {
        self.0.model.lock().summarise(prompt, tokens_max)
    }
}

impl Generate for Shared {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn context_tokens(&self) -> usize {
        self.0.context_tokens
    }

    fn generate(
        &mut self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        loop {
            if let Some(mut generator) = self.0.generator.try_lock_for(POLL_INTERVAL) {
                return generator.generate(request, on_piece);
            }
            if on_piece("") == Flow::Stop {
                return Ok(Generated {
                    text: String::new(),
                    prompt_tokens: 0,
                    reused_tokens: 0,
                    reply_tokens: 0,
                    ended: Ended::Stopped,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::bounded;
    use std::time::Instant;
    use weir_models::testing::Says;
    use weir_models::{Message, Role, TimeLimit};

    fn request() -> Request {
        Request::new(vec![Message::new(Role::User, "?")], 8)
    }

    #[test]
    fn the_wait_for_the_other_is_under_the_time_limit() {
        let (asked, was_asked) = bounded(1);
        let (go, waiting) = bounded::<()>(0);
        // reports that it was called, then blocks until released
        let busy = Says::with(move |_| {
            let _ = asked.send(());
            let _ = waiting.recv();
            Ok("done".to_owned())
        });
        let first = Shared(Arc::new(Locked::new(busy)));
        assert_eq!((first.name(), first.context_tokens()), ("script", 4_096));
        let second = first.clone();
        let (mut first, limit) = (first, Duration::from_millis(60));
        let at_work = std::thread::spawn(move || first.generate(&request(), &mut |_| Flow::On));
        was_asked.recv().expect("it was called");
        let begun = Instant::now();
        let late = TimeLimit::new(second.clone(), limit).generate(&request(), &mut |_| Flow::On);
        assert!(
            matches!(late, Err(GenerateError::TooSlow { .. })),
            "{late:?}"
        );
        assert!(begun.elapsed() >= limit);
        drop(go);
        let done = at_work.join().expect("no panic").expect("a reply");
        assert_eq!(done.text, "done");
        let next = TimeLimit::new(second, Duration::from_secs(60));
        let reply = { next }.generate(&request(), &mut |_| Flow::On);
        assert_eq!(reply.expect("it is free now").text, "done");
    }

    #[test]
    fn both_are_served_by_one() {
        let says = Says::new("yes");
        let shared = Shared(Arc::new(Locked::new(says.clone())));
        for mut handle in [shared.clone(), shared] {
            let reply = handle.generate(&request(), &mut |_| Flow::On);
            assert_eq!(reply.expect("a reply").text, "yes");
        }
        assert_eq!(says.asked().len(), 2);
    }
}
