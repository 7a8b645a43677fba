//! A small memory, and questions, for the tests of recall.

use crate::answer::Question;
use crate::config::{EncoderProfile, SessionConfig};
use crate::driver::Driver;
use crate::stream::{Span, StreamStart, Utterance};
use std::sync::Arc;
use weir_models::testing::PlainReader;
use weir_models::{Encode as _, SpaceCounter, WordHashEncoder};

/// A memory that heard these statements, `(speaker, text)`.
pub(super) fn told(said: &[(&str, &str)]) -> Driver {
    let config = SessionConfig {
        profile: EncoderProfile::word_hash(),
        ..SessionConfig::default()
    };
    let encoder = PlainReader::with_words();
    let memory = Driver::new(config, encoder, Arc::new(SpaceCounter));
    let mut memory = heard(memory.expect("legal"), said);
    memory.flush().expect("flushed");
    memory
}

/// A memory after it heard these statements, which it has not distilled yet.
pub(super) fn heard(mut memory: Driver, said: &[(&str, &str)]) -> Driver {
    let start = StreamStart::new("s", None);
    memory.begin(start).expect("begins");
    for (n, (speaker, text)) in (0..).zip(said) {
        let heard = Utterance {
            id: format!("u{n}"),
            stream: "s".into(),
            speaker: Some((*speaker).into()),
            span: Span::new(n * 4_000, n * 4_000 + 3_000),
            audio: None,
            confidence: None,
            text: (*text).into(),
        };
        memory.hear(heard).expect("heard");
    }
    memory
}

pub(super) fn question(text: &str) -> Question {
    let encoded = WordHashEncoder::new().encode_for_search(&[text]);
    Question::new(text, encoded.expect("encoded").remove(0), None)
}
