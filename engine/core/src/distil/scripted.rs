//! Models with scripted replies for tests.

use std::sync::{Arc, Mutex};
use weir_models::{GenerateError, Summarise};

/// A summariser that returns its replies in turn, and records the prompts.
pub(crate) struct Sums(
    pub(crate) Vec<&'static str>,
    pub(crate) Arc<Mutex<Vec<String>>>,
);

impl Summarise for Sums {
    fn name(&self) -> &str {
        "sums"
    }

    fn summarise(&mut self, prompt: &str, _: usize) -> Result<String, GenerateError> {
        let mut prompts = self.1.lock().expect("no test panics inside");
        let reply = self.0[prompts.len() % self.0.len()];
        prompts.push(prompt.to_owned());
        Ok(reply.to_owned())
    }
}
