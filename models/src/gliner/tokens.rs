//! Converts labels and words to the input sequence of the backbone.

use std::ops::Range;
use std::path::Path;

use tokenizers::Tokenizer;

use super::config::Config;
use crate::checkpoint::{LoadError, read_tokenizer, unusable};

/// Bytes of a word that are read: only its first token is used.
const WORD_BYTES_MAX: usize = 1_024;
/// Tokens of a word that are read, for the same reason.
const WORD_TOKENS_MAX: usize = 64;
/// Bytes of a label that are read: a longer one has more tokens than any model reads.
const LABEL_BYTES_MAX: usize = 1 << 16;

/// The tokenizer, and the special tokens of a sequence.
#[derive(Debug)]
pub(super) struct Tokens {
    tokenizer: Tokenizer,
    /// The tokens before the labels, and after the text.
    first: Vec<u32>,
    last: Vec<u32>,
    /// The marker before each label, and the one between labels and text.
    mark: u32,
    between: u32,
    /// Whether a label's vector comes from its marker, not from its first token.
    by_mark: bool,
    prompt_max: usize,
    window_max: usize,
}

/// Labels as tokens, with markers.
#[derive(Debug)]
pub(super) struct Prompt {
    ids: Vec<u32>,
    /// Position of each label's vector, from the first of these tokens.
    places: Vec<u32>,
}

impl Prompt {
    /// Tokens.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }
}

/// A text's words as tokens.
#[derive(Debug)]
pub(super) struct TextTokens {
    ids: Vec<u32>,
    /// Position of each word's end in them.
    ends: Vec<usize>,
}

impl TextTokens {
    /// Number of tokens of each word.
    pub(super) fn counts(&self) -> Vec<usize> {
        (0..self.ends.len())
            .map(|word| self.word(word).len())
            .collect()
    }

    fn word(&self, word: usize) -> Range<usize> {
        let start = word.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[word]
    }
}

/// Input of the backbone, and the positions of labels and words in it.
#[derive(Debug)]
pub(super) struct Sequence {
    pub(super) ids: Vec<u32>,
    pub(super) labels: Vec<u32>,
    /// The first token of each word.
    pub(super) words: Vec<u32>,
    /// Words without tokens; their entries above are meaningless.
    pub(super) empty: Vec<usize>,
}

impl Tokens {
    /// Loads `folder`'s tokenizer, which must have at most `rows` tokens.
    pub(super) fn load(
        folder: &Path,
        config: &Config,
        rows: usize,
        prompt_max: usize,
    ) -> Result<Self, LoadError> {
        let file = folder.join("tokenizer.json");
        let refused = |reason: String| unusable(&file, reason);
        let tokenizer = read_tokenizer(&file, if rows > 0 { rows } else { usize::MAX })?;
        let mark = |name: &str| {
            let missing = || refused(format!("it has no token {name}; gliner_config.json has"));
            tokenizer.token_to_id(name).ok_or_else(missing)
        };
        let (mark, between) = (mark(&config.ent_token)?, mark(&config.sep_token)?);
        if config.class_token_index >= 0 && config.class_token_index != i64::from(mark) {
            let expected = config.class_token_index;
            let name = &config.ent_token;
            return Err(refused(format!(
                "{name} is its token {mark}, gliner_config.json says {expected}"
            )));
        }
        let around = tokenizer.encode_fast(config.ent_token.as_str(), true);
        let around = around.map_err(|error| refused(error.to_string()))?;
        let around = around.get_ids();
        let at = around.iter().position(|&id| id == mark);
        let at = at.ok_or_else(|| refused(format!("it splits {}", config.ent_token)))?;
        Ok(Self {
            first: around[..at].to_vec(),
            last: around[at + 1..].to_vec(),
            tokenizer,
            mark,
            between,
            by_mark: config.embed_ent_token,
            prompt_max,
            window_max: (2 * config.max_len).clamp(WORD_TOKENS_MAX, 2 * prompt_max.max(512)),
        })
    }

    /// Most tokens of labels.
    pub(super) fn prompt_max(&self) -> usize {
        self.prompt_max
    }

    /// Most tokens of a window's words.
    pub(super) fn window_max(&self) -> usize {
        self.window_max
    }

    /// Most tokens of a sequence: the special ones, labels, and a window.
    pub(super) fn tokens_max(&self) -> usize {
        self.first.len() + self.prompt_max + self.window_max + self.last.len()
    }

    /// Labels as tokens.
    pub(super) fn prompt<'a>(
        &self,
        labels: impl Iterator<Item = &'a str>,
    ) -> Result<Prompt, String> {
        let (mut ids, mut places) = (Vec::new(), Vec::new());
        for label in labels {
            places.push(ids.len() as u32 + u32::from(!self.by_mark));
            ids.push(self.mark);
            self.add(head(label, LABEL_BYTES_MAX), usize::MAX, &mut ids)?;
        }
        ids.push(self.between);
        Ok(Prompt { ids, places })
    }

    /// The words of a text as tokens.
    pub(super) fn text(&self, text: &str, words: &[Range<usize>]) -> Result<TextTokens, String> {
        let (mut ids, mut ends) = (Vec::new(), Vec::with_capacity(words.len()));
        for word in words {
            let word = head(&text[word.clone()], WORD_BYTES_MAX);
            self.add(word, WORD_TOKENS_MAX, &mut ids)?;
            ends.push(ids.len());
        }
        Ok(TextTokens { ids, ends })
    }

    /// Labels and some of the words as backbone input.
    pub(super) fn sequence(
        &self,
        prompt: &Prompt,
        text: &TextTokens,
        words: Range<usize>,
    ) -> Sequence {
        let mut ids = [self.first.as_slice(), &prompt.ids].concat();
        let before = self.first.len() as u32;
        let labels = prompt.places.iter().map(|place| place + before).collect();
        let (mut firsts, mut empty) = (Vec::with_capacity(words.len()), Vec::new());
        for (at, word) in words.enumerate() {
            let tokens = &text.ids[text.word(word)];
            if tokens.is_empty() {
                empty.push(at);
                firsts.push(0);
            } else {
                firsts.push(ids.len() as u32);
            }
            ids.extend(tokens);
        }
        ids.extend(&self.last);
        Sequence {
            ids,
            labels,
            words: firsts,
            empty,
        }
    }

    fn add(&self, text: &str, most: usize, ids: &mut Vec<u32>) -> Result<(), String> {
        let encoding = self.tokenizer.encode_fast(text, false);
        let encoding = encoding.map_err(|error| error.to_string())?;
        ids.extend(encoding.get_ids().iter().take(most));
        Ok(())
    }
}

/// The start of a text, whole characters.
fn head(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
