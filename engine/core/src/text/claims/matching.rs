//! Words in the form that claims are matched on.

use super::lists::ENDS;
use crate::text::ClaimFeatures;

/// A word in the form that is matched.
pub(super) struct Word {
    pub(super) lower: String,
    pub(super) capital: bool,
    pub(super) figure: bool,
}

impl Word {
    pub(super) fn of(word: &str) -> Self {
        Self {
            lower: word.to_lowercase().replace('’', "'"),
            capital: word.chars().next().is_some_and(char::is_uppercase),
            figure: ClaimFeatures::of(word).has_figures(),
        }
    }

    pub(super) fn is(&self, any: &[&str]) -> bool {
        any.contains(&self.lower.as_str())
    }
}

pub(super) fn leading(words: &[Word], holds: impl Fn(&Word) -> bool) -> usize {
    words.iter().take_while(|word| holds(word)).count()
}

pub(super) fn begins(words: &[Word], phrase: &[&str]) -> bool {
    words.len() >= phrase.len() && words.iter().zip(phrase).all(|(word, p)| word.lower == *p)
}

pub(super) fn follow(words: &[Word], phrase: &[&str]) -> bool {
    (0..words.len()).any(|at| begins(&words[at..], phrase))
}

/// The words after an article.
pub(super) fn article(words: &[Word]) -> &[Word] {
    &words[leading(words, |word| word.is(&["a", "an", "the"]))..]
}

/// The words of a value: at most six, without articles, up to the next clause.
pub(super) fn value(rest: &[Word]) -> String {
    rest.iter()
        .map(|word| word.lower.as_str())
        .take_while(|word| !ENDS.contains(word))
        .filter(|word| !["a", "an", "the", "my", "our"].contains(word))
        .take(6)
        .collect::<Vec<_>>()
        .join(" ")
}
