//! Whether two statements of one person say the same in other words: a small network over the
//! vectors of both, trained by `scripts/same_claim`. Numbers, names, times and negation are
//! compared exactly beside it.

use super::candidate::{Candidate, Source};
use super::network::{self, Layer, Network};
use super::query::Query;
use crate::session::Session;
use crate::text::{content_words, figures_of};
use crate::vectors::dot;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::OnceLock;

const WEIGHTS: &str = include_str!("same_claim.txt");
/// Log-odds from which two statements say the same: right in 19 of 20 pairs of topics held apart,
/// where half of the others differ in a value alone, and finds 0.37 (`scripts/same_claim`).
const SAME_ODDS: f32 = 3.0;
/// Pairs with a lower cosine are not compared: 0.007 of those of topics that say the same have one.
const COSINE_MIN: f32 = 0.7;

/// It reads the cosine and two shares of common words beside the projections.
fn network() -> &'static Network {
    static NETWORK: OnceLock<Network> = OnceLock::new();
    NETWORK.get_or_init(|| Network::shipped(WEIGHTS, 3))
}

/// The log-odds that two statements say the same, each projected twice.
fn odds(text: &[Vec<f32>; 2], other: &[Vec<f32>; 2], beside: [f32; 3]) -> f32 {
    let compared = text.iter().zip(other).flat_map(|(text, other)| {
        let both = || text.iter().zip(other);
        let products = both().map(|(a, b)| a * b);
        products.chain(both().map(|(a, b)| (a - b).abs()))
    });
    network().odds(compared, &beside)
}

/// Statements told so far, each of which says something of its own.
pub(super) struct Repeats<'a> {
    session: &'a Session,
    reads: bool,
    told: Vec<(usize, Told<'a>)>,
}

impl<'a> Repeats<'a> {
    /// Nothing is told yet. Where the vectors are of an encoder that the network was not trained
    /// on, or the question is not English, nothing repeats anything.
    pub(super) fn of(session: &'a Session, query: &Query) -> Self {
        Self {
            session,
            reads: network::reads(session, query),
            told: Vec::new(),
        }
    }

    /// The place of the statement that this one repeats; else it is told at `place`. Cost: a cosine
    /// for each statement told by the same person with the same figures; where that is high, 2,000
    /// multiplications, and once 18,000 for each statement.
    pub(super) fn tell(&mut self, found: &Candidate<'a>, place: usize) -> Option<usize> {
        let new = self.reads.then(|| Told::of(self.session, found))??;
        let same = self.told.iter().find(|(_, told)| told.says_the_same(&new));
        let same = same.map(|(place, _)| *place);
        if same.is_none() {
            self.told.push((place, new));
        }
        same
    }
}

/// What is compared of a statement.
struct Told<'a> {
    speaker: Option<&'a str>,
    figures: u32,
    vector: &'a [f32],
    text: String,
    /// Its projections and its content words, once it is compared.
    read: OnceCell<([Vec<f32>; 2], BTreeSet<String>)>,
}

impl<'a> Told<'a> {
    /// `None` if it says nothing that could be said again ("Great!"), or its words are not held.
    fn of(session: &'a Session, found: &Candidate<'a>) -> Option<Self> {
        let text = found.said().filter(|_| !found.traits.little)?;
        Some(Self {
            speaker: found.source.speaker(),
            figures: match found.source {
                Source::Unit(node) => node.analysis.figures,
                Source::Raw(heard, _) => figures_of(&heard.utterance.text),
            },
            vector: found.vector(session),
            text: text.to_owned(),
            read: OnceCell::new(),
        })
    }

    fn says_the_same(&self, other: &Self) -> bool {
        if (self.speaker, self.figures) != (other.speaker, other.figures) {
            return false;
        }
        let cosine = dot(self.vector, other.vector);
        if cosine < COSINE_MIN {
            return false;
        }
        let (projected, words) = self.read();
        let (other, their_words) = other.read();
        let both = words.intersection(their_words).count();
        let any = words.len() + their_words.len() - both;
        let fewer = words.len().min(their_words.len());
        let share = |of: usize| both as f32 / of.max(1) as f32;
        odds(projected, other, [cosine, share(any), share(fewer)]) >= SAME_ODDS
    }

    fn read(&self) -> &([Vec<f32>; 2], BTreeSet<String>) {
        self.read.get_or_init(|| {
            let of = |layer: &Layer| layer.of(self.vector);
            let projected = [of(&network().asked), of(&network().told)];
            (projected, content_words(&self.text).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::network::ENCODER;
    use super::super::testing::{Known, heard};
    use super::{SAME_ODDS, network, odds};
    use crate::answer::Question;

    #[derive(serde::Deserialize)]
    struct Golden {
        says: String,
        then: String,
        text: Vec<f32>,
        other: Vec<f32>,
        compared: [f32; 3],
        odds: f32,
    }

    fn golden() -> Vec<Golden> {
        let text = include_str!("../../../../fixtures/golden/same_claim.json");
        serde_json::from_str(text).expect("its pairs")
    }

    /// The network gives the same values here as in training, and the other way round.
    #[test]
    fn odds_are_those_of_the_training() {
        for it in golden() {
            let of = |vector: &[f32]| [network().asked.of(vector), network().told.of(vector)];
            let (text, other) = (of(&it.text), of(&it.other));
            let found = odds(&text, &other, it.compared);
            assert!((found - it.odds).abs() < 0.02, "{found} is not {}", it.odds);
            let back = odds(&other, &text, it.compared);
            assert!((found - back).abs() < 1e-3);
        }
    }

    /// A context shows once what was said twice in other words, with its number, and counts its
    /// tokens; what was said of something else stays.
    #[test]
    fn what_was_said_in_other_words_is_one_line_with_its_number() {
        let mut folded = 0;
        for it in golden() {
            let texts = [
                ("User: ", &it.says, &it.text),
                ("User: ", &it.then, &it.other),
            ];
            let known = texts.map(|(who, text, vector)| (format!("{who}{text}"), vector.clone()));
            let memory = Known::memory(ENCODER, known.to_vec());
            let mut memory = heard(memory, &[("User", &it.says), ("User", &it.then)]);
            memory.flush().expect("flushed");
            let encoded = memory.encoder().encode_for_search(&[&it.says]);
            let question = Question::new(&it.says, encoded.expect("encoded").remove(0), None);
            let context = memory.session().search(&question).assemble(400).context;
            let same = it.odds >= SAME_ODDS;
            folded += usize::from(same);
            let times: Vec<u32> = context.statements.iter().map(|it| it.times).collect();
            assert_eq!(
                times,
                if same { vec![2] } else { vec![1, 1] },
                "{context:?}"
            );
            assert_eq!(context.text.contains("(said 2 times)"), same);
        }
        assert!(folded >= 2, "the pairs have both kinds");
    }
}
