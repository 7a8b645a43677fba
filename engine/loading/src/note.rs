//! What was chosen and what is missing.

use std::path::PathBuf;
use weir_models::weights::Located;

/// A choice that the selection left open, or what a session does without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// No sentence encoder is here; the built-in one is used.
    BuiltInEncoder,
    /// The speech model that was chosen.
    SpeechModel {
        /// The model.
        chosen: Located,
        /// Number of those to choose from.
        of: usize,
    },
    /// The speech model for languages other than English, beside the one that was chosen.
    OtherLanguages(Located),
    /// The speech model reads only the first of the names that are expected.
    NamesLeftOut {
        /// Number of names that the model reads.
        read: usize,
        /// Number of all names.
        of: usize,
    },
    /// The models that tell speakers apart are not here.
    NoSpeakers,
    /// The models for distilling are loaded now.
    LoadingDistiller,
    /// The generator is loaded now.
    LoadingGenerator(PathBuf),
    /// Talk goes to a server.
    TalkIsSent {
        /// What is sent.
        what: SentTalk,
        /// The server's address.
        url: String,
    },
    /// The key is not sent, since others could read it.
    KeyWithheld {
        /// The environment variable with the key.
        variable: String,
    },
}

/// What a server is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentTalk {
    /// Blocks of talk, to be distilled.
    Blocks,
    /// Claims of answers and the statements found, to be checked.
    Claims,
}
