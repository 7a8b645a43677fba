//! The encoder that a measurement is made with: named by options, opened.

use crate::vectors::Remembering;
use anyhow::Result;
use std::path::PathBuf;
use std::sync::Arc;
use weir_models::{Encode, SentenceEncoder, SparseEncoder, WithTerms, WordHashEncoder};

/// The encoder that needs no model, and the one that is built in.
const WORDS: &str = "words";
const SPLADE: &str = "splade-tiny";

/// A sentence encoder, where there is one in an encoder.
type Sentences = Option<Arc<SentenceEncoder>>;

/// Options that name an encoder.
#[derive(clap::Args)]
pub(crate) struct EncoderArgs {
    /// Folder of a sentence encoder, or `words`
    #[arg(long, default_value = "words")]
    pub(crate) encoder: PathBuf,
    /// Folder where vectors are kept from run to run
    #[arg(long)]
    pub(crate) vectors: Option<PathBuf>,
}

impl EncoderArgs {
    /// Whether it is the encoder of words, which needs no model.
    pub(crate) fn is_words(&self) -> bool {
        self.encoder.as_os_str() == WORDS
    }

    /// The options that say the same to another process.
    pub(crate) fn told(&self) -> Vec<String> {
        let encoder = [("--encoder", &self.encoder)];
        let vectors = self.vectors.iter().map(|folder| ("--vectors", folder));
        let all = encoder.into_iter().chain(vectors);
        all.flat_map(|(name, path)| [name.to_owned(), path.display().to_string()])
            .collect()
    }

    /// The encoder, its model loaded.
    pub(crate) fn open(&self) -> Result<Arc<dyn Encode>> {
        Ok(self.opened(false)?.0)
    }

    /// The encoder, and the sentence encoder in it. What that read is remembered in the folder of
    /// vectors, and without one, if that is wished, while the program runs.
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
