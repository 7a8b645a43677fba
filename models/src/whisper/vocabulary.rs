//! The tokens of a Whisper as bytes, from any file that lists them.
//!
//! A ggml file lists the first 50,257 tokens; whisper.cpp names the special tokens after them
//! itself. In an English model the last listed token is the end of text, in others an empty one.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::binary;
use super::dims::ENGLISH_VOCAB;
use super::error::{self, ConvertError};

/// Tokens in a ggml file.
const LISTED: usize = 50_257;
/// Longest token accepted by the whisper.cpp check in `asr`, in bytes.
const TOKEN_BYTES_MAX: usize = 4_096;
/// A tokenizer.json has 2 to 4 MB.
const FILE_BYTES_MAX: u64 = 64 << 20;
const END_OF_TEXT: &str = "<|endoftext|>";

/// The possible files, in search order.
const FILES: [&str; 4] = [
    "tokenizer.json", "vocab.json", "vocabulary.json", "vocabulary.txt",
];

/// Reads the tokens of a model with `n_vocab` of them.
pub(super) fn read(folder: &Path, n_vocab: u32) -> Result<Vec<Vec<u8>>, ConvertError> {
    let files = FILES.map(|name| folder.join(name));
    let Some(file) = files.into_iter().find(|file| file.is_file()) else {
        let folder = folder.to_owned();
        return Err(ConvertError::NoVocabulary { folder });
    };
    let mut words = Words {
        file,
        end_of_text: match n_vocab {
            ENGLISH_VOCAB => LISTED - 1,
            _ => LISTED,
        },
        tokens: vec![None; LISTED],
    };
    words.read()?;
    words.whole()
}

struct Words {
    file: PathBuf,
    /// The id of the end-of-text token.
    end_of_text: usize,
    tokens: Vec<Option<Vec<u8>>>,
}

impl Words {
    fn read(&mut self) -> Result<(), ConvertError> {
        if self.file.extension().is_some_and(|ending| ending == "txt") {
            let text = binary::text(&self.file, FILE_BYTES_MAX)?;
            let text = String::from_utf8(text).map_err(|_| self.bad("it is not UTF-8"))?;
            for (id, token) in text.split('\n').enumerate() {
                self.put(id, token.strip_suffix('\r').unwrap_or(token))?;
            }
            return Ok(());
        }
        let values = binary::json(&self.file, FILE_BYTES_MAX)?;
        let model = &values["model"]["vocab"];
        let list = if model.is_null() { &values } else { model };
        match list {
            Value::Array(tokens) => {
                for (id, token) in tokens.iter().enumerate() {
                    let token = token
                        .as_str()
                        .ok_or_else(|| self.bad("a token is not text"))?;
                    self.put(id, token)?;
                }
            }
            Value::Object(tokens) => {
                for (token, id) in tokens {
                    let id = id
                        .as_u64()
                        .ok_or_else(|| self.bad("an id is not a number"))?;
                    self.put(id as usize, token)?;
                }
            }
            _ => return Err(self.bad("it lists no tokens")),
        }
        for added in values["added_tokens"].as_array().into_iter().flatten() {
            if let (Some(id), Some(token)) = (added["id"].as_u64(), added["content"].as_str()) {
                self.put(id as usize, token)?;
            }
        }
        Ok(())
    }

    fn put(&mut self, id: usize, token: &str) -> Result<(), ConvertError> {
        if token == END_OF_TEXT && id != self.end_of_text {
            return Err(self.bad(&format!(
                "token {id} ends a text, which in a model of this size is token {}: it belongs \
                 to another model",
                self.end_of_text
            )));
        }
        let Some(place) = self.tokens.get_mut(id) else {
            return Ok(());
        };
        match bytes(token).filter(|bytes| bytes.len() <= TOKEN_BYTES_MAX) {
            Some(bytes) => *place = Some(bytes),
            None => return Err(self.bad(&format!("token {id} is not a byte-level token"))),
        }
        Ok(())
    }

    fn whole(mut self) -> Result<Vec<Vec<u8>>, ConvertError> {
        if let Some(last @ None) = self.tokens.last_mut() {
            *last = Some(match self.end_of_text {
                LISTED => Vec::new(),
                _ => END_OF_TEXT.as_bytes().to_vec(),
            });
        }
        match self.tokens.iter().position(Option::is_none) {
            Some(missing) => Err(self.bad(&format!(
                "token {missing} is missing, Whisper has tokens 0 to {}",
                LISTED - 1
            ))),
            None => Ok(self.tokens.into_iter().flatten().collect()),
        }
    }

    fn bad(&self, reason: &str) -> ConvertError {
        error::format(&self.file, "vocabulary", reason)
    }
}

/// The bytes of a byte-level token. Printable bytes of Latin-1 map to themselves, the other 68 to
/// the characters from U+0100 on, in order (GPT-2's `bytes_to_unicode`).
fn bytes(token: &str) -> Option<Vec<u8>> {
    let byte = |c: char| match c as u32 {
        own @ (0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff) => Some(own as u8),
        moved @ 0x100..=0x143 => Some(match moved - 0x100 {
            low @ 0..=0x20 => low as u8,
            middle @ 0x21..=0x42 => (0x7f + middle - 0x21) as u8,
            _ => 0xad,
        }),
        _ => None,
    };
    token.chars().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_character() {
        let own = (0x21..=0x7e).chain(0xa1..=0xac).chain(0xae..=0xff);
        let own = own.filter_map(char::from_u32);
        let all: String = own.chain(('\u{100}'..='\u{143}').take(68)).collect();
        let mut found = bytes(&all).unwrap_or_default();
        found.sort_unstable();
        assert!(found.into_iter().eq(0..=255));
        assert_eq!(bytes("\u{120}a").as_deref(), Some(&b" a"[..]));
        assert_eq!(bytes("\u{10a}").as_deref(), Some(&b"\n"[..]));
        assert_eq!(bytes("\u{2581}a"), None);
    }
}
