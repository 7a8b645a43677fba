//! Okapi BM25 over an inverted index that grows text by text.
//!
//! Follows "Okapi at TREC-3" (Robertson, Walker, Jones, Hancock-Beaulieu and Gatford, 1995), with 1
//! added inside the logarithm so that common words have no negative weight.

use super::matrix::BestFirst;
use std::collections::{BTreeMap, HashMap};

/// Saturation of repeated words (k1).
const K1: f32 = 1.2;
/// Strength of length normalisation (b).
const B: f32 = 0.75;

/// Lower-cased words of letters, digits and apostrophes.
pub(crate) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn counts(text: &str) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for word in words(text) {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

/// Texts by their words, in order of arrival.
#[derive(Default)]
pub(crate) struct Lexical {
    /// Words of each text, and of all.
    lengths: Vec<u32>,
    words: u64,
    /// For each word the texts that contain it, with the frequency.
    postings: HashMap<String, Vec<(u32, u32)>>,
}

impl Lexical {
    /// Adds a text under the next number.
    pub(crate) fn push(&mut self, text: &str) {
        let number = self.lengths.len() as u32;
        let mut length = 0;
        for (word, count) in counts(text) {
            length += count;
            self.postings.entry(word).or_default().push((number, count));
        }
        self.lengths.push(length);
        self.words += u64::from(length);
    }

    /// Texts with a word of the question, best first.
    pub(crate) fn ranked(&self, question: &str) -> BestFirst {
        let mut scores = vec![0.0_f32; self.lengths.len()];
        let mean = self.words as f32 / self.lengths.len().max(1) as f32;
        for word in counts(question).into_keys() {
            let postings = self.postings.get(&word).map_or(&[][..], |found| found);
            let (all, with) = (self.lengths.len() as f32, postings.len() as f32);
            let rarity = ((all - with + 0.5) / (with + 0.5) + 1.0).ln();
            for &(text, count) in postings {
                let (at, count) = (text as usize, count as f32);
                let length = self.lengths[at] as f32 / mean.max(1.0);
                scores[at] += rarity * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length));
            }
        }
        let numbered = scores.into_iter().enumerate();
        BestFirst::of(numbered.filter(|(_, score)| *score > 0.0))
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
    fn scores_are_those_of_the_formula() {
        let mut rng = Rng::new(11);
        let vocabulary = ["ana", "bob", "tea", "sea", "it's", "the", "5", "Ä"];
        let text = |rng: &mut Rng| {
            let picked: Vec<&str> = (0..rng.below(9)).map(|_| *rng.pick(&vocabulary)).collect();
            picked.join(", ")
        };
        let texts: Vec<String> = (0..60).map(|_| text(&mut rng)).collect();
        let mut index = Lexical::default();
        texts.iter().for_each(|text| index.push(text));
        for question in [
            "Ana and Bob?", "the sea, the SEA", "it's ä", "5", "nobody", "",
        ] {
            let expected = naive(&texts, question);
            let (mut seen, mut last) = (0, f32::INFINITY);
            for (number, score) in index.ranked(question) {
                let plain = expected[number];
                assert!((score - plain).abs() < 1e-4, "{question}: {score} {plain}");
                assert!(score <= last);
                (seen, last) = (seen + 1, score);
            }
            assert_eq!(seen, expected.iter().filter(|score| **score > 0.0).count());
        }
    }
}
