//! Whether a statement answers a question: a small network over the vectors of both, trained by
//! `scripts/ranker`. It sees that "the schnauzers" answers "what dogs"; the trees weigh what it
//! says beside the words that both share.

use super::candidate::Candidate;
use super::network::{self, Layer, layers};
use super::query::Query;
use crate::session::Session;
use crate::vectors::dot;
use std::sync::OnceLock;

/// Size of a projected vector, and of the hidden layer.
const PROJECTED: usize = 24;
const HIDDEN: usize = 16;
/// Beside the projections the network reads the cosine.
const INPUTS: usize = 4 * PROJECTED + 1;

const WEIGHTS: &str = include_str!("pair.txt");

static NETWORK: OnceLock<Network> = OnceLock::new();

#[derive(Debug)]
struct Network([Layer; 5]);

impl Network {
    /// The log-odds of each statement that it answers, given its vector and the question's.
    fn odds<'v>(&self, asked: &[f32], told: impl Iterator<Item = &'v [f32]>) -> Vec<f32> {
        let projected = self.0[0].of(asked);
        told.map(|told| self.of_one(&projected, dot(asked, told), told))
            .collect()
    }

    fn of_one(&self, asked: &[f32], cosine: f32, told: &[f32]) -> f32 {
        let [_, of_told, hidden, output, beside] = &self.0;
        let told = of_told.of(told);
        let both = || asked.iter().zip(&told);
        let inputs = both().map(|(asked, told)| asked * told);
        let inputs = inputs.chain(both().map(|(asked, told)| (asked - told).abs()));
        let inputs = inputs
            .chain(asked.iter().copied())
            .chain(told.iter().copied());
        let inputs: Vec<f32> = inputs.chain([cosine]).collect();
        let mut hidden = hidden.of(&inputs);
        hidden.iter_mut().for_each(|it| *it = it.max(0.0));
        output.of(&hidden)[0] + beside.of(&[cosine])[0]
    }
}

fn network() -> &'static Network {
    let sizes = [
        (PROJECTED, network::DIMENSION),
        (PROJECTED, network::DIMENSION),
        (HIDDEN, INPUTS),
        (1, HIDDEN),
        (1, 1),
    ];
    NETWORK.get_or_init(|| match layers(WEIGHTS, sizes) {
        Ok(layers) => Network(layers),
        Err(wrong) => panic!("{wrong}"),
    })
}

/// The log-odds of each statement, by its vector, that it answers the question; `None` where the
/// vectors are of an encoder that the network was not trained on, or the question is not English.
/// Cost: some 10,000 multiplications for each.
pub(super) fn odds(
    session: &Session,
    vector: &[f32],
    query: &Query,
    best: &[&Candidate<'_>],
) -> Option<Vec<f32>> {
    let reads = network::reads(session, query);
    let told = best.iter().map(|found| found.vector(session));
    reads.then(|| network().odds(vector, told))
}

#[cfg(test)]
mod tests {
    use super::network;

    #[derive(serde::Deserialize)]
    struct Golden {
        question: Vec<f32>,
        statement: Vec<f32>,
        odds: f32,
    }

    /// The network gives the same values here as in training.
    #[test]
    fn odds_are_those_of_the_training() {
        let text = include_str!("../../../../fixtures/golden/pair.json");
        let golden: Vec<Golden> = serde_json::from_str(text).expect("its pairs");
        assert!(golden.len() > 4);
        for it in golden {
            let found = network().odds(&it.question, [&*it.statement].into_iter())[0];
            assert!((found - it.odds).abs() < 2e-2, "{found} is not {}", it.odds);
        }
    }
}
