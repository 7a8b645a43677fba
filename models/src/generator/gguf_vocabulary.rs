//! The vocabulary in a GGUF file.

use candle_core::quantized::gguf_file::Value;
use tokenizers::models::bpe::BPE;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{SplitDelimiterBehavior, Tokenizer};

use super::gguf::Gguf;
use super::vocabulary::{Special, Vocabulary, byte_level};
use crate::LoadError;

/// How Llama 3 splits text into words.
const LLAMA3: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);
/// How Qwen 2 and 3 do it: every digit is a word.
const QWEN2: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

/// Token types by their GGUF numbers.
const CONTROL: u64 = 3;
const USER_DEFINED: u64 = 4;

/// Builds the tokenizer of a file.
pub(super) fn vocabulary(gguf: &Gguf) -> Result<Vocabulary, LoadError> {
    const MODEL: &str = "tokenizer.ggml.model";
    match gguf.text(MODEL) {
        Some("gpt2") => {}
        found => return Err(gguf.wrong_entry(MODEL, found.unwrap_or("missing"), "gpt2")),
    }
    let tokens = texts(gguf, "tokenizer.ggml.tokens")?;
    let merges = texts(gguf, "tokenizer.ggml.merges")?;
    let kinds = kinds(gguf, tokens.len())?;
    let is_special = |at: usize| matches!(kinds[at], CONTROL | USER_DEFINED);
    let known =
        |(at, text): (usize, &&str)| (!is_special(at)).then(|| (text.to_string(), at as u32));
    let words: ahash::AHashMap<String, u32> = tokens.iter().enumerate().filter_map(known).collect();
    let pairs = merges.iter().map(|merge| match merge.split_once(' ') {
        Some((a, b)) => Ok((a.to_owned(), b.to_owned())),
        None => Err(gguf.wrong_entry("tokenizer.ggml.merges", merge, "two tokens each")),
    });
    let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
    let (cutter, ignores_merges) = cutter(gguf)?;
    let model = BPE::builder()
        .vocab_and_merges(words, pairs)
        .ignore_merges(ignores_merges)
        .build()
        .map_err(|error| unusable(gguf, &error))?;
    let mut tokenizer = Tokenizer::new(model);
    tokenizer.with_pre_tokenizer(Some(cutter));
    let specials = (0..tokens.len()).filter(|&at| is_special(at));
    let specials = specials.map(|at| Special {
        text: tokens[at].to_owned(),
        id: at as u32,
        is_control: kinds[at] == CONTROL,
    });
    let ends = ["eos", "eot", "eom"].iter().filter_map(|name| {
        let id = gguf.number(&format!("tokenizer.ggml.{name}_token_id"))?;
        (id < tokens.len() as u64).then_some(id as u32)
    });
    let bytes = tokens.iter().map(|token| byte_level(token)).collect();
    Ok(Vocabulary::new(
        tokenizer,
        bytes,
        specials.collect(),
        ends.collect(),
    ))
}

/// How text is split before tokenization, and whether a whole word that is a token skips merging.
fn cutter(gguf: &Gguf) -> Result<(PreTokenizerWrapper, bool), LoadError> {
    const PRE: &str = "tokenizer.ggml.pre";
    let split = |pattern: &str| {
        let pattern = SplitPattern::Regex(pattern.to_owned());
        let split = Split::new(pattern, SplitDelimiterBehavior::Isolated, false);
        split
            .map(PreTokenizerWrapper::from)
            .map_err(|error| unusable(gguf, &error))
    };
    let bytes = |has_words| PreTokenizerWrapper::from(ByteLevel::new(false, false, has_words));
    let (steps, ignores_merges) = match gguf.text(PRE) {
        Some("smollm" | "codeshell" | "refact" | "command-r" | "starcoder") => {
            (vec![split(r"\p{N}")?, bytes(true)], false)
        }
        Some("gpt-2" | "phi-2" | "olmo" | "jina-en") => (vec![bytes(true)], false),
        Some("llama-bpe" | "llama3" | "llama-v3") => (vec![split(LLAMA3)?, bytes(false)], true),
        Some("qwen2" | "deepseek-r1-qwen") => (vec![split(QWEN2)?, bytes(false)], false),
        None | Some("default") => {
            let first = split(r"[\p{P}\$\+<=>\^~\|]+")?;
            let words =
                split(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)")?;
            let digits = [split(r"\p{N}+")?, split("[0-9][0-9][0-9]")?];
            let [all, threes] = digits;
            (vec![first, words, all, threes, bytes(false)], false)
        }
        Some(other) => {
            let expected = "smollm, gpt-2, llama-bpe, qwen2 or default";
            return Err(gguf.wrong_entry(PRE, other, expected));
        }
    };
    Ok((Sequence::new(steps).into(), ignores_merges))
}

fn texts<'a>(gguf: &'a Gguf, key: &str) -> Result<Vec<&'a str>, LoadError> {
    let list = match gguf.entry(key) {
        Some(Value::Array(list)) => list,
        Some(_) => return Err(gguf.wrong_entry(key, "something else", "a list of texts")),
        None => return Err(gguf.wrong_entry(key, "missing", "a list of texts")),
    };
    let text = |value: &'a Value| match value {
        Value::String(text) => Ok(text.as_str()),
        _ => Err(gguf.wrong_entry(key, "a list of something else", "a list of texts")),
    };
    list.iter().map(text).collect()
}

/// The type of each token; all are normal text if the file does not give types.
fn kinds(gguf: &Gguf, tokens: usize) -> Result<Vec<u64>, LoadError> {
    const KEY: &str = "tokenizer.ggml.token_type";
    let Some(Value::Array(list)) = gguf.entry(KEY) else {
        return Ok(vec![1; tokens]);
    };
    if list.len() != tokens {
        let expected = format!("{tokens} numbers");
        return Err(gguf.wrong_entry(KEY, format!("{} numbers", list.len()), &expected));
    }
    let kind = |value: &Value| match value {
        Value::I32(kind) => u64::from(kind.unsigned_abs()),
        value => value.to_u64().unwrap_or(1),
    };
    Ok(list.iter().map(kind).collect())
}

fn unusable(gguf: &Gguf, error: &dyn std::fmt::Display) -> LoadError {
    LoadError::Tokenizer {
        file: gguf.path().to_owned(),
        reason: error.to_string(),
    }
}
