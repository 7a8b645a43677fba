//! Models that say what a test tells them to.

use std::sync::{Arc, Mutex};
use weir_models::{
    Ended, Extract, ExtractError, Extracted, Flow, Generate, GenerateError, Generated, Request,
    Summarise,
};

/// A generator that gives the same reply to whatever it is asked, and notes what that was.
pub(crate) struct Says {
    pub(crate) reply: Result<String, String>,
    pub(crate) asked: Arc<Mutex<Vec<Request>>>,
}

impl Says {
    pub(crate) fn new(reply: &str) -> Self {
        Self {
            reply: Ok(reply.to_owned()),
            asked: Arc::default(),
        }
    }

    pub(crate) fn failing(reason: &str) -> Self {
        Self {
            reply: Err(reason.to_owned()),
            asked: Arc::default(),
        }
    }
}

impl Generate for Says {
    fn name(&self) -> &str {
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
        self.asked
            .lock()
            .expect("no test panics inside")
            .push(request.clone());
        let failed = |reason: &String| GenerateError::Failed {
            model: "script".into(),
            reason: reason.clone(),
        };
        let text = self.reply.as_ref().map_err(failed)?;
        let mut said = String::new();
        for piece in text.split_inclusive(' ') {
            if on_piece(piece) == Flow::Stop {
                break;
            }
            said.push_str(piece);
        }
        Ok(Generated {
            ended: if said.len() == text.len() {
                Ended::Done
            } else {
                Ended::Stopped
            },
            prompt_tokens: 100,
            reused_tokens: 0,
            reply_tokens: text.split(' ').count(),
            text: said,
        })
    }
}

/// A summariser that gives its replies in turn, and notes the prompts.
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
