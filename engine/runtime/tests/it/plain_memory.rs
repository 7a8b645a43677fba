//! A session and a pipeline without models, for the tests of feeds and threads.

use std::sync::Arc;
use weir_core::answer::Quote;
use weir_core::config::{EncoderProfile, SessionConfig};
use weir_core::distil::Extractive;
use weir_core::session::{EncoderStamp, Session};
use weir_engine::pipeline::{AskSettings, PipelineParts, SessionWriter};
use weir_models::{WordHashEncoder, WordPieceCounter};

/// An empty session with vectors of words.
pub(crate) fn session() -> Session {
    let encoder = WordHashEncoder::new();
    let config = SessionConfig {
        profile: EncoderProfile::word_hash(),
        ..SessionConfig::default()
    };
    let counter = Arc::new(WordPieceCounter::shared());
    Session::new(config, EncoderStamp::of(&encoder), counter).expect("in range")
}

/// A pipeline around it that distils and quotes without models.
pub(crate) fn parts() -> PipelineParts {
    PipelineParts {
        session_writer: SessionWriter::in_memory(session()),
        encoder: Arc::new(WordHashEncoder::new()),
        counter: Arc::new(WordPieceCounter::shared()),
        distiller: Box::new(Extractive),
        answerer: Box::new(Quote),
        reranker: None,
        settings: AskSettings::default(),
        live: None,
    }
}
