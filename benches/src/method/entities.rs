//! Names and key phrases with their vectors, and the turns that mention them.
//!
//! Used by the graph methods instead of a language model's entities. A phrase is an index key: it
//! counts as bytes, not as stored text.

use super::MethodContext;
use super::matrix::Matrix;
use anyhow::Result;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Most phrases of one turn.
pub const PHRASES_MAX: usize = 6;

/// Phrases by number, in the order of their first mention.
pub struct Entities {
    kit: Arc<MethodContext>,
    numbers: HashMap<Arc<str>, usize>,
    phrases: Vec<Phrase>,
    vectors: Matrix,
    /// Number of the first turn with phrases, and the phrases of each turn from there.
    first_turn: usize,
    of_turns: VecDeque<Vec<usize>>,
    /// Phrases that no remaining turn mentions.
    dead: usize,
}

struct Phrase {
    text: Arc<str>,
    /// Turns that mention it, oldest first.
    turns: VecDeque<usize>,
}

impl Entities {
    /// No phrases.
    #[must_use]
    pub fn new(kit: Arc<MethodContext>) -> Self {
        Self {
            vectors: Matrix::new(kit.dimension()),
            kit,
            numbers: HashMap::new(),
            phrases: Vec::new(),
            first_turn: 0,
            of_turns: VecDeque::new(),
            dead: 0,
        }
    }

    /// Adds the next turn.
    ///
    /// # Errors
    /// Those of the writer and the encoder.
    pub fn push(&mut self, said: &str) -> Result<()> {
        let turn = self.first_turn + self.of_turns.len();
        let texts = self.kit.writer.key_phrases(said, PHRASES_MAX)?;
        let known = |text: &&str| !self.numbers.contains_key(*text);
        let new: Vec<&str> = texts.iter().map(String::as_str).filter(known).collect();
        let vectors = match new.is_empty() {
            true => Vec::new(),
            false => self.kit.encode(&new)?,
        };
        for (text, vector) in new.iter().zip(&vectors) {
            let text: Arc<str> = Arc::from(*text);
            if !self.numbers.contains_key(&text) {
                self.numbers.insert(Arc::clone(&text), self.phrases.len());
                let turns = VecDeque::new();
                self.phrases.push(Phrase { text, turns });
                self.vectors.push(vector);
                self.dead += 1;
            }
        }
        let mut of_turn: Vec<usize> = texts.iter().map(|text| self.numbers[&**text]).collect();
        of_turn.sort_unstable();
        of_turn.dedup();
        for number in &of_turn {
            let turns = &mut self.phrases[*number].turns;
            self.dead -= usize::from(turns.is_empty());
            turns.push_back(turn);
        }
        self.of_turns.push_back(of_turn);
        Ok(())
    }

    /// Forgets the oldest turn.
    pub fn forget_oldest(&mut self) {
        for number in self.of_turns.pop_front().into_iter().flatten() {
            let turns = &mut self.phrases[number].turns;
            turns.pop_front();
            self.dead += usize::from(turns.is_empty());
        }
        self.first_turn += 1;
    }

    /// Removes forgotten phrases once they are the majority. Then it returns the new number of each
    /// old one.
    pub fn compact(&mut self) -> Option<Vec<Option<usize>>> {
        if self.dead * 2 <= self.phrases.len() {
            return None;
        }
        let mut moved = vec![None; self.phrases.len()];
        let mut vectors = Matrix::new(self.kit.dimension());
        let mut kept = Vec::new();
        for (old, phrase) in std::mem::take(&mut self.phrases).into_iter().enumerate() {
            if phrase.turns.is_empty() {
                self.numbers.remove(&phrase.text);
                continue;
            }
            moved[old] = Some(vectors.push(self.vectors.row(old)));
            self.numbers.insert(Arc::clone(&phrase.text), kept.len());
            kept.push(phrase);
        }
        for number in self.of_turns.iter_mut().flatten() {
            *number = moved[*number].unwrap_or_default();
        }
        (self.phrases, self.vectors, self.dead) = (kept, vectors, 0);
        Some(moved)
    }

    /// Number of phrases, including forgotten ones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.phrases.len()
    }

    /// Whether there is no phrase.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }

    /// Turns that mention a phrase, oldest first.
    #[must_use]
    pub fn turns(&self, number: usize) -> &VecDeque<usize> {
        &self.phrases[number].turns
    }

    /// Phrases of a turn, ascending.
    #[must_use]
    pub fn of_turn(&self, turn: usize) -> &[usize] {
        let at = turn.checked_sub(self.first_turn);
        at.and_then(|at| self.of_turns.get(at))
            .map_or(&[], Vec::as_slice)
    }

    /// The vectors of the phrases.
    #[must_use]
    pub fn vectors(&self) -> &Matrix {
        &self.vectors
    }

    /// Pairs of phrases mentioned in the same turn, one per such turn.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
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
    ///
    /// # Errors
    /// Those of the writer and the encoder.
    pub fn meant(&self, question: &str, cosine_min: f32, many: usize) -> Result<Vec<(usize, f32)>> {
        let asked = self.kit.writer.key_phrases(question, PHRASES_MAX)?;
        let mut texts: Vec<&str> = asked.iter().map(String::as_str).collect();
        texts.push(question);
        let mut best = vec![f32::NEG_INFINITY; self.phrases.len()];
        for vector in self.kit.encode(&texts)? {
            for (best, cosine) in best.iter_mut().zip(self.vectors.cosines(&vector)) {
                *best = best.max(cosine);
            }
        }
        let near = best.into_iter().enumerate().filter(|(number, cosine)| {
            *cosine >= cosine_min && !self.phrases[*number].turns.is_empty()
        });
        Ok(super::matrix::BestFirst::of(near).take(many).collect())
    }

    /// Bytes of phrases, vectors and lists.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of = |phrase: &Phrase| phrase.text.len() + phrase.turns.len() * size_of::<usize>();
        let phrases: usize = self.phrases.iter().map(of).sum();
        let of_turns = self
            .of_turns
            .iter()
            .map(|turn| turn.len() * size_of::<usize>());
        phrases + self.vectors.bytes() + of_turns.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::kit;
    use super::*;

    #[test]
    fn phrases_know_their_turns_and_are_given_free() {
        let mut entities = Entities::new(kit(None));
        for said in [
            "Ana: The kite!", "Bob: A lamp, Ana", "Bob: Lamp and kettle", "Eve: Lamp",
        ] {
            entities
                .push(said)
                .expect("the encoder of words cannot fail");
        }
        let meant = |entities: &Entities, question: &str| -> Vec<(usize, Vec<usize>)> {
            let found = entities.meant(question, 0.9, 9).expect("it cannot fail");
            let with_turns =
                |(n, _): (usize, f32)| (n, entities.turns(n).iter().copied().collect());
            found.into_iter().map(with_turns).collect()
        };
        let kite = meant(&entities, "kite");
        assert_eq!(kite.len(), 1);
        assert_eq!(kite[0].1, [0]);
        assert_eq!(meant(&entities, "lamp")[0].1, [1, 2, 3]);
        let pairs = entities.pairs().count();
        assert_eq!(pairs, 1 + 3 + 3 + 1);
        assert!(entities.compact().is_none());
        (0..3).for_each(|_| entities.forget_oldest());
        assert!(meant(&entities, "kite").is_empty());
        let moved = entities
            .compact()
            .expect("ana, kite, bob and kettle are gone");
        assert_eq!(moved.iter().flatten().count(), 2);
        assert_eq!(meant(&entities, "lamp")[0].1, [3]);
        assert_eq!(entities.of_turn(3).len(), 2);
        entities.push("Zoe: The kite").expect("it cannot fail");
        assert_eq!(meant(&entities, "kite")[0].1, [4]);
    }
}
