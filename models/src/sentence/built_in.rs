//! The embedded sparse encoder: its settings, tokenizer and weights.

use std::path::PathBuf;
use std::sync::Arc;

use ahash::AHashMap;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::bert::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::processors::bert::BertProcessing;
use tokenizers::{AddedToken, Tokenizer};

use super::config::Config;
use super::layout::Body;
use crate::checkpoint::{LoadError, Weights, unusable};
use crate::shipped::shipped;
use crate::wordpiece::{LITERAL_TOKENS, VOCABULARY};

/// Its name in errors.
pub(super) const NAME: &str = "splade-tiny";
/// SHA-256 of the weights.
pub(super) const SHA256: &str = "a80ea442960de860cff0c51987ad4850cc34b3704312ca2bb9e9cee9875fa783";

const CONFIG: &str = include_str!("../../data/splade-tiny.json");
/// Tokens read of a text; it was trained on 256.
const TOKENS_MAX: usize = 256;

/// Its settings.
pub(super) fn body() -> Result<Body, LoadError> {
    let file = PathBuf::from(NAME);
    Ok(Body {
        config: Arc::new(Config::parse(&file, CONFIG)?),
        config_file: file.clone(),
        tokenizer: file.clone(),
        folder: file,
        tokens_max: TOKENS_MAX,
        lower_case: false,
    })
}

/// Its weights, as bytes.
pub(super) fn weights() -> Result<Weights, LoadError> {
    Weights::built_in(NAME, shipped!("splade-tiny.safetensors"))
}

/// Its tokenizer, the one of `bert-base-uncased`.
pub(super) fn tokenizer() -> Result<Tokenizer, LoadError> {
    let refused = |error: tokenizers::Error| unusable(&PathBuf::from(NAME), error.to_string());
    let words: AHashMap<String, u32> = VOCABULARY.lines().map(str::to_owned).zip(0..).collect();
    let special = |word: &str| {
        (
            word.to_owned(),
            words.get(word).copied().unwrap_or_default(),
        )
    };
    let ends = BertProcessing::new(special("[SEP]"), special("[CLS]"));
    let model = WordPiece::builder()
        .unk_token("[UNK]".to_owned())
        .vocab(words);
    let mut tokenizer = Tokenizer::new(model.build().map_err(refused)?);
    tokenizer
        .with_normalizer(Some(BertNormalizer::default()))
        .map_err(refused)?;
    tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
    tokenizer.with_post_processor(Some(ends));
    // a text may contain these literally
    let literal = LITERAL_TOKENS.map(|word| AddedToken::from(word, true));
    tokenizer.add_special_tokens(literal).map_err(refused)?;
    Ok(tokenizer)
}
