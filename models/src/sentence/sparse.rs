//! Learned sparse encoders: texts in, weighted words out.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use super::config::Family;
use super::expansion::Expansion;
use super::layout::Body;
use super::network::{self, Network};
use super::reader::Reader;
use super::shelf::Shelf;
use super::{built_in, usual_threads};
use crate::annotate::Annotate;
use crate::checkpoint::{LoadError, Weights};
use crate::device::DeviceChoice;
use crate::encode::{Encode, EncodeError, Encoded, EncoderIdentity};
use crate::terms::Terms;

/// Components of the vectors that a sparse encoder derives from its terms.
const SKETCH: usize = 256;

/// A SPLADE encoder: a BERT with a masked-language-model head, trained so that a text's weights
/// over the vocabulary match the texts that answer it. One is built in.
///
/// Text beyond 256 tokens is not read. Its dense vectors are a projection of the terms
/// ([`Terms::sketch`], 256 components): good enough to compare whether two texts say the same;
/// questions are better answered by the terms. Concurrent calls do not wait for each other. For the
/// cost of the built-in one see `examples/encoder_speed`.
pub struct SparseEncoder {
    identity: EncoderIdentity,
    reader: Reader,
    network: Network,
    expansion: Expansion,
    threads: NonZeroUsize,
}

impl SparseEncoder {
    /// The built-in encoder: SPLADE-tiny, 4.4 million parameters, as bytes. Runs on the CPU. Takes
    /// some 20 ms and 12 MB.
    ///
    /// # Errors
    /// [`LoadError`] if the program itself is damaged.
    pub fn built_in() -> Result<Self, LoadError> {
        let body = built_in::body()?;
        let reader = Reader::of(built_in::tokenizer()?, &body)?;
        let body_weights = built_in::weights()?.under("bert.", network::PROBE);
        let identity = EncoderIdentity {
            name: built_in::NAME.to_owned(),
            digest: built_in::SHA256.to_owned(),
        };
        Self::of(
            &body,
            reader,
            identity,
            [built_in::weights()?, body_weights].map(Arc::new),
        )
    }

    /// Loads an encoder from `folder`, which holds `config.json`, `tokenizer.json` and
    /// `model.safetensors` (or `pytorch_model.bin`) of a `BertForMaskedLM`.
    ///
    /// # Errors
    /// [`LoadError`] names the file and the problem: missing, truncated, another architecture, no
    /// masked-language-model head, a vocabulary of more than 65,536.
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, LoadError> {
        let folder = folder.as_ref();
        LoadError::unless_folder(folder)?;
        let body = Body::read(folder, folder)?;
        let reader = Reader::load(&body)?;
        let plain = Arc::new(Weights::find(folder)?);
        let identity = EncoderIdentity {
            name: format!("splade-{}", body.config.name()),
            digest: plain.sha256()?,
        };
        Self::of(
            &body,
            reader,
            identity,
            [plain, network::open_weights(&body)?],
        )
    }

    fn of(
        body: &Body,
        reader: Reader,
        identity: EncoderIdentity,
        [head, prefixed]: [Arc<Weights>; 2],
    ) -> Result<Self, LoadError> {
        let config = &body.config;
        let refused = |field, found: String, expected| LoadError::Setting {
            file: body.config_file.clone(),
            field,
            found,
            expected,
        };
        if config.family() != Family::Bert {
            return Err(refused("model_type", config.name(), "bert"));
        }
        if config.vocab_size > usize::from(u16::MAX) + 1 {
            let found = config.vocab_size.to_string();
            return Err(refused("vocab_size", found, "65536 or less"));
        }
        if !config.hidden_size.is_multiple_of(4) {
            let found = config.hidden_size.to_string();
            return Err(refused("hidden_size", found, "a multiple of 4"));
        }
        let head = Shelf {
            weights: &head,
            config,
        };
        Ok(Self {
            identity,
            reader,
            network: Network::load(body, &prefixed, DeviceChoice::Cpu)?,
            expansion: Expansion::load(&head)?,
            threads: usual_threads(),
        })
    }

    /// The same with at most `threads` threads per call, including the caller's.
    #[must_use]
    pub fn with_threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = threads;
        self
    }

    /// Memory of weights and spare scratch buffers, in bytes, without the program's own.
    pub fn resident_bytes(&self) -> usize {
        self.network.resident_bytes() + self.expansion.resident_bytes()
    }

    /// All words of each text with a weight of 0.05 or more, by ascending id: the source of its
    /// [`Terms`].
    ///
    /// # Errors
    /// As for [`Encode::encode`].
    pub fn weights(&self, texts: &[&str]) -> Result<Vec<Vec<(u16, f32)>>, EncodeError> {
        let read = self.reader.read("", texts)?;
        let expanded = |tokens: &[f32]| self.expansion.weights(tokens);
        let found = self.network.run(&read, self.threads, expanded);
        let found = found.map_err(|error| EncodeError::Inference {
            encoder: self.identity.name.clone(),
            texts: texts.len(),
            reason: error.to_string(),
        })?;
        let each = found.into_iter().enumerate();
        each.map(|(index, weights)| {
            weights.ok_or_else(|| EncodeError::NotFinite {
                encoder: self.identity.name.clone(),
                index,
            })
        })
        .collect()
    }
}

impl std::fmt::Debug for SparseEncoder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("SparseEncoder")
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl Encode for SparseEncoder {
    fn dimension(&self) -> usize {
        SKETCH
    }

    fn identity(&self) -> &EncoderIdentity {
        &self.identity
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        let found = self.encode_for_search(texts)?.into_iter();
        Ok(found.map(|one| one.vector).collect())
    }

    fn terms(&self, texts: &[&str]) -> Result<Vec<Terms>, EncodeError> {
        Ok(self.weights(texts)?.into_iter().map(Terms::of).collect())
    }

    // the vectors are derived from the terms, so the network runs once for both
    fn encode_for_search(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncodeError> {
        let terms = self.terms(texts)?.into_iter();
        let encoded = terms.map(|terms| Encoded {
            vector: terms.sketch(SKETCH),
            terms,
        });
        Ok(encoded.collect())
    }

    fn encode_queries_for_search(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncodeError> {
        self.encode_for_search(texts)
    }

    fn terms_identity(&self) -> Option<&EncoderIdentity> {
        Some(&self.identity)
    }
}

/// Combines a sentence encoder's vectors with a sparse encoder's terms.
pub struct WithTerms {
    vectors: Arc<dyn Encode>,
    terms: Arc<SparseEncoder>,
}

impl std::fmt::Debug for WithTerms {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("WithTerms")
            .field("vectors", self.vectors.identity())
            .field("terms", self.terms.identity())
            .finish()
    }
}

impl WithTerms {
    /// Combines the two.
    pub fn new(vectors: Arc<dyn Encode>, terms: Arc<SparseEncoder>) -> Self {
        Self { vectors, terms }
    }
}

impl Encode for WithTerms {
    fn dimension(&self) -> usize {
        self.vectors.dimension()
    }

    fn identity(&self) -> &EncoderIdentity {
        self.vectors.identity()
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        self.vectors.encode(texts)
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        self.vectors.encode_queries(texts)
    }

    fn terms(&self, texts: &[&str]) -> Result<Vec<Terms>, EncodeError> {
        self.terms.terms(texts)
    }

    fn terms_identity(&self) -> Option<&EncoderIdentity> {
        self.terms.terms_identity()
    }

    fn language(&self) -> Option<&dyn Annotate> {
        self.vectors.language()
    }
}
