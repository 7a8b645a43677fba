//! What a driver of a memory is given, and what it gives back.

use crate::pipeline::driving::meters::Meters;
use crate::pipeline::driving::session_writer::SessionWriter;
use crate::pipeline::feed::FeedFigures;
use crate::pipeline::hearing::recognition::LiveStages;
use crate::pipeline::service::ask::AskSettings;
use std::sync::Arc;
use weir_core::answer::{Answerer, CheckClaim, Quote};
use weir_core::distil::{Distil, Extractive};
use weir_core::session::Session;
use weir_models::{CountTokens, Encode, Rerank};

/// Parts of a pipeline, or of the inline driver.
pub struct PipelineParts {
    /// The session and its storage.
    pub session_writer: SessionWriter,
    /// Computes vectors.
    pub encoder: Arc<dyn Encode>,
    /// Token counter of the session.
    pub counter: Arc<dyn CountTokens>,
    /// Distils blocks.
    pub distiller: Box<dyn Distil>,
    /// Answers from what was recalled.
    pub answerer: Box<dyn Answerer>,
    /// Reranks candidates, if requested.
    pub reranker: Option<Arc<dyn Rerank>>,
    /// Checks the claims of answers, if requested.
    pub check: Option<Box<dyn CheckClaim>>,
    /// Settings for questions that bring none.
    pub settings: AskSettings,
    /// Threads that decode speech before it is over, if the feed's recognition has them; the inline
    /// driver starts none.
    pub live: Option<LiveStages>,
}

impl PipelineParts {
    /// A session that distils and answers without a model, as nothing else is asked for.
    #[must_use]
    pub fn plain(
        session_writer: SessionWriter,
        encoder: Arc<dyn Encode>,
        counter: Arc<dyn CountTokens>,
    ) -> Self {
        Self {
            session_writer,
            encoder,
            counter,
            distiller: Box::new(Extractive),
            answerer: Box::new(Quote),
            reranker: None,
            check: None,
            settings: AskSettings::default(),
            live: None,
        }
    }
}

/// Result of a finished run.
pub struct Finished {
    /// The session as it was saved.
    pub session: Session,
    /// What was measured.
    pub meters: Meters,
    /// Utterances heard.
    pub turns: u64,
    /// Figures of the feed.
    pub figures: FeedFigures,
}
