//! The encoder of a measurement, opened from options.

use crate::vectors::Remembering;
use anyhow::Result;
use std::path::PathBuf;
use std::sync::Arc;
use weir_models::{Encode, SentenceEncoder, SparseEncoder, WithTerms, WordHashEncoder};

/// The names of the encoder without a model and of the built-in one.
const WORDS: &str = "words";
const SPLADE: &str = "splade-tiny";

/// A sentence encoder, if the encoder has one.
type Sentences = Option<Arc<SentenceEncoder>>;

/// Options for an encoder.
#[derive(clap::Args)]
pub(crate) struct EncoderArgs {
    /// Folder of a sentence encoder, or `words`
    #[arg(long, default_value = "words")]
    pub(crate) encoder: PathBuf,
    /// Folder that caches vectors between runs
    #[arg(long)]
    pub(crate) vectors: Option<PathBuf>,
}

impl EncoderArgs {
    /// Whether it is the word encoder, which needs no model.
    pub(crate) fn is_words(&self) -> bool {
        self.encoder.as_os_str() == WORDS
    }

    /// The same options as arguments for another process.
    pub(crate) fn told(&self) -> Vec<String> {
        let encoder = [("--encoder", &self.encoder)];
        let vectors = self.vectors.iter().map(|folder| ("--vectors", folder));
        let all = encoder.into_iter().chain(vectors);
        all.flat_map(|(name, path)| [name.to_owned(), path.display().to_string()])
            .collect()
    }

    /// The encoder with its model loaded.
    pub(crate) fn open(&self) -> Result<Arc<dyn Encode>> {
        Ok(self.opened(false)?.0)
    }

    /// The encoder, and its sentence encoder. Vectors are cached in the cache folder, or, if
    /// requested, in memory while the program runs.
    pub(crate) fn opened(&self, in_memory: bool) -> Result<(Arc<dyn Encode>, Sentences)> {
        if self.is_words() {
            return Ok((Arc::new(WordHashEncoder::new()), None));
        }
        let terms = Arc::new(SparseEncoder::built_in()?);
        if self.encoder.as_os_str() == SPLADE {
            return Ok((terms, None));
        }
        let encoder = Arc::new(SentenceEncoder::load(&self.encoder)?);
        let sentences = Arc::clone(&encoder);
        let vectors: Arc<dyn Encode> = match &self.vectors {
            Some(folder) => Arc::new(Remembering::new(encoder, folder)?),
            None if in_memory => Arc::new(Remembering::in_memory(encoder)),
            None => encoder,
        };
        Ok((Arc::new(WithTerms::new(vectors, terms)), Some(sentences)))
    }
}
