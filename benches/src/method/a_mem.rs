//! Notes with links to related notes.
//!
//! Follows "A-MEM: agentic memory for LLM agents" (Xu, Liang, Mei, Gao, Tan and Zhang, 2025): each
//! turn becomes a note with keywords, and both are embedded together; a new note is linked with the
//! nearest earlier ones; a question finds the nearest notes and the notes linked with them. Left
//! out: tags and the description of a note's context, and the evolution step in which a language
//! model rewrites linked notes; links are decided by cosine.

use super::context::fill;
use super::flat::Flat;
use super::{HeardTurn, Method, MethodContext, Query, Recalled};
use anyhow::Result;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Keywords of a note.
const KEYWORDS_MAX: usize = 5;
/// Nearest earlier notes considered for links: the paper's five.
const LINKS_MAX: usize = 5;
/// Cosine from which two notes are linked.
const LINK_COSINE_MIN: f32 = 0.65;
/// Notes whose links are followed: the paper's ten.
const FOLLOWED: usize = 10;
/// Notes linked in one batch, in one pass over the earlier ones.
const LINKED_AT_ONCE: usize = 256;

/// Notes with links.
pub(crate) struct AMem {
    /// The turns, with the vectors of the notes: text and keywords.
    flat: Flat,
    keyword_tokens: usize,
    /// Links of each note to earlier ones; the last notes have none yet.
    links: Vec<Vec<usize>>,
}

impl AMem {
    pub(crate) fn new(kit: Arc<MethodContext>) -> Self {
        Self {
            flat: Flat::new(kit),
            keyword_tokens: 0,
            links: Vec::new(),
        }
    }

    /// Links the notes without links.
    fn link(&mut self) {
        let new = self.links.len()..self.flat.end();
        for near in self.flat.vectors.nearest_earlier(new, LINKS_MAX) {
            let linked = near.into_iter().filter(|(_, cos)| *cos >= LINK_COSINE_MIN);
            self.links.push(linked.map(|(note, _)| note).collect());
        }
    }
}

impl Method for AMem {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        let kit = Arc::clone(&self.flat.kit);
        let keywords = kit.writer.phrases(heard.said, KEYWORDS_MAX)?.join(", ");
        let text = format!("{} keywords: {keywords}", heard.said);
        self.flat.vectors.push(&kit.encode_one(&text)?);
        self.flat.push(heard);
        self.keyword_tokens += kit.counter.count(&keywords);
        if self.flat.end() - self.links.len() >= LINKED_AT_ONCE {
            self.link();
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<()> {
        self.link();
        Ok(())
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let vector = self.flat.kit.encode_one(query.text)?;
        let mut near = self.flat.vectors.nearest(&vector).map(|(note, _)| note);
        let found: Vec<usize> = near.by_ref().take(FOLLOWED).collect();
        let direct: BTreeSet<usize> = found.iter().copied().collect();
        let linked = found.iter().flat_map(|note| &self.links[*note]).copied();
        let linked: Vec<usize> = linked.filter(|note| !direct.contains(note)).collect();
        let ranked = found.into_iter().chain(linked).chain(near);
        Ok(fill(&self.flat, ranked, query.context_tokens))
    }

    fn stored_tokens(&self) -> usize {
        self.flat.tokens + self.keyword_tokens
    }
}
