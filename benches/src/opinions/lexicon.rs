//! The baseline: the plain sum of VADER's valences in a window of words around a term, without
//! VADER's rules of negation and degree.

use crate::affect::vader::valences;
use anyhow::Result;
use std::collections::HashMap;
use std::path::Path;

/// Words on each side of the term that are summed.
const WINDOW: usize = 5;

pub(super) struct Lexicon(HashMap<String, f64>);

impl Lexicon {
    /// # Errors
    /// The file cannot be read.
    pub(super) fn read(file: &Path) -> Result<Self> {
        Ok(Self(valences(file)?))
    }

    /// The sum of the valences around the bytes of a term.
    pub(super) fn around(&self, text: &str, (from, to): (usize, usize)) -> f32 {
        let value = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            self.0.get(&word.to_lowercase()).copied().unwrap_or(0.0)
        };
        let before = text[..from].split_whitespace().rev().take(WINDOW);
        let behind = text[to..].split_whitespace().take(WINDOW);
        before.chain(behind).map(value).sum::<f64>() as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_words_count() {
        let words = [("good", 1.9), ("bad", -2.5)];
        let lexicon = Lexicon(words.map(|(word, value)| (word.to_owned(), value)).into());
        let text = "Good food, and then a long walk to some bad tea.";
        let at = text.find("food").expect("the term");
        let sum = lexicon.around(text, (at, at + 4));
        assert!((sum - 1.9).abs() < 1e-6, "{sum}");
    }
}
