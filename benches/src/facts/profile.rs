//! The smallest profile: facts by slot and qualifier, the newest of each.

use anyhow::Result;
use weir_core::text::{Fact, FactSlot, fact_sentence, facts, stems};
use weir_core::vectors::dot;
use weir_models::Encode;

/// One fact that holds.
struct Held {
    slot: FactSlot,
    about: String,
    sentence: String,
}

/// The facts of one speaker that hold.
#[derive(Default)]
pub(super) struct Profile {
    held: Vec<Held>,
}

impl Profile {
    /// Takes in the facts of a turn.
    pub(super) fn hear(&mut self, text: &str, speaker: Option<&str>) {
        self.take(facts(text, speaker));
    }

    /// Takes in facts, the newest last.
    pub(super) fn take(&mut self, facts: Vec<Fact<'_>>) {
        for fact in facts {
            let same = |held: &Held| held.slot == fact.slot && held.about == fact.about;
            self.held.retain(|held| !same(held));
            if !fact.ended {
                self.held.push(Held {
                    slot: fact.slot,
                    sentence: fact_sentence(fact.slot, &fact.about, &fact.value, false),
                    about: fact.about,
                });
            }
        }
    }

    /// The facts as sentences in the first person.
    pub(super) fn sentences(&self) -> impl Iterator<Item = &str> {
        self.held.iter().map(|held| held.sentence.as_str())
    }

    /// Whether one fact holds the stems of all key words.
    pub(super) fn holds(&self, keys: &str) -> bool {
        let keys = stems(keys);
        self.sentences().any(|fact| stems(fact).is_superset(&keys))
    }

    /// The facts nearest to a text, best first: share of the fact's words in the text plus cosine.
    pub(super) fn search(
        &self,
        text: &str,
        count: usize,
        encoder: &dyn Encode,
    ) -> Result<Vec<&str>> {
        let asked = stems(text);
        let facts: Vec<&str> = self.sentences().collect();
        let query = encoder.encode_queries(&[text])?;
        let vectors = encoder.encode(&facts)?;
        let mut scored: Vec<(f32, &str)> = Vec::new();
        for (fact, vector) in facts.into_iter().zip(&vectors) {
            let words = stems(fact);
            let shared = words.intersection(&asked).count() as f32 / words.len().max(1) as f32;
            scored.push((shared + dot(vector, &query[0]), fact));
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(scored
            .into_iter()
            .take(count)
            .map(|(_, fact)| fact)
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::WordHashEncoder;

    #[test]
    fn the_newest_fact_holds_and_is_found() {
        let mut profile = Profile::default();
        profile.hear("I live in Rome. My favorite color is green.", None);
        profile.hear("I moved to Porto and I love jazz.", None);
        assert!(profile.holds("porto") && !profile.holds("rome"));
        profile.hear("I don't live in Porto anymore.", None);
        assert!(!profile.holds("porto"));
        let encoder = WordHashEncoder::new();
        let found = profile
            .search("What is my favorite color?", 1, &encoder)
            .unwrap();
        assert_eq!(found, ["My favorite color is green."]);
    }
}
