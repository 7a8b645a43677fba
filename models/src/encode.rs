//! The contract of a sentence encoder: texts in, vectors out.
//!
//! Says nothing about how vectors come about, and loads nothing: the built-in implementations are
//! [`WordHashEncoder`](crate::WordHashEncoder) (no model) and, with feature `candle`,
//! `SentenceEncoder`.
//!
//! Invariant: the vector of a text depends on that text alone, never on its neighbours in the
//! batch, so a batch gives what one by one gives.

use crate::terms::Terms;

/// Turns texts into vectors of a fixed dimension, such that near meanings have near vectors.
pub trait Encode: Send + Sync {
    /// The number of components of every vector.
    fn dimension(&self) -> usize;

    /// Says which encoder this is. Vectors of different identities must never be compared.
    fn identity(&self) -> &EncoderIdentity;

    /// Encodes `texts`, one vector each, in the same order.
    ///
    /// Every vector has unit length, so that a dot product is a cosine; or it is all zeros, where
    /// the encoder finds nothing to read in the text (its cosine with everything is then 0).
    /// Each implementation documents what it does with an empty text and with one that is longer
    /// than it can read.
    ///
    /// # Errors
    /// [`EncodeError`], for the batch as a whole: no vector is returned then.
    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError>;

    /// The same for texts that ask for others. Some encoders were trained with other words before
    /// a question than before what answers it; for all others this is [`encode`](Self::encode).
    ///
    /// # Errors
    /// As there.
    fn encode_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        self.encode(texts)
    }

    /// The terms of `texts`, one set each; empty where the encoder makes none.
    ///
    /// # Errors
    /// As for [`encode`](Self::encode).
    fn terms(&self, texts: &[&str]) -> Result<Vec<Terms>, EncodeError> {
        Ok(vec![Terms::default(); texts.len()])
    }

    /// What a memory keeps of `texts` to find them by: their vectors and their terms.
    ///
    /// # Errors
    /// As for [`encode`](Self::encode).
    fn encode_for_search(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncodeError> {
        Ok(Encoded::beside(self.encode(texts)?, self.terms(texts)?))
    }

    /// The same for texts that ask for others.
    ///
    /// # Errors
    /// As for [`encode`](Self::encode).
    fn encode_queries_for_search(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncodeError> {
        Ok(Encoded::beside(
            self.encode_queries(texts)?,
            self.terms(texts)?,
        ))
    }

    /// Says which encoder makes the terms; `None` where none does. Terms of different identities
    /// must never be compared.
    fn terms_identity(&self) -> Option<&EncoderIdentity> {
        None
    }
}

/// What a text is found by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Encoded {
    /// As [`Encode::encode`] says.
    pub vector: Vec<f32>,
    /// Empty where the encoder makes none.
    pub terms: Terms,
}

impl Encoded {
    fn beside(vectors: Vec<Vec<f32>>, terms: Vec<Terms>) -> Vec<Self> {
        let both = vectors.into_iter().zip(terms);
        both.map(|(vector, terms)| Self { vector, terms }).collect()
    }
}

impl From<Vec<f32>> for Encoded {
    fn from(vector: Vec<f32>) -> Self {
        let terms = Terms::default();
        Self { vector, terms }
    }
}

/// Which encoder made a vector: what a session remembers, and compares when it is opened again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EncoderIdentity {
    /// The family, for people: `all-MiniLM-L6-v2`, `word-hash`.
    pub name: String,
    /// What tells two of one family apart: a checksum of weights, or a version of the algorithm.
    pub digest: String,
}

impl std::fmt::Display for EncoderIdentity {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A whole SHA-256 in a sentence helps nobody; 12 digits tell any two apart.
        let short: String = self.digest.chars().take(12).collect();
        write!(out, "{} ({short})", self.name)
    }
}

/// Why a batch of texts was not encoded.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The tokenizer refused a text.
    #[error("text {index} of the batch was not split into tokens: {reason}")]
    Tokenize {
        /// Position in the batch, from 0.
        index: usize,
        /// What the tokenizer said.
        reason: String,
    },
    /// The tokenizer refused what the texts were to be compared with.
    #[error("the query was not split into tokens: {reason}")]
    Query {
        /// What the tokenizer said.
        reason: String,
    },
    /// The arithmetic failed, out of memory included.
    #[error("{encoder} failed on a batch of {texts} texts: {reason}; try fewer texts at once")]
    Inference {
        /// The encoder's name.
        encoder: String,
        /// How many texts the batch held.
        texts: usize,
        /// What the tensor library said.
        reason: String,
    },
    /// A vector came out with a component that is not a number: the weights are damaged.
    #[error(
        "{encoder} gave a vector that is not finite for text {index} of the batch: its weights \
         are damaged; run `weir models verify`"
    )]
    NotFinite {
        /// The encoder's name.
        encoder: String,
        /// Position in the batch, from 0.
        index: usize,
    },
}
