//! Ranked turns, and the fusion of two rankings.

use std::collections::{BTreeMap, BinaryHeap};

/// The constant of reciprocal rank fusion.
const K: f32 = 60.0;

/// Length of each ranking that fusion uses.
const DEPTH: usize = 1000;

/// A number with its score; the highest score is best, ties go to the earlier one.
#[derive(Debug, Clone, Copy)]
struct Scored(usize, f32);

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.1.total_cmp(&other.1).then(other.0.cmp(&self.0))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Scored {}

/// Numbers with their scores, best first; ties by smaller number. Sorted lazily.
#[derive(Debug, Clone, Default)]
pub(crate) struct BestFirst(BinaryHeap<Scored>);

impl BestFirst {
    /// Orders them.
    pub(crate) fn of(scored: impl IntoIterator<Item = (usize, f32)>) -> Self {
        let scored = scored.into_iter();
        Self(scored.map(|(n, score)| Scored(n, score)).collect())
    }
}

impl Iterator for BestFirst {
    type Item = (usize, f32);

    fn next(&mut self) -> Option<(usize, f32)> {
        self.0.pop().map(|Scored(number, score)| (number, score))
    }
}

/// Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009): each ranking adds the weight
/// `1 / (60 + rank)` to a number, ranks counted from 1.
pub(crate) fn fused(rankings: [BestFirst; 2]) -> BestFirst {
    let mut scores: BTreeMap<usize, f32> = BTreeMap::new();
    for ranking in rankings {
        for (at, (number, _)) in ranking.take(DEPTH).enumerate() {
            *scores.entry(number).or_default() += 1.0 / (K + (at + 1) as f32);
        }
    }
    BestFirst::of(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ranking of numbers in this order.
    fn ranked(numbers: &[usize]) -> BestFirst {
        let scores = (0..numbers.len()).map(|at| -(at as f32));
        BestFirst::of(numbers.iter().copied().zip(scores))
    }

    #[test]
    fn the_best_comes_first_and_equals_in_their_order() {
        let scores = [0.5, 0.9, 0.5, -1.0, 0.9];
        let order = BestFirst::of(scores.into_iter().enumerate());
        let order: Vec<usize> = order.map(|(n, _)| n).collect();
        assert_eq!(order, [1, 4, 0, 2, 3]);
    }

    #[test]
    fn ranks_add_up_as_by_hand() {
        // 7: 1/61 + 1/63; 8: 1/62 + 1/61; 9: 1/63 + 1/62
        let found: Vec<(usize, f32)> = fused([ranked(&[7, 8, 9]), ranked(&[8, 9, 7])]).collect();
        let order: Vec<usize> = found.iter().map(|(n, _)| *n).collect();
        assert_eq!(order, [8, 7, 9]);
        for ((_, score), by_hand) in found.iter().zip([0.032_523, 0.032_266, 0.032_002]) {
            assert!((score - by_hand).abs() < 1e-6, "{score} {by_hand}");
        }
        // a number in one ranking only, and ties in number order
        let order: Vec<usize> = fused([ranked(&[5]), ranked(&[3])])
            .map(|(n, _)| n)
            .collect();
        assert_eq!(order, [3, 5]);
    }
}
