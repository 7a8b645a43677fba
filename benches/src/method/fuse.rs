//! Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009).

use super::matrix::BestFirst;
use std::collections::BTreeMap;

/// The paper's constant.
const K: f32 = 60.0;

/// Length of each ranking that is used.
pub(crate) const DEPTH: usize = 1000;

/// Fuses rankings: each adds the weight `1 / (60 + rank)` to a number, ranks counted from 1.
pub(crate) fn fused(
    rankings: impl IntoIterator<Item = impl IntoIterator<Item = usize>>,
) -> BestFirst {
    let mut scores: BTreeMap<usize, f32> = BTreeMap::new();
    for ranking in rankings {
        for (at, number) in ranking.into_iter().take(DEPTH).enumerate() {
            *scores.entry(number).or_default() += 1.0 / (K + (at + 1) as f32);
        }
    }
    BestFirst::of(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_add_up_as_by_hand() {
        // 7: 1/61 + 1/63; 8: 1/62 + 1/61; 9: 1/63 + 1/62
        let found: Vec<(usize, f32)> = fused([vec![7, 8, 9], vec![8, 9, 7]]).collect();
        let order: Vec<usize> = found.iter().map(|(n, _)| *n).collect();
        assert_eq!(order, [8, 7, 9]);
        for ((_, score), by_hand) in found.iter().zip([0.032_523, 0.032_266, 0.032_002]) {
            assert!((score - by_hand).abs() < 1e-6, "{score} {by_hand}");
        }
        // one ranking only, and ties in number order
        let order: Vec<usize> = fused([vec![5], vec![3]]).map(|(n, _)| n).collect();
        assert_eq!(order, [3, 5]);
    }
}
