//! Tokens: converts texts to ids and ids to bytes, and lists the special tokens.

use std::path::Path;
use std::sync::Arc;

use tokenizers::Tokenizer;

use crate::LoadError;

/// A tokenizer with separate special tokens, so that no text can spell one.
pub(super) struct Vocabulary {
    /// The tokenizer without special tokens.
    plain: Tokenizer,
    /// The bytes of every token by its id; empty for special tokens.
    bytes: Arc<Vec<Vec<u8>>>,
    specials: Vec<Special>,
    /// Tokens that end a reply.
    ends: Vec<u32>,
}

/// A special token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Special {
    /// Its text in a template.
    pub(super) text: String,
    pub(super) id: u32,
    /// Whether it is a control token; else it is a mark, such as those of reasoning, that templates
    /// also look for in the model's own replies.
    pub(super) is_control: bool,
}

/// Names of tokens that always end a reply.
const ENDS: [&str; 8] = [
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|endoftext|>", "<|end|>",
    "<end_of_turn>", "</s>",
];

impl Vocabulary {
    pub(super) fn new(
        plain: Tokenizer,
        mut bytes: Vec<Vec<u8>>,
        mut specials: Vec<Special>,
        mut ends: Vec<u32>,
    ) -> Self {
        specials.retain(|special| !special.text.is_empty());
        // Longest first, so that the longest match is found.
        specials.sort_by(|a, b| b.text.len().cmp(&a.text.len()).then(a.text.cmp(&b.text)));
        for special in &specials {
            if let Some(bytes) = bytes.get_mut(special.id as usize) {
                bytes.clear();
            }
            if special.is_control && ENDS.contains(&special.text.as_str()) {
                ends.push(special.id);
            }
        }
        // Settings may name tokens that do not exist.
        ends.retain(|end| (*end as usize) < bytes.len());
        ends.sort_unstable();
        ends.dedup();
        for &end in &ends {
            if let Some(bytes) = bytes.get_mut(end as usize) {
                bytes.clear();
            }
        }
        // Marks are text when the model writes them.
        for special in specials.iter().filter(|special| !special.is_control) {
            if let Some(bytes) = bytes.get_mut(special.id as usize) {
                *bytes = special.text.clone().into_bytes();
            }
        }
        Self {
            plain,
            bytes: Arc::new(bytes),
            specials,
            ends,
        }
    }

    pub(super) fn specials(&self) -> &[Special] {
        &self.specials
    }

    pub(super) fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The bytes of every token by its id.
    pub(super) fn bytes(&self) -> &Arc<Vec<Vec<u8>>> {
        &self.bytes
    }

    /// Approximate bytes in memory: the tables here, and the same again in the tokenizer.
    pub(super) fn resident_bytes(&self) -> usize {
        let each = size_of::<Vec<u8>>();
        let texts: usize = self.bytes.iter().map(|bytes| bytes.len() + each).sum();
        4 * texts
    }

    /// The tokens of a text without special tokens.
    pub(super) fn plain(&self, text: &str) -> Result<Vec<u32>, String> {
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let encoding = self.plain.encode_fast(text, false);
        Ok(encoding
            .map_err(|error| error.to_string())?
            .get_ids()
            .to_vec())
    }

    /// The tokens of a rendered template: special tokens as spelled, plain text between them, with
    /// `mark` removed.
    pub(super) fn rendered(&self, text: &str, mark: char) -> Result<Vec<u32>, String> {
        let (mut tokens, mut from, mut at) = (Vec::new(), 0, 0);
        let segment = |text: &str, tokens: &mut Vec<u32>| {
            let text = text.replace(mark, "");
            tokens.extend(self.plain(&text)?);
            Ok::<_, String>(())
        };
        while let Some(first) = text[at..].chars().next() {
            if let Some(special) = self.begins(&text[at..]) {
                segment(&text[from..at], &mut tokens)?;
                tokens.push(special.id);
                at += special.text.len();
                from = at;
            } else {
                at += first.len_utf8();
            }
        }
        segment(&text[from..], &mut tokens)?;
        Ok(tokens)
    }

    /// The longest special token that is a prefix of `text`.
    pub(super) fn begins(&self, text: &str) -> Option<&Special> {
        let mut all = self.specials.iter();
        all.find(|special| text.starts_with(special.text.as_str()))
    }

    /// Compares the number of tokens with the rows of the weights, which may be padded.
    pub(super) fn check(&self, file: &Path, rows: usize) -> Result<(), LoadError> {
        if self.bytes.len() > rows || self.bytes.is_empty() {
            return Err(LoadError::TokenizerMisfit {
                file: file.to_owned(),
                found: self.bytes.len(),
                expected: rows,
            });
        }
        Ok(())
    }
}

impl std::fmt::Debug for Vocabulary {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Vocabulary")
            .field("tokens", &self.bytes.len())
            .field("ends", &self.ends)
            .finish_non_exhaustive()
    }
}

/// The bytes of a token of a byte-level vocabulary, which writes every byte as a visible character
/// (Radford et al. 2019, GPT-2).
pub(super) fn byte_level(token: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(token.len());
    for c in token.chars() {
        match byte_of(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// Visible bytes map to themselves; the 68 others map to U+0100 and up, in order.
fn byte_of(c: char) -> Option<u8> {
    let is_visible = |byte: u8| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    match u32::from(c) {
        code @ 0..=0xff => Some(code as u8).filter(|&byte| is_visible(byte)),
        code => {
            let mut hidden = (0..=255_u8).filter(|&byte| !is_visible(byte));
            hidden.nth((code as usize).checked_sub(0x100)?)
        }
    }
}

/// The bytes of a token of a SentencePiece vocabulary: `▁` is a space, `<0x0A>` a byte.
pub(super) fn piece(token: &str) -> Vec<u8> {
    let hex = token
        .strip_prefix("<0x")
        .and_then(|rest| rest.strip_suffix('>'));
    match hex
        .filter(|hex| hex.len() == 2)
        .map(|hex| u8::from_str_radix(hex, 16))
    {
        Some(Ok(byte)) => vec![byte],
        _ => token.replace('\u{2581}', " ").into_bytes(),
    }
}
