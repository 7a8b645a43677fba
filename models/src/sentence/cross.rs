//! The reranker: a network that reads a query and a text together and returns a score.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use super::config::Family;
use super::layout::Body;
use super::network::{self, Network};
use super::reader::Reader;
use super::shelf::{Linear, Shelf};
use super::usual_threads;
use crate::checkpoint::{LoadError, Weights};
use crate::device::DeviceChoice;
use crate::encode::EncodeError;
use crate::kernel::{Activation, View};
use crate::rerank::Rerank;

/// A cross-encoder for reranking: ms-marco-MiniLM and similar (BERT), bge-reranker (XLM-RoBERTa),
/// classifiers with one class.
///
/// Scores are raw, without a sigmoid, which does not change the order. A pair longer than
/// [`tokens_max`](Self::tokens_max) loses tokens from the end of the longer of its two texts, as in
/// sentence-transformers. Cost: that of encoding query and text as one, for each text. A batch of
/// 512 tokens and more uses at most two threads, unless [`with_threads`](Self::with_threads) sets
/// another number. Concurrent calls do not wait for each other.
pub struct CrossEncoder {
    name: String,
    reader: Reader,
    network: Network,
    head: Head,
    tokens_max: usize,
    threads: NonZeroUsize,
}

/// The head that makes a score from the first token's vector.
struct Head {
    dense: Linear,
    last: Linear,
}

impl CrossEncoder {
    /// Loads a reranker from `folder` for the CPU; see [`load_on`](Self::load_on).
    ///
    /// # Errors
    /// As for [`load_on`](Self::load_on).
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, LoadError> {
        Self::load_on(folder, DeviceChoice::Cpu)
    }

    /// Loads a reranker from `folder`, which holds `config.json`, `tokenizer.json` and
    /// `model.safetensors` or `pytorch_model.bin`.
    ///
    /// # Errors
    /// [`LoadError`] names the file and the problem, including more than one class; or the device.
    pub fn load_on(folder: impl AsRef<Path>, device: DeviceChoice) -> Result<Self, LoadError> {
        let folder = folder.as_ref();
        LoadError::unless_folder(folder)?;
        let body = Body::read(folder, folder)?;
        let refused = |field, found: usize, expected| LoadError::Setting {
            file: body.config_file.clone(),
            field,
            found: found.to_string(),
            expected,
        };
        let (labels, kinds) = (body.config.labels(), body.config.type_vocab_size);
        if labels != 1 {
            return Err(refused("number of labels in id2label", labels, "1"));
        }
        if body.config.family() == Family::Bert && kinds < 2 {
            return Err(refused("type_vocab_size", kinds, "2 or more"));
        }
        let reader = Reader::for_pairs(&body)?;
        let network = Network::load(&body, &network::open_weights(&body)?, device)?;
        Ok(Self {
            name: body.config.name(),
            reader,
            network,
            head: Head::load(&body)?,
            tokens_max: body.tokens_max,
            threads: usual_threads(),
        })
    }

    /// The same with at most `threads` threads per call, including the caller's. Scores do not
    /// depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = threads;
        self
    }

    /// Tokens of query and text together, special tokens included, above which a pair is truncated.
    pub fn tokens_max(&self) -> usize {
        self.tokens_max
    }

    /// Memory of weights and spare scratch buffers, in bytes.
    pub fn resident_bytes(&self) -> usize {
        self.network.resident_bytes() + self.head.dense.bytes() + self.head.last.bytes()
    }

    /// Mapped bytes of the weights file: the embedding tables; 0 for a pickle.
    pub fn mapped_bytes(&self) -> usize {
        self.network.mapped_bytes()
    }
}

impl std::fmt::Debug for CrossEncoder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("CrossEncoder")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Rerank for CrossEncoder {
    fn name(&self) -> &str {
        &self.name
    }

    fn scores(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, EncodeError> {
        let read = self.reader.read_pairs(query, texts)?;
        let scored = |tokens: &[f32]| self.head.score(tokens);
        let scores = self.network.run(&read, self.threads, scored);
        let scores = scores.map_err(|error| EncodeError::Inference {
            encoder: self.name.clone(),
            texts: texts.len(),
            reason: error.to_string(),
        })?;
        match scores.iter().position(|score| !score.is_finite()) {
            Some(index) => Err(EncodeError::NotFinite {
                encoder: self.name.clone(),
                index,
            }),
            None => Ok(scores),
        }
    }
}

impl Head {
    /// The pooler and classifier of a BERT, or the head of a RoBERTa: the same arithmetic with
    /// other names.
    fn load(body: &Body) -> Result<Self, LoadError> {
        let weights = Arc::new(Weights::find(&body.folder)?);
        let shelf = Shelf {
            weights: &weights,
            config: &body.config,
        };
        let (dense, last) = match body.config.family() {
            Family::Bert => ("bert.pooler.dense", "classifier"),
            Family::Roberta => ("classifier.dense", "classifier.out_proj"),
        };
        let size = body.config.hidden_size;
        Ok(Self {
            dense: shelf.linear(dense, (size, size))?,
            last: shelf.linear(last, (size, 1))?,
        })
    }

    fn score(&self, tokens: &[f32]) -> f32 {
        let size = self.dense.bias.len();
        let (mut inner, mut score, mut packed) = (vec![0.0; size], [0.0], Vec::new());
        let first = View::dense(&tokens[..size], size);
        self.dense
            .run(first, Activation::Tanh, &mut inner, &mut packed);
        let inner = View::dense(&inner, size);
        self.last
            .run(inner, Activation::None, &mut score, &mut packed);
        score[0]
    }
}
