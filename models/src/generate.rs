//! The contract of a text generator: messages in, text out, token after token.
//!
//! Says nothing about where the model runs: the local generator and the client of an endpoint both
//! keep it. A reply can be bound to a shape, so that it is JSON of known fields or nothing.
//!
//! Invariant: messages are data. No implementation looks into their content for markup of its
//! own: the special tokens of a chat template come from the template alone.

/// Writes text.
pub trait Generate: Send {
    /// Name for logs, results and messages.
    fn name(&self) -> &str;

    /// The number of tokens, of prompt and reply together, that fit.
    fn context_tokens(&self) -> usize;

    /// Writes a reply to `request`.
    ///
    /// `on_piece` is given each piece of text as it comes; pieces may be empty, and one at least
    /// comes with every token and with every 128 tokens of prompt that were read, so that whoever
    /// listens can end the work by [`Flow::Stop`]. The pieces together are [`Generated::text`].
    ///
    /// # Errors
    /// [`GenerateError`]; what was given to `on_piece` until then is no reply.
    fn generate(
        &mut self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError>;
}

/// Makes a short text of a longer one by a prompt: a sequence-to-sequence model.
pub trait Summarise: Send {
    /// Name for logs, results and messages.
    fn name(&self) -> &str;

    /// Answers `prompt` in at most `tokens_max` tokens; the same prompt, the same text. A prompt
    /// longer than the model reads is cut at its end.
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

/// What a generator is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The conversation, oldest first; the last one is to be answered.
    pub messages: Vec<Message>,
    /// Tokens of reply at most.
    pub tokens_max: usize,
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// Texts that end the reply; they are not part of it.
    pub stop: Vec<String>,
    /// What the reply must look like.
    pub shape: Shape,
}

impl Request {
    /// A request for free text, the likeliest, without stop words.
    #[must_use]
    pub fn new(messages: Vec<Message>, tokens_max: usize) -> Self {
        Self {
            messages,
            tokens_max,
            sampling: Sampling::Greedy,
            stop: Vec::new(),
            shape: Shape::Text,
        }
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What.
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

/// Who speaks in a conversation with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Whoever sets the task.
    System,
    /// Whoever asks.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// As chat templates and endpoints name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// How the next token is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sampling {
    /// The likeliest: the same request, the same reply.
    Greedy,
    /// By chance; the same seed, the same reply.
    Random {
        /// Above 0; 1 leaves the model's own odds, less makes the likely likelier.
        temperature: f32,
        /// Only so many likeliest are drawn from; 0 for all.
        top_k: usize,
        /// Only the likeliest that together have this probability, `0.0..=1.0`; 1 for all.
        top_p: f32,
        /// Where chance begins.
        seed: u64,
    },
}

/// What a reply must look like.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Any text.
    Text,
    /// JSON of this shape and nothing around it. Tokens that would leave the shape are not
    /// chosen; where the tokens run out, the reply is an error, never half a value.
    Json(JsonShape),
}

/// The shape of a JSON value: what a distiller asks for, not all of JSON Schema.
#[derive(Debug, Clone, PartialEq)]
pub enum JsonShape {
    /// All fields, in this order.
    Object(Vec<(String, JsonShape)>),
    /// At most `items_max` of them.
    Array {
        /// What each item is.
        item: Box<JsonShape>,
        /// How many at most.
        items_max: usize,
    },
    /// A text without control characters.
    String {
        /// Characters at most.
        chars_max: usize,
    },
    /// One of these texts.
    OneOf(Vec<String>),
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Bool,
}

/// Whether a reply goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// It does.
    On,
    /// It ends here.
    Stop,
}

/// A reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// Its words: without what a model thinks aloud (`<think>...</think>`), and without white space
    /// before the first.
    pub text: String,
    /// Tokens of the prompt; 0 where an endpoint does not say.
    pub prompt_tokens: usize,
    /// Tokens of the prompt that were not read again, since the prompt before began with them.
    pub reused_tokens: usize,
    /// Tokens of the reply.
    pub reply_tokens: usize,
    /// Why it ended.
    pub ended: Ended,
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The model had said all, or the shape was complete.
    Done,
    /// A stop word came.
    StopWord,
    /// The tokens ran out.
    TokensMax,
    /// The listener ended it.
    Stopped,
}

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// Prompt and reply do not fit.
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
    /// The request asks for what cannot be.
    #[error("{model} cannot be asked this: {reason}")]
    Request {
        /// The model.
        model: String,
        /// What is wrong.
        reason: String,
    },
    /// The tokens ran out before the shape was complete.
    #[error("the reply of {model} had no end after {tokens} tokens; allow more")]
    Unfinished {
        /// The model.
        model: String,
        /// Tokens of reply.
        tokens: usize,
    },
    /// It took longer than it was given.
    #[error("{model} took longer than {limit_ms} ms")]
    TooSlow {
        /// The model.
        model: String,
        /// What it was given.
        limit_ms: u64,
    },
    /// The arithmetic failed, out of memory included; or the endpoint did.
    #[error("{model} failed: {reason}")]
    Failed {
        /// The model.
        model: String,
        /// What was said.
        reason: String,
    },
}
