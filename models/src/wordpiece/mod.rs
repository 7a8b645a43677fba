//! Counts WordPiece tokens of all-MiniLM-L6-v2 (the `bert-base-uncased` vocabulary).
//!
//! This token is the project's unit of memory, so it must be countable without candle and without
//! the `tokenizers` crate. It only counts; the encoder produces the ids.
//!
//! Invariant: for every text the count equals the number of ids that the `tokenizers` crate gives
//! for the model's `tokenizer.json` without special tokens (property-tested against it with feature
//! `candle`, and against golden counts without).

mod normalise;
mod trie;

use std::sync::OnceLock;

use crate::count::CountTokens;
use trie::Trie;

/// The vocabulary of all-MiniLM-L6-v2, one token per line; its source is in `data/README.md`.
pub(crate) const VOCABULARY: &str = include_str!("../../data/vocab.txt");

/// Tokens recognised in the raw text before normalisation.
pub(crate) const LITERAL_TOKENS: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/// A word with more characters is one unknown token (`max_input_chars_per_word` of the model).
const WORD_CHARS_MAX: usize = 100;

/// Counts the WordPiece tokens of all-MiniLM-L6-v2, without special tokens.
///
/// Cost: O(length), without allocation. The vocabulary is unpacked once per process, in a few
/// milliseconds; use [`WordPieceCounter::shared`].
#[derive(Debug)]
pub struct WordPieceCounter {
    trie: Trie,
}

impl WordPieceCounter {
    /// The counter of this process, built at the first call.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<WordPieceCounter> = OnceLock::new();
        SHARED.get_or_init(|| Self {
            trie: Trie::new(VOCABULARY.lines()),
        })
    }

    /// Counts a text without literal tokens.
    fn count_piece(&self, piece: &str) -> usize {
        let mut word = Word::new(&self.trie);
        if piece.is_ascii() {
            for &byte in piece.as_bytes() {
                word.push_ascii(byte);
            }
        } else {
            normalise::for_each_char(piece, |c| word.push(c));
        }
        word.finish()
    }
}

impl CountTokens for WordPieceCounter {
    fn count(&self, text: &str) -> usize {
        let mut total = 0;
        let mut rest = text;
        while let Some((at, literal)) = first_literal(rest) {
            total += self.count_piece(&rest[..at]) + 1;
            rest = &rest[at + literal.len()..];
        }
        total + self.count_piece(rest)
    }

    fn name(&self) -> &str {
        "WordPiece of all-MiniLM-L6-v2"
    }
}

/// The first literal token of `text` and its position.
fn first_literal(text: &str) -> Option<(usize, &'static str)> {
    text.match_indices('[').find_map(|(at, _)| {
        let literal = LITERAL_TOKENS
            .into_iter()
            .find(|token| text[at..].starts_with(token));
        literal.map(|token| (at, token))
    })
}

/// The word being collected, and the token count of the words before it.
struct Word<'a> {
    trie: &'a Trie,
    bytes: [u8; WORD_CHARS_MAX * 4],
    len: usize,
    chars: usize,
    tokens: usize,
}

impl<'a> Word<'a> {
    fn new(trie: &'a Trie) -> Self {
        Self {
            trie,
            bytes: [0; WORD_CHARS_MAX * 4],
            len: 0,
            chars: 0,
            tokens: 0,
        }
    }

    /// Takes one byte of an all-ASCII text, in either case.
    fn push_ascii(&mut self, byte: u8) {
        match byte {
            b'\t' | b'\n' | b'\r' | b' ' => self.end(),
            // Control characters are dropped without splitting the word.
            0..=0x1f | 0x7f => {}
            _ if byte.is_ascii_punctuation() => self.push_alone(char::from(byte)),
            _ => {
                if self.chars < WORD_CHARS_MAX {
                    self.bytes[self.len] = byte.to_ascii_lowercase();
                    self.len += 1;
                }
                self.chars += 1;
            }
        }
    }

    /// Takes one character of a normalised text.
    fn push(&mut self, c: char) {
        if c.is_whitespace() {
            self.end();
        } else if normalise::is_punctuation(c) {
            self.push_alone(c);
        } else {
            self.push_inside(c);
        }
    }

    fn push_inside(&mut self, c: char) {
        if self.chars < WORD_CHARS_MAX {
            self.len += c.encode_utf8(&mut self.bytes[self.len..]).len();
        }
        self.chars += 1;
    }

    /// Takes a character that is a separate word.
    fn push_alone(&mut self, c: char) {
        self.end();
        self.push_inside(c);
        self.end();
    }

    /// Ends the word, if there is one, and counts its pieces.
    fn end(&mut self) {
        if self.chars > WORD_CHARS_MAX {
            self.tokens += 1;
        } else if self.chars > 0 {
            // A word that cannot be split into known pieces is one unknown token.
            self.tokens += self.trie.pieces(&self.bytes[..self.len]).unwrap_or(1);
        }
        self.len = 0;
        self.chars = 0;
    }

    fn finish(mut self) -> usize {
        self.end();
        self.tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        WordPieceCounter::shared().count(text)
    }

    #[test]
    fn nothing_costs_nothing() {
        for text in ["", " \t\r\n", "\u{0}\u{1}", "\u{200b}", "\u{301}"] {
            assert_eq!(count(text), 0, "{text:?}");
        }
    }

    #[test]
    fn words_come_apart_at_the_longest_known_piece() {
        // un ##aff ##able: the example in the WordPiece paper's code.
        assert_eq!(count("unaffable"), 3);
        assert_eq!(count("Hello, world!"), 4);
        assert_eq!(count("Caf\u{e9}"), count("cafe"));
    }

    #[test]
    fn a_word_of_101_characters_is_unknown() {
        assert!(count(&"a".repeat(100)) > 1);
        assert_eq!(count(&"a".repeat(101)), 1);
        assert_eq!(count(&"\u{4e00}".repeat(101)), 101);
    }

    #[test]
    fn literal_tokens_count_once_and_in_capitals_only() {
        assert_eq!(count("[CLS]"), 1);
        assert_eq!(count("x[SEP]y"), 3);
        assert_eq!(count("[cls]"), count("[ cls ]"));
        assert_eq!(count("[[MASK]]"), 3);
    }
}
