//! Retrieval of turns: by vector, by words, and by both.
//!
//! Follows "Retrieval-augmented generation for knowledge-intensive NLP tasks" (Lewis et al., 2020)
//! for the context, BM25 (Robertson et al., 1995) and reciprocal rank fusion (Cormack et al., 2009)
//! for the search. A turn is a passage. Left out: a trained retriever; the encoder is the one that
//! all methods share.

use super::context::fill;
use super::flat::Flat;
use super::lexical::Lexical;
use super::ranking::{BestFirst, fused};
use super::{HeardTurn, Method, MethodContext, Query, Recalled};
use anyhow::Result;
use std::sync::Arc;
use weir_core::vectors::dot;

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

/// Plain retrieval of turns.
pub(crate) struct Rag {
    search: Search,
    flat: Flat,
    lexical: Lexical,
    /// Number of the first turn in `lexical`.
    lexical_first: usize,
}

impl Rag {
    /// An empty memory.
    pub(crate) fn new(kit: Arc<MethodContext>, search: Search) -> Self {
        Self {
            search,
            flat: Flat::new(kit),
            lexical: Lexical::default(),
            lexical_first: 0,
        }
    }

    /// Turns for a question, best first.
    fn ranked(&self, question: &str) -> Result<BestFirst> {
        Ok(match self.search {
            Search::Dense => self.by_vectors(question)?,
            Search::Words => self.by_words(question),
            Search::Fused => fused([self.by_vectors(question)?, self.by_words(question)]),
        })
    }

    fn by_vectors(&self, question: &str) -> Result<BestFirst> {
        let asked = self.flat.kit().encode_one(question)?;
        let turns = self.flat.turns();
        Ok(BestFirst::of(
            turns.map(|(number, turn)| (number, dot(&turn.vector, &asked))),
        ))
    }

    fn by_words(&self, question: &str) -> BestFirst {
        let found = self.lexical.scores(question);
        BestFirst::of(found.map(|(text, score)| (self.lexical_first + text, score)))
    }
}

impl Method for Rag {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        let vector = match self.search {
            Search::Words => Vec::new(),
            Search::Dense | Search::Fused => self.flat.kit().encode_one(heard.said)?,
        };
        self.flat.push(heard, vector);
        if self.search != Search::Dense {
            self.lexical.push(heard.said);
        }
        Ok(())
    }

    /// The index of words cannot forget: it is built again from the turns that remain.
    fn settle(&mut self) -> Result<()> {
        if self.search != Search::Dense && self.lexical_first < self.flat.first() {
            self.lexical = Lexical::default();
            self.lexical_first = self.flat.first();
            for (_, turn) in self.flat.turns() {
                self.lexical.push(&turn.said);
            }
        }
        Ok(())
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let ranked = self.ranked(query.text)?.map(|(number, _)| number);
        Ok(fill(&self.flat, ranked, query.context_tokens))
    }

    fn held(&self) -> Option<Vec<String>> {
        self.flat.held()
    }

    fn stored_tokens(&self) -> usize {
        self.flat.tokens()
    }
}
