//! Compares the model's features with those of the code that trained its weights:
//! `scripts/salience` writes `fixtures/golden/salience.tsv`.

use super::{Around, Features};
use crate::text::{Term, terms};

/// Columns before the feature columns.
const AROUND: [&str; 7] = [
    "statement", "utterance", "place", "statements", "answers", "names", "new",
];

#[test]
fn features_are_those_that_the_weights_were_trained_with() {
    let table = include_str!("../../../../../fixtures/golden/salience.tsv");
    let mut lines = table
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().expect("a head");
    assert_eq!(head[..AROUND.len()], AROUND);
    let mut wrong = Vec::new();
    let mut rows = 0;
    for row in lines {
        assert_eq!(row.len(), head.len(), "{row:?}");
        rows += 1;
        let found = features(&row);
        let named: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
        assert_eq!(named, head[AROUND.len()..]);
        for ((name, value), expected) in found.iter().zip(&row[AROUND.len()..]) {
            let expected: f32 = expected.parse().expect("a number");
            if (value - expected).abs() > 1e-4 {
                wrong.push(format!("{name}: {value}, trained {expected}: {}", row[0]));
            }
        }
    }
    assert!(rows >= 40, "only {rows} statements");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Names and values of the features of a row's statement.
fn features(row: &[&str]) -> Vec<(&'static str, f32)> {
    let names: Vec<String> = row[5].split(' ').map(str::to_owned).collect();
    let mut new_terms: Vec<Term> = row[6].split(' ').flat_map(terms).collect();
    new_terms.sort_unstable();
    new_terms.dedup();
    let around = Around {
        utterance: row[1],
        place: row[2].parse().expect("a place"),
        statements: row[3].parse().expect("a number of statements"),
        answers: row[4] == "yes",
        new_terms: &new_terms,
        names: &names,
    };
    let features = Features::of(row[0], &around);
    features
        .into_iter()
        .map(|(name, _, value)| (name, value))
        .collect()
}
