//! Which encoder made the vectors of a session.

use serde::{Deserialize, Serialize};
use weir_models::Encode;

/// The encoder of a session's vectors. Vectors of two encoders cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncoderStamp {
    /// The encoder's name.
    pub name: String,
    /// Digest of its weights.
    pub digest: String,
    /// Floats of a vector.
    pub dimension: usize,
    /// Digest of the encoder of the terms; `None` without one, as in sessions of image formats
    /// before 5.
    #[serde(default)]
    pub terms: Option<String>,
}

impl EncoderStamp {
    /// The stamp of an encoder.
    #[must_use]
    pub fn of(encoder: &dyn Encode) -> Self {
        let identity = encoder.identity();
        Self {
            name: identity.name.clone(),
            digest: identity.digest.clone(),
            dimension: encoder.dimension(),
            terms: encoder.terms_identity().map(|terms| terms.digest.clone()),
        }
    }

    /// Whether the vectors only project the terms of a sparse encoder.
    #[must_use]
    pub fn is_projected(&self) -> bool {
        self.terms.as_ref() == Some(&self.digest)
    }

    /// Whether the vectors mean something in other languages than English, by the encoder's name.
    #[must_use]
    pub fn is_multilingual(&self) -> bool {
        let name = self.name.to_lowercase();
        ["multilingual", "bge-m3", "word-hash"]
            .iter()
            .any(|it| name.contains(it))
    }

    /// Whether the vectors compare words alone, and mean nothing.
    #[must_use]
    pub(crate) fn compares_words(&self) -> bool {
        self.name.contains("word-hash")
    }

    /// Whether both make the same vectors, so that these can be compared; terms may differ.
    #[must_use]
    pub fn makes_vectors_of(&self, other: &Self) -> bool {
        let of = |stamp: &Self| (stamp.name.clone(), stamp.digest.clone(), stamp.dimension);
        of(self) == of(other)
    }
}
