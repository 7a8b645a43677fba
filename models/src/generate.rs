//! The contract of a text generator: messages in, text out, token by token.
//!
//! It does not specify where the model runs: the local generator and the endpoint client both
//! implement it. A reply can be constrained to a shape, so that it is JSON with known fields or an
//! error.
//!
//! Invariant: messages are data. No implementation interprets markup in their content: special
//! tokens come from the chat template alone.

/// Writes text.
pub trait Generate: Send {
    /// Name for logs, results and messages.
    fn name(&self) -> &str;

    /// Context size in tokens, prompt and reply together.
    fn context_tokens(&self) -> usize;

    /// Writes a reply to `request`.
    ///
    /// `on_piece` gets each piece of text as it comes. Pieces may be empty; at least one comes with
    /// every token and with every 128 tokens of prompt read, so that the listener can stop the work
    /// with [`Flow::Stop`]. The pieces joined are [`Generated::text`].
    ///
    /// # Errors
    /// [`GenerateError`]; the pieces given to `on_piece` until then are not a reply.
    fn generate(
        &mut self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError>;
}

/// Shortens text by a prompt: a sequence-to-sequence model.
pub trait Summarise: Send {
    /// Name for logs, results and messages.
    fn name(&self) -> &str;

    /// Answers `prompt` in at most `tokens_max` tokens; deterministic. A prompt longer than the
    /// model's limit is truncated at its end.
    ///
    /// # Errors
    /// [`GenerateError`].
    fn summarise(&mut self, prompt: &str, tokens_max: usize) -> Result<String, GenerateError>;
}

impl<G: Generate + ?Sized> Generate for Box<G> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn context_tokens(&self) -> usize {
        (**self).context_tokens()
    }

    fn generate(
        &mut self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        (**self).generate(request, on_piece)
    }
}

/// A request to a generator. The same request gives the same reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The conversation, oldest message first; the last one is to be answered.
    pub messages: Vec<Message>,
    /// Maximum tokens of the reply.
    pub tokens_max: usize,
    /// The required shape of the reply.
    pub shape: Shape,
    /// How a model of this machine draws the tokens of free text; `None` for the most probable
    /// ones. Servers and shaped replies always take those.
    pub sampling: Option<Sampling>,
}

/// How tokens are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Divides the logits, above 0: the higher, the less probable tokens are drawn.
    pub temperature: f64,
    /// The tokens drawn have this probability together, most probable first: above 0, at most 1.
    pub top_p: f64,
    /// The same seed draws the same tokens.
    pub seed: u64,
}

impl Request {
    /// A request for free text.
    #[must_use]
    pub fn new(messages: Vec<Message>, tokens_max: usize) -> Self {
        Self {
            messages,
            tokens_max,
            shape: Shape::Text,
            sampling: None,
        }
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its role.
    pub role: Role,
    /// Its text.
    pub content: String,
}

impl Message {
    /// A message of `role`.
    #[must_use]
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
        }
    }
}

/// Role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The system prompt.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// Its name in chat templates and endpoints.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// The required shape of a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Any text.
    Text,
    /// JSON of this shape only. Tokens that would violate the shape are not chosen; if the tokens
    /// run out, the result is an error, never an incomplete value.
    Json(JsonShape),
}

/// The shape of a JSON value: what distillers need, not all of JSON Schema.
#[derive(Debug, Clone, PartialEq)]
pub enum JsonShape {
    /// All fields, in this order.
    Object(Vec<(String, JsonShape)>),
    /// At most `items_max` of them.
    Array {
        /// Shape of each item.
        item: Box<JsonShape>,
        /// Maximum number of items.
        items_max: usize,
    },
    /// A text without control characters.
    String {
        /// Maximum number of characters.
        chars_max: usize,
    },
    /// One of these texts.
    OneOf(Vec<String>),
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Bool,
}

/// Whether to continue a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Continue.
    On,
    /// Stop here.
    Stop,
}

/// A reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// Its text without reasoning (`<think>...</think>`) and without leading white space.
    pub text: String,
    /// Tokens of the prompt; 0 if an endpoint does not give them.
    pub prompt_tokens: usize,
    /// Tokens of the prompt that were reused, because the previous prompt began with them.
    pub reused_tokens: usize,
    /// Tokens of the reply.
    pub reply_tokens: usize,
    /// Reason for its end.
    pub ended: Ended,
}

/// Reason for the end of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The model ended the reply, or the shape was complete.
    Done,
    /// The token limit was reached.
    TokensMax,
    /// The listener stopped it.
    Stopped,
}

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// Prompt and reply together exceed the context.
    #[error(
        "{model} reads {limit} tokens; {found} were asked for (prompt and reply together): ask \
         with a smaller context"
    )]
    ContextOverflow {
        /// The model.
        model: String,
        /// Tokens of prompt and reply.
        found: usize,
        /// Tokens that fit.
        limit: usize,
    },
    /// The request is invalid.
    #[error("invalid request to {model}: {reason}")]
    Request {
        /// The model.
        model: String,
        /// The reason.
        reason: String,
    },
    /// The token limit was reached before the shape was complete.
    #[error("the reply of {model} was incomplete after {tokens} tokens; allow more")]
    Unfinished {
        /// The model.
        model: String,
        /// Tokens of the reply.
        tokens: usize,
    },
    /// The time limit was reached.
    #[error("{model} took longer than {limit_ms} ms")]
    TooSlow {
        /// The model.
        model: String,
        /// The time limit in milliseconds.
        limit_ms: u64,
    },
    /// The computation failed, memory ran out, or the endpoint failed.
    #[error("{model} failed: {reason}")]
    Failed {
        /// The model.
        model: String,
        /// The reason.
        reason: String,
    },
}
