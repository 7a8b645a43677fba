//! A request as JSON, and the fields that a server has refused.

use serde_json::{Value, json};

use crate::{Request, Shape};

/// How a server is given the shape of a reply, most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
pub(super) struct Accepted {
    usage: bool,
    /// Reasoning models accept only their own temperature and refuse 0.
    temperature: bool,
    /// Newer models of OpenAI use another name for `max_tokens`.
    max_tokens: &'static str,
    bound: Bound,
}

impl Default for Accepted {
    fn default() -> Self {
        Self {
            usage: true,
            temperature: true,
            max_tokens: "max_tokens",
            bound: Bound::Schema,
        }
    }
}

impl Accepted {
    /// The body of a request.
    pub(super) fn body(&self, model: &str, request: &Request, streams: bool) -> Value {
        let messages = request.messages.iter();
        let messages = messages.map(|m| json!({"role": m.role.as_str(), "content": m.content}));
        let mut body = json!({"model": model, "messages": messages.collect::<Vec<_>>()});
        body[self.max_tokens] = json!(request.tokens_max);
        if self.temperature {
            body["temperature"] = json!(0);
        }
        if let Shape::Json(shape) = &request.shape {
            let format = match self.bound {
                Bound::Schema => json!({
                    "type": "json_schema",
                    "json_schema": {"name": "reply", "schema": shape.to_schema(), "strict": true},
                }),
                Bound::SchemaBeside => json!({"type": "json_object", "schema": shape.to_schema()}),
                Bound::AnyJson => json!({"type": "json_object"}),
                Bound::Untold => Value::Null,
            };
            if !format.is_null() {
                body["response_format"] = format;
            }
        }
        if streams {
            body["stream"] = json!(true);
            if self.usage {
                body["stream_options"] = json!({"include_usage": true});
            }
        }
        body
    }

    /// Leaves out the field that a server's refusal of a request names or may be about. Returns
    /// `false` if nothing is left to leave out or the refusal has another reason.
    pub(super) fn leave_out(&mut self, status: u16, said: &str, sent: &Value) -> bool {
        if !matches!(status, 400 | 422 | 500 | 501) {
            return false;
        }
        let said = said.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| said.contains(word));
        let [has_usage, has_temperature, has_format] =
            ["stream_options", "temperature", "response_format"].map(|it| sent.get(it).is_some());
        // "schema" covers json_schema
        let formats = ["response_format", "json_object", "schema", "grammar"];
        let unsupported = [
            "support", "permitted", "deprecated", "positive", "greater than",
        ];
        if names(&["max_completion_tokens"]) && self.max_tokens == "max_tokens" {
            self.max_tokens = "max_completion_tokens";
        } else if has_format && names(&formats) {
            self.bound = self.bound.looser();
        } else if has_usage && names(&["stream_options"]) {
            self.usage = false;
        } else if has_temperature && names(&["temperature"]) && names(&unsupported) {
            self.temperature = false;
        } else if status >= 500 {
            return false;
        // a refusal that names no field: leave out the least important first
        } else if has_usage {
            self.usage = false;
        } else if has_format {
            self.bound = self.bound.looser();
        } else {
            return false;
        }
        true
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JsonShape, Message, Role};

    fn request() -> Request {
        Request {
            shape: Shape::Json(JsonShape::Bool),
            ..Request::new(vec![Message::new(Role::User, "Hi")], 9)
        }
    }

    #[test]
    fn a_request_holds_what_was_asked_and_nothing_else() {
        let plain = Request::new(vec![Message::new(Role::System, "Be brief.")], 7);
        let body = Accepted::default().body("m", &plain, false);
        let expected = json!({"model": "m", "temperature": 0, "max_tokens": 7,
            "messages": [{"role": "system", "content": "Be brief."}]});
        assert_eq!(body, expected);
        let body = Accepted::default().body("m", &request(), true);
        let expected = json!({"model": "m", "temperature": 0, "max_tokens": 9,
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
            (
                422,
                "extra fields not permitted: stream_options",
                "stream_options",
            ),
            (400, tokens, "max_tokens"),
            (400, temperature, "temperature"),
            (400, "Bad Request", "stream_options"),
            (500, "out of memory", ""),
            (404, "response_format", ""),
        ] {
            let mut accepted = Accepted::default();
            let before = accepted.body("m", &request(), true);
            assert_eq!(
                accepted.leave_out(status, said, &before),
                !gone.is_empty(),
                "{said}"
            );
            let after = accepted.body("m", &request(), true);
            let fields = before.as_object().expect("an object").keys();
            let left_out: String = fields
                .filter(|name| after.get(name).is_none())
                .cloned()
                .collect();
            assert_eq!(left_out, gone, "{said}");
        }
    }

    #[test]
    fn a_shape_is_told_ever_more_loosely_and_then_the_refusals_end() {
        let (mut accepted, mut formats) = (Accepted::default(), Vec::new());
        let mut sent = accepted.body("m", &request(), true);
        while accepted.leave_out(400, "Bad Request", &sent) {
            sent = accepted.body("m", &request(), true);
            formats.push(sent["response_format"].clone());
        }
        assert_eq!(formats[0]["type"], "json_schema");
        let beside = json!({"type": "json_object", "schema": {"type": "boolean"}});
        let any = json!({"type": "json_object"});
        assert_eq!(formats[1..], [beside, any, json!(null)]);
    }
}
