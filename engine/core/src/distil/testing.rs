//! Blocks for the tests of distillers.

use crate::stream::{Span, Utterance};
use crate::talk::{Block, BlockId, BufferedUtterance};
use weir_models::{Encode, WordHashEncoder};

/// A block of `(speaker, words)`, one second each, said on 7 March 2025.
pub(crate) fn block(lines: &[(&str, &str)]) -> Block {
    let encoder = WordHashEncoder::new();
    let heard = |(at, (speaker, text)): (usize, &(&str, &str))| {
        let start_ms = at as u64 * 1_000;
        BufferedUtterance {
            terms: weir_models::Terms::default(),
            turn: at as u64,
            utterance: Utterance {
                id: format!("u{at}"),
                stream: "talk".into(),
                speaker: Some((*speaker).to_owned()),
                span: Span::new(start_ms, start_ms + 900),
                audio: None,
                confidence: None,
                text: (*text).to_owned(),
            },
            analysis: Default::default(),
            new_terms: Vec::new(),
            vector: encoder.encode(&[text]).expect("words are hashed").remove(0),
            tokens: 10,
            session_ms: start_ms,
            said_at_unix_ms: Some(1_741_348_800_000 + start_ms as i64),
        }
    };
    Block {
        id: BlockId(1),
        leading: Vec::new(),
        fresh: lines.iter().enumerate().map(heard).collect(),
    }
}
