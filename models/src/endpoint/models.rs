//! Checks before a long run that a server responds and has the model.

use serde_json::Value;

use super::client::Endpoint;
use super::error::{EndpointError, EndpointErrorKind as Kind};
use super::exchange::{Listener, Phase};
use super::options::CONTEXT_TOKENS_DEFAULT;
use super::reply::{self, WHOLE_BYTES_MAX};
use crate::Flow;

/// Most models read from a list.
const MODELS_MAX: usize = 10_000;
/// Names of models that a message shows.
const SHOWN_MAX: usize = 12;
/// Where servers give the context: vLLM; llama.cpp; and hosted services.
const CONTEXTS: [&str; 5] = [
    "/max_model_len", "/meta/n_ctx", "/n_ctx", "/context_length", "/context_window",
];

/// Properties of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The names of its models; empty if it has no list, so that a missing model fails at the first
    /// request.
    pub names: Vec<String>,
    /// Tokens of prompt and reply that fit: from the options, else the server, else 4096.
    pub context_tokens: usize,
}

impl Endpoint {
    /// Checks by one GET of `/v1/models`, within the time limit for a first piece, that the server
    /// responds and has the model; no retries.
    ///
    /// # Errors
    /// [`Kind::ModelMissing`] with the names of its models, or the error of the request. A server
    /// without a list of models is not an error.
    pub fn check(&self) -> Result<Checked, EndpointError> {
        let target = self.target(self.models_url());
        let models = match self.models() {
            Ok(models) => models,
            // the page of a web site is no server without a list
            Err(error)
                if error.kind() == Kind::NotFound && !error.to_string().contains("a web page") =>
            {
                return Ok(self.checked(Vec::new(), None));
            }
            Err(error) => return Err(error),
        };
        let names: Vec<String> = models.iter().map(|(name, _)| name.clone()).collect();
        let latest = format!("{}:latest", self.model());
        let found = models
            .iter()
            .find(|(name, _)| name == self.model() || *name == latest);
        if let Some((_, context_tokens)) = found {
            return Ok(self.checked(names, *context_tokens));
        }
        let shown: Vec<String> = names
            .iter()
            .take(SHOWN_MAX)
            .map(|name| target.quoted(name))
            .collect();
        Err(target.model_missing(&match names.len() {
            0 => "it has none at all".to_owned(),
            count if count > SHOWN_MAX => {
                format!("it has {} and {} more", shown.join(", "), count - SHOWN_MAX)
            }
            _ => format!("it has {}", shown.join(", ")),
        }))
    }

    fn checked(&self, names: Vec<String>, context_tokens: Option<usize>) -> Checked {
        let context_tokens = self.options().context_tokens.or(context_tokens);
        Checked {
            names,
            context_tokens: context_tokens.unwrap_or(CONTEXT_TOKENS_DEFAULT),
        }
    }

    /// The server's models with the tokens that fit, if it gives them.
    fn models(&self) -> Result<Vec<(String, Option<usize>)>, EndpointError> {
        let mut options = self.options().clone();
        options.total_timeout = options.total_timeout.min(options.first_piece_timeout);
        let mut on_piece = |_: &str| Flow::On;
        let mut listener = Listener::new(&mut on_piece);
        let mut exchange = self.start(self.models_url(), None, &options);
        let target = exchange.target;
        let nothing = || target.malformed("nothing");
        let head = reply::success(&mut exchange, Phase::Whole, &mut listener);
        head.map_err(|failure| failure.error)?.ok_or_else(nothing)?;
        let body = exchange.body(Phase::Whole, WHOLE_BYTES_MAX, &mut listener)?;
        let body = body.ok_or_else(nothing)?;
        let whole = target.json(&body)?;
        match &whole["data"] {
            Value::Array(data) => Ok(data.iter().take(MODELS_MAX).filter_map(served).collect()),
            // an Ollama without models
            Value::Null if whole["object"] == "list" => Ok(Vec::new()),
            _ => Err(target.malformed(format!("no list of models: {}", target.quoted(&body)))),
        }
    }
}

/// A model as servers describe it.
fn served(model: &Value) -> Option<(String, Option<usize>)> {
    let name = model["id"].as_str()?;
    let number = |at: &str| {
        let number = model.pointer(at).and_then(Value::as_u64)?;
        usize::try_from(number).ok().filter(|number| *number > 0)
    };
    let told = CONTEXTS.iter().find_map(|at| number(at));
    // the training context may be larger than the server allows
    let trained = number("/meta/n_ctx_train").map(|n| n.min(CONTEXT_TOKENS_DEFAULT));
    let is_name = !name.contains(|c: char| c.is_control());
    is_name.then(|| (name.to_owned(), told.or(trained)))
}
