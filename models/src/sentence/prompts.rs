//! Prompts before a passage that is stored, and before a query.

use std::path::Path;

use serde_json::Value;

use crate::checkpoint::{LoadError, read_json_if_there};

/// The prompts an encoder was trained with; empty if there are none.
///
/// Some checkpoints list them in `config_sentence_transformers.json`. Others document them only on
/// their page (`query: ` and `passage: ` of the e5 family); those are set with
/// [`SentenceEncoder::with_prompts`](crate::SentenceEncoder::with_prompts).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompts {
    /// Before a question.
    pub query: String,
    /// Before a passage.
    pub passage: String,
}

impl Prompts {
    /// Selects the prompts of `folder` by their names in sentence-transformers: `query`, and the
    /// first of `document`, `passage` and `corpus` that is not empty. (That library itself stops at
    /// an empty `document`, which it writes into every file.)
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
