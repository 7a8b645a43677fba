//! Vectors for made-up sentences with the geometry of real ones.
//!
//! The vector of each word is the mean of the sentences that contain it, so a sentence of known
//! words is near sentences about the same topics. An unknown word uses the vector of a known one,
//! chosen by its hash. Costs microseconds, where a real encoder costs milliseconds.

use anyhow::Result;
use std::collections::HashMap;
use weir_core::text::{Term, terms};
use weir_core::vectors::normalise;
use weir_models::{Encode, EncodeError, EncoderIdentity};

/// Most sentences from which a word's vector is computed.
const SENTENCES_MAX: usize = 20_000;

/// An encoder derived from another one's vectors.
pub(crate) struct Recombined {
    identity: EncoderIdentity,
    dimension: usize,
    places: Vec<Vec<f32>>,
    known: HashMap<Term, usize>,
}

impl Recombined {
    /// Computes word vectors from sentences and their real vectors.
    pub(crate) fn learn(sentences: &[&str], encoder: &dyn Encode) -> Result<Self> {
        let sentences = &sentences[..sentences.len().min(SENTENCES_MAX)];
        let mut vectors = Vec::with_capacity(sentences.len());
        for batch in sentences.chunks(64) {
            vectors.extend(encoder.encode(batch)?);
        }
        let dimension = encoder.dimension();
        let mut mean = vec![0.0; dimension];
        for vector in &vectors {
            add(&mut mean, vector, 1.0 / vectors.len().max(1) as f32);
        }
        let mut known = HashMap::new();
        let mut places: Vec<Vec<f32>> = Vec::new();
        for (text, vector) in sentences.iter().zip(&vectors) {
            for term in terms(text) {
                let place = *known.entry(term).or_insert_with(|| {
                    places.push(vec![0.0; dimension]);
                    places.len() - 1
                });
                // the mean of all sentences carries no information about a word
                add(&mut places[place], vector, 1.0);
                add(&mut places[place], &mean, -0.5);
            }
        }
        places.iter_mut().for_each(|place| normalise(place));
        let identity = EncoderIdentity {
            name: "recombined".to_owned(),
            digest: encoder.identity().digest.clone(),
        };
        Ok(Self {
            identity,
            dimension,
            places,
            known,
        })
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; self.dimension];
        for term in terms(text) {
            let by_hash = term as usize % self.places.len().max(1);
            let place = self.known.get(&term).copied().unwrap_or(by_hash);
            if let Some(place) = self.places.get(place) {
                add(&mut sum, place, 1.0);
            }
        }
        normalise(&mut sum);
        sum
    }
}

fn add(sum: &mut [f32], vector: &[f32], weight: f32) {
    sum.iter_mut()
        .zip(vector)
        .for_each(|(s, v)| *s += weight * v);
}

impl Encode for Recombined {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn identity(&self) -> &EncoderIdentity {
        &self.identity
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}
