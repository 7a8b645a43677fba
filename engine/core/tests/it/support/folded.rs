//! The encoder of the stored session: hashed words with few components so that the files are small,
//! and the words as terms.

use std::collections::BTreeSet;
use std::sync::Arc;
use weir_models::{Encode, EncodeError, EncoderIdentity, Terms, WordHashEncoder};

const DIMENSION: usize = 48;

pub(crate) struct FoldedWords {
    words: WordHashEncoder,
    identity: EncoderIdentity,
    terms_identity: EncoderIdentity,
}

impl FoldedWords {
    pub(crate) fn shared() -> Arc<dyn Encode> {
        let words = WordHashEncoder::new();
        let identity = EncoderIdentity {
            name: "word-hash-folded".into(),
            digest: words.identity().digest.clone(),
        };
        let terms_identity = EncoderIdentity {
            name: "words".into(),
            digest: "1".into(),
        };
        Arc::new(Self {
            words,
            identity,
            terms_identity,
        })
    }
}

fn terms(text: &str) -> Terms {
    let number = |word: &str| {
        let letters = word.to_lowercase().into_bytes().into_iter();
        letters.fold(7_u16, |sum, b| {
            sum.wrapping_mul(31).wrapping_add(u16::from(b))
        })
    };
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words: BTreeSet<u16> = words.filter(|word| word.len() > 3).map(number).collect();
    Terms::of(words.into_iter().map(|word| (word, 1.0)))
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
            weir_core::vectors::normalise(&mut folded);
            *vector = folded;
        }
        Ok(vectors)
    }

    fn terms(&self, texts: &[&str]) -> Result<Vec<Terms>, EncodeError> {
        Ok(texts.iter().map(|text| terms(text)).collect())
    }

    fn terms_identity(&self) -> Option<&EncoderIdentity> {
        Some(&self.terms_identity)
    }
}
