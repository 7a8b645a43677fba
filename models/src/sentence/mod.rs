//! The sentence encoder: a BERT with mean pooling, all-MiniLM-L6-v2 above all.
//!
//! It reads a folder in the layout of sentence-transformers and reproduces that library's vectors
//! (cosine within 1e-4; in practice 1e-6). It does not train, has no other architecture than BERT,
//! and runs on the CPU.
//!
//! Invariant: no padding. Texts of a batch share the linear layers and nothing else, so neighbours
//! cannot change a vector.

mod bert;
mod layout;

use std::path::Path;

use tokenizers::{PostProcessor, Tokenizer, TruncationParams};

use crate::checkpoint::{LoadError, Weights};
use crate::encode::{Encode, EncodeError, EncoderIdentity};
use bert::Bert;

/// Tokens that go through the network at once. The widest layer then holds 4 * hidden size floats
/// for each of them: 12 MB for MiniLM, whatever the size of the caller's batch.
const TOKENS_MAX: usize = 2_048;

/// SHA-256 of the weights of all-MiniLM-L6-v2 as published: the one encoder known by its name.
const MINILM_SHA256: &str = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";

/// Encodes sentences with a BERT checkpoint: unit-length vectors whose dot product is a cosine.
///
/// Text beyond [`tokens_max`](Self::tokens_max) is not read (256 tokens for all-MiniLM-L6-v2,
/// about 200 English words, two of them special tokens). An empty text has a vector too, the one
/// that sentence-transformers gives it. Cost: about 10 ms for a short sentence on one core.
///
/// Its identity is the SHA-256 of `model.safetensors`, computed while loading (0.1 to
/// 0.4 s for 90 MB), and a name that depends on the content
/// alone: the same weights in two folders are the same encoder.
#[derive(Debug)]
pub struct SentenceEncoder {
    identity: EncoderIdentity,
    tokenizer: Tokenizer,
    bert: Bert,
    tokens_max: usize,
}

/// The tokens of one text and their vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenVectors {
    /// Numbers of the tokens in the vocabulary; the first and the last are the special ones that
    /// mark a text's ends.
    pub ids: Vec<u32>,
    /// One vector a token, one after the other, as the network gives them: not of unit length.
    pub values: Vec<f32>,
}

impl SentenceEncoder {
    /// Loads an encoder from `folder`, which holds `config.json`, `tokenizer.json` and
    /// `model.safetensors`, and, where it has them, is read by `modules.json`,
    /// `1_Pooling/config.json`, `sentence_bert_config.json` and `tokenizer_config.json`.
    ///
    /// # Errors
    /// [`LoadError`] names the file and what is wrong with it: missing, truncated, another
    /// architecture, a tokenizer with more tokens than the weights know.
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, LoadError> {
        let layout = layout::Layout::read(folder.as_ref())?;
        let weights = Weights::open(&layout.weights)?;
        let weights = weights.under("bert.", "embeddings.word_embeddings.weight");
        let tokenizer = load_tokenizer(&layout)?;
        let bert = Bert::new(&layout.config, &weights)?;
        let digest = weights.sha256()?;
        let name = if digest == MINILM_SHA256 {
            "all-MiniLM-L6-v2".to_owned()
        } else {
            format!(
                "bert-{}x{}",
                layout.config.hidden_size, layout.config.num_hidden_layers
            )
        };
        let identity = EncoderIdentity { name, digest };
        Ok(Self {
            identity,
            tokenizer,
            bert,
            tokens_max: layout.tokens_max,
        })
    }

    /// The number of tokens, special ones included, after which a text is cut.
    pub fn tokens_max(&self) -> usize {
        self.tokens_max
    }

    /// The vectors of each text's tokens in the last layer, before they become one: what measures
    /// that match token with token need. Their mean, scaled to unit length, is the text's vector.
    ///
    /// Tokens stand in the text's order between the special ones, and texts are cut as for
    /// [`encode`](Encode::encode). One text of `n` tokens takes `4 * n * dimension` bytes: 1.5 kB a
    /// token for all-MiniLM-L6-v2.
    ///
    /// # Errors
    /// As for [`encode`](Encode::encode), but values that are not finite are handed on.
    pub fn token_vectors(&self, texts: &[&str]) -> Result<Vec<TokenVectors>, EncodeError> {
        let tokens = self.tokenize(texts)?;
        let mut all = Vec::with_capacity(texts.len());
        for group in groups(&tokens) {
            let layers = self.bert.tokens(group);
            let layers = layers.map_err(|error| self.failed(texts.len(), &error))?;
            all.extend(group.iter().zip(layers).map(|(ids, values)| TokenVectors {
                ids: ids.clone(),
                values,
            }));
        }
        Ok(all)
    }

    fn failed(&self, texts: usize, error: &candle_core::Error) -> EncodeError {
        EncodeError::Inference {
            encoder: self.identity.name.clone(),
            texts,
            reason: error.to_string(),
        }
    }

    fn tokenize(&self, texts: &[&str]) -> Result<Vec<Vec<u32>>, EncodeError> {
        let one = |(index, text): (usize, &&str)| {
            let encoding =
                self.tokenizer
                    .encode_fast(*text, true)
                    .map_err(|error| EncodeError::Tokenize {
                        index,
                        reason: error.to_string(),
                    })?;
            Ok(encoding.get_ids().to_vec())
        };
        texts.iter().enumerate().map(one).collect()
    }
}

impl Encode for SentenceEncoder {
    fn dimension(&self) -> usize {
        self.bert.hidden_size()
    }

    fn identity(&self) -> &EncoderIdentity {
        &self.identity
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        let tokens = self.tokenize(texts)?;
        let mut vectors = Vec::with_capacity(texts.len());
        for group in groups(&tokens) {
            let pooled = self.bert.forward(group);
            vectors.extend(pooled.map_err(|error| self.failed(texts.len(), &error))?);
        }
        for (index, vector) in vectors.iter_mut().enumerate() {
            if !normalise(vector) {
                let encoder = self.identity.name.clone();
                return Err(EncodeError::NotFinite { encoder, index });
            }
        }
        Ok(vectors)
    }
}

/// Cuts a batch into runs of at most [`TOKENS_MAX`] tokens (a longer text is a run of its own).
fn groups(tokens: &[Vec<u32>]) -> impl Iterator<Item = &[Vec<u32>]> {
    let mut rest = tokens;
    std::iter::from_fn(move || {
        let mut sum = 0;
        let fits = |ids: &&Vec<u32>| {
            sum += ids.len();
            sum <= TOKENS_MAX
        };
        let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
        let (group, after) = rest.split_at(count);
        rest = after;
        (!group.is_empty()).then_some(group)
    })
}

/// Scales to unit length; says whether that was possible.
fn normalise(vector: &mut [f32]) -> bool {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return false;
    }
    vector.iter_mut().for_each(|x| *x /= length);
    true
}

fn load_tokenizer(layout: &layout::Layout) -> Result<Tokenizer, LoadError> {
    let file = &layout.tokenizer;
    let refused = |error: tokenizers::Error| LoadError::Tokenizer {
        file: file.clone(),
        reason: error.to_string(),
    };
    let mut tokenizer = Tokenizer::from_file(file).map_err(refused)?;
    let highest = tokenizer.get_vocab(true).values().copied().max();
    let tokens = highest.map_or(0, |id| id as usize + 1);
    if tokens == 0 || tokens > layout.config.vocab_size {
        let expected = layout.config.vocab_size;
        return Err(LoadError::TokenizerMisfit {
            file: file.clone(),
            found: tokens,
            expected,
        });
    }
    let added = tokenizer
        .get_post_processor()
        .map_or(0, |post| post.added_tokens(false));
    if layout.tokens_max <= added {
        let reason = format!(
            "it adds {added} tokens, the model reads {}",
            layout.tokens_max
        );
        return Err(LoadError::Tokenizer {
            file: file.clone(),
            reason,
        });
    }
    // The file may carry padding and a cut of its own (MiniLM's says 128); neither is the model's.
    tokenizer.with_padding(None);
    let cut = TruncationParams {
        max_length: layout.tokens_max,
        ..TruncationParams::default()
    };
    tokenizer.with_truncation(Some(cut)).map_err(refused)?;
    Ok(tokenizer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_keep_order_and_bound_the_tokens() {
        let tokens: Vec<Vec<u32>> = [1500, 600, 5000, 10, 2038, 1]
            .iter()
            .map(|&len| vec![0; len])
            .collect();
        let lengths: Vec<Vec<usize>> = groups(&tokens)
            .map(|group| group.iter().map(Vec::len).collect())
            .collect();
        let expected = [vec![1500], vec![600], vec![5000], vec![10, 2038], vec![1]];
        assert_eq!(lengths, expected);
        assert_eq!(groups(&[]).count(), 0);
    }
}
