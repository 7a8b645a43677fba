//! Which models are wanted. A model is named by its name in the list of models, or by its file or
//! folder.

use std::path::PathBuf;
use std::time::Duration;
use weir_asr::{Channels, Strictness};
use weir_core::limits;

/// The model that writes text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// The generator on this machine, [`Selection::generator`].
    Local,
    /// The server, [`Selection::endpoint`].
    Endpoint,
}

/// How blocks of talk are distilled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DistilBy {
    /// Statements verbatim, without a model.
    Extractive,
    /// A summariser: a T5.
    Neural(String),
    /// An instruction model.
    Instructed(Writer),
}

/// How claims of answers are checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckBy {
    /// By words, without a model.
    Lexical,
    /// By a model of natural-language inference.
    Entailment(String),
    /// By an instruction model.
    Prompted(Writer),
}

/// A server with the OpenAI API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointChoice {
    /// Its address.
    pub url: String,
    /// The model's name on it.
    pub model: String,
    /// Environment variable with its key.
    pub key_variable: String,
    /// Whether the key goes also to addresses where others could read it.
    pub always_send_key: bool,
}

/// The models that distil, answer, rerank and check. The default one needs no model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Distils blocks.
    pub distil: DistilBy,
    /// Reads opinions and facts about speakers beside the rules.
    pub observer: Option<Writer>,
    /// Time limit of a model for one block.
    pub distil_limit: Duration,
    /// Writes answers; without one they are quotes.
    pub answer: Option<Writer>,
    /// Time limit of a model for one answer.
    pub answer_limit: Duration,
    /// Checks the claims of answers.
    pub check: Option<CheckBy>,
    /// Reranks the statements found: a cross-encoder.
    pub reranker: Option<String>,
    /// The generator of [`Writer::Local`].
    pub generator: String,
    /// The server of [`Writer::Endpoint`].
    pub endpoint: Option<EndpointChoice>,
}

impl Selection {
    /// Name of the default generator.
    pub const GENERATOR: &str = "SmolLM2-135M-Instruct";
    /// Name of the default summariser.
    pub const SUMMARISER: &str = "LaMini-T5-738M";
    /// Name of the recommended reranker.
    pub const RERANKER: &str = "ms-marco-MiniLM-L6-v2";
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            distil: DistilBy::Extractive,
            observer: None,
            distil_limit: Duration::from_secs(60),
            answer: None,
            answer_limit: Duration::from_millis(limits::ANSWER_MS_DEFAULT),
            check: None,
            reranker: None,
            generator: Self::GENERATOR.to_owned(),
            endpoint: None,
        }
    }
}

/// How speech is recognised. The default one takes the best model, mixes channels, and neither
/// shows speech before it ends nor tells speakers apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeechSelection {
    /// The speech model; without one the best that is here.
    pub model: Option<String>,
    /// Code of the language, or `auto`.
    pub language: Option<String>,
    /// Words that may be said, such as names; empty for none.
    pub expected: String,
    /// Threads of the model.
    pub threads: u32,
    /// How strictly doubtful words are refused.
    pub guards: Strictness,
    /// How several channels are treated.
    pub channels: Channels,
    /// Whether speech is decoded before it ends.
    pub live_text: bool,
    /// Whether speakers are told apart, where channels are mixed.
    pub speakers: bool,
    /// The file of enrolled voices; without one the usual file.
    pub voices: Option<PathBuf>,
}

impl Default for SpeechSelection {
    fn default() -> Self {
        Self {
            model: None,
            language: None,
            expected: String::new(),
            threads: 1,
            guards: Strictness::default(),
            channels: Channels::Mix,
            live_text: false,
            speakers: false,
            voices: None,
        }
    }
}
