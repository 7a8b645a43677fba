//! A small memory, and questions, for the tests of recall.

use super::network::DIMENSION;
use crate::answer::Question;
use crate::config::{EncoderProfile, RecallPolicy, SessionConfig};
use crate::driver::Driver;
use crate::stream::{Span, StreamStart, Utterance};
use std::sync::Arc;
use weir_models::testing::PlainReader;
use weir_models::{Encode, EncodeError, EncoderIdentity, SpaceCounter, WordHashEncoder};

/// A memory that heard these statements, `(speaker, text)`.
pub(super) fn told(said: &[(&str, &str)]) -> Driver {
    told_by(RecallPolicy::default(), said)
}

/// The same, searched in a given way.
pub(super) fn told_by(recall: RecallPolicy, said: &[(&str, &str)]) -> Driver {
    let config = SessionConfig {
        profile: EncoderProfile::word_hash(),
        recall,
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

/// An encoder that knows the vectors of some texts; all others have none.
pub(super) struct Known(EncoderIdentity, Vec<(String, Vec<f32>)>);

impl Known {
    /// A memory that is empty, with an encoder of this name.
    pub(super) fn memory(name: &str, texts: Vec<(String, Vec<f32>)>) -> Driver {
        let identity = EncoderIdentity {
            name: name.to_owned(),
            digest: "golden".to_owned(),
        };
        let encoder = Arc::new(Self(identity, texts));
        Driver::new(SessionConfig::default(), encoder, Arc::new(SpaceCounter)).expect("legal")
    }
}

impl Encode for Known {
    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn identity(&self) -> &EncoderIdentity {
        &self.0
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        let of = |text: &&str| {
            let known = self.1.iter().find(|(known, _)| known == text);
            known.map_or(vec![0.0; DIMENSION], |(_, vector)| vector.clone())
        };
        Ok(texts.iter().map(of).collect())
    }
}

pub(super) fn question(text: &str) -> Question {
    let encoded = WordHashEncoder::new().encode_for_search(&[text]);
    Question::new(text, encoded.expect("encoded").remove(0), None)
}
