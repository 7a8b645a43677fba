//! Names and key phrases with their vectors, and the turns that mention them.
//!
//! They are the entities of the graph methods. A phrase is an index key, not stored text.

use super::matrix::{BestFirst, Matrix};
use super::{Encode, MethodContext};
use anyhow::Result;
use std::collections::HashMap;
use std::sync::Arc;

/// Most phrases of one turn.
const PHRASES_MAX: usize = 6;

/// Phrases by number, in the order of their first mention.
pub(crate) struct Entities {
    kit: Arc<MethodContext>,
    numbers: HashMap<Arc<str>, usize>,
    /// Turns that mention each phrase, oldest first.
    pub(crate) turns: Vec<Vec<usize>>,
    pub(crate) vectors: Matrix,
    /// The phrases of each turn, ascending.
    pub(crate) of_turns: Vec<Vec<usize>>,
}

impl Entities {
    pub(crate) fn new(kit: Arc<MethodContext>) -> Self {
        Self {
            vectors: Matrix::new(kit.dimension()),
            kit,
            numbers: HashMap::new(),
            turns: Vec::new(),
            of_turns: Vec::new(),
        }
    }

    /// Adds the next turn.
    pub(crate) fn push(&mut self, said: &str) -> Result<()> {
        let turn = self.of_turns.len();
        let texts = self.kit.writer.phrases(said, PHRASES_MAX)?;
        let known = |text: &&str| !self.numbers.contains_key(*text);
        let new: Vec<&str> = texts.iter().map(String::as_str).filter(known).collect();
        let vectors = match new.is_empty() {
            true => Vec::new(),
            false => self.kit.encode(&new)?,
        };
        for (text, vector) in new.iter().zip(&vectors) {
            let text: Arc<str> = Arc::from(*text);
            if !self.numbers.contains_key(&text) {
                self.numbers.insert(text, self.turns.len());
                self.turns.push(Vec::new());
                self.vectors.push(vector);
            }
        }
        let mut of_turn: Vec<usize> = texts.iter().map(|text| self.numbers[&**text]).collect();
        of_turn.sort_unstable();
        of_turn.dedup();
        for number in &of_turn {
            self.turns[*number].push(turn);
        }
        self.of_turns.push(of_turn);
        Ok(())
    }

    /// Pairs of phrases mentioned in the same turn, one per such turn.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let of = |phrases: &'_ Vec<usize>| -> Vec<(usize, usize)> {
            let pairs = phrases.iter().enumerate();
            let pairs = pairs.flat_map(|(at, a)| phrases[..at].iter().map(move |b| (*b, *a)));
            pairs.collect()
        };
        self.of_turns.iter().flat_map(of)
    }

    /// Phrases that match a question, with their cosine, nearest first.
    ///
    /// A phrase is compared with each phrase of the question and with the whole question.
    pub(crate) fn meant(
        &self,
        question: &str,
        cosine_min: f32,
        many: usize,
    ) -> Result<Vec<(usize, f32)>> {
        let asked = self.kit.writer.phrases(question, PHRASES_MAX)?;
        let mut texts: Vec<&str> = asked.iter().map(String::as_str).collect();
        texts.push(question);
        let mut best = vec![f32::NEG_INFINITY; self.turns.len()];
        for vector in self.kit.encode(&texts)? {
            for (best, cosine) in best.iter_mut().zip(self.vectors.cosines(&vector)) {
                *best = best.max(cosine);
            }
        }
        let near = best.into_iter().enumerate();
        let near = near.filter(|(_, cosine)| *cosine >= cosine_min);
        Ok(BestFirst::of(near).take(many).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::kit;
    use super::*;

    #[test]
    fn phrases_know_their_turns() {
        let mut entities = Entities::new(kit(None));
        for said in [
            "Ana: The kite!", "Bob: A lamp, Ana", "Bob: Lamp and kettle", "Eve: Lamp",
        ] {
            entities.push(said).expect("it cannot fail");
        }
        let meant = |entities: &Entities, question: &str| -> Vec<(usize, Vec<usize>)> {
            let found = entities.meant(question, 0.9, 9).expect("it cannot fail");
            let with_turns = |(n, _): (usize, f32)| (n, entities.turns[n].clone());
            found.into_iter().map(with_turns).collect()
        };
        let kite: Vec<_> = meant(&entities, "kite")
            .into_iter()
            .map(|it| it.1)
            .collect();
        assert_eq!(kite, [[0]]);
        assert_eq!(meant(&entities, "lamp")[0].1, [1, 2, 3]);
        assert_eq!(entities.pairs().count(), 1 + 3 + 3 + 1);
        entities.push("Zoe: The kite").expect("it cannot fail");
        assert_eq!(meant(&entities, "kite")[0].1, [0, 4]);
        assert_eq!(entities.of_turns[3].len(), 2);
    }
}
