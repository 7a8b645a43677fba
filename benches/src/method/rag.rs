//! Retrieval of turns: by vector, by words, and by both.
//!
//! Follows "Retrieval-augmented generation for knowledge-intensive NLP tasks" (Lewis et al., 2020)
//! for the context, BM25 (Robertson et al., 1995) and reciprocal rank fusion (Cormack, Clarke and
//! Buettcher, 2009) for the search. A turn is a passage. Left out: a trained retriever; the encoder
//! is the one that all methods share.
//!
//! Refined queries follow "RQ-RAG: learning to refine queries for retrieval augmented generation"
//! (Chan, Xu, Yuan, Luo, Xue, Guo and Fu, 2024): a question is rewritten, decomposed and
//! disambiguated before the search, each refined query finds its own passages, and all of them form
//! the context. Left out: the trained model, replaced by any model or by rules, and the tree of
//! trajectories from which a model's confidence selects. Passages are found by vector and words,
//! and rankings are fused.

use super::context::fill;
use super::flat::Flat;
use super::lexical::Lexical;
use super::matrix::BestFirst;
use super::{HeardTurn, Method, MethodContext, Query, Recalled};
use anyhow::Result;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The constant of the paper on fusion, and length of each ranking that is used.
const K: f32 = 60.0;
const DEPTH: usize = 1000;

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
    pub(crate) fn new(kit: Arc<MethodContext>, search: Search) -> Self {
        Self {
            search,
            flat: Flat::new(kit),
            lexical: Lexical::default(),
        }
    }

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
        let vector = self.flat.kit.encode_one(question)?;
        let near = self.flat.vectors.nearest(&vector);
        if self.search == Search::Dense {
            return Ok(near);
        }
        let rankings = [near, self.lexical.ranked(question)];
        Ok(fused(rankings.map(|found| found.map(|(n, _)| n))))
    }
}

/// Fuses rankings: each adds the weight `1 / (60 + rank)` to a number, ranks counted from 1.
fn fused(rankings: impl IntoIterator<Item = impl IntoIterator<Item = usize>>) -> BestFirst {
    let mut scores: BTreeMap<usize, f32> = BTreeMap::new();
    for ranking in rankings {
        for (at, number) in ranking.into_iter().take(DEPTH).enumerate() {
            *scores.entry(number).or_default() += 1.0 / (K + (at + 1) as f32);
        }
    }
    BestFirst::of(scores)
}

/// Retrieval of turns, by the question and by this many queries refined from it.
pub(crate) struct Rag {
    passages: Passages,
    refined: usize,
}

impl Rag {
    pub(crate) fn new(kit: Arc<MethodContext>, search: Search, refined: usize) -> Self {
        let passages = Passages::new(kit, search);
        Self { passages, refined }
    }
}

impl Method for Rag {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        self.passages.push(heard)
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let flat = &self.passages.flat;
        let ranked = |query: &str| Ok(self.passages.ranked(query)?.map(|(number, _)| number));
        let first = ranked(query.text)?;
        if self.refined == 0 {
            return Ok(fill(flat, first, query.context_tokens));
        }
        let refined = flat.kit.writer.rewrite(query.text, self.refined)?;
        let others: Result<Vec<_>> = refined.iter().map(|query| ranked(query)).collect();
        let ranked = fused([first].into_iter().chain(others?)).map(|(number, _)| number);
        Ok(fill(flat, ranked, query.context_tokens))
    }

    fn stored_tokens(&self) -> usize {
        self.passages.flat.tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_add_up_as_by_hand() {
        // 7: 1/61 + 1/63; 8: 1/62 + 1/61; 9: 1/63 + 1/62
        let found: Vec<(usize, f32)> = fused([vec![7, 8, 9], vec![8, 9, 7]]).collect();
        let order: Vec<usize> = found.iter().map(|(n, _)| *n).collect();
        assert_eq!(order, [8, 7, 9]);
        for ((_, score), by_hand) in found.iter().zip([0.032_523, 0.032_266, 0.032_002]) {
            assert!((score - by_hand).abs() < 1e-6, "{score} {by_hand}");
        }
        // one ranking only, and ties in number order
        let order: Vec<usize> = fused([vec![5], vec![3]]).map(|(n, _)| n).collect();
        assert_eq!(order, [3, 5]);
    }
}
