//! Whether a later statement answers the question that an earlier one answers: a small network over
//! the vectors of both and of the question, trained by `scripts/same_question`.

use super::candidate::Candidate;
use super::network::{self, Network};
use super::query::Query;
use crate::answer::Question;
use crate::session::Session;
use crate::text::content_words;
use crate::vectors::dot;
use std::collections::BTreeSet;
use std::sync::OnceLock;

const WEIGHTS: &str = include_str!("same_question.txt");

/// It reads three cosines and two shares of words beside the projections.
fn network() -> &'static Network {
    static NETWORK: OnceLock<Network> = OnceLock::new();
    NETWORK.get_or_init(|| Network::shipped(WEIGHTS, 5))
}

/// The log-odds that `later` answers the question that `earlier` answers, all three projected.
fn odds(asked: &[f32], earlier: &[f32], later: &[f32], beside: [f32; 5]) -> f32 {
    let told = || earlier.iter().zip(later);
    let compared = told().map(|(earlier, later)| earlier * later);
    let compared = compared.chain(told().map(|(earlier, later)| (earlier - later).abs()));
    let compared = compared.chain(asked.iter().zip(later).map(|(asked, later)| asked * later));
    network().odds(compared.chain(later.iter().copied()), &beside)
}

/// Compares later statements with an earlier one, with regard to one question.
pub(super) struct Judge<'a> {
    session: &'a Session,
    question: &'a Question,
    asked: Vec<f32>,
    words: BTreeSet<String>,
    earlier: Told<'a>,
}

impl<'a> Judge<'a> {
    /// `None` where the vectors are of an encoder that it was not trained on, or the question is
    /// not English.
    pub(super) fn of(
        session: &'a Session,
        question: &'a Question,
        query: &Query,
        earlier: &Candidate<'a>,
    ) -> Option<Self> {
        network::reads(session, query).then(|| Self {
            session,
            question,
            asked: network().asked.of(&question.vector),
            words: content_words(&question.text).collect(),
            earlier: Told::of(session, earlier),
        })
    }

    /// The log-odds that `later` answers the question as the earlier statement does.
    pub(super) fn odds(&self, later: &Candidate<'a>) -> f32 {
        let (earlier, later) = (&self.earlier, Told::of(self.session, later));
        let both = earlier.words.intersection(&later.words).count();
        let any = earlier.words.len() + later.words.len() - both;
        let asked = self.words.intersection(&later.words).count();
        let share = |part: usize, of: usize| part as f32 / of.max(1) as f32;
        let compared = [
            dot(earlier.vector, later.vector),
            dot(&self.question.vector, later.vector),
            dot(&self.question.vector, earlier.vector),
            share(both, any),
            share(asked, self.words.len()),
        ];
        let (earlier, later) = (&earlier.projected, &later.projected);
        odds(&self.asked, earlier, later, compared)
    }
}

/// What is read of a statement.
struct Told<'a> {
    vector: &'a [f32],
    projected: Vec<f32>,
    words: BTreeSet<String>,
}

impl<'a> Told<'a> {
    fn of(session: &'a Session, found: &Candidate<'a>) -> Self {
        let vector = found.vector(session);
        let words = found.said().map(content_words);
        Self {
            vector,
            projected: network().told.of(vector),
            words: words.into_iter().flatten().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::network::{ENCODER, logistic};
    use super::super::testing::{Known, heard};
    use super::*;

    #[derive(serde::Deserialize)]
    struct Golden {
        speaker: String,
        asks: String,
        says: String,
        then: String,
        question: Vec<f32>,
        earlier: Vec<f32>,
        later: Vec<f32>,
        compared: [f32; 5],
        chance: f32,
    }

    fn golden() -> Vec<Golden> {
        let text = include_str!("../../../../fixtures/golden/same_question.json");
        serde_json::from_str(text).expect("its pairs")
    }

    /// The network gives the same values here as in training.
    #[test]
    fn chances_are_those_of_the_training() {
        let network = network();
        for it in golden() {
            let asked = network.asked.of(&it.question);
            let [earlier, later] = [&it.earlier, &it.later].map(|of| network.told.of(of));
            let found = logistic(odds(&asked, &earlier, &later, it.compared));
            let expected = it.chance;
            assert!((found - expected).abs() < 5e-3, "{found} is not {expected}");
        }
    }

    /// In a memory with these vectors, a pair is the same as in training; with those of another
    /// encoder nothing is judged.
    #[test]
    fn statements_of_a_memory_are_judged_as_in_training() {
        for it in golden() {
            let memory = |name: &str| {
                let named = |text: &str| format!("{}: {text}", it.speaker);
                let known = [
                    (it.asks.clone(), it.question.clone()),
                    (named(&it.says), it.earlier.clone()),
                    (named(&it.then), it.later.clone()),
                ];
                let memory = Known::memory(name, known.to_vec());
                let said = [&it.says, &it.then].map(|text| (it.speaker.as_str(), text.as_str()));
                heard(memory, &said)
            };
            let encoded = memory(ENCODER).encoder().encode_for_search(&[&it.asks]);
            let question = Question::new(&it.asks, encoded.expect("encoded").remove(0), None);
            let judged = |name: &str| {
                let memory = memory(name);
                let found = memory.session().search(&question);
                let [earlier, later] = [&it.says, &it.then].map(|text| {
                    let said = |found: &&Candidate<'_>| found.said() == Some(text);
                    found.ranked.iter().find(said).expect("it was said")
                });
                let judge = Judge::of(memory.session(), &question, &found.query, earlier)?;
                Some(logistic(judge.odds(later)))
            };
            let (found, expected) = (judged(ENCODER).expect("a chance"), it.chance);
            assert!(
                (found - expected).abs() < 5e-3,
                "{found} is not {expected}: {}, {}",
                it.says,
                it.then
            );
            assert_eq!(judged("another"), None);
        }
    }
}
