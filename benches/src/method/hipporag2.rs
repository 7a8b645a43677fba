//! Turns found by a walk over phrases and passages.
//!
//! Follows "From RAG to memory: non-parametric continual learning for large language models"
//! (Jiménez Gutiérrez, Shu, Qi, Zhou and Su, 2025), HippoRAG 2: passage nodes are linked with their
//! phrases, phrases with those mentioned together and with their synonyms, and a personalised
//! PageRank starts at the phrases that match the question and, weakly, at all passages by their
//! vectors. Left out: triples and the recognition memory in which a language model filters them;
//! phrases of one turn count as related, and seeds are the phrases nearest to the question.

use super::context::fill;
use super::entities::Entities;
use super::flat::Flat;
use super::graph::Graph;
use super::matrix::BestFirst;
use super::{HeardTurn, Method, MethodContext, Query, Recalled};
use anyhow::Result;
use std::sync::Arc;

/// Cosine from which phrases are synonyms: as in the paper.
const SYNONYM_COSINE: f32 = 0.8;
/// Most synonyms linked per phrase.
const SYNONYMS_MAX: usize = 16;
/// Number of seed phrases, and their minimum similarity: the paper links the top five.
const SEEDS_MAX: usize = 5;
const SEED_COSINE_MIN: f32 = 0.5;
/// Weight of a passage as a seed relative to a phrase: as in the paper.
const PASSAGE_WEIGHT: f32 = 0.05;
/// Damping of the walk: as in the authors' code.
const DAMPING: f32 = 0.5;
/// With a damping of one half, the remainder after this many steps is below a millionth.
const ITERATIONS: usize = 20;

/// Phrases and passages in one graph.
pub(crate) struct HippoRag {
    flat: Flat,
    entities: Entities,
    /// Synonyms found so far, and the first phrase without them.
    synonyms: Vec<(usize, usize, f32)>,
    linked: usize,
    /// This many passages, then phrases.
    graph: Graph,
    passages: usize,
}

impl HippoRag {
    pub(crate) fn new(kit: Arc<MethodContext>) -> Self {
        Self {
            flat: Flat::new(Arc::clone(&kit)),
            entities: Entities::new(kit),
            synonyms: Vec::new(),
            linked: 0,
            graph: Graph::default(),
            passages: 0,
        }
    }

    fn link_synonyms(&mut self) {
        let new = self.linked..self.entities.turns.len();
        let near = self
            .entities
            .vectors
            .nearest_earlier(new.clone(), SYNONYMS_MAX);
        for (phrase, near) in new.zip(near) {
            let alike = near.into_iter().filter(|(_, cos)| *cos >= SYNONYM_COSINE);
            self.synonyms
                .extend(alike.map(|(other, cosine)| (phrase, other, cosine)));
        }
        self.linked = self.entities.turns.len();
    }

    fn build(&mut self) {
        self.passages = self.flat.end();
        let passages = self.passages;
        let of_turns = self.entities.of_turns.iter().enumerate();
        let said = of_turns.flat_map(|(turn, phrases)| {
            phrases
                .iter()
                .map(move |phrase| (turn, passages + phrase, 1.0))
        });
        let together = self.entities.pairs().map(|(a, b)| (a, b, 1.0));
        let related = together.chain(self.synonyms.iter().copied());
        let related = related.map(|(a, b, weight)| (passages + a, passages + b, weight));
        self.graph = Graph::of(passages + self.entities.turns.len(), said.chain(related));
    }

    /// The weighted start nodes of a walk; none if no phrase matches the question.
    fn seeds(&self, question: &str, cosines: &[f32]) -> Result<Vec<(usize, f32)>> {
        let passages = self.passages;
        let meant = self.entities.meant(question, SEED_COSINE_MIN, SEEDS_MAX)?;
        let meant = meant.into_iter();
        let known = meant.filter(|(phrase, _)| passages + phrase < self.graph.len());
        let rare = |phrase: usize| self.entities.turns[phrase].len().max(1) as f32;
        let known = known.map(|(phrase, cosine)| (passages + phrase, cosine / rare(phrase)));
        let mut seeds: Vec<(usize, f32)> = known.collect();
        if seeds.is_empty() {
            return Ok(seeds);
        }
        let most = cosines.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let least = cosines.iter().copied().fold(f32::INFINITY, f32::min);
        let share = |cosine: f32| (cosine - least) / (most - least).max(f32::EPSILON);
        let passages = cosines.iter().enumerate().take(passages);
        seeds.extend(passages.map(|(turn, cosine)| (turn, PASSAGE_WEIGHT * share(*cosine))));
        Ok(seeds)
    }
}

impl Method for HippoRag {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        self.flat.push_encoded(heard)?;
        self.entities.push(heard.said)
    }

    fn settle(&mut self) -> Result<()> {
        if self.passages < self.flat.end() {
            self.link_synonyms();
            self.build();
        }
        Ok(())
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let vector = self.flat.kit.encode_one(query.text)?;
        let cosines: Vec<f32> = self.flat.vectors.cosines(&vector);
        let seeds = self.seeds(query.text, &cosines)?;
        let mut scores: Vec<(usize, f32)> = cosines.into_iter().enumerate().collect();
        if !seeds.is_empty() {
            let ranks = self.graph.pagerank(&seeds, DAMPING, ITERATIONS);
            for (turn, score) in &mut scores {
                // a turn added after the graph was built is not a node of it
                let known = *turn < self.passages;
                *score = if known { ranks[*turn] } else { 0.0 };
            }
        }
        let ranked = BestFirst::of(scores).map(|(turn, _)| turn);
        Ok(fill(&self.flat, ranked, query.context_tokens))
    }

    fn stored_tokens(&self) -> usize {
        self.flat.tokens
    }
}
