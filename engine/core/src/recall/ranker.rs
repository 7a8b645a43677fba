//! Which statement answers a question, and whether any does. Two small models, trained on dialogues
//! (`scripts/ranker`).
//!
//! Both are sums of regression trees: the first over the features of [`super::features`], the
//! second over those of the best statements, of the people in question and of others.

use super::features::{self, COUNT, place};
use super::network::logistic;
use crate::text::WrongWeights;
use std::sync::OnceLock;

/// Number of statements ranked; lower candidates hardly ever answer.
pub(super) const WEIGHED_MAX: usize = 32;
/// Number of features of a question.
const ASKED: usize =
    7 + FIRST.len() + 4 * place::OWN_AND_OTHERS.len() + place::KINDS.end - place::KINDS.start;

const TREES: &str = include_str!("ranker_trees.txt");
const ANSWERABLE: &str = include_str!("ranker_answerable.txt");
const SURE: &str = include_str!("ranker_sure.txt");

static MODELS: OnceLock<Ranker> = OnceLock::new();

/// The nodes and leaves of a tree, root first; children follow their parents, so every walk ends.
type Tree = Vec<Node>;

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

/// The trained models.
#[derive(Debug)]
pub struct Ranker {
    trees: Vec<Tree>,
    /// Trees over the features of a question.
    answerable: Vec<Tree>,
}

impl Ranker {
    /// The names of a statement's features, in order.
    #[must_use]
    pub fn features() -> Vec<String> {
        features::names()
    }

    /// Reads models. Each has one tree a line: its nodes, separated by semicolons, are a leaf's
    /// value, or `feature most left right` with the numbers of two later nodes.
    ///
    /// # Errors
    /// [`WrongWeights`] if they do not fit the features, or a number is none.
    pub fn read(trees: &str, answerable: &str) -> Result<Self, WrongWeights> {
        let names = features::names();
        let asked = question_names(&names);
        let read = |text: &str, names: &[String]| -> Result<Vec<Tree>, WrongWeights> {
            text.lines().map(|line| tree(line, names)).collect()
        };
        Ok(Self {
            trees: read(trees, &names)?,
            answerable: read(answerable, &asked)?,
        })
    }

    /// Uses other models than the built-in ones in this process: for measurements.
    ///
    /// # Errors
    /// [`WrongWeights`], also if statements were ranked already.
    pub fn replace(trees: &str, answerable: &str) -> Result<(), WrongWeights> {
        let used = |_| WrongWeights::in_use("the ranker");
        MODELS.set(Self::read(trees, answerable)?).map_err(used)
    }
}

fn models() -> &'static Ranker {
    let shipped = || Ranker::read(TREES, ANSWERABLE).unwrap_or_else(|wrong| panic!("{wrong}"));
    MODELS.get_or_init(shipped)
}

/// The names of the features of [`of_question`], in order.
fn question_names(names: &[String]) -> Vec<String> {
    let mut all: Vec<String> = ["first", "second", "third", "sum"]
        .map(|nth| format!("chance_{nth}"))
        .into();
    all.push("statements".to_owned());
    let first = |at: usize| format!("{}_first", names[at]);
    all.extend(FIRST.map(first));
    for at in place::OWN_AND_OTHERS {
        let name = &names[at];
        all.extend(["own", "others", "gap", "first"].map(|of| format!("{name}_{of}")));
    }
    all.extend(["own", "others"].map(|of| format!("chance_{of}")));
    all.extend(place::KINDS.map(first));
    all
}

/// Features of the likeliest statement that say whether anything answers.
const FIRST: [usize; 6] = [
    place::OWN,
    place::CONCERNS,
    place::OTHERS,
    place::PEOPLE,
    place::KNOWN,
    place::FITS,
];

fn tree(line: &str, names: &[String]) -> Result<Tree, WrongWeights> {
    let wrong = |node: &str| WrongWeights(format!("{node} is no node of a tree"));
    let nodes: Vec<&str> = line.split(';').collect();
    let node = |(at, node): (usize, &&str)| {
        let parts: Vec<&str> = node.split(' ').collect();
        let number = |text: &str| text.parse().ok().filter(|number: &f32| number.is_finite());
        let later = |text: &str| {
            let place = text.parse().ok();
            place.filter(|place| (at + 1..nodes.len()).contains(place))
        };
        let read = match parts[..] {
            [value] => number(value).map(Node::Leaf),
            [of, most, left, right] => {
                let of = names.iter().position(|name| name == of);
                let parts = of.zip(number(most)).zip(later(left).zip(later(right)));
                parts.map(|((of, most), (left, right))| Node::Split {
                    of,
                    most,
                    left,
                    right,
                })
            }
            _ => None,
        };
        read.ok_or_else(|| wrong(node))
    };
    nodes.iter().enumerate().map(node).collect()
}

fn value(tree: &[Node], row: &[f32]) -> f32 {
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

/// Probability of each statement that it answers the question.
pub(super) fn chances(rows: &[[f32; COUNT]]) -> Vec<f32> {
    let trees = &models().trees;
    let sum = |row: &[f32; COUNT]| trees.iter().map(|tree| value(tree, row)).sum::<f32>();
    rows.iter().map(|row| logistic(sum(row))).collect()
}

/// Weight of what a statement means, in standard deviations, where its words name nothing asked.
/// Chosen on LoCoMo, FriendsQA and 65 everyday facts with their questions.
const MEANING: f32 = 0.4;

/// Lets meaning decide as far as words do not: trained on long dialogues, the trees hardly look at
/// meaning, and in a short one a plain question often shares no word with its answer. `projected`:
/// the vectors only project the terms, which then say more. One deviation changes nothing.
pub(super) fn add_meaning(rows: &[[f32; COUNT]], projected: bool, chances: &mut [f32]) {
    let meaning = if projected {
        place::SPARSE
    } else {
        place::DENSE
    };
    for (row, chance) in rows.iter().zip(chances) {
        let open = 1.0 - row[place::COVERED];
        let odds = *chance / (1.0 - *chance).max(f32::EPSILON);
        *chance = logistic(odds.max(f32::EPSILON).ln() + MEANING * (open * row[meaning] - 1.0));
    }
}

/// Probability that any statement answers the question, given `chances` per statement; 0 without
/// statements.
pub(super) fn answerable(rows: &[[f32; COUNT]], chances: &[f32]) -> f32 {
    if rows.is_empty() {
        return 0.0;
    }
    let asked = of_question(rows, chances);
    let trees = models().answerable.iter();
    logistic(trees.map(|tree| value(tree, &asked)).sum())
}

/// How sure an answer from a statement is, `0.0..=1.0`, given its chance and the question's: of
/// talk held apart, this share of such answers is right.
pub(super) fn sure(chance: f32, answerable: f32) -> f32 {
    static WEIGHTS: OnceLock<[f32; 3]> = OnceLock::new();
    let [bias, of_chance, of_answerable] = WEIGHTS.get_or_init(|| {
        let weights = SURE.split_whitespace().map(str::parse);
        let weights: Result<Vec<f32>, _> = weights.collect();
        let weights = weights.ok().and_then(|it| it.try_into().ok());
        weights.unwrap_or_else(|| panic!("ranker_sure.txt is not three numbers"))
    });
    let odds = |chance: f32| {
        let chance = chance.clamp(1e-4, 1.0 - 1e-4);
        (chance / (1.0 - chance)).ln()
    };
    logistic(bias + of_chance * odds(chance) + of_answerable * odds(answerable))
}

/// Features of a question for [`answerable`].
fn of_question(rows: &[[f32; COUNT]], chances: &[f32]) -> [f32; ASKED] {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|a, b| chances[*b].total_cmp(&chances[*a]).then(a.cmp(b)));
    let first = &rows[order[0]];
    let nth = |n: usize| order.get(n).map_or(0.0, |at| chances[*at]);
    let is_own = |row: &[f32; COUNT]| row[place::OWN] > 0.0 || row[place::PEOPLE] == 0.0;
    let mut all = vec![nth(0), nth(1), nth(2), (0..5).map(nth).sum()];
    all.push((rows.len() as f32).ln());
    all.extend(FIRST.map(|at| first[at]));
    for at in place::OWN_AND_OTHERS {
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

    /// ln(0.2 / 0.8) = -1.386; -1.386 + 0.4 * (1 * 4 - 1) = -0.186, whose chance is 0.454;
    /// -1.386 + 0.4 * (0 * 4 - 1) = -1.786, whose chance is 0.144.
    #[test]
    fn meaning_counts_where_words_name_nothing_asked() {
        let row = |covered: f32| {
            let mut row = [0.0; COUNT];
            row[place::COVERED] = covered;
            row[place::DENSE] = 4.0;
            row
        };
        let mut chances = [0.2, 0.2];
        add_meaning(&[row(0.0), row(1.0)], false, &mut chances);
        let expected = [0.454, 0.144];
        for (found, expected) in chances.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-3, "{found} is not {expected}");
        }
        // one deviation leaves a chance as it is, and certainty stays one
        let mut even = [row(0.0), row(0.0)];
        even[0][place::SPARSE] = 1.0;
        even[1][place::SPARSE] = 1.0;
        let mut chances = [0.3, 1.0];
        add_meaning(&even, true, &mut chances);
        assert!((chances[0] - 0.3).abs() < 1e-5 && chances[1] <= 1.0);
        assert!(chances[1] > 0.999, "{}", chances[1]);
    }

    #[test]
    fn models_that_do_not_fit_the_features_are_refused() {
        let refused = |trees: &str, answerable: &str| {
            let read = Ranker::read(trees, answerable);
            read.expect_err("wrong models").0
        };
        for node in [
            "taste 1 1 2;0;0", "rank 1 1 3;0;0", "rank 1 0 1;0", "nan", "rank x 1 2;0;0",
        ] {
            let first = node.split(';').next().unwrap_or_default();
            assert_eq!(
                refused(node, ANSWERABLE),
                format!("{first} is no node of a tree")
            );
        }
        let renamed = ANSWERABLE.replace("chance_sum", "chances");
        assert!(refused(TREES, &renamed).contains("chances"));
        assert!(models().trees.len() > 100);
    }
}
