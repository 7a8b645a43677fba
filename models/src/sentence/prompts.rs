//! What stands before a text that is stored, and before one that asks.

use std::path::Path;

use serde_json::Value;

use crate::checkpoint::{LoadError, read_json_if_there};

/// The words that an encoder was trained to see before a text; empty where there are none.
///
/// A checkpoint's `config_sentence_transformers.json` names them where its makers wrote them
/// there. Others say it on their page alone (`query: ` and `passage: ` of the e5 family); those
/// are set by [`SentenceEncoder::with_prompts`](crate::SentenceEncoder::with_prompts).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompts {
    /// Before a question.
    pub query: String,
    /// Before what is to be found.
    pub passage: String,
}

impl Prompts {
    /// Chooses among the prompts of `folder` by the names that sentence-transformers gives them:
    /// `query`, and the first of `document`, `passage` and `corpus` that says something. (That
    /// library itself stops at an empty `document`, which it writes into every file.)
    pub(super) fn read(folder: &Path) -> Result<Self, LoadError> {
        let file = folder.join("config_sentence_transformers.json");
        let Some(settings) = read_json_if_there::<Value>(&file)? else {
            return Ok(Self::default());
        };
        let prompt = |name: &str| {
            let prompt = settings.get("prompts")?.get(name)?.as_str()?;
            (!prompt.is_empty()).then(|| prompt.to_owned())
        };
        let passage = ["document", "passage", "corpus"]
            .into_iter()
            .find_map(prompt);
        Ok(Self {
            query: prompt("query").unwrap_or_default(),
            passage: passage.unwrap_or_default(),
        })
    }
}
