//! Okapi BM25 over an inverted index that grows turn by turn.
//!
//! Follows "Okapi at TREC-3" (Robertson, Walker, Jones, Hancock-Beaulieu and Gatford, 1995), with 1
//! added inside the logarithm so that common words have no negative weight.

use super::matrix::BestFirst;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// Saturation of repeated words (k1).
const K1: f32 = 1.2;
/// Strength of length normalisation (b).
const B: f32 = 0.75;

/// Lower-cased words of letters, digits and apostrophes.
pub fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Frequency of each word in a text.
fn counts(text: &str) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for word in words(text) {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

/// Texts by their words, in order of arrival; the oldest can be forgotten.
#[derive(Debug, Clone, Default)]
pub struct Lexical {
    /// Number of the first remaining text.
    first: usize,
    /// Words of each text.
    lengths: VecDeque<u32>,
    words: u64,
    /// For each word the texts that contain it, oldest first, with the frequency.
    postings: HashMap<String, VecDeque<(u32, u32)>>,
}

impl Lexical {
    /// Adds a text under the next number.
    pub fn push(&mut self, text: &str) {
        let number = (self.first + self.lengths.len()) as u32;
        let mut length = 0;
        for (word, count) in counts(text) {
            length += count;
            self.postings
                .entry(word)
                .or_default()
                .push_back((number, count));
        }
        self.lengths.push_back(length);
        self.words += u64::from(length);
    }

    /// Forgets the oldest text, which must be passed unchanged.
    pub fn forget_oldest(&mut self, text: &str) {
        let Some(length) = self.lengths.pop_front() else {
            return;
        };
        self.words -= u64::from(length);
        for word in counts(text).into_keys() {
            let Some(postings) = self.postings.get_mut(&word) else {
                continue;
            };
            if postings
                .front()
                .is_some_and(|(text, _)| *text as usize == self.first)
            {
                postings.pop_front();
            }
            if postings.is_empty() {
                self.postings.remove(&word);
            }
        }
        self.first += 1;
    }

    /// Texts with a word of the question, best first.
    #[must_use]
    pub fn ranked(&self, question: &str) -> BestFirst {
        let mut scores = vec![0.0_f32; self.lengths.len()];
        let mean = self.words as f32 / self.lengths.len().max(1) as f32;
        for word in counts(question).into_keys() {
            let Some(postings) = self.postings.get(&word) else {
                continue;
            };
            let rarity = self.rarity(postings.len());
            for &(text, count) in postings {
                let at = text as usize - self.first;
                let count = count as f32;
                let length = self.lengths[at] as f32 / mean.max(1.0);
                scores[at] += rarity * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length));
            }
        }
        let found = scores
            .into_iter()
            .enumerate()
            .filter(|(_, score)| *score > 0.0);
        BestFirst::of(found.map(|(at, score)| (self.first + at, score)))
    }

    /// Inverse document frequency of a word in this many texts.
    fn rarity(&self, texts: usize) -> f32 {
        let (all, with) = (self.lengths.len() as f32, texts as f32);
        ((all - with + 0.5) / (with + 0.5) + 1.0).ln()
    }

    /// Bytes of words and postings.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of = |(word, texts): (&String, &VecDeque<(u32, u32)>)| word.len() + texts.len() * 8;
        self.lengths.len() * 4 + self.postings.iter().map(of).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_fixtures::Rng;

    /// BM25 by its formula, text by text.
    fn naive(texts: &[String], question: &str) -> Vec<f32> {
        let all: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
        let total: usize = all.iter().map(Vec::len).sum();
        let mean = (total as f32 / all.len() as f32).max(1.0);
        let mut asked = words(question);
        asked.sort();
        asked.dedup();
        let score = |text: &Vec<String>| -> f32 {
            let of = |word: &String| {
                let with = all.iter().filter(|text| text.contains(word)).count() as f32;
                let rarity = (1.0 + (all.len() as f32 - with + 0.5) / (with + 0.5)).ln();
                let count = text.iter().filter(|other| *other == word).count() as f32;
                let length = 1.0 - 0.75 + 0.75 * text.len() as f32 / mean;
                rarity * count * 2.2 / (count + 1.2 * length)
            };
            asked.iter().map(of).sum()
        };
        all.iter().map(score).collect()
    }

    #[test]
    fn scores_are_those_of_the_formula_after_forgetting_too() {
        let mut rng = Rng::new(11);
        let vocabulary = ["ana", "bob", "tea", "sea", "it's", "the", "5", "Ä"];
        let text = |rng: &mut Rng| {
            let picked: Vec<&str> = (0..rng.below(9)).map(|_| *rng.pick(&vocabulary)).collect();
            picked.join(", ")
        };
        let texts: Vec<String> = (0..60).map(|_| text(&mut rng)).collect();
        let mut index = Lexical::default();
        texts.iter().for_each(|text| index.push(text));
        for forgotten in 0..40 {
            for question in [
                "Ana and Bob?", "the sea, the SEA", "it's ä", "5", "nobody", "",
            ] {
                let expected = naive(&texts[forgotten..], question);
                let mut seen = 0;
                let mut last = f32::INFINITY;
                for (number, score) in index.ranked(question) {
                    let plain = expected[number - forgotten];
                    assert!((score - plain).abs() < 1e-4, "{question}: {score} {plain}");
                    assert!(score <= last);
                    (seen, last) = (seen + 1, score);
                }
                assert_eq!(seen, expected.iter().filter(|score| **score > 0.0).count());
            }
            index.forget_oldest(&texts[forgotten]);
        }
    }

    #[test]
    fn nothing_is_left_of_texts_that_are_forgotten() {
        let mut index = Lexical::default();
        index.push("one two");
        index.push("two three");
        index.forget_oldest("one two");
        index.forget_oldest("two three");
        index.forget_oldest("never there");
        assert_eq!(index.bytes(), 0);
        assert_eq!(index.ranked("two").count(), 0);
    }
}
