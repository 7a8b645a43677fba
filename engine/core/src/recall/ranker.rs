//! Which statement answers a question, and whether any does. Two small models, trained on dialogues
//! (`scripts/ranker`).
//!
//! The first is a sum of regression trees over the features of [`super::features`]. The second is a
//! logistic model of the best statements: those of the people in question and those of others.

use super::features::{COUNT, place};
use std::sync::LazyLock;

/// Number of statements ranked; lower candidates hardly ever answer.
pub(super) const WEIGHED_MAX: usize = 32;
/// Number of features of a question.
const ASKED: usize = 56;

const TREES: &str = include_str!("ranker_trees.txt");
const ANSWERABLE: &str = include_str!("ranker_answerable.txt");

/// The nodes and leaves of a tree, root first.
#[derive(Debug)]
enum Node {
    /// Values up to `most` of feature `of` go left.
    Split {
        of: usize,
        most: f32,
        left: usize,
        right: usize,
    },
    Leaf(f32),
}

/// The models as parsed from their files, one tree per line.
#[derive(Debug)]
struct Models {
    trees: Vec<Vec<Node>>,
    /// For each feature of a question: the mean to subtract, and the weight.
    answerable: Vec<(f32, f32)>,
    bias: f32,
}

static MODELS: LazyLock<Models> = LazyLock::new(|| Models {
    trees: TREES.lines().map(tree).collect(),
    answerable: ANSWERABLE.lines().skip(1).map(pair).collect(),
    bias: ANSWERABLE.lines().next().map_or(0.0, number),
});

fn number(text: &str) -> f32 {
    text.trim().parse().unwrap_or(f32::NAN)
}

fn pair(line: &str) -> (f32, f32) {
    let (mean, weight) = line.split_once(' ').unwrap_or_default();
    (number(mean), number(weight))
}

/// Nodes separated by semicolons: `feature most left right`, or the value of a leaf.
fn tree(line: &str) -> Vec<Node> {
    let nodes = line.split(';').map(|node| {
        let parts: Vec<&str> = node.split_whitespace().collect();
        let index = |at: usize| parts[at].parse::<usize>().unwrap_or(usize::MAX);
        match parts.len() {
            4 => Node::Split {
                of: index(0),
                most: number(parts[1]),
                left: index(2),
                right: index(3),
            },
            _ => Node::Leaf(number(node)),
        }
    });
    nodes.collect()
}

fn value(tree: &[Node], row: &[f32; COUNT]) -> f32 {
    let mut at = 0;
    loop {
        match tree[at] {
            Node::Leaf(value) => return value,
            Node::Split {
                of,
                most,
                left,
                right,
            } => at = if row[of] <= most { left } else { right },
        }
    }
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Probability of each statement that it answers the question.
pub(super) fn chances(rows: &[[f32; COUNT]]) -> Vec<f32> {
    let trees = &MODELS.trees;
    let sum = |row: &[f32; COUNT]| trees.iter().map(|tree| value(tree, row)).sum::<f32>();
    rows.iter().map(|row| logistic(sum(row))).collect()
}

/// Probability that any statement answers the question, given `chances` per statement; 0 without
/// statements.
pub(super) fn answerable(rows: &[[f32; COUNT]], chances: &[f32]) -> f32 {
    if rows.is_empty() {
        return 0.0;
    }
    let models = &*MODELS;
    let numbers = of_question(rows, chances);
    let sum: f32 = numbers
        .iter()
        .zip(&models.answerable)
        .map(|(x, (mean, weight))| (x - mean) * weight)
        .sum();
    logistic(sum + models.bias)
}

/// Features of a question for [`answerable`].
fn of_question(rows: &[[f32; COUNT]], chances: &[f32]) -> [f32; ASKED] {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|a, b| chances[*b].total_cmp(&chances[*a]).then(a.cmp(b)));
    let first = &rows[order[0]];
    let nth = |n: usize| order.get(n).map_or(0.0, |at| chances[*at]);
    let is_own = |row: &[f32; COUNT]| row[place::OWN] > 0.0 || row[place::PEOPLE] == 0.0;
    let mut all = vec![
        nth(0),
        nth(1),
        nth(2),
        (0..5).map(nth).sum(),
        first[place::OWN],
        first[place::CONCERNS],
        first[place::OTHERS],
        first[place::PEOPLE],
        first[place::KNOWN],
        first[place::FITS],
    ];
    let [dense, terms, words] = place::SIGNALS;
    for at in [
        dense,
        terms,
        words,
        place::SCORE,
        place::COSINE,
        place::TERMS,
        place::COVERED,
        place::COVERED_AROUND,
        place::UTTERANCE,
    ] {
        // a very low value for a group without statements
        let most = |own: bool| {
            let of = rows.iter().filter(|row| is_own(row) == own);
            of.map(|row| row[at]).reduce(f32::max).unwrap_or(-5.0)
        };
        let (own, others) = (most(true), most(false));
        all.extend([own, others, own - others, first[at]]);
    }
    for own in [true, false] {
        let of = rows
            .iter()
            .zip(chances)
            .filter(|(row, _)| is_own(row) == own);
        all.push(of.map(|(_, chance)| *chance).fold(0.0, f32::max));
    }
    all.extend_from_slice(&first[place::KINDS]);
    let mut numbers = [0.0; ASKED];
    numbers.copy_from_slice(&all);
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Golden {
        rows: Vec<Vec<f32>>,
        chances: Vec<f32>,
        support: f32,
    }

    /// The models give the same values here as in training.
    #[test]
    fn chances_are_those_of_the_training() {
        let text = include_str!("../../../../fixtures/golden/ranker.json");
        let golden: Vec<Golden> = serde_json::from_str(text).expect("its questions");
        assert!(golden.len() > 4);
        for Golden {
            rows,
            chances: expected,
            support,
        } in golden
        {
            let rows: Vec<[f32; COUNT]> = rows
                .into_iter()
                .map(|row| row.try_into().expect("as many numbers as are looked at"))
                .collect();
            let found = chances(&rows);
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
            }
            let found = answerable(&rows, &found);
            assert!((found - support).abs() < 1e-3, "{found} is not {support}");
        }
    }

    #[test]
    fn every_tree_is_whole() {
        let models = &*MODELS;
        assert!(models.trees.len() > 100);
        assert_eq!(models.answerable.len(), ASKED);
        let finite = |x: f32| x.is_finite();
        assert!(
            models
                .answerable
                .iter()
                .all(|(m, w)| finite(*m) && finite(*w))
        );
        for tree in &models.trees {
            for (at, node) in tree.iter().enumerate() {
                assert!(match node {
                    Node::Leaf(value) => finite(*value),
                    // children follow their parents, so every walk ends
                    Node::Split {
                        of,
                        most,
                        left,
                        right,
                    } =>
                        *of < COUNT
                            && finite(*most)
                            && *left > at
                            && *right > at
                            && *left < tree.len()
                            && *right < tree.len(),
                });
            }
        }
    }
}
