//! Turns found at several granularities, weighted by the certainty of each.
//!
//! Follows "From single to multi-granularity: toward long-term memory association and selection of
//! conversational agents" (Xu et al., 2025), MemGAS: a session is stored as its turns, as a whole,
//! as a summary and as keywords; a new session is associated with the earlier ones that a mixture
//! of two Gaussians classifies as near; a router weights the granularities by the entropy of their
//! similarities to the question, and a personalised PageRank spreads the scores over the
//! associations. Left out: the language model that filters the results. Sessions end at pauses and
//! at a maximum number of turns. The retrieved unit is the turn, ranked by its own similarity and
//! its session's, where the paper retrieves whole sessions.

mod mixture;
mod router;

use super::blocks::Blocks;
use super::cluster::mean;
use super::context::fill;
use super::flat::Flat;
use super::graph::Graph;
use super::matrix::{BestFirst, Matrix};
use super::note::{Note, Notes};
use super::{Encode, HeardTurn, Method, MethodContext, Query, Recalled};
use anyhow::Result;
use std::ops::Range;
use std::sync::Arc;

/// Most turns of a session.
const SESSION_TURNS: usize = 20;
/// Most tokens of a session's summary, and most keywords.
const SUMMARY_TOKENS: usize = 96;
const KEYWORDS_MAX: usize = 10;
/// Most associations of a session with earlier ones.
const ASSOCIATIONS_MAX: usize = 16;
/// Sessions that seed the walk, and parameters of the walk.
const SEEDS_MAX: usize = 10;
const DAMPING: f32 = 0.5;
const ITERATIONS: usize = 20;
/// Weight of a turn's own similarity relative to its session's.
const TURN_WEIGHT: f32 = 2.0;
/// Weight of the walk's scores.
const ASSOCIATION_WEIGHT: f32 = 0.5;

/// Sessions at four granularities.
pub(crate) struct MemGas {
    flat: Flat,
    blocks: Blocks,
    /// Summaries and keywords of sessions; both use the session's number.
    summaries: Notes,
    keywords: Notes,
    /// Turns of the sessions.
    sessions: Vec<Range<usize>>,
    /// Sessions with earlier ones, and their similarity.
    near: Vec<(usize, usize, f32)>,
    /// Means of the turns of the sessions.
    means: Matrix,
    graph: Graph,
}

impl MemGas {
    pub(crate) fn new(kit: Arc<MethodContext>) -> Self {
        let dimension = kit.dimension();
        Self {
            flat: Flat::new(kit),
            blocks: Blocks::new(SESSION_TURNS),
            summaries: Notes::new(dimension),
            keywords: Notes::new(dimension),
            sessions: Vec::new(),
            near: Vec::new(),
            means: Matrix::new(dimension),
            graph: Graph::default(),
        }
    }

    /// Stores a finished session at all granularities.
    fn keep(&mut self, turns: Option<Range<usize>>) -> Result<()> {
        let Some(turns) = turns else {
            return Ok(());
        };
        let kit = Arc::clone(&self.flat.kit);
        let stored = self.flat.numbered(turns.clone());
        let texts: Vec<&str> = stored.clone().map(|(_, turn)| &*turn.said).collect();
        let words = kit.writer.phrases(&texts.join("\n"), KEYWORDS_MAX)?;
        let words = words.join(", ");
        let summary = Note::summary(&kit, stored.clone(), SUMMARY_TOKENS)?;
        let vectors = kit.encode(&[&summary.text, &words])?;
        let words = Note::of(&kit, words, stored);
        let mean = mean(turns.clone().map(|turn| self.flat.vectors.row(turn)));
        let cosines = self.means.cosines(&mean);
        let near = mixture::nearer(&cosines).into_iter();
        let near = BestFirst::of(near.map(|at| (at, cosines[at]))).take(ASSOCIATIONS_MAX);
        let session = self.sessions.len();
        self.near
            .extend(near.map(|(other, cosine)| (session, other, cosine)));
        self.summaries.push(summary, &vectors[0]);
        self.keywords.push(words, &vectors[1]);
        self.means.push(&mean);
        self.sessions.push(turns);
        Ok(())
    }

    /// The score of each session at each granularity; for turns the best turn counts.
    fn likeness(&self, question: &[f32], turns: &[f32]) -> [Vec<f32>; 4] {
        let best = |session: &Range<usize>| {
            let of_session = turns[session.clone()].iter().copied();
            of_session.fold(-1.0, f32::max)
        };
        [
            self.sessions.iter().map(best).collect(),
            self.means.cosines(question),
            self.summaries.vectors.cosines(question),
            self.keywords.vectors.cosines(question),
        ]
    }

    /// Relevance of each session to the question, at most 1.
    fn relevance(&self, scores: &[f32]) -> Vec<f32> {
        let numbered = scores.iter().copied().enumerate();
        let best = BestFirst::of(numbered).take(SEEDS_MAX);
        let seeds: Vec<(usize, f32)> = best.map(|(at, score)| (at, score.max(0.0))).collect();
        let ranks = self.graph.pagerank(&seeds, DAMPING, ITERATIONS);
        let of = |at: usize| ranks.get(at).copied().unwrap_or(0.0);
        let found: Vec<f32> = (0..scores.len()).map(of).collect();
        let most = found.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        found.iter().map(|rank| rank / most).collect()
    }
}

impl Method for MemGas {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        self.flat.push_encoded(heard)?;
        let full = self.blocks.push();
        self.keep(full)
    }

    fn pause(&mut self, _resumes_at_unix_ms: Option<i64>) -> Result<()> {
        let closed = self.blocks.close();
        self.keep(closed)
    }

    fn settle(&mut self) -> Result<()> {
        self.graph = Graph::of(self.sessions.len(), self.near.iter().copied());
        Ok(())
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let question = self.flat.kit.encode_one(query.text)?;
        let turns: Vec<f32> = self.flat.vectors.cosines(&question);
        let likeness = self.likeness(&question, &turns);
        let routed = router::mixed(&likeness);
        let relevance = self.relevance(&routed);
        let mut scores: Vec<f32> = router::standardised(&turns);
        scores.iter_mut().for_each(|score| *score *= TURN_WEIGHT);
        for (at, session) in self.sessions.iter().enumerate() {
            let shared = routed[at] + ASSOCIATION_WEIGHT * relevance[at];
            let turns = scores[session.clone()].iter_mut();
            turns.for_each(|score| *score += shared);
        }
        let ranked = BestFirst::of(scores.into_iter().enumerate()).map(|(turn, _)| turn);
        Ok(fill(&self.flat, ranked, query.context_tokens))
    }

    fn stored_tokens(&self) -> usize {
        self.flat.tokens + self.summaries.tokens() + self.keywords.tokens()
    }
}
