//! Sentence encoders and rerankers: BERT and related networks, mainly all-MiniLM-L6-v2.
//!
//! Reads folders in the layout of sentence-transformers and reproduces that library's vectors and
//! scores (to 1e-4; in practice 1e-6). On the CPU the arithmetic is this crate's own, on other
//! devices candle's. No training.
//!
//! Invariant: no padding. Texts of a batch share only the linear layers, so other texts cannot
//! change a vector.

mod built_in;
mod candle;
mod centre;
mod config;
mod cpu;
mod cross;
mod dense;
mod expansion;
mod layout;
mod network;
mod pooling;
mod prompts;
mod reader;
mod shelf;
mod sparse;
mod trunk;

pub use cross::CrossEncoder;
pub use prompts::Prompts;
pub use sparse::{SparseEncoder, WithTerms};
pub(crate) use trunk::{Head, Trunk};

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::checkpoint::LoadError;
use crate::device::DeviceChoice;
use crate::encode::{Encode, EncodeError, EncoderIdentity};
use centre::Centre;
use config::Config;
use dense::Dense;
use layout::Layout;
use network::{Network, THREADS_MAX};
use pooling::Pooling;
use reader::Reader;
pub(crate) use reader::Words;

/// SHA-256 of the published weights of all-MiniLM-L6-v2, the only encoder recognised by checksum.
const MINILM_SHA256: &str = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";

/// Encodes sentences with a BERT, RoBERTa or XLM-RoBERTa checkpoint: unit-length vectors whose dot
/// product is a cosine.
///
/// Text beyond [`tokens_max`](Self::tokens_max) is not read (256 tokens for all-MiniLM-L6-v2, about
/// 200 English words, two of them special tokens). An empty text has a vector too, the same as in
/// sentence-transformers. Cost: about 5 ms for a short sentence on one core.
///
/// On the CPU, concurrent calls never wait for each other: each has its own scratch memory, so a
/// question does not wait for a batch of ingestion. A call uses its own thread, and for batches of
/// 512 tokens and more at most one other, unless [`with_threads`](Self::with_threads) sets another
/// number.
///
/// Its identity is the SHA-256 of the weights file, computed while loading (0.1 to 0.4 s for 90
/// MB), and a name that depends on the content alone: the same weights in two folders are the same
/// encoder. If pooling, passage prompts, dense layers, a centre or lower-casing differ from the
/// defaults, the digest covers the weights and these settings. The tokenizer and the token limit
/// are not covered: after changing them in a folder, start new sessions.
pub struct SentenceEncoder {
    identity: EncoderIdentity,
    weights_sha256: String,
    reader: Reader,
    network: Network,
    config: Arc<Config>,
    pooling: Pooling,
    dense: Vec<Dense>,
    /// SHA-256 of the weights of the dense layers.
    dense_sha256: Vec<String>,
    prompts: Prompts,
    centre: Option<Centre>,
    tokens_max: usize,
    /// Whether texts are converted to lower case.
    lower_case: bool,
    threads: NonZeroUsize,
}

impl SentenceEncoder {
    /// Loads an encoder from `folder` for the CPU; see [`load_on`](Self::load_on).
    ///
    /// # Errors
    /// As for [`load_on`](Self::load_on).
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, LoadError> {
        Self::load_on(folder, DeviceChoice::Cpu)
    }

    /// Loads an encoder from `folder`, which holds `config.json`, `tokenizer.json` and
    /// `model.safetensors`, or only `pytorch_model.bin` (f32, f16 or bf16; the arithmetic is f32; a
    /// pickle's embedding tables are held in memory). If they exist, it also reads `modules.json`,
    /// `1_Pooling/config.json`, dense modules, `sentence_bert_config.json`,
    /// `config_sentence_transformers.json` and `tokenizer_config.json`.
    ///
    /// # Errors
    /// [`LoadError`] names the file and the problem: missing, truncated, another architecture, a
    /// tokenizer with more tokens than the weights; or the device.
    pub fn load_on(folder: impl AsRef<Path>, device: DeviceChoice) -> Result<Self, LoadError> {
        let layout = Layout::read(folder.as_ref())?;
        let weights = network::open_weights(&layout.body)?;
        let reader = Reader::load(&layout.body)?;
        let network = Network::load(&layout.body, &weights, device)?;
        let config = layout.body.config;
        let size = config.hidden_size;
        let dense_sha256 = layout
            .dense
            .iter()
            .map(|folder| dense::weights(folder)?.sha256());
        let mut encoder = Self {
            identity: EncoderIdentity {
                name: config.name(),
                digest: String::new(),
            },
            weights_sha256: weights.sha256()?,
            reader,
            network,
            config,
            pooling: layout.pooling,
            dense: dense::load_all(&layout.dense, size)?,
            dense_sha256: dense_sha256.collect::<Result<_, _>>()?,
            prompts: layout.prompts,
            centre: None,
            tokens_max: layout.body.tokens_max,
            lower_case: layout.body.lower_case,
            threads: usual_threads(),
        };
        if encoder.weights_sha256 == MINILM_SHA256 {
            "all-MiniLM-L6-v2".clone_into(&mut encoder.identity.name);
        }
        encoder.identity.digest = encoder.digest();
        Ok(encoder)
    }

    /// The same with prompts other than those in the checkpoint's files. Another passage prompt
    /// gives another identity.
    #[must_use]
    pub fn with_prompts(mut self, prompts: Prompts) -> Self {
        self.prompts = prompts;
        self.identity.digest = self.digest();
        self
    }

    /// This encoder under the name of the listed encoder `name`. If the listed one subtracts a mean
    /// from its vectors, this one does too, and its name and digest say so.
    #[must_use]
    pub fn listed_as(mut self, name: &str) -> Self {
        self.centre = Centre::of(name, self.dimension());
        if self.centre.is_some() {
            name.clone_into(&mut self.identity.name);
            self.identity.digest = self.digest();
        }
        self
    }

    /// The same with at most `threads` threads per call, including the caller's. Vectors do not
    /// depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = threads;
        self
    }

    /// The prompts before questions and passages.
    pub fn prompts(&self) -> &Prompts {
        &self.prompts
    }

    /// The number of tokens, special tokens included, above which a text is truncated.
    pub fn tokens_max(&self) -> usize {
        self.tokens_max
    }

    /// Memory of weights and spare scratch buffers, in bytes; on a GPU, its memory.
    pub fn resident_bytes(&self) -> usize {
        self.network.resident_bytes()
    }

    /// Mapped bytes of the weights file, the embedding tables: pages that are read become resident,
    /// and the system may drop them again. 0 for a pickle.
    pub fn mapped_bytes(&self) -> usize {
        self.network.mapped_bytes()
    }

    /// The unit vectors of a text's tokens in the last layer, before pooling: for measures that
    /// match single tokens. The first and the last are special tokens. The text is truncated as for
    /// [`encode`](Encode::encode), and has no prompt.
    ///
    /// # Errors
    /// As for [`encode`](Encode::encode).
    pub fn token_vectors(&self, text: &str) -> Result<Vec<Vec<f32>>, EncodeError> {
        let read = self.reader.read("", &[text])?;
        let layers = self.network.run(&read, self.threads, <[f32]>::to_vec);
        let layer = layers.map_err(|error| self.failed(1, &error))?.concat();
        let tokens = layer.chunks_exact(self.config.hidden_size);
        let mut tokens: Vec<Vec<f32>> = tokens.map(<[f32]>::to_vec).collect();
        match tokens.iter_mut().all(|token| normalise(token)) {
            true => Ok(tokens),
            false => Err(EncodeError::NotFinite {
                encoder: self.identity.name.clone(),
                index: 0,
            }),
        }
    }

    fn encode_with(
        &self,
        prompt: &str,
        mean: Option<&Vec<f32>>,
        texts: &[&str],
    ) -> Result<Vec<Vec<f32>>, EncodeError> {
        let read = self.reader.read(prompt, texts)?;
        let pooled = |tokens: &[f32]| self.vector(tokens);
        let vectors = self.network.run(&read, self.threads, pooled);
        let mut vectors = vectors.map_err(|error| self.failed(texts.len(), &error))?;
        for (index, vector) in vectors.iter_mut().enumerate() {
            if !normalise(vector) {
                let encoder = self.identity.name.clone();
                return Err(EncodeError::NotFinite { encoder, index });
            }
            if let Some(mean) = mean {
                centre::take_off(mean, vector);
                normalise(vector);
            }
        }
        Ok(vectors)
    }

    /// The vector of a text's last layer, not yet of unit length.
    fn vector(&self, tokens: &[f32]) -> Vec<f32> {
        let pooled = self.pooling.pool(tokens, self.config.hidden_size);
        self.dense
            .iter()
            .fold(pooled, |vector, dense| dense.apply(&vector))
    }

    fn digest(&self) -> String {
        let (mean, passage) = (self.pooling == Pooling::Mean, &self.prompts.passage);
        let is_plain = self.dense.is_empty() && self.centre.is_none();
        if mean && passage.is_empty() && is_plain && !self.lower_case {
            return self.weights_sha256.clone();
        }
        let mut all = format!(
            "{} {:?} {passage:?} {:?}",
            self.weights_sha256, self.pooling, self.dense_sha256
        );
        if self.lower_case {
            all.push_str(" small letters");
        }
        if let Some(centre) = &self.centre {
            all += &format!(" {centre:?}");
        }
        let digest = Sha256::digest(all.as_bytes());
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn failed(&self, texts: usize, error: &candle_core::Error) -> EncodeError {
        EncodeError::Inference {
            encoder: self.identity.name.clone(),
            texts,
            reason: error.to_string(),
        }
    }
}

impl Encode for SentenceEncoder {
    fn dimension(&self) -> usize {
        let own = self.config.hidden_size;
        self.dense.last().map_or(own, Dense::size)
    }

    fn identity(&self) -> &EncoderIdentity {
        &self.identity
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        let mean = self.centre.as_ref().map(|centre| &centre.passage);
        self.encode_with(&self.prompts.passage, mean, texts)
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        let mean = self.centre.as_ref().map(|centre| &centre.query);
        self.encode_with(&self.prompts.query, mean, texts)
    }
}

impl std::fmt::Debug for SentenceEncoder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("SentenceEncoder")
            .field("identity", &self.identity)
            .field("pooling", &self.pooling)
            .field("prompts", &self.prompts)
            .finish_non_exhaustive()
    }
}

/// Two threads if there are two cores, else one.
fn usual_threads() -> NonZeroUsize {
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    cores.min(NonZeroUsize::new(THREADS_MAX).unwrap_or(NonZeroUsize::MIN))
}

/// Scales to unit length; returns whether that was possible. Zeros stay zeros: the vector of a text
/// of which a dense layer keeps nothing.
fn normalise(vector: &mut [f32]) -> bool {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !length.is_finite() {
        return false;
    }
    let scale = |x: &mut f32| *x = if length > 0.0 { *x / length } else { 0.0 };
    vector.iter_mut().for_each(scale);
    true
}
