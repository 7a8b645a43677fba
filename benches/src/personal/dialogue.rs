//! Dialogues of one user with an assistant, and what an answered turn needs of the talk before it.

use std::collections::BTreeSet;
use weir_core::text::stems;

/// The talk of one user.
#[derive(Debug)]
pub(super) struct Dialogue {
    /// The data set.
    pub(super) data: &'static str,
    /// Its name within the data set.
    pub(super) name: String,
    pub(super) user: String,
    /// Facts that its turns tell, with their names, where they are labelled.
    pub(super) told: Vec<(&'static str, Needed)>,
    pub(super) turns: Vec<Turn>,
}

/// A message of the user, with what becomes of it.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub(super) id: String,
    pub(super) text: String,
    /// The reply in the data.
    pub(super) reply: Option<String>,
    /// A conversation that begins with this turn, and when.
    pub(super) begins: Option<(String, Option<i64>)>,
    /// Whether the talk goes on from it: it is heard, and part of the history.
    pub(super) is_heard: bool,
    /// The systems are asked it.
    pub(super) asked: Option<Asked>,
}

/// What an answer to a turn needs; no system is told.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Facts of the talk before that an answer needs.
    pub(super) needed: Vec<Needed>,
}

/// A fact that an answer needs.
#[derive(Debug)]
pub(super) struct Needed {
    /// Its name in results, without words of the data.
    pub(super) name: String,
    stems: BTreeSet<String>,
    share: f64,
}

impl Needed {
    /// A fact that one line shows with at least this share of the content words of `text`.
    pub(super) fn new(name: impl Into<String>, text: &str, share: f64) -> Self {
        Self {
            name: name.into(),
            stems: stems(text),
            share,
        }
    }

    /// Whether one line of the text shows it.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let enough = self.share * self.stems.len().max(1) as f64;
        let shown = |line: &str| stems(line).intersection(&self.stems).count() as f64;
        text.lines().any(|line| shown(line) >= enough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_shown_by_one_line_with_enough_of_its_words() {
        let half = Needed::new("", "I never eat peanuts or shellfish at restaurants", 0.5);
        assert!(half.is_in("## Profile:\nAna: I never eat peanuts and shellfish.\n"));
        assert!(!half.is_in("peanuts\nnever eat\nrestaurants"));
        let whole = Needed::new("", "cosmic comfort", 1.0);
        assert!(whole.is_in("The theme is Cosmic Comfort!") && !whole.is_in("comfort"));
        assert!(!Needed::new("", "of the", 0.5).is_in("of the"));
    }
}
