//! A compressed memory of the whole stream drafts clues, and the clues find passages.
//!
//! Follows "MemoRAG: boosting long context processing with global memory-enhanced retrieval
//! augmentation" (Qian, Liu, Zhang, Mao, Lian, Dou and Huang, 2025): a light memory of the whole is
//! asked first, its reply becomes clues, and a retriever finds passages by question and clues. Left
//! out: the model whose compressed keys and values are the memory; it is replaced by a summary of
//! each block of dialogue, and clues are what a model recalls of these summaries, or without one
//! their sentences nearest to the question. Passages are found by vector and words; the first
//! results of question and clues come first, and further results of the question fill the context.

use super::blocks::Blocks;
use super::context::fill;
use super::matrix::BestFirst;
use super::note::{Note, Notes};
use super::rag::{Passages, Search};
use super::{Encode, HeardTurn, Method, MethodContext, Query, Recalled};
use anyhow::Result;
use std::ops::Range;
use std::sync::Arc;
use weir_core::vectors::dot;

/// Turns compressed into one summary, and its tokens: a sixteenth of a long block; the paper's
/// ratio is between 4 and 64.
const BLOCK_TURNS: usize = 20;
const SUMMARY_TOKENS: usize = 64;
/// Summaries read for clues, and clues used for search.
const READ_MAX: usize = 8;
const CLUES_MAX: usize = 3;
/// Passages per query before the question fills the rest: as in the authors' code.
const HITS: usize = 3;
/// Similarity to the question from which a sentence is a clue.
const CLUE_COSINE_MIN: f32 = 0.3;

/// Turns, and a compressed memory of them.
pub(crate) struct MemoRag {
    passages: Passages,
    memory: Notes,
    blocks: Blocks,
}

impl MemoRag {
    pub(crate) fn new(kit: Arc<MethodContext>) -> Self {
        Self {
            memory: Notes::new(kit.dimension()),
            passages: Passages::new(kit, Search::Fused),
            blocks: Blocks::new(BLOCK_TURNS),
        }
    }

    fn compress(&mut self, block: Option<Range<usize>>) -> Result<()> {
        if let Some(turns) = block {
            let flat = &self.passages.flat;
            let note = Note::summary(&flat.kit, flat.numbered(turns), SUMMARY_TOKENS)?;
            let vector = flat.kit.encode_one(&note.text)?;
            self.memory.push(note, &vector);
        }
        Ok(())
    }

    /// What a model recalls of the memory, or the sentences of it that are nearest to the question.
    fn clues(&self, asked: &str, question: &[f32]) -> Result<Vec<String>> {
        let read = self.memory.vectors.nearest(question).take(READ_MAX);
        let read: Vec<&str> = read
            .map(|(number, _)| &*self.memory.notes[number].text)
            .collect();
        let kit = &self.passages.flat.kit;
        if !read.is_empty()
            && let Some(clues) = kit.writer.clues(asked, &read.join("\n"), CLUES_MAX)?
        {
            return Ok(clues);
        }
        let sentences = read
            .iter()
            .flat_map(|text| text.split_inclusive(['.', '!', '?']));
        let mut sentences: Vec<&str> = sentences.map(str::trim).collect();
        sentences.retain(|sentence| sentence.split(' ').count() > 2);
        if sentences.is_empty() {
            return Ok(Vec::new());
        }
        let vectors = kit.encode(&sentences)?;
        let cosines = vectors.iter().map(|vector| dot(vector, question));
        let near = cosines.enumerate().filter(|(_, c)| *c >= CLUE_COSINE_MIN);
        let best = BestFirst::of(near).take(CLUES_MAX);
        Ok(best.map(|(at, _)| sentences[at].to_owned()).collect())
    }
}

impl Method for MemoRag {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        self.passages.push(heard)?;
        let full = self.blocks.push();
        self.compress(full)
    }

    fn pause(&mut self, _resumes_at_unix_ms: Option<i64>) -> Result<()> {
        let closed = self.blocks.close();
        self.compress(closed)
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let flat = &self.passages.flat;
        let vector = flat.kit.encode_one(query.text)?;
        let mut by_question = self.passages.ranked(query.text)?.map(|(number, _)| number);
        let mut ranked: Vec<usize> = by_question.by_ref().take(HITS).collect();
        for clue in self.clues(query.text, &vector)? {
            let found = self.passages.ranked(&clue)?.take(HITS);
            ranked.extend(found.map(|(number, _)| number));
        }
        let ranked = ranked.into_iter().chain(by_question);
        Ok(fill(flat, ranked, query.context_tokens))
    }

    fn stored_tokens(&self) -> usize {
        self.passages.flat.tokens + self.memory.tokens()
    }
}
