//! Finds what memory holds about a question, and fills a context of bounded length with it.
//!
//! Read-only: it changes nothing and never blocks. [`crate::answer::Recall::access_input`] says
//! what an answer used; the caller decides whether that counts as an access.

mod admitted;
mod ambiguous;
mod asked;
mod asked_terms;
mod assemble;
mod believed;
mod candidate;
mod candidate_set;
mod carried;
mod cited_passages;
mod context;
mod continued;
mod counts;
mod days_told;
mod expected;
mod facts;
mod fading;
mod features;
mod found;
mod head;
mod holds_now;
mod hybrid;
mod inquiry;
mod language;
mod named;
mod network;
mod overview;
mod pair;
mod passages;
mod premise;
mod query;
mod rank;
mod ranker;
mod reranked;
mod same_claim;
mod same_question;
mod spelling;
mod support;
mod telling;
#[cfg(test)]
mod testing;
mod top_down;
mod transcript_search;
mod when;
mod within;

pub use found::{Found, RankerRow};
pub use ranker::Ranker;
pub use transcript_search::{SearchExtent, TranscriptSearch};

use crate::answer::{Question, Recall};
use crate::memory::NearestUnits;
use crate::session::Session;
use candidate_set::CandidateSet;
use query::Query;

impl Session {
    /// Everything memory holds about a question: raw talk, the tree and sources.
    ///
    /// `context_tokens` bounds the context and is clamped to its legal range. Cost: one dot product
    /// for each node and passage, and one pass over the terms of each unit that shares a word with
    /// the question, independent of the length of the stream.
    #[must_use]
    pub fn recall(&self, question: &Question, context_tokens: usize) -> Recall {
        self.search(question).assemble(context_tokens)
    }

    /// The first half of [`Session::recall`], for callers that time both halves: scores everything
    /// held.
    #[must_use]
    pub fn search<'a>(&'a self, question: &'a Question) -> Found<'a> {
        self.found(question, None)
    }

    /// As [`Self::search`], but scores only units found through an index or the words of the
    /// question: for trees in which scoring everything takes too long. The index must have been
    /// built from this session or an earlier state of it.
    #[must_use]
    pub fn search_by<'a>(&'a self, question: &'a Question, index: &dyn NearestUnits) -> Found<'a> {
        self.found(question, Some(index))
    }

    fn found<'a>(&'a self, question: &'a Question, index: Option<&dyn NearestUnits>) -> Found<'a> {
        let query = Query::read(self, question);
        let scope = index.map(|index| CandidateSet::of(self, question, &query, index));
        let found = Found::of(self, question, query, scope.as_ref());
        if !found.query.language.is_english() {
            return found;
        }
        let asked = overview::asked(question, &found.query, &found);
        let mut found = match (&asked, scope) {
            // of all talk, not of what an index finds near the question
            (Some(of), Some(_)) if of.tells() => Found::of(self, question, found.query, None),
            _ => found,
        };
        found.overview_of = asked;
        found
    }
}
