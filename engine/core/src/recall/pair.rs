//! Whether a statement answers a question: a small network over the vectors of both, trained by
//! `scripts/ranker`. It sees that "the schnauzers" answers "what dogs"; the trees weigh what it
//! says beside the words that both share.

use super::candidate::Candidate;
use super::network::{self, Network};
use super::query::Query;
use crate::session::Session;
use crate::vectors::dot;
use std::sync::OnceLock;

const WEIGHTS: &str = include_str!("pair.txt");

/// It reads the cosine beside the projections.
fn network() -> &'static Network {
    static NETWORK: OnceLock<Network> = OnceLock::new();
    NETWORK.get_or_init(|| Network::shipped(WEIGHTS, 1))
}

/// The log-odds of each statement that it answers, given its vector and the question's.
fn odds_of<'v>(asked: &[f32], told: impl Iterator<Item = &'v [f32]>) -> Vec<f32> {
    let network = network();
    let projected = network.asked.of(asked);
    let of = |vector: &[f32]| {
        let told = network.told.of(vector);
        let both = || projected.iter().zip(&told);
        let compared = both().map(|(asked, told)| asked * told);
        let compared = compared.chain(both().map(|(asked, told)| (asked - told).abs()));
        let compared = compared.chain(projected.iter().copied());
        let compared = compared.chain(told.iter().copied());
        network.odds(compared, &[dot(asked, vector)])
    };
    told.map(of).collect()
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
    reads.then(|| odds_of(vector, told))
}

#[cfg(test)]
mod tests {
    use super::odds_of;

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
            let found = odds_of(&it.question, [&*it.statement].into_iter())[0];
            assert!((found - it.odds).abs() < 2e-2, "{found} is not {}", it.odds);
        }
    }
}
