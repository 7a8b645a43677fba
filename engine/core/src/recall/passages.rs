//! Passages of sources that may answer, beside what was heard.
//!
//! Their scores are those of utterances: the same signals on the same scales, times the weight of
//! the source. A session without sources is searched as if there were none.

use super::counts::Counts;
use super::hybrid::{SPEAKER_BONUS, Signal};
use super::query::Query;
use crate::answer::Question;
use crate::session::Session;
use crate::sources::{Passage, Source};
use crate::vectors::dot;

/// A passage with its scores.
pub(super) struct FoundPassage<'a> {
    pub(super) source: &'a Source,
    pub(super) passage: &'a Passage,
    pub(super) counts: Counts,
    /// Cosine, terms and BM25.
    pub(super) signals: Signal,
    /// Comparable with the scores of statements; times the weight of its source.
    pub(super) score: f32,
    /// Number of statements and passages that a reranker put before it, if there was one.
    pub(super) before: Option<usize>,
}

/// All passages, not scored yet.
pub(super) fn all<'a>(
    session: &'a Session,
    question: &Question,
    query: &Query,
) -> Vec<FoundPassage<'a>> {
    let lexicon = session.tree().index().words();
    let found = |(source, passage): (&'a Source, &'a Passage)| {
        let counts = query.counts(passage.words());
        let lexical = lexicon.score(passage.words().len(), query.matched(&counts));
        FoundPassage {
            source,
            passage,
            counts,
            signals: [
                dot(&passage.vector, &question.vector),
                passage.terms.dot(&question.terms),
                lexical,
            ],
            score: 0.0,
            before: None,
        }
    };
    session.sources().passages().map(found).collect()
}

/// Scores passages and sorts them, best first; `own` is the score of an utterance with the same
/// signals.
pub(super) fn rank(found: &mut [FoundPassage<'_>], query: &Query, own: impl Fn(&Signal) -> f32) {
    for it in found.iter_mut() {
        let named = !query.people.is_empty() && it.names_people(query);
        let bonus = if named { SPEAKER_BONUS } else { 0.0 };
        it.score = (own(&it.signals) + bonus) * it.source.weight;
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
}

impl FoundPassage<'_> {
    pub(super) fn names_people(&self, query: &Query) -> bool {
        query.is_named(self.passage.words(), &self.counts)
    }
}
