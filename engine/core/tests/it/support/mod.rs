//! A small encoder without a model, and dialogues, for the tests of the memory alone.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::sync::Arc;
use weir_core::config::{EncoderProfile, SessionConfig};
use weir_core::distil::{Distil, Extractive};
use weir_core::driver::Driver;
use weir_core::session::{Input, Session};
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_core::text::terms;
use weir_models::testing::PlainReader;
use weir_models::{Annotate, CountTokens, Encode, EncodeError, EncoderIdentity, SpaceCounter};

pub(crate) const DIMENSION: usize = 64;

/// Hashes terms into signed buckets: texts that share words are near.
pub(crate) struct BagOfWords(EncoderIdentity);

impl BagOfWords {
    pub(crate) fn shared() -> Arc<dyn Encode> {
        Arc::new(Self(EncoderIdentity {
            name: "bag-of-words".into(),
            digest: "1".into(),
        }))
    }
}

impl Encode for BagOfWords {
    fn language(&self) -> Option<&dyn Annotate> {
        Some(&PlainReader)
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn identity(&self) -> &EncoderIdentity {
        &self.0
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        let vector = |text: &&str| {
            let mut vector = vec![0.0; DIMENSION];
            for term in terms(text) {
                let sign = if term & 0x100 == 0 { 1.0 } else { -1.0 };
                vector[term as usize % DIMENSION] += sign;
            }
            weir_core::vectors::normalise(&mut vector);
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }
}

pub(crate) fn counter() -> Arc<dyn CountTokens> {
    Arc::new(SpaceCounter)
}

pub(crate) fn config(budget_tokens: usize) -> SessionConfig {
    SessionConfig {
        budget_tokens,
        profile: EncoderProfile::word_hash(),
        ..SessionConfig::default()
    }
}

/// Saturday, 1 March 2025, 10:00 UTC.
pub(crate) const STARTED: i64 = 1_740_823_200_000;

pub(crate) fn memory(budget_tokens: usize) -> Driver {
    let mut memory = Driver::new(config(budget_tokens), BagOfWords::shared(), counter()).unwrap();
    memory.begin(start("s")).unwrap();
    memory
}

pub(crate) fn start(name: &str) -> StreamStart {
    StreamStart::new(name, Some(STARTED))
}

pub(crate) fn said(n: u64, speaker: &str, text: &str) -> Utterance {
    Utterance {
        id: format!("u{n}"),
        stream: "s".into(),
        speaker: Some(speaker.into()),
        span: Span::new(n * 4_000, n * 4_000 + 3_000),
        audio: None,
        confidence: None,
        text: text.into(),
    }
}

/// A session hears an utterance, and mounts what that completes.
pub(crate) fn hear_and_mount(session: &mut Session, utterance: Utterance) {
    let encoder = BagOfWords::shared();
    let vector = encoder.encode(&[&utterance.text]).unwrap().remove(0);
    session
        .apply(&Input::heard(utterance, vector.into()))
        .unwrap();
    while let Some(block) = session.next_block() {
        let distillate = Extractive.distil(&block, encoder.as_ref()).unwrap();
        session.apply(&Input::Mount(Box::new(distillate))).unwrap();
    }
}
