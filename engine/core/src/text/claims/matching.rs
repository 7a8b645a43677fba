//! Words in the form that claims are matched on.

use super::lists::ENDS;
use crate::text::ClaimFeatures;

/// A word in the form that is matched.
pub(in crate::text) struct Word {
    pub(in crate::text) lower: String,
    pub(in crate::text) capital: bool,
    pub(in crate::text) figure: bool,
}

impl Word {
    pub(in crate::text) fn of(word: &str) -> Self {
        Self {
            lower: word.to_lowercase().replace('’', "'"),
            capital: word.chars().next().is_some_and(char::is_uppercase),
            figure: ClaimFeatures::of(word).has_figures(),
        }
    }

    pub(in crate::text) fn is(&self, any: &[&str]) -> bool {
        any.contains(&self.lower.as_str())
    }
}

pub(in crate::text) fn leading(words: &[Word], holds: impl Fn(&Word) -> bool) -> usize {
    words.iter().take_while(|word| holds(word)).count()
}

/// Whether a word of a phrase stands for a lower-cased word; `a|b` stands for either.
pub(crate) fn stands_for(of_phrase: &str, lower: &str) -> bool {
    of_phrase.split('|').any(|word| word == lower)
}

pub(in crate::text) fn begins(words: &[Word], phrase: &[&str]) -> bool {
    let mut pairs = words.iter().zip(phrase);
    words.len() >= phrase.len() && pairs.all(|(word, of)| stands_for(of, &word.lower))
}

pub(in crate::text) fn follow(words: &[Word], phrase: &[&str]) -> bool {
    (0..words.len()).any(|at| begins(&words[at..], phrase))
}

/// The words after an article.
pub(in crate::text) fn article(words: &[Word]) -> &[Word] {
    &words[leading(words, |word| word.is(&["a", "an", "the"]))..]
}

/// The words of a value: at most six, without articles, up to the next clause.
pub(in crate::text) fn value(rest: &[Word]) -> String {
    rest.iter()
        .map(|word| word.lower.as_str())
        .take_while(|word| !ENDS.contains(word))
        .filter(|word| !["a", "an", "the", "my", "our"].contains(word))
        .take(6)
        .collect::<Vec<_>>()
        .join(" ")
}
