//! Options that name an instruction model: a local one, or one on a server.

use crate::replies::Replies;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use weir_models::Request;
use weir_models::endpoint::{EndpointGenerator, EndpointOptions};
use weir_models::{Ended, Flow, Generate, GenerateError, Generated, Generator, GeneratorOptions};

/// Attempts before a long run fails.
const ATTEMPTS_MAX: u32 = 5;

/// A local model.
#[derive(clap::Args)]
pub(crate) struct LocalModelArgs {
    /// The model: a .gguf file or a folder
    #[arg(long, value_name = "PATH")]
    generator: Option<PathBuf>,
}

impl LocalModelArgs {
    /// The model, if one is given.
    pub(crate) fn load(&self) -> Result<Option<Generator>> {
        let generator = self.generator.as_ref();
        Ok(generator
            .map(|path| Generator::load(path, GeneratorOptions::default()))
            .transpose()?)
    }
}

/// A server with OpenAI's API.
#[derive(clap::Args)]
pub(crate) struct ServerModelArgs {
    /// Server with OpenAI's API, e.g. http://localhost:11434/v1
    #[arg(long, value_name = "URL", requires = "model")]
    endpoint: Option<String>,
    /// Name of the model on the server
    #[arg(long, requires = "endpoint")]
    model: Option<String>,
    /// Environment variable with the key, if the server needs one
    #[arg(long, value_name = "NAME", default_value = "OPENAI_API_KEY")]
    key_variable: String,
    /// Time limit of a request in seconds
    #[arg(long, default_value_t = 600)]
    endpoint_timeout_s: u64,
}

impl ServerModelArgs {
    /// The option as it stands in a document.
    pub(crate) fn told(&self) -> String {
        let model = self.model.as_ref();
        model.map_or_else(String::new, |model| {
            format!(" --endpoint URL --model {model}")
        })
    }

    /// The model of the server, if one is given.
    pub(crate) fn open(&self) -> Result<Option<Box<dyn Generate>>> {
        let named = self.endpoint.as_ref().zip(self.model.as_ref());
        named.map(|(url, model)| self.with(url, model)).transpose()
    }

    /// A model of this server or another one, with the same key and time limit: for a long run,
    /// with one time limit for all and several attempts.
    pub(crate) fn with(&self, url: &str, model: &str) -> Result<Box<dyn Generate>> {
        let timeout = Duration::from_secs(self.endpoint_timeout_s);
        Ok(Box::new(EndpointGenerator::open(EndpointOptions {
            key_variable: self.key_variable.clone(),
            piece_timeout: timeout,
            total_timeout: timeout,
            attempts_max: ATTEMPTS_MAX,
            ..EndpointOptions::new(url, model)
        })?))
    }
}

/// The local model, or that of the server, if one is given.
pub(crate) fn optional(
    local: &LocalModelArgs,
    server: &ServerModelArgs,
) -> Result<Option<Box<dyn Generate>>> {
    match local.load()? {
        Some(generator) => Ok(Some(Box::new(generator))),
        None => server.open(),
    }
}

/// The local model, or that of the server; an error if neither is given.
pub(crate) fn generator(
    local: &LocalModelArgs,
    server: &ServerModelArgs,
) -> Result<Box<dyn Generate>> {
    optional(local, server)?.context("give --generator, or --endpoint and --model")
}

/// Characters of a request that stand beside its reply in the file.
const ABOUT_CHARS: usize = 80;

/// A generator that many share.
#[derive(Clone)]
pub(crate) struct Model {
    name: Arc<str>,
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    inner: Box<dyn Generate>,
    /// Where its replies are kept, so that the same is asked once.
    replies: Option<Replies>,
}

impl Model {
    pub(crate) fn new(inner: Box<dyn Generate>, replies: Option<Replies>) -> Self {
        Self {
            name: inner.name().into(),
            shared: Arc::new(Mutex::new(Shared { inner, replies })),
        }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generate for Model {
    fn name(&self) -> &str {
        &self.name
    }

    fn context_tokens(&self) -> usize {
        self.shared().inner.context_tokens()
    }

    fn generate(
        &mut self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        let Shared { inner, replies } = &mut *self.shared();
        let Some(replies) = replies else {
            return inner.generate(request, on_piece);
        };
        let last = request.messages.last().map_or("", |it| &it.content);
        let about: String = last.chars().take(ABOUT_CHARS).collect();
        let reply = replies.ask(&mut **inner, request, &about);
        // an error of the model's own stays what it is: who asks may go on
        let reply = reply.map_err(|error| {
            let reason = format!("{error:#}");
            let model = inner.name().to_owned();
            let failed = |_| GenerateError::Failed { model, reason };
            error.downcast().unwrap_or_else(failed)
        })?;
        on_piece(&reply.text);
        Ok(Generated {
            text: reply.text,
            prompt_tokens: reply.prompt_tokens,
            reused_tokens: 0,
            reply_tokens: 0,
            ended: Ended::Done,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::testing::Says;
    use weir_models::{Message, Role};

    #[test]
    fn the_same_is_asked_once_by_all_that_share_a_generator() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("replies.jsonl");
        let model = Says::new("tea \"now\"");
        let ask = |about: &str| {
            let replies = Replies::open(&file).expect("a file");
            let request = Request::new(vec![Message::new(Role::User, about)], 9);
            let mut shared = Model::new(Box::new(model.clone()), Some(replies));
            let reply = shared.generate(&request, &mut |_| Flow::On);
            reply.expect("it replies").text
        };
        for (about, asked) in [("tea", 1), ("tea", 1), ("rain", 2)] {
            assert_eq!(ask(about), "tea \"now\"");
            assert_eq!(model.asked().len(), asked);
        }
        let kept = std::fs::read(&file).expect("replies");
        std::fs::write(&file, &kept[..kept.len() - 4]).expect("written");
        for (about, asked) in [("rain", 3), ("rain", 3), ("tea", 3)] {
            ask(about);
            assert_eq!(model.asked().len(), asked, "{about}");
        }
    }
}
