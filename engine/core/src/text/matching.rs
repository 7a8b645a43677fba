//! Words in the form that phrases are matched on.

use super::words::is_listed;

/// Words with one blank between each.
pub(super) struct Words(pub(super) &'static str);

impl Words {
    pub(super) fn contains(&self, word: &str) -> bool {
        is_listed(self.0, word)
    }
}

/// Words before a statement that do not change its meaning.
pub(super) const OPENERS: Words = Words(
    "actually well so oh yes yeah no also and but now currently today finally recently anyway \
    okay ok right hey guess what nowadays",
);

/// A word in the form that is matched.
pub(super) struct Word {
    pub(super) lower: String,
    pub(super) capital: bool,
}

impl Word {
    pub(super) fn of(word: &str) -> Self {
        Self {
            lower: word.to_lowercase().replace('’', "'"),
            capital: word.chars().next().is_some_and(char::is_uppercase),
        }
    }
}

/// Whether a word of a phrase stands for a lower-cased word; `a|b` stands for either.
pub(super) fn stands_for(of_phrase: &str, lower: &str) -> bool {
    of_phrase.split('|').any(|word| word == lower)
}
