//! Models with scripted replies for tests.

use std::sync::{Arc, Mutex};
use weir_models::{Extract, ExtractError, Extracted, GenerateError, Summarise};

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

/// An extractor that finds given words under given labels.
pub(crate) struct Finds(pub(crate) Vec<(&'static str, &'static str)>);

impl Extract for Finds {
    fn name(&self) -> &str {
        "finds"
    }

    fn extract(&self, text: &str, labels: &[&str], _: f32) -> Result<Vec<Extracted>, ExtractError> {
        let found = |(words, label): &(&str, &str)| {
            let at = text.find(words)?;
            let label = labels.iter().position(|known| known == label)?;
            Some(Extracted {
                bytes: at..at + words.len(),
                label,
                score: 0.9,
            })
        };
        Ok(self.0.iter().filter_map(found).collect())
    }
}
