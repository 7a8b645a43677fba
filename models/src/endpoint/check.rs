//! Checks before a long run that a server responds and has the model.

use serde_json::Value;

use super::EndpointError;
use super::attempt::{REFUSAL_BYTES_MAX, WHOLE_BYTES_MAX};
use super::client::Endpoint;
use super::options::CONTEXT_TOKENS_DEFAULT;
use super::timeouts::{Listener, Listening, Phase};
use crate::Flow;

/// Most models read from a list.
const MODELS_MAX: usize = 10_000;
/// Bytes of a model's name; longer names and names with control characters are ignored.
const NAME_BYTES_MAX: usize = 512;

/// A model of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedModel {
    /// Its name on the server.
    pub name: String,
    /// Tokens of prompt and reply that fit, if the server gives them.
    pub context_tokens: Option<usize>,
}

/// Properties of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The names of its models; `None` if it has no list, so that a missing model fails at the
    /// first request.
    pub names: Vec<String>,
    /// Tokens of prompt and reply that fit: from the options, else the server, else 4096.
    pub context_tokens: usize,
}

impl Endpoint {
    /// The models of the server, by one GET of `/v1/models` within the time limit for a first
    /// piece; no retries.
    ///
    /// # Errors
    /// [`EndpointError`].
    pub fn list_models(&self) -> Result<Vec<ServedModel>, EndpointError> {
        let url = self.models_url();
        let body = self.get(&url)?;
        let asked = self.asked(&url);
        let whole: Value = serde_json::from_str(&body).map_err(|error| {
            asked.malformed(format!("what is not JSON ({error}): {}", asked.said(&body)))
        })?;
        // an Ollama without models sends "data": null
        let data = match &whole["data"] {
            Value::Array(data) => data.as_slice(),
            Value::Null if whole["object"] == "list" => &[],
            _ => {
                let reason = format!("no list of models: {}", asked.quoted(&body));
                return Err(asked.malformed(reason));
            }
        };
        Ok(data.iter().take(MODELS_MAX).filter_map(served).collect())
    }

    /// Checks that the server responds and has the model.
    ///
    /// # Errors
    /// [`EndpointError::ModelMissing`] with the names of its models, or the error of the request. A
    /// server without a list of models is not an error.
    pub fn check(&self) -> Result<Checked, EndpointError> {
        let of_options = self.options().context_tokens;
        let models = match self.list_models() {
            Ok(models) => models,
            Err(EndpointError::NotFound { said, .. }) if !said.starts_with("a web page") => {
                return Ok(Checked {
                    names: Vec::new(),
                    context_tokens: of_options.unwrap_or(CONTEXT_TOKENS_DEFAULT),
                });
            }
            Err(error) => return Err(error),
        };
        let url = self.models_url();
        let asked = self.asked(&url);
        let latest = format!("{}:latest", self.model());
        let names: Vec<String> = models.iter().map(|model| model.name.clone()).collect();
        let is_it = |name: &str| name == self.model() || name == latest;
        let Some(model) = models.iter().find(|model| is_it(&model.name)) else {
            let said = match names.is_empty() {
                true => "it has none at all".to_owned(),
                false => String::new(),
            };
            let names = names.iter().map(|name| asked.key.redacted(name)).collect();
            return Err(EndpointError::ModelMissing {
                url: url.clone(),
                model: self.model().to_owned(),
                names,
                said,
            });
        };
        let context_tokens = of_options.or(model.context_tokens);
        Ok(Checked {
            names,
            context_tokens: context_tokens.unwrap_or(CONTEXT_TOKENS_DEFAULT),
        })
    }

    fn get(&self, url: &str) -> Result<String, EndpointError> {
        let mut options = self.options().clone();
        options.total_timeout = options.total_timeout.min(options.first_piece_timeout);
        let mut on_piece = |_: &str| Flow::On;
        let mut listener = Listener::new(&mut on_piece);
        let mut listening = Listening::new(self.start(url, None), &options, url);
        let asked = self.asked(url);
        let nothing = || asked.malformed("nothing".to_owned());
        let head = listening.head(Phase::Whole, &mut listener)?;
        let head = head.ok_or_else(nothing)?;
        match head.status {
            200..300 => {
                let body = listening.body(Phase::Whole, WHOLE_BYTES_MAX, &mut listener)?;
                body.ok_or_else(nothing)
            }
            300..400 => Err(asked.redirect(head.status, head.location.as_deref())),
            status => {
                let body = listening.body(Phase::Trailer, REFUSAL_BYTES_MAX, &mut listener)?;
                Err(asked.refusal(status, &body.unwrap_or_default()))
            }
        }
    }
}

/// A model as servers describe it.
fn served(model: &Value) -> Option<ServedModel> {
    let name = model["id"].as_str()?;
    if name.len() > NAME_BYTES_MAX || name.contains(|c: char| c.is_control()) {
        return None;
    }
    let number = |at: &str| {
        let number = model.pointer(at).and_then(Value::as_u64)?;
        usize::try_from(number).ok().filter(|number| *number > 0)
    };
    // vLLM; llama.cpp; and hosted services
    let told = [
        "/max_model_len", "/meta/n_ctx", "/n_ctx", "/context_length", "/context_window",
    ];
    let told = told.iter().find_map(|at| number(at));
    // the training context may be larger than the server allows
    let trained = number("/meta/n_ctx_train").map(|n| n.min(CONTEXT_TOKENS_DEFAULT));
    Some(ServedModel {
        name: name.to_owned(),
        context_tokens: told.or(trained),
    })
}
