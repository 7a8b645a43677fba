//! The contract of a sentence encoder: texts in, vectors out.
//!
//! It does not specify how vectors are computed, and loads nothing. Implementations are
//! [`WordHashEncoder`](crate::WordHashEncoder) (no model) and, with feature `candle`,
//! `SentenceEncoder`.
//!
//! Invariant: the vector of a text depends on that text alone, never on the other texts in the
//! batch, so a batch gives the same vectors as single calls.

use std::sync::Arc;

use crate::annotate::Annotate;
pub use crate::encode_error::EncodeError;
use crate::terms::Terms;

/// Turns texts into vectors of a fixed dimension; similar meanings give similar vectors.
pub trait Encode: Send + Sync {
    /// The number of components of every vector.
    fn dimension(&self) -> usize;

    /// Identity of this encoder. Vectors of different identities must never be compared.
    fn identity(&self) -> &EncoderIdentity;

    /// Encodes `texts`, one vector each, in order.
    ///
    /// Every vector has unit length, so that a dot product is a cosine, or is all zeros if the
    /// encoder can use nothing of the text (its cosine with any vector is then 0). Each
    /// implementation documents how it handles an empty text and a text longer than its limit.
    ///
    /// # Errors
    /// [`EncodeError`] for the whole batch; no vector is returned then.
    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError>;

    /// The same for queries. Some encoders were trained with different prompts for queries and
    /// documents; for all others this equals [`encode`](Self::encode).
    ///
    /// # Errors
    /// As for [`encode`](Self::encode).
    fn encode_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        self.encode(texts)
    }

    /// The sparse terms of `texts`, one set each; empty if the encoder has none.
    ///
    /// # Errors
    /// As for [`encode`](Self::encode).
    fn terms(&self, texts: &[&str]) -> Result<Vec<Terms>, EncodeError> {
        Ok(vec![Terms::default(); texts.len()])
    }

    /// The keys by which a memory finds `texts`: their vectors and their terms.
    ///
    /// # Errors
    /// As for [`encode`](Self::encode).
    fn encode_for_search(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncodeError> {
        Ok(Encoded::beside(self.encode(texts)?, self.terms(texts)?))
    }

    /// The same for queries.
    ///
    /// # Errors
    /// As for [`encode`](Self::encode).
    fn encode_queries_for_search(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncodeError> {
        Ok(Encoded::beside(
            self.encode_queries(texts)?,
            self.terms(texts)?,
        ))
    }

    /// Identity of the encoder of the terms; `None` if it has no terms. Terms of different
    /// identities must never be compared.
    fn terms_identity(&self) -> Option<&EncoderIdentity> {
        None
    }

    /// The model that reads opinions and facts in what is encoded, if one comes with the encoder
    /// ([`WithLanguage`]).
    fn language(&self) -> Option<&dyn Annotate> {
        None
    }
}

/// An encoder, and the language model that reads the same texts.
pub struct WithLanguage {
    encoder: Arc<dyn Encode>,
    language: Arc<dyn Annotate>,
}

impl WithLanguage {
    /// Combines the two.
    pub fn new(encoder: Arc<dyn Encode>, language: Arc<dyn Annotate>) -> Self {
        Self { encoder, language }
    }
}

impl std::fmt::Debug for WithLanguage {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("WithLanguage")
            .field("encoder", self.encoder.identity())
            .field("language", &self.language.name())
            .finish()
    }
}

impl Encode for WithLanguage {
    fn dimension(&self) -> usize {
        self.encoder.dimension()
    }

    fn identity(&self) -> &EncoderIdentity {
        self.encoder.identity()
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        self.encoder.encode(texts)
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        self.encoder.encode_queries(texts)
    }

    fn terms(&self, texts: &[&str]) -> Result<Vec<Terms>, EncodeError> {
        self.encoder.terms(texts)
    }

    fn encode_for_search(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncodeError> {
        self.encoder.encode_for_search(texts)
    }

    fn encode_queries_for_search(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncodeError> {
        self.encoder.encode_queries_for_search(texts)
    }

    fn terms_identity(&self) -> Option<&EncoderIdentity> {
        self.encoder.terms_identity()
    }

    fn language(&self) -> Option<&dyn Annotate> {
        Some(self.language.as_ref())
    }
}

/// The search keys of a text.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Encoded {
    /// As described at [`Encode::encode`].
    pub vector: Vec<f32>,
    /// Empty if the encoder has no terms.
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

/// Identity of the encoder of a vector; a session stores it and compares it when it is opened
/// again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EncoderIdentity {
    /// The readable name of the family: `all-MiniLM-L6-v2`, `word-hash`.
    pub name: String,
    /// Distinguishes members of a family: a checksum of weights, or a version of the algorithm.
    pub digest: String,
}

impl std::fmt::Display for EncoderIdentity {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A whole SHA-256 is too long for a message; 12 digits are enough to distinguish two.
        let short: String = self.digest.chars().take(12).collect();
        write!(out, "{} ({short})", self.name)
    }
}
