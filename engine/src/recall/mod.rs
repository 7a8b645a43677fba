//! Finds what memory knows about a question, and puts it into a context of bounded length.
//!
//! A pure read: it changes nothing and waits for nothing. What it found is reported in
//! [`crate::answer::Recall::nodes`]; whether that counts as an access is the caller's decision.

mod candidate;
mod carried;
mod context;
mod query;
mod rank;
#[cfg(feature = "index")]
mod scope;
mod support;
mod when;

use crate::answer::{Citation, Part, Question, Recall, add_citation};
use crate::limits;
use crate::sense::Section;
use crate::session::{Session, line};
use crate::transcript::Transcript;
use candidate::{Candidate, Source};
use query::Query;
use support::Proof;

/// Candidates, the strongest first, that answers, joined statements and citations are made of.
const PROOFS_MAX: usize = 128;

impl Session {
    /// What memory knows about a question: raw talk and the tree together.
    ///
    /// `context_tokens` bounds the context and is moved into its legal range. Cost: one dot product
    /// for each node held, and one pass over the terms of each unit that shares a word with the
    /// question, whatever the length of the stream.
    #[must_use]
    pub fn recall(&self, question: &Question, context_tokens: usize) -> Recall {
        self.search(question).assemble(context_tokens)
    }

    /// The first half of [`Session::recall`], for callers that time both: scores everything held.
    #[must_use]
    pub fn search(&self, question: &Question) -> Found<'_> {
        let query = Query::read(self, question);
        let ranked = rank::ranked(self, question, &query, None);
        Found {
            session: self,
            query,
            ranked,
            reranked: 0,
            transcript: false,
        }
    }

    /// As [`Self::search`], but scores only what an index and the words of the question lead to:
    /// for trees in which scoring everything takes too long. The index must have been built from
    /// this session or an earlier state of it.
    #[cfg(feature = "index")]
    #[must_use]
    pub fn search_by(&self, question: &Question, index: &crate::memory::VectorIndex) -> Found<'_> {
        let query = Query::read(self, question);
        let scope = scope::Scope::of(self, question, &query, index);
        let ranked = rank::ranked(self, question, &query, Some(&scope));
        Found {
            session: self,
            query,
            ranked,
            reranked: 0,
            transcript: false,
        }
    }
}

/// Everything held, in the order in which it answers a question.
pub struct Found<'a> {
    session: &'a Session,
    query: Query,
    ranked: Vec<Candidate<'a>>,
    /// How many of them, from the first, are in an order that a reranker gave them.
    reranked: usize,
    /// Contexts show words of the transcript.
    transcript: bool,
}

impl<'a> Found<'a> {
    /// Words and scores of everything found, best first, to four places.
    #[cfg(test)]
    pub(crate) fn order(&self) -> Vec<(String, f32)> {
        let rounded = |score: f32| (score * 10_000.0).round() / 10_000.0;
        let ranked = self.ranked.iter();
        let shown = |found: &Candidate<'_>| found.shown().unwrap_or_default().into_owned();
        ranked
            .map(|found| (shown(found), rounded(found.score)))
            .collect()
    }

    /// Leaves out what one part of memory holds, for telling what that part is worth.
    #[must_use]
    pub fn without(mut self, part: Part) -> Self {
        let stays = |found: &Candidate<'_>| {
            part != match found.source {
                Source::Unit(_) => Part::LongTerm,
                Source::Raw(_, Section::ShortTerm) => Part::ShortTerm,
                Source::Raw(_, Section::Pending) => Part::Pending,
            }
        };
        let reranked = self.ranked.iter().take(self.reranked);
        self.reranked = reranked.filter(|found| stays(found)).count();
        self.ranked.retain(stays);
        self
    }

    /// The same, with the words that memory does not hold from a transcript: answers quote them,
    /// and contexts show the statements of which memory holds key words.
    #[must_use]
    pub fn with_transcript(mut self, transcript: &'a dyn Transcript) -> Self {
        for found in &mut self.ranked {
            found.transcript = Some(transcript);
        }
        self.transcript = true;
        self
    }

    /// Shows in contexts what memory itself holds, and nothing from the transcript.
    #[must_use]
    pub fn showing_memory(mut self) -> Self {
        self.transcript = false;
        self
    }

    /// The best `n` statements in words, with their speakers, best first: what a reranker reads.
    #[must_use]
    pub fn best(&self, n: usize) -> Vec<String> {
        let shown = |found: &Candidate<'_>| {
            let words = found.shown().unwrap_or_default();
            line(found.speaker(), &words)
        };
        self.ranked.iter().take(n).map(shown).collect()
    }

    /// The same with its best statements in the order of other scores, one each, highest first:
    /// those of a reranker. What follows them stays as it is. Statements, joined ones and proofs
    /// are offered in that order too; whether memory supports an answer at all does not change.
    #[must_use]
    pub fn reranked(mut self, scores: &[f32]) -> Self {
        let n = scores.len().min(self.ranked.len());
        let mut best: Vec<_> = self.ranked.drain(..n).zip(scores).collect();
        best.sort_by(|a, b| b.1.total_cmp(a.1));
        let best = best.into_iter().map(|(found, _)| found);
        self.ranked.splice(..0, best);
        self.reranked = n;
        self
    }

    /// The second half of [`Session::recall`]: weighs the proofs and fills a context of at most
    /// `context_tokens`, moved into its legal range.
    #[must_use]
    pub fn assemble(&self, context_tokens: usize) -> Recall {
        let (query, ranked) = (&self.query, &self.ranked);
        let budget = context_tokens.clamp(limits::CONTEXT_TOKENS_MIN, limits::CONTEXT_TOKENS_MAX);
        let context = context::fill(self.session, ranked, budget, self.transcript);
        // only what an answer could come to is looked up
        let mut proofs = support::proofs(ranked, query, PROOFS_MAX);
        let before = proofs.len();
        proofs.retain(|(_, found)| !found.is_unreadable());
        let unreadable = before - proofs.len();
        let support =
            proofs.first().map_or(0.0, |(strength, _)| *strength) * support::premise(ranked, query);
        let premise = support::wrong_premise(&proofs, query);
        let proofs = support::reranked_first(proofs, &ranked[..self.reranked]);
        Recall {
            context: context.text,
            context_tokens: context.tokens,
            context_utterances: context.utterances,
            joined: support::joined(&proofs, query),
            statements: support::statements(&proofs),
            citations: citations(&proofs),
            support,
            premise,
            unreadable,
            nodes: context.nodes,
            session_ms: self.session.now_ms(),
        }
    }
}

/// The best proofs, one per utterance; one per part where a long one was heard in parts.
fn citations(proofs: &[Proof<'_>]) -> Vec<Citation> {
    let mut citations: Vec<Citation> = Vec::new();
    for (score, found) in proofs.iter().take(limits::CITATIONS_MAX) {
        for citation in found.citations(*score) {
            add_citation(&mut citations, &citation);
        }
    }
    citations
}
