//! Converts texts to tokens, truncated at the network's limit.

use std::ops::Range;

use tokenizers::utils::truncation::truncate_encodings;
use tokenizers::{Encoding, Tokenizer, TruncationParams};

use super::config::Family;
use super::layout::Body;
use crate::checkpoint::{LoadError, read_tokenizer, tokens_added, unusable};
use crate::encode::EncodeError;

/// The tokens of one text, or of a pair.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    pub(super) ids: Vec<u32>,
    /// Text of each token: 0, or 1 for the second.
    pub(super) segments: Vec<u32>,
}

/// Words of a text: the token that stands for each, and its bytes.
pub(crate) type Words = Vec<(usize, Range<usize>)>;

/// A tokenizer that matches its network.
pub(super) struct Reader {
    tokenizer: Tokenizer,
    cut: TruncationParams,
    /// Number of token types; RoBERTa has one.
    segments: usize,
    /// Vocabulary size of the network, and the number of tokens it reads at once.
    vocab_size: usize,
    tokens_max: usize,
    family: Family,
    lower_case: bool,
}

impl Reader {
    /// Loads the tokenizer of `body` for single texts; the tokenizer truncates them.
    pub(super) fn load(body: &Body) -> Result<Self, LoadError> {
        Self::of(
            read_tokenizer(&body.tokenizer, body.config.vocab_size)?,
            body,
        )
    }

    /// The same with a given tokenizer.
    pub(super) fn of(tokenizer: Tokenizer, body: &Body) -> Result<Self, LoadError> {
        let (mut reader, _) = Self::fitting(tokenizer, body, false)?;
        let cut = Some(reader.cut.clone());
        let cut = reader.tokenizer.with_truncation(cut).map(|_| ());
        cut.map_err(|error| unusable(&body.tokenizer, error.to_string()))?;
        let empty = reader.tokenizer.encode_fast("", true);
        reader.check_empty(body, empty)?;
        Ok(reader)
    }

    /// Loads the tokenizer of `body` for pairs. Each text is tokenized whole and the pair truncated
    /// afterwards: a tokenizer with a limit truncates both texts first and can no longer tell which
    /// of two long texts is the longer.
    pub(super) fn for_pairs(body: &Body) -> Result<Self, LoadError> {
        let tokenizer = read_tokenizer(&body.tokenizer, body.config.vocab_size)?;
        let (mut reader, added) = Self::fitting(tokenizer, body, true)?;
        reader.cut.max_length -= added;
        let empty = reader.tokenizer.encode_fast(("", ""), true);
        reader.check_empty(body, empty)?;
        Ok(reader)
    }

    /// The reader, and the number of special tokens it adds.
    fn fitting(tokenizer: Tokenizer, body: &Body, pairs: bool) -> Result<(Self, usize), LoadError> {
        let (file, tokens_max) = (&body.tokenizer, body.tokens_max);
        let added = tokens_added(&tokenizer, file, tokens_max, pairs)?;
        let reader = Self {
            tokenizer,
            cut: TruncationParams {
                max_length: tokens_max,
                ..TruncationParams::default()
            },
            segments: body.config.type_vocab_size,
            vocab_size: body.config.vocab_size,
            tokens_max,
            family: body.config.family(),
            lower_case: body.lower_case,
        };
        Ok((reader, added))
    }

    /// Checks the special tokens: the file stores them apart from its vocabulary.
    fn check_empty(
        &self,
        body: &Body,
        empty: tokenizers::Result<Encoding>,
    ) -> Result<(), LoadError> {
        let refused = |reason| unusable(&body.tokenizer, reason);
        let empty = empty.map_err(|error| refused(error.to_string()))?;
        self.fault(&empty)
            .map_or(Ok(()), |reason| Err(refused(reason)))
    }

    /// The reason why the network cannot read `encoding`.
    fn fault(&self, encoding: &Encoding) -> Option<String> {
        let (ids, known) = (encoding.get_ids(), self.vocab_size);
        if let Some(id) = ids.iter().find(|id| **id as usize >= known) {
            return Some(format!(
                "it adds token {id}, and the model knows {known} tokens"
            ));
        }
        if ids.len() > self.tokens_max {
            let (found, limit) = (ids.len(), self.tokens_max);
            return Some(format!(
                "it makes {found} tokens of it, the model reads {limit}"
            ));
        }
        let highest = match self.family {
            Family::Bert => encoding.get_type_ids().iter().copied().max().unwrap_or(0),
            Family::Roberta => 0,
        };
        if highest as usize >= self.segments {
            let known = self.segments;
            return Some(format!(
                "it is of kind {highest}, and the model knows {known} kinds"
            ));
        }
        None
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

    /// The tokens of each text, with the second of its pair behind it, and the words of the text:
    /// the first token of each, and its bytes.
    pub(super) fn read_words(
        &self,
        pairs: &[(&str, Option<&str>)],
    ) -> Result<Vec<(Text, Words)>, EncodeError> {
        let one = |(index, (text, second)): (usize, &(&str, Option<&str>))| {
            let encoding = match second {
                Some(second) => self.tokenizer.encode((*text, *second), true),
                None => self.tokenizer.encode(*text, true),
            };
            let words = encoding.as_ref().map(words).unwrap_or_default();
            Ok((self.text(index, encoding)?, words))
        };
        pairs.iter().enumerate().map(one).collect()
    }

    /// The tokens of `query` paired with each of `texts`; if too long, the longer text is
    /// truncated.
    pub(super) fn read_pairs(&self, query: &str, texts: &[&str]) -> Result<Vec<Text>, EncodeError> {
        let query = self.tokenizer.encode_fast(query, false);
        let query = query.map_err(|error| EncodeError::Query {
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
        if let Some(reason) = self.fault(&encoding) {
            return Err(refused(reason));
        }
        let segments = match self.family {
            Family::Bert => encoding.get_type_ids().to_vec(),
            Family::Roberta => vec![0; ids.len()],
        };
        Ok(Text { ids, segments })
    }
}

/// The words of the first text of an encoding.
fn words(encoding: &Encoding) -> Words {
    let mut words = Words::new();
    let mut last = None;
    let (kinds, places) = (encoding.get_type_ids(), encoding.get_offsets());
    for (token, word) in encoding.get_word_ids().iter().enumerate() {
        let (Some(word), 0) = (word, kinds[token]) else {
            continue;
        };
        let (start, end) = places[token];
        match words.last_mut().filter(|_| last == Some(*word)) {
            Some((_, bytes)) => bytes.end = end,
            None => words.push((token, start..end)),
        }
        last = Some(*word);
    }
    words
}
