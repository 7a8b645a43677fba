//! Retrieval with a rewritten question.
//!
//! Follows "RQ-RAG: learning to refine queries for retrieval augmented generation" (Chan, Xu, Yuan,
//! Luo, Xue, Guo and Fu, 2024): a question is rewritten, decomposed and disambiguated before the
//! search, each refined query finds its own passages, and all of them form the context. Left out:
//! the trained model, replaced by rules, and the tree of trajectories from which a model's
//! confidence selects. Passages are found by vector and words, and rankings are fused.

use super::context::fill;
use super::extractive::rewrite;
use super::fuse::fused;
use super::rag::{Passages, Search};
use super::{HeardTurn, Method, MethodContext, Query, Recalled};
use anyhow::Result;
use std::sync::Arc;

/// Number of refined queries in addition to the question.
const QUERIES_MAX: usize = 3;

/// Turns, searched by several queries.
pub(crate) struct RqRag(Passages);

impl RqRag {
    /// An empty memory.
    pub(crate) fn new(kit: Arc<MethodContext>) -> Self {
        Self(Passages::new(kit, Search::Fused))
    }
}

impl Method for RqRag {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        self.0.push(heard)
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let mut queries = vec![query.text.to_owned()];
        queries.extend(rewrite(query.text, QUERIES_MAX));
        let mut found = Vec::new();
        for query in &queries {
            found.push(self.0.ranked(query)?.map(|(number, _)| number));
        }
        let ranked = fused(found).map(|(number, _)| number);
        Ok(fill(&self.0.flat, ranked, query.context_tokens))
    }

    fn stored_tokens(&self) -> usize {
        self.0.flat.tokens()
    }
}
