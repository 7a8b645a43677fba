//! Turns found by a walk over phrases and passages.
//!
//! Follows "From RAG to memory: non-parametric continual learning for large language models"
//! (Jiménez Gutiérrez, Shu, Qi, Zhou and Su, 2025), HippoRAG 2: passage nodes are linked with their
//! phrases, phrases with those mentioned together and with their synonyms, and a personalised
//! PageRank starts at the phrases that match the question and, weakly, at all passages by their
//! vectors. Left out: triples and the recognition memory in which a language model filters them;
//! phrases of one turn count as related, and seeds are the phrases nearest to the question. Among
//! very many phrases, the search for synonyms is approximate, see [`super::cells`].

use super::cells::Cells;
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
pub struct HippoRag {
    flat: Flat,
    entities: Entities,
    /// Synonyms found so far, and the first phrase without them.
    synonyms: Vec<(usize, usize, f32)>,
    linked: usize,
    cells: Cells,
    /// Passages of `graph_first..graph_end`, then phrases.
    graph: Graph,
    graph_first: usize,
    graph_end: usize,
    dirty: bool,
}

impl HippoRag {
    /// An empty memory.
    #[must_use]
    pub fn new(kit: Arc<MethodContext>) -> Self {
        Self {
            flat: Flat::new(Arc::clone(&kit)),
            entities: Entities::new(kit),
            synonyms: Vec::new(),
            linked: 0,
            cells: Cells::default(),
            graph: Graph::default(),
            graph_first: 0,
            graph_end: 0,
            dirty: false,
        }
    }

    fn link_synonyms(&mut self) {
        if let Some(moved) = self.entities.compact() {
            let renumbered =
                |(a, b, cosine): &(usize, usize, f32)| Some((moved[*a]?, moved[*b]?, *cosine));
            self.synonyms = self.synonyms.iter().filter_map(renumbered).collect();
            self.cells = Cells::default();
            self.linked = moved[..self.linked].iter().flatten().count();
        }
        let new = self.linked..self.entities.len();
        let vectors = self.entities.vectors();
        for (phrase, near) in self.cells.nearest_earlier(vectors, new, SYNONYMS_MAX) {
            let alike = near
                .into_iter()
                .filter(|(_, cosine)| *cosine >= SYNONYM_COSINE);
            self.synonyms
                .extend(alike.map(|(other, cosine)| (phrase, other, cosine)));
        }
        self.linked = self.entities.len();
    }

    fn build(&mut self) {
        (self.graph_first, self.graph_end) = (self.flat.first(), self.flat.end());
        let passages = self.graph_end - self.graph_first;
        let phrase = |number: usize| (passages + number) as u32;
        let mut edges = Vec::new();
        for turn in self.graph_first..self.graph_end {
            let passage = (turn - self.graph_first) as u32;
            let phrases = self.entities.of_turn(turn).iter();
            edges.extend(phrases.map(|number| (passage, phrase(*number), 1.0)));
        }
        let together = self.entities.pairs();
        edges.extend(together.map(|(a, b)| (phrase(a), phrase(b), 1.0)));
        let alike = self.synonyms.iter();
        edges.extend(alike.map(|(a, b, cosine)| (phrase(*a), phrase(*b), *cosine)));
        self.graph = Graph::of(passages + self.entities.len(), edges);
    }

    /// The weighted start nodes of a walk; `None` if no phrase matches the question.
    fn seeds(&self, question: &str, cosines: &[f32]) -> Result<Vec<(usize, f32)>> {
        let passages = self.graph_end - self.graph_first;
        let meant = self.entities.meant(question, SEED_COSINE_MIN, SEEDS_MAX)?;
        let known = meant
            .into_iter()
            .filter(|(phrase, _)| passages + phrase < self.graph.len());
        let rare = |phrase: usize| self.entities.turns(phrase).len().max(1) as f32;
        let mut seeds: Vec<(usize, f32)> = known
            .map(|(phrase, cosine)| (passages + phrase, cosine / rare(phrase)))
            .collect();
        if seeds.is_empty() {
            return Ok(seeds);
        }
        let most = cosines.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let least = cosines.iter().copied().fold(f32::INFINITY, f32::min);
        let share = |cosine: f32| (cosine - least) / (most - least).max(f32::EPSILON);
        let first = self.flat.first();
        for turn in self.graph_first.max(first)..self.graph_end {
            let weight = PASSAGE_WEIGHT * share(cosines[turn - first]);
            seeds.push((turn - self.graph_first, weight));
        }
        Ok(seeds)
    }
}

impl Method for HippoRag {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        self.flat.push_encoded(heard)?;
        self.entities.push(heard.said)?;
        let entities = &mut self.entities;
        self.flat.forget_to_fit(|_, _| entities.forget_oldest());
        self.dirty = true;
        Ok(())
    }

    fn settle(&mut self) -> Result<()> {
        if std::mem::take(&mut self.dirty) {
            self.link_synonyms();
            self.build();
        }
        Ok(())
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let vector = self.flat.kit().encode_one(query.text)?;
        let cosines: Vec<f32> = self.flat.vectors().cosines(&vector);
        let seeds = self.seeds(query.text, &cosines)?;
        let first = self.flat.first();
        let mut scores: Vec<(usize, f32)> = (first..self.flat.end()).zip(cosines).collect();
        if !seeds.is_empty() {
            let ranks = self.graph.pagerank(&seeds, DAMPING, ITERATIONS);
            for (turn, score) in &mut scores {
                // a turn added after the graph was built is not a node of it
                let node = turn.checked_sub(self.graph_first);
                let node = node.filter(|_| *turn < self.graph_end);
                *score = node.map_or(0.0, |node| ranks[node]);
            }
        }
        let ranked = BestFirst::of(scores).map(|(turn, _)| turn);
        Ok(fill(&self.flat, ranked, query.context_tokens))
    }

    fn held(&self) -> Option<Vec<String>> {
        self.flat.held()
    }

    fn stored_tokens(&self) -> usize {
        self.flat.tokens()
    }

    fn stored_bytes(&self) -> usize {
        let synonyms = self.synonyms.len() * size_of::<(usize, usize, f32)>();
        self.flat.bytes() + self.entities.bytes() + synonyms + self.graph.bytes()
    }
}
