//! Retrieval of turns: by vector, by words, and by both.
//!
//! Follows "Retrieval-augmented generation for knowledge-intensive NLP tasks" (Lewis et al., 2020)
//! for the context, BM25 (Robertson et al., 1995) and reciprocal rank fusion (Cormack et al., 2009)
//! for the search. A turn is a passage. Left out: a trained retriever; the encoder is the one that
//! all methods share.

use super::context::fill;
use super::flat::Flat;
use super::fuse::fused;
use super::lexical::Lexical;
use super::matrix::BestFirst;
use super::{HeardTurn, Method, MethodContext, Query, Recalled};
use anyhow::Result;
use std::sync::Arc;

/// How turns are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Search {
    /// Cosine of vectors.
    Dense,
    /// BM25.
    Words,
    /// Both, by reciprocal rank fusion.
    Fused,
}

/// Turns with the search indexes.
pub(crate) struct Passages {
    search: Search,
    /// The turns.
    pub(crate) flat: Flat,
    lexical: Lexical,
}

impl Passages {
    /// An empty store.
    pub(crate) fn new(kit: Arc<MethodContext>, search: Search) -> Self {
        Self {
            search,
            flat: Flat::new(kit),
            lexical: Lexical::default(),
        }
    }

    /// Adds a turn.
    pub(crate) fn push(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        match self.search {
            Search::Words => self.flat.push(heard),
            Search::Dense | Search::Fused => self.flat.push_encoded(heard)?,
        }
        if self.search != Search::Dense {
            self.lexical.push(heard.said);
        }
        Ok(())
    }

    /// Turns for a question, best first.
    pub(crate) fn ranked(&self, question: &str) -> Result<BestFirst> {
        if self.search == Search::Words {
            return Ok(self.lexical.ranked(question));
        }
        let vector = self.flat.kit().encode_one(question)?;
        let near = self.flat.vectors().nearest(&vector);
        if self.search == Search::Dense {
            return Ok(near);
        }
        Ok(fused(
            [near, self.lexical.ranked(question)].map(|found| found.map(|(n, _)| n)),
        ))
    }
}

/// Plain retrieval of turns.
pub(crate) struct Rag(Passages);

impl Rag {
    /// An empty memory.
    pub(crate) fn new(kit: Arc<MethodContext>, search: Search) -> Self {
        Self(Passages::new(kit, search))
    }
}

impl Method for Rag {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        self.0.push(heard)
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let ranked = self.0.ranked(query.text)?.map(|(number, _)| number);
        Ok(fill(&self.0.flat, ranked, query.context_tokens))
    }

    fn stored_tokens(&self) -> usize {
        self.0.flat.tokens()
    }
}
