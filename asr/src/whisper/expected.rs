//! Words that may be said, given as a text before each segment: whisper takes it for what was said
//! just before.
//!
//! Invariant: over silence and noise such text adds no word. A transcript that only echoes it is
//! not taken, and its segment is recognised again without it.

use whisper_rs::{WhisperContext, WhisperTokenId};

use crate::Transcript;
use crate::echo::{is_echo, plain_words};

/// Most tokens before a segment: half of the decoder's context, less the mark where they begin.
pub const EXPECTED_TOKENS_MAX: usize = 223;

/// Words that may be said.
pub(super) struct Expected {
    /// The last tokens of the text, as many as the model reads.
    pub(super) tokens: Vec<WhisperTokenId>,
    words: Vec<String>,
}

impl Expected {
    pub(super) fn of(context: &WhisperContext, text: &str) -> Self {
        let mut tokens = tokens(context, text);
        Self {
            tokens: tokens.split_off(tokens.len().saturating_sub(EXPECTED_TOKENS_MAX)),
            words: plain_words(text),
        }
    }

    /// True if a transcript only repeats the text.
    pub(super) fn is_echoed(&self, transcript: &Transcript) -> bool {
        is_echo(&self.words, transcript)
    }
}

/// The text `and` with a sentence of names in front of it, and the number of these names: the first
/// ones, as many as the model reads together with that text.
pub(super) fn sentence(context: &WhisperContext, names: &[String], and: &str) -> (String, usize) {
    let mut room = EXPECTED_TOKENS_MAX.saturating_sub(tokens(context, and).len());
    let fits = |name: &&String| {
        let needed = tokens(context, &format!("{name},")).len();
        let left = room.checked_sub(needed);
        room = left.unwrap_or(0);
        left.is_some()
    };
    let fitting: Vec<&str> = names.iter().take_while(fits).map(String::as_str).collect();
    let listed = match fitting[..] {
        [] => String::new(),
        _ => fitting.join(", ") + ". ",
    };
    (
        format!("{listed}{and}").trim_end().to_owned(),
        fitting.len(),
    )
}

/// The tokens of a text. It gets a space in front, as words in a transcript have.
fn tokens(context: &WhisperContext, text: &str) -> Vec<WhisperTokenId> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    // a string of C ends at its first zero byte
    let text = format!(" {}", text.trim()).replace('\0', " ");
    // the room that whisper-rs needs for all tokens: each has at least one byte
    context.tokenize(&text, text.len()).unwrap_or_default()
}
