//! What a model says of a block is kept only where the block says it.
//!
//! A model may put talk in other words; it may not add to it. Names, numbers, times, subject and
//! object of a fact must stand in the block it claims as its proof, in its speakers' names, or in
//! a date that words of the block were resolved to; and what the block denies, a fact must not
//! claim. Pure functions of text: no model decides here. It reads the new utterances only, so a
//! fact out of a prompt, or out of an answer given before, has nothing to stand on.

use super::block::{Block, Heard};
use super::dates::resolved;
use super::themes::is_kind_of_talk;
use crate::text::{Marks, clauses, display_words, is_content_word, searched_words, stem};
use std::collections::BTreeSet;

/// Share of a fact's content words that its block must say; the rest may be other words for it.
const SAID_SHARE_MIN: f32 = 0.6;
/// Utterances that prove one fact at most.
const PROOFS_MAX: usize = 2;

/// Why something was not kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It says nothing.
    #[error("it has no content words")]
    NoWords,
    /// A name that nobody in the block said or has.
    #[error("`{0}` is named nowhere in the block")]
    Name(String),
    /// A number, day or month that nobody in the block said.
    #[error("`{0}` is no figure of the block")]
    Figure(String),
    /// A subject or object of which the block does not speak.
    #[error("`{0}` is no subject or object of the block")]
    Part(String),
    /// Too few of its words were said.
    #[error("most of its words were not said")]
    Invented,
    /// It claims what was denied, or denies what was claimed.
    #[error("the block says the opposite")]
    Opposite,
}

/// The words of one block, for checking what a model made of it.
#[derive(Debug)]
pub struct Gate {
    lines: Vec<Line>,
    /// Stems of all lines and of the speakers' names.
    said: BTreeSet<String>,
}

/// One new utterance.
#[derive(Debug)]
struct Line {
    stems: BTreeSet<String>,
    clauses: Vec<(BTreeSet<String>, bool)>,
}

impl Gate {
    /// Reads the block's new utterances.
    #[must_use]
    pub fn of(block: &Block) -> Self {
        let lines: Vec<Line> = block.fresh.iter().map(Line::of).collect();
        let mut said: BTreeSet<String> = lines.iter().flat_map(|l| l.stems.clone()).collect();
        for heard in &block.fresh {
            said.extend(stems(
                heard.utterance.speaker.as_deref().unwrap_or_default(),
            ));
        }
        Self { lines, said }
    }

    /// Whether a fact may be kept that claims to come from utterance `line` of the block; the
    /// utterances that prove it, the best first.
    ///
    /// # Errors
    /// [`Refusal`] says what of it was not said.
    pub fn fact(&self, text: &str, line: usize) -> Result<Vec<usize>, Refusal> {
        self.figures_and_names(text)?;
        let first = display_words(text)
            .next()
            .unwrap_or_default()
            .to_lowercase();
        if is_content_word(&first) && !self.said.contains(&stem(&first)) {
            return Err(Refusal::Part(first));
        }
        let words = stems(text);
        if words.is_empty() {
            return Err(Refusal::NoWords);
        }
        let known = words.intersection(&self.said).count();
        if (known as f32) < SAID_SHARE_MIN * words.len() as f32 {
            return Err(Refusal::Invented);
        }
        let proofs = self.proofs(&words, line);
        let best = *proofs.first().ok_or(Refusal::Invented)?;
        if self.lines[best].denies(&words) != Marks::of(text).negated {
            return Err(Refusal::Opposite);
        }
        Ok(proofs)
    }

    /// Whether a subject or an object may be kept: all its content words were said.
    ///
    /// # Errors
    /// [`Refusal::Part`] names the first word that was not.
    pub fn part(&self, text: &str) -> Result<(), Refusal> {
        let words = stems(text);
        if words.is_empty() {
            return Err(Refusal::NoWords);
        }
        match words.iter().find(|word| !self.said.contains(*word)) {
            Some(word) => Err(Refusal::Part(word.clone())),
            None => Ok(()),
        }
    }

    /// Whether a label of a scene may be kept: of its content words each was said, or is a word for
    /// a kind of talk. Labels are written in capitals, so names cannot be told from other words.
    ///
    /// # Errors
    /// [`Refusal::Part`] names the first word that is neither.
    pub fn label(&self, text: &str) -> Result<(), Refusal> {
        let words = stems(text);
        if words.is_empty() {
            return Err(Refusal::NoWords);
        }
        let fits = |word: &&String| self.said.contains(*word) || is_kind_of_talk(word);
        match words.iter().find(|word| !fits(word)) {
            Some(word) => Err(Refusal::Part(word.clone())),
            None => Ok(()),
        }
    }

    /// Whether a summary may be kept: it may be in any words, but its names, numbers and times
    /// were said.
    ///
    /// # Errors
    /// [`Refusal`] says what was not.
    pub fn summary(&self, text: &str) -> Result<(), Refusal> {
        if stems(text).is_empty() {
            return Err(Refusal::NoWords);
        }
        self.figures_and_names(text)
    }

    fn figures_and_names(&self, text: &str) -> Result<(), Refusal> {
        let marks = Marks::of(text);
        for figure in marks.numbers.iter().chain(&marks.times) {
            if !self.said.contains(&stem(figure)) {
                return Err(Refusal::Figure(figure.clone()));
            }
        }
        let unknown = |name: &&String| !stems(name).is_subset(&self.said);
        match marks.names.iter().find(unknown) {
            Some(name) => Err(Refusal::Name(name.clone())),
            None => Ok(()),
        }
    }

    /// The utterances that together say most of the words: the one claimed first, where it says
    /// any.
    fn proofs(&self, words: &BTreeSet<String>, claimed: usize) -> Vec<usize> {
        let mut missing = words.clone();
        let mut proofs: Vec<usize> = Vec::new();
        while proofs.len() < PROOFS_MAX {
            let gain = |at: &usize| self.lines[*at].stems.intersection(&missing).count();
            let best = match proofs.is_empty() && claimed < self.lines.len() && gain(&claimed) > 0 {
                true => Some(claimed),
                false => (0..self.lines.len())
                    .filter(|at| !proofs.contains(at) && gain(at) > 0)
                    .max_by_key(|at| (gain(at), std::cmp::Reverse(*at))),
            };
            let Some(best) = best else { break };
            missing.retain(|word| !self.lines[best].stems.contains(word));
            proofs.push(best);
        }
        proofs
    }
}

impl Line {
    fn of(heard: &Heard) -> Self {
        let text = &heard.utterance.text;
        let full = resolved(text, heard.said_at_unix_ms).unwrap_or_else(|| text.clone());
        let read = |clause: &str| (stems(clause), Marks::of(clause).negated);
        Self {
            stems: stems(&full),
            clauses: clauses(text).into_iter().map(read).collect(),
        }
    }

    /// Whether the clause that is nearest to `words` is negated.
    fn denies(&self, words: &BTreeSet<String>) -> bool {
        let near = |stems: &BTreeSet<String>| stems.intersection(words).count();
        let nearest = self
            .clauses
            .iter()
            .rev()
            .max_by_key(|(stems, _)| near(stems));
        nearest.is_some_and(|(_, negated)| *negated)
    }
}

/// The stems of a text's content words; "7pm" is also 7.
fn stems(text: &str) -> BTreeSet<String> {
    let mut all = crate::text::stems(text);
    for word in searched_words(text) {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            all.insert(digits.to_owned());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::testing::block;
    use super::*;

    fn gate() -> Gate {
        // 2025-03-07, a Friday
        Gate::of(&block(&[
            (
                "Alice",
                "I moved to Paris yesterday, and I don't like the rain.",
            ),
            ("Bob", "My sister Clara has two cats."),
            ("Alice", "The train leaves at seven."),
        ]))
    }

    #[test]
    fn what_was_said_may_be_put_in_other_words() {
        let gate = gate();
        assert_eq!(gate.fact("Alice moved to Paris", 0), Ok(vec![0]));
        assert_eq!(
            gate.fact("Alice moved to Paris on 6 March 2025", 0),
            Ok(vec![0])
        );
        assert_eq!(gate.fact("Alice does not like rain", 0), Ok(vec![0]));
        assert_eq!(gate.fact("Clara has 2 cats", 1), Ok(vec![1]));
        assert_eq!(gate.fact("The train leaves at 7", 2), Ok(vec![2]));
    }

    #[test]
    fn what_was_not_said_is_refused_by_name() {
        let gate = gate();
        let refused = |text: &str, line| gate.fact(text, line).expect_err(text);
        assert_eq!(
            refused("Alice moved to London", 0),
            Refusal::Name("london".into())
        );
        assert_eq!(
            refused("Clara has three cats", 1),
            Refusal::Figure("3".into())
        );
        assert_eq!(
            refused("The train leaves on Monday", 2),
            Refusal::Figure("monday".into())
        );
        assert_eq!(
            refused("Dave has two cats", 1),
            Refusal::Part("dave".into())
        );
        assert_eq!(refused("Alice likes the rain", 0), Refusal::Opposite);
        assert_eq!(
            refused("Clara does not have two cats", 1),
            Refusal::Opposite
        );
        assert_eq!(
            refused("Alice secretly hates expensive trains", 0),
            Refusal::Invented
        );
        assert_eq!(refused("it is so", 0), Refusal::NoWords);
    }

    #[test]
    fn proof_is_the_line_claimed_and_one_that_adds_to_it() {
        let gate = gate();
        assert_eq!(
            gate.fact("Alice moved to Paris with two cats", 0),
            Ok(vec![0, 1])
        );
        // a line out of range, or one that says nothing of it, is set right
        assert_eq!(gate.fact("Clara has two cats", 9), Ok(vec![1]));
        assert_eq!(gate.fact("Clara has two cats", 2), Ok(vec![1]));
    }

    #[test]
    fn parts_and_summaries_stand_in_the_block() {
        let gate = gate();
        assert_eq!(gate.part("the two cats"), Ok(()));
        assert_eq!(gate.part("three dogs"), Err(Refusal::Part("3".into())));
        assert_eq!(
            gate.summary("Friends chat about relocating to Paris"),
            Ok(())
        );
        assert_eq!(
            gate.summary("A chat about Berlin"),
            Err(Refusal::Name("berlin".into()))
        );
        assert_eq!(gate.summary(""), Err(Refusal::NoWords));
        assert_eq!(gate.label("Family Discussion"), Ok(()));
        assert_eq!(gate.label("Moving To Paris"), Ok(()));
        assert_eq!(
            gate.label("Berlin Trip"),
            Err(Refusal::Part("berlin".into()))
        );
    }
}
