//! The best of all that was found, statements and passages of sources together, in the order of a
//! reranker.

use super::found::Found;
use crate::stream::spoken_line;

/// A place among the statements or the passages.
#[derive(Debug, Clone, Copy)]
enum Place {
    Statement(usize),
    Passage(usize),
}

impl Found<'_> {
    /// The best `n` of all statements, with their speakers, and passages, best first: the input of
    /// a reranker.
    #[must_use]
    pub fn best(&self, n: usize) -> Vec<String> {
        let text = |place: Place| match place {
            Place::Statement(at) => {
                let found = &self.ranked[at];
                spoken_line(found.speaker(), &found.display_text().unwrap_or_default())
            }
            Place::Passage(at) => self.passages[at].words_shown(),
        };
        self.first(n).into_iter().map(text).collect()
    }

    /// The same with the best statements and passages reordered by a reranker's scores, one score
    /// each, highest first. The rest keeps its order. Answers and evidence
    /// follow that order too; the support for an answer does not change.
    #[must_use]
    pub fn reranked(mut self, scores: &[f32]) -> Self {
        let mut order: Vec<(Place, &f32)> =
            self.first(scores.len()).into_iter().zip(scores).collect();
        order.sort_by(|a, b| b.1.total_cmp(a.1));
        let (mut statements, mut passages) = (Vec::new(), Vec::new());
        for (before, (place, _)) in order.into_iter().enumerate() {
            match place {
                Place::Statement(at) => statements.push(at),
                Place::Passage(at) => {
                    self.passages[at].before = Some(before);
                    passages.push(at);
                }
            }
        }
        self.reranked = statements.len();
        reorder(&mut self.ranked, &statements);
        let count = passages.len();
        reorder(&mut self.passages, &passages);
        for it in self
            .passages
            .iter_mut()
            .skip(count)
            .filter(|_| !scores.is_empty())
        {
            it.before = Some(usize::MAX);
        }
        self
    }

    /// The places of the best `n` of all; a statement precedes a passage with the same score.
    fn first(&self, n: usize) -> Vec<Place> {
        let mut passages = self.passages.iter().enumerate();
        let mut passage = passages.next();
        let mut statements = self.ranked.iter().enumerate();
        let mut statement = statements.next();
        let mut first = Vec::new();
        while first.len() < n {
            let likely = passage.filter(|(_, it)| it.score > 0.0);
            first.push(match (statement, likely) {
                (Some((_, said)), Some((at, it))) if it.score > said.score => {
                    passage = passages.next();
                    Place::Passage(at)
                }
                (Some((at, _)), _) => {
                    statement = statements.next();
                    Place::Statement(at)
                }
                (None, Some((at, _))) => {
                    passage = passages.next();
                    Place::Passage(at)
                }
                (None, None) => break,
            });
        }
        first
    }
}

/// Puts the items at `order`, which are the first ones in any order, into that order.
fn reorder<T>(items: &mut Vec<T>, order: &[usize]) {
    let mut first: Vec<Option<T>> = items.drain(..order.len()).map(Some).collect();
    let sorted: Vec<T> = order.iter().filter_map(|&at| first[at].take()).collect();
    items.splice(..0, sorted);
}
