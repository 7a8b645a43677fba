//! A tree of summaries over clusters of turns, searched as one flat collection.
//!
//! Follows "RAPTOR: recursive abstractive processing for tree-organized retrieval" (Sarthi,
//! Abdullah, Tuli, Khanna, Goldie and Manning, 2024): leaves are clustered by meaning, each cluster
//! is summarised, and the summaries are clustered again; a question is answered from the collapsed
//! tree. Left out: UMAP and the soft assignment of Gaussian mixtures, replaced by bisecting k-means
//! with clusters of the paper's average size; leaves are turns, not pieces of 100 tokens. The
//! paper's tree is built once; here it is rebuilt when the stream has grown by a given share, and
//! newer turns are found as leaves until then.

use super::cluster::clusters;
use super::context::Filling;
use super::flat::Flat;
use super::matrix::BestFirst;
use super::note::{Note, Notes};
use super::{Encode, HeardTurn, Method, MethodContext, Query, Recalled};
use anyhow::Result;
use std::sync::Arc;

/// Most children of a summary; clusters halved down to this size have 7 on average, the paper's
/// 6.7.
const CLUSTER_MAX: usize = 10;
/// Most tokens of a summary, and their share of its children's tokens: the paper's means.
const SUMMARY_TOKENS: usize = 131;
const SUMMARY_SHARE: f64 = 0.28;
/// Most layers of summaries, as in the authors' code.
const LAYERS_MAX: usize = 5;

/// A tree of summaries.
pub(crate) struct Raptor {
    flat: Flat,
    summaries: Notes,
    /// Turns when the tree was built.
    built: usize,
}

impl Raptor {
    pub(crate) fn new(kit: Arc<MethodContext>) -> Self {
        Self {
            summaries: Notes::new(kit.dimension()),
            flat: Flat::new(kit),
            built: 0,
        }
    }

    fn build(&mut self) -> Result<()> {
        self.summaries = Notes::new(self.flat.kit.dimension());
        // the turns below each summary
        let mut below: Vec<Vec<usize>> = Vec::new();
        let leaves = (0..self.flat.end()).collect();
        for turns in clusters(&self.flat.vectors, leaves, CLUSTER_MAX) {
            let said = self.flat.numbered(turns.iter().copied());
            let texts: Vec<String> = said.map(|(_, turn)| turn.said.clone()).collect();
            self.summarise(&texts, &turns)?;
            below.push(turns);
        }
        let mut layer = 0..below.len();
        for _ in 1..LAYERS_MAX {
            if layer.len() <= CLUSTER_MAX {
                break;
            }
            let numbers = layer.clone().collect();
            for members in clusters(&self.summaries.vectors, numbers, CLUSTER_MAX) {
                let notes = members.iter().map(|number| &self.summaries.notes[*number]);
                let texts: Vec<String> = notes.map(|note| note.text.clone()).collect();
                let turns: Vec<usize> = members.iter().flat_map(|n| &below[*n]).copied().collect();
                self.summarise(&texts, &turns)?;
                below.push(turns);
            }
            layer = layer.end..below.len();
        }
        self.built = self.flat.end();
        Ok(())
    }

    fn summarise(&mut self, texts: &[String], turns: &[usize]) -> Result<()> {
        let kit = &self.flat.kit;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let read: usize = texts.iter().map(|text| kit.counter.count(text)).sum();
        let tokens_max = SUMMARY_TOKENS.min((SUMMARY_SHARE * read as f64).ceil() as usize);
        let text = kit.writer.summarise(&texts, tokens_max)?;
        let vector = kit.encode_one(&text)?;
        let note = Note::of(kit, text, self.flat.numbered(turns.iter().copied()));
        self.summaries.push(note, &vector);
        Ok(())
    }
}

impl Method for Raptor {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        self.flat.push_encoded(heard)
    }

    fn settle(&mut self) -> Result<()> {
        if self.flat.has_grown(self.built) {
            self.build()?;
        }
        Ok(())
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let vector = self.flat.kit.encode_one(query.text)?;
        let turns = self.flat.vectors.nearest(&vector);
        // summaries are numbered after the turns, to rank both together
        let behind = self.flat.end();
        let summaries = self.summaries.vectors.nearest(&vector);
        let nodes = BestFirst::of(turns.chain(summaries.map(|(n, cosine)| (behind + n, cosine))));
        let mut filling = Filling::new(&self.flat, query.context_tokens);
        for (node, _) in nodes {
            if filling.is_full() {
                break;
            }
            match node.checked_sub(behind) {
                None => filling.turn(node),
                Some(summary) => filling.note(&self.summaries.notes[summary]),
            }
        }
        Ok(filling.recalled())
    }

    fn stored_tokens(&self) -> usize {
        self.flat.tokens + self.summaries.tokens()
    }
}
