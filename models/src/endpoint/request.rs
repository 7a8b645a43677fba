//! A request as JSON, and the fields that a server has refused.

use serde_json::{Value, json};

use crate::{Request, Sampling, Shape};

/// Number of stop words that every server accepts; further ones are checked only here.
const STOPS_MAX: usize = 4;

/// How a server is given the shape of a reply, most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Bound {
    /// `json_schema`: OpenAI, vLLM, llama.cpp, Ollama.
    Schema,
    /// `json_object` with a separate schema field: llama.cpp and its Python server.
    SchemaBeside,
    /// `json_object`: any JSON.
    AnyJson,
    /// The shape is not sent.
    Untold,
}

/// Fields that a server accepts; all of them until it refuses some.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServerCapabilities {
    usage: bool,
    top_k: bool,
    seed: bool,
    /// Reasoning models accept only their own temperature and refuse 0.
    temperature: bool,
    /// Newer models of OpenAI use another name for `max_tokens`.
    completion_tokens: bool,
    bound: Bound,
}

impl Default for ServerCapabilities {
    fn default() -> Self {
        Self {
            usage: true,
            top_k: true,
            seed: true,
            temperature: true,
            completion_tokens: false,
            bound: Bound::Schema,
        }
    }
}

impl ServerCapabilities {
    /// Merges what one request has shown; other threads may have merged other changes.
    pub(super) fn learn(&mut self, other: Self) {
        self.usage &= other.usage;
        self.top_k &= other.top_k;
        self.seed &= other.seed;
        self.temperature &= other.temperature;
        self.completion_tokens |= other.completion_tokens;
        self.bound = self.bound.max(other.bound);
    }

    /// The body of a request.
    pub(super) fn body(&self, model: &str, request: &Request, streams: bool) -> Value {
        let messages = request.messages.iter();
        let messages = messages.map(|m| json!({"role": m.role.as_str(), "content": m.content}));
        let mut body = json!({"model": model, "messages": messages.collect::<Vec<_>>()});
        if self.temperature {
            body["temperature"] = json!(0);
        }
        let tokens = match self.completion_tokens {
            true => "max_completion_tokens",
            false => "max_tokens",
        };
        body[tokens] = json!(request.tokens_max);
        if let Sampling::Random {
            temperature,
            top_k,
            top_p,
            seed,
        } = request.sampling
        {
            // a server that refuses temperature refuses top_p too
            if self.temperature {
                body["temperature"] = json!(decimal(temperature));
                if top_p < 1.0 {
                    body["top_p"] = json!(decimal(top_p));
                }
            }
            if top_k > 0 && self.top_k {
                body["top_k"] = json!(top_k);
            }
            if self.seed {
                // servers refuse more than 31 bits
                body["seed"] = json!((seed ^ (seed >> 31) ^ (seed >> 62)) & 0x7fff_ffff);
            }
        }
        let stops = request.stop.iter().filter(|stop| !stop.is_empty());
        let stops: Vec<&String> = stops.take(STOPS_MAX).collect();
        if !stops.is_empty() {
            body["stop"] = json!(stops);
        }
        if let Some(format) = self.response_format(request) {
            body["response_format"] = format;
        }
        if streams {
            body["stream"] = json!(true);
            if self.usage {
                body["stream_options"] = json!({"include_usage": true});
            }
        }
        body
    }

    fn response_format(&self, request: &Request) -> Option<Value> {
        let Shape::Json(shape) = &request.shape else {
            return None;
        };
        match self.bound {
            Bound::Schema => Some(json!({
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": shape.to_schema(), "strict": true},
            })),
            Bound::SchemaBeside => {
                Some(json!({"type": "json_object", "schema": shape.to_schema()}))
            }
            Bound::AnyJson => Some(json!({"type": "json_object"})),
            Bound::Untold => None,
        }
    }

    /// Leaves out the field that a server's refusal of a request names or may be about. Returns
    /// `false` if nothing is left to leave out or the refusal has another reason.
    pub(super) fn leave_out(&mut self, status: u16, said: &str, sent: &Value) -> bool {
        if !matches!(status, 400 | 422 | 500 | 501) {
            return false;
        }
        let said = said.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| said.contains(word));
        let has = |field: &str| sent.get(field).is_some();
        if names(&["max_completion_tokens"]) && !self.completion_tokens {
            self.completion_tokens = true;
            return true;
        }
        // "schema" covers json_schema
        if has("response_format") && names(&["response_format", "json_object", "schema", "grammar"])
        {
            self.bound = self.bound.looser();
            return true;
        }
        for (field, kept) in [
            ("stream_options", &mut self.usage),
            ("top_k", &mut self.top_k),
            ("seed", &mut self.seed),
        ] {
            if has(field) && names(&[field]) {
                *kept = false;
                return true;
            }
        }
        // a value out of range was set by the caller, who gets the error; 0 was set here for greedy
        // decoding
        let is_unsupported = names(&["support", "permitted", "deprecated"])
            || (sent["temperature"] == 0 && names(&["positive", "greater than"]));
        if has("temperature") && names(&["temperature", "top_p"]) && is_unsupported {
            self.temperature = false;
            return true;
        }
        if status >= 500 {
            return false;
        }
        // a refusal that names no field: leave out the least important first
        if has("stream_options") || has("top_k") || has("seed") {
            (self.usage, self.top_k, self.seed) = (false, false, false);
            return true;
        }
        if has("response_format") {
            self.bound = self.bound.looser();
            return true;
        }
        false
    }
}

impl Bound {
    fn looser(self) -> Self {
        match self {
            Self::Schema => Self::SchemaBeside,
            Self::SchemaBeside => Self::AnyJson,
            Self::AnyJson | Self::Untold => Self::Untold,
        }
    }
}

/// A number with its decimal digits, not as its nearest binary fraction.
fn decimal(number: f32) -> f64 {
    (f64::from(number) * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JsonShape, Message, Role};

    fn request() -> Request {
        Request {
            sampling: Sampling::Random {
                temperature: 0.7,
                top_k: 40,
                top_p: 0.9,
                seed: (1 << 33) + 5,
            },
            stop: ["a", "", "b", "c", "d", "e"].map(str::to_owned).to_vec(),
            shape: Shape::Json(JsonShape::Bool),
            ..Request::new(vec![Message::new(Role::User, "Hi")], 9)
        }
    }

    #[test]
    fn a_request_holds_what_was_asked_and_nothing_else() {
        let plain = Request::new(vec![Message::new(Role::System, "Be brief.")], 7);
        let body = ServerCapabilities::default().body("m", &plain, false);
        let expected = json!({"model": "m", "temperature": 0, "max_tokens": 7,
            "messages": [{"role": "system", "content": "Be brief."}]});
        assert_eq!(body, expected);
        let body = ServerCapabilities::default().body("m", &request(), true);
        let expected = json!({"model": "m", "temperature": 0.7, "top_p": 0.9, "top_k": 40,
            "seed": 5 ^ 4, "max_tokens": 9, "stop": ["a", "b", "c", "d"],
            "stream": true, "stream_options": {"include_usage": true},
            "messages": [{"role": "user", "content": "Hi"}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "reply",
                "strict": true, "schema": {"type": "boolean"}}}});
        assert_eq!(body, expected);
    }

    #[test]
    fn what_a_refusal_names_is_left_out_alone() {
        // OpenAI's wording
        let temperature = "Unsupported value: 'temperature' does not support 0 with this model. \
                           Only the default (1) value is supported.";
        let tokens = "Use 'max_completion_tokens' instead of 'max_tokens'";
        for (status, said, gone) in [
            (422, "extra fields not permitted: top_k", &["top_k"][..]),
            (400, tokens, &["max_tokens"]),
            (400, temperature, &["temperature", "top_p"]),
            (400, "Bad Request", &["seed", "stream_options", "top_k"]),
        ] {
            let mut capabilities = ServerCapabilities::default();
            let before = capabilities.body("m", &request(), true);
            assert!(capabilities.leave_out(status, said, &before), "{said}");
            let after = capabilities.body("m", &request(), true);
            let fields = before.as_object().expect("an object").keys();
            let mut left_out: Vec<_> = fields.filter(|name| after.get(name).is_none()).collect();
            left_out.sort();
            assert_eq!(left_out, gone, "{said}");
            assert_eq!(after["response_format"]["type"], "json_schema", "{said}");
        }
        let mut capabilities = ServerCapabilities::default();
        let sent = capabilities.body("m", &request(), true);
        for (status, said) in [(500, "out of memory"), (404, "response_format")] {
            assert!(!capabilities.leave_out(status, said, &sent), "{said}");
        }
        // a value of the caller is out of range: the caller gets the error
        assert!(capabilities.leave_out(400, "temperature must be below 2", &sent));
        assert_eq!(capabilities.body("m", &request(), true)["temperature"], 0.7);
    }

    #[test]
    fn a_shape_is_told_ever_more_loosely_and_then_the_refusals_end() {
        let (mut capabilities, mut formats) = (ServerCapabilities::default(), Vec::new());
        let mut sent = capabilities.body("m", &request(), true);
        while capabilities.leave_out(400, "Bad Request", &sent) {
            sent = capabilities.body("m", &request(), true);
            formats.push(sent["response_format"].clone());
        }
        assert_eq!(formats[0]["type"], "json_schema");
        assert_eq!(
            formats[1],
            json!({"type": "json_object", "schema": {"type": "boolean"}})
        );
        assert_eq!(formats[2..], [json!({"type": "json_object"}), json!(null)]);
    }

    #[test]
    fn threads_learn_from_each_other() {
        let [mut known, mut one, mut other] = [ServerCapabilities::default(); 3];
        let sent = one.body("m", &request(), true);
        assert!(one.leave_out(400, "top_k", &sent) && other.leave_out(400, "schema", &sent));
        known.learn(one);
        known.learn(other);
        let sent = known.body("m", &request(), true);
        assert!(sent.get("top_k").is_none() && sent.get("seed").is_some());
        assert_eq!(sent["response_format"]["type"], "json_object");
    }
}
