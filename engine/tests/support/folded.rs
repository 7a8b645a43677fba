//! The encoder of the stored session: hashed words, folded to few components so that the files are
//! small.

use std::sync::Arc;
use weir_models::{Encode, EncodeError, EncoderIdentity, WordHashEncoder};

const DIMENSION: usize = 48;

pub(crate) struct FoldedWords {
    words: WordHashEncoder,
    identity: EncoderIdentity,
}

impl FoldedWords {
    pub(crate) fn shared() -> Arc<dyn Encode> {
        let words = WordHashEncoder::new();
        let identity = EncoderIdentity {
            name: "word-hash-folded".into(),
            digest: words.identity().digest.clone(),
        };
        Arc::new(Self { words, identity })
    }
}

impl Encode for FoldedWords {
    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn identity(&self) -> &EncoderIdentity {
        &self.identity
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        let mut vectors = self.words.encode(texts)?;
        for vector in &mut vectors {
            let mut folded = vec![0.0; DIMENSION];
            for (at, x) in vector.iter().enumerate() {
                folded[at % DIMENSION] += x;
            }
            weir_engine::memory::normalise(&mut folded);
            *vector = folded;
        }
        Ok(vectors)
    }
}
