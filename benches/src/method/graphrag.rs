//! Entities, reports on their communities, and retrieval from the entities of a question.
//!
//! Follows "From local to global: a graph RAG approach to query-focused summarization" (Edge et
//! al., 2024) and the local search of its code: entities mentioned together are linked, communities
//! of entities are found and summarised in reports, and a question's entities lead to reports and
//! passages. Left out: descriptions of entities and relations, and claims, which need a language
//! model; global search; levels of communities. Louvain replaces Leiden. Passages are ranked by the
//! entities that they share with the question, rare ones first, and a little by their vectors; the
//! authors' code counts relations instead.

use super::context::Filling;
use super::entities::Entities;
use super::flat::Flat;
use super::graph::Graph;
use super::matrix::BestFirst;
use super::note::Note;
use super::{HeardTurn, Method, MethodContext, Query, Recalled};
use anyhow::Result;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Entities matched per question: as in the authors' code.
const ENTITIES_MAX: usize = 10;
const ENTITY_COSINE_MIN: f32 = 0.5;
/// Share of a context for reports: as in the authors' code.
const REPORTS_SHARE: f64 = 0.15;
/// Tokens of a report, minimum entities of a community for a report, turns read for a report.
const REPORT_TOKENS: usize = 128;
const COMMUNITY_MIN: usize = 3;
const REPORT_TURNS_MAX: usize = 30;
/// Weight of a turn's similarity to the question relative to shared entities.
const TIE_WEIGHT: f32 = 0.1;

/// A graph of entities with reports on its communities.
pub(crate) struct GraphRag {
    flat: Flat,
    entities: Entities,
    reports: Vec<Note>,
    /// Number of the report on each entity's community.
    report_of: Vec<Option<usize>>,
    /// Turns when communities were last found.
    built: usize,
}

impl GraphRag {
    pub(crate) fn new(kit: Arc<MethodContext>) -> Self {
        Self {
            reports: Vec::new(),
            flat: Flat::new(Arc::clone(&kit)),
            entities: Entities::new(kit),
            report_of: Vec::new(),
            built: 0,
        }
    }

    fn build(&mut self) -> Result<()> {
        let edges = self.entities.pairs().map(|(a, b)| (a, b, 1.0));
        let graph = Graph::of(self.entities.turns.len(), edges);
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (entity, community) in graph.communities().into_iter().enumerate() {
            members.entry(community).or_default().push(entity);
        }
        self.reports.clear();
        self.report_of = vec![None; self.entities.turns.len()];
        members.retain(|_, all| all.len() >= COMMUNITY_MIN);
        for entities in members.into_values() {
            for entity in &entities {
                self.report_of[*entity] = Some(self.reports.len());
            }
            self.reports.push(self.report(&entities)?);
        }
        self.built = self.flat.end();
        Ok(())
    }

    /// A report on a community, from the turns that mention most of it.
    fn report(&self, entities: &[usize]) -> Result<Note> {
        let mut mentions: BTreeMap<usize, f32> = BTreeMap::new();
        for turn in entities.iter().flat_map(|n| &self.entities.turns[*n]) {
            *mentions.entry(*turn).or_default() += 1.0;
        }
        let most = BestFirst::of(mentions).take(REPORT_TURNS_MAX);
        let mut turns: Vec<usize> = most.map(|(turn, _)| turn).collect();
        turns.sort_unstable();
        let sources = self.flat.numbered(turns.iter().copied());
        Note::summary(&self.flat.kit, sources, REPORT_TOKENS)
    }
}

impl Method for GraphRag {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        self.flat.push_encoded(heard)?;
        self.entities.push(heard.said)
    }

    fn settle(&mut self) -> Result<()> {
        if self.flat.has_grown(self.built) {
            self.build()?;
        }
        Ok(())
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let (text, tokens_max) = (query.text, query.context_tokens);
        let meant = self.entities.meant(text, ENTITY_COSINE_MIN, ENTITIES_MAX)?;
        let mut reports: BTreeMap<usize, f32> = BTreeMap::new();
        let mut turns: BTreeMap<usize, f32> = BTreeMap::new();
        for (entity, cosine) in &meant {
            if let Some(Some(report)) = self.report_of.get(*entity) {
                *reports.entry(*report).or_default() += cosine;
            }
            // entities mentioned everywhere are not specific
            let mentioned = &self.entities.turns[*entity];
            let weight = cosine / (1.0 + mentioned.len() as f32).ln();
            for turn in mentioned {
                *turns.entry(*turn).or_default() += weight;
            }
        }
        let mut filling = Filling::new(&self.flat, tokens_max);
        let mut for_reports = (REPORTS_SHARE * tokens_max as f64) as usize;
        for (number, _) in BestFirst::of(reports) {
            let report = &self.reports[number];
            if report.tokens <= for_reports {
                for_reports -= report.tokens;
                filling.note(report);
            }
        }
        let vector = self.flat.kit.encode_one(text)?;
        let cosines = self.flat.vectors.cosines(&vector).into_iter().enumerate();
        let scored = cosines.map(|(at, cosine)| {
            let shared = turns.get(&at).copied().unwrap_or(0.0);
            (at, shared + TIE_WEIGHT * cosine)
        });
        filling.turns(BestFirst::of(scored).map(|(turn, _)| turn));
        Ok(filling.recalled())
    }

    fn stored_tokens(&self) -> usize {
        self.flat.tokens + self.reports.iter().map(|note| note.tokens).sum::<usize>()
    }
}
