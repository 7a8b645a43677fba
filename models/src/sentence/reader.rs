//! Texts to tokens, cut where the network ends.

use tokenizers::utils::truncation::truncate_encodings;
use tokenizers::{Encoding, PostProcessor, Tokenizer, TruncationParams};

use super::config::Family;
use super::layout::Body;
use crate::checkpoint::LoadError;
use crate::encode::EncodeError;

/// The tokens of one text, or of two that are read together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    pub(super) ids: Vec<u32>,
    /// Which of the texts each token is of: 0, or 1 for the second.
    pub(super) segments: Vec<u32>,
}

/// A tokenizer that fits its network.
pub(super) struct Reader {
    tokenizer: Tokenizer,
    cut: TruncationParams,
    /// Texts that can be told apart; RoBERTa's cannot.
    segments: usize,
    family: Family,
    lower_case: bool,
}

impl Reader {
    /// Loads the tokenizer of `body` for single texts, whose cut it makes its own.
    pub(super) fn load(body: &Body) -> Result<Self, LoadError> {
        let mut reader = Self::fitting(body, false)?;
        let cut = Some(reader.cut.clone());
        let cut = reader.tokenizer.with_truncation(cut).map(|_| ());
        cut.map_err(|error| Self::refused(body, error.to_string()))?;
        Ok(reader)
    }

    /// Loads the tokenizer of `body` for pairs. Each text is read whole and the pair cut then: a
    /// tokenizer that knows its cut shortens both texts beforehand, and no longer sees which of
    /// two long ones is the longer.
    pub(super) fn for_pairs(body: &Body) -> Result<Self, LoadError> {
        let mut reader = Self::fitting(body, true)?;
        let post = reader.tokenizer.get_post_processor();
        reader.cut.max_length -= post.map_or(0, |post| post.added_tokens(true));
        Ok(reader)
    }

    fn fitting(body: &Body, pairs: bool) -> Result<Self, LoadError> {
        let refused = |error: tokenizers::Error| Self::refused(body, error.to_string());
        let mut tokenizer = Tokenizer::from_file(&body.tokenizer).map_err(refused)?;
        let highest = tokenizer.get_vocab(true).values().copied().max();
        let tokens = highest.map_or(0, |id| id as usize + 1);
        if tokens == 0 || tokens > body.config.vocab_size {
            return Err(LoadError::TokenizerMisfit {
                file: body.tokenizer.clone(),
                found: tokens,
                expected: body.config.vocab_size,
            });
        }
        // Where the special tokens alone fill the network there is no room for a text.
        let post = tokenizer.get_post_processor();
        let added = post.map_or(0, |post| post.added_tokens(pairs));
        if body.tokens_max <= added {
            let limit = body.tokens_max;
            let reason = format!("it adds {added} tokens, the model reads {limit}");
            return Err(Self::refused(body, reason));
        }
        // The file may carry padding and a cut of its own (MiniLM's says 128); neither is the
        // model's.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(refused)?;
        Ok(Self {
            tokenizer,
            cut: TruncationParams {
                max_length: body.tokens_max,
                ..TruncationParams::default()
            },
            segments: body.config.type_vocab_size,
            family: body.config.family(),
            lower_case: body.lower_case,
        })
    }

    /// The tokens of each of `texts` with `prompt` before it.
    pub(super) fn read(&self, prompt: &str, texts: &[&str]) -> Result<Vec<Text>, EncodeError> {
        let one = |(index, text): (usize, &&str)| {
            let encoding = match (prompt.is_empty(), self.lower_case) {
                (true, false) => self.tokenizer.encode_fast(*text, true),
                (_, false) => self.tokenizer.encode_fast(format!("{prompt}{text}"), true),
                (_, true) => {
                    let small = format!("{prompt}{text}").to_lowercase();
                    self.tokenizer.encode_fast(small, true)
                }
            };
            self.text(index, encoding)
        };
        texts.iter().enumerate().map(one).collect()
    }

    /// The tokens of `query` with each of `texts`; of too many, the longer of the two is cut.
    pub(super) fn read_pairs(&self, query: &str, texts: &[&str]) -> Result<Vec<Text>, EncodeError> {
        let query = self.tokenizer.encode_fast(query, false);
        let query = query.map_err(|error| EncodeError::Tokenize {
            index: 0,
            reason: error.to_string(),
        })?;
        let one = |(index, text): (usize, &&str)| {
            let pair = self.tokenizer.encode_fast(*text, false);
            let pair = pair.and_then(|text| {
                let (query, text) = truncate_encodings(query.clone(), Some(text), &self.cut)?;
                self.tokenizer.post_process(query, text, true)
            });
            self.text(index, pair)
        };
        texts.iter().enumerate().map(one).collect()
    }

    fn text(
        &self,
        index: usize,
        encoding: tokenizers::Result<Encoding>,
    ) -> Result<Text, EncodeError> {
        let refused = |reason: String| EncodeError::Tokenize { index, reason };
        let encoding = encoding.map_err(|error| refused(error.to_string()))?;
        let ids = encoding.get_ids().to_vec();
        if ids.is_empty() {
            return Err(refused("it has no tokens, special ones neither".to_owned()));
        }
        let segments = match self.family {
            Family::Bert => encoding.get_type_ids().to_vec(),
            Family::Roberta => vec![0; ids.len()],
        };
        let highest = segments.iter().copied().max().unwrap_or(0);
        if highest as usize >= self.segments {
            let known = self.segments;
            let reason = format!("it is of kind {highest}, and the model knows {known} kinds");
            return Err(refused(reason));
        }
        Ok(Text { ids, segments })
    }

    fn refused(body: &Body, reason: String) -> LoadError {
        LoadError::Tokenizer {
            file: body.tokenizer.clone(),
            reason,
        }
    }
}
