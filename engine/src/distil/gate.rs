//! What a model says of a block is kept only where the block says it.
//!
//! A fact tells one clause of the block again, in fewer of its words: all its content words, names,
//! numbers and times stand in that clause, in the name of whoever said it, or in a date that words
//! of it were resolved to; in the same order and tense, with the same doubts and the same yes or
//! no. Other words for what was said are refused with what was not said: no rule here can tell
//! them apart, and what is refused stays in its own words. Pure functions of text: no model decides
//! here. It reads the new utterances only, so a fact out of a prompt, or out of an answer given
//! before, has nothing to stand on.

use super::block::{Block, Heard};
use super::dates::resolved;
use super::themes::is_kind_of_talk;
use crate::text::{Claim, Marks, Missing, Said, clauses, is_question, retold, sentences, words};
use std::collections::BTreeSet;

/// Why something was not kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It says nothing.
    #[error("it has no content words")]
    NoWords,
    /// It is more than one sentence.
    #[error("it is more than one sentence")]
    Sentences,
    /// A name that nobody said there.
    #[error("`{0}` is named nowhere in what it is from")]
    Name(String),
    /// A number, day or month that nobody said there.
    #[error("`{0}` is no figure of what it is from")]
    Figure(String),
    /// A subject or object of which nobody spoke there.
    #[error("`{0}` is no subject or object of what it is from")]
    Part(String),
    /// Words of it were not said.
    #[error("some of its words were not said")]
    Invented,
    /// It claims what was denied, or denies what was claimed.
    #[error("the block says the opposite")]
    Opposite,
    /// It states what was asked.
    #[error("it was asked, not said")]
    Asked,
    /// The words were said, but of somebody else, of another time, or as no more than a thought.
    #[error("`{0}` was said otherwise")]
    Otherwise(String),
}

impl From<Missing> for Refusal {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Figure(figure) => Self::Figure(figure),
            Missing::Name(name) => Self::Name(name),
        }
    }
}

/// The clause that a fact tells again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// Which of the block's new utterances.
    pub line: usize,
    /// The clause, as it stands in the utterance.
    pub clause: String,
}

/// The words of one block, for checking what a model made of it.
#[derive(Debug)]
pub struct Gate {
    clauses: Vec<Clause>,
    /// All clauses and the speakers' names.
    said: Said,
}

/// A clause of a new utterance.
#[derive(Debug)]
struct Clause {
    line: usize,
    text: String,
    /// The same with its relative date resolved.
    dated: String,
    speaker: Option<String>,
    /// Its words, what its relative date means, and the speaker's name.
    said: Said,
    /// Content stems of the speaker's name, and of what the date means.
    names: BTreeSet<String>,
    dates: BTreeSet<String>,
    negated: bool,
}

impl Gate {
    /// Reads the block's new utterances.
    #[must_use]
    pub fn of(block: &Block) -> Self {
        let mut said = Said::default();
        let mut all = Vec::new();
        for (line, heard) in block.fresh.iter().enumerate() {
            let text = &heard.utterance.text;
            said.add(text);
            said.add_words(heard.utterance.speaker.as_deref().unwrap_or_default());
            if let Some(full) = resolved(text, heard.said_at_unix_ms) {
                said.add_words(&full);
            }
            let pieces = clauses(text).into_iter();
            all.extend(pieces.map(|clause| Clause::of(line, clause, heard)));
        }
        Self { clauses: all, said }
    }

    /// Whether a fact may be kept that claims to come from utterance `line` of the block; the
    /// clause that says it, of that utterance where one does.
    ///
    /// # Errors
    /// [`Refusal`] says what of it was not said. Cost: linear in the block.
    pub fn fact(&self, text: &str, line: usize) -> Result<Proof, Refusal> {
        if sentences(text).len() > 1 {
            return Err(Refusal::Sentences);
        }
        let own = words(text);
        let near = |clause: &&Clause| clause.said.words().intersection(&own).count();
        let mut order: Vec<&Clause> = self.clauses.iter().collect();
        order.sort_by_key(|clause| {
            let shared = near(clause);
            std::cmp::Reverse((clause.line == line && shared > 0, shared))
        });
        let mut refusal = Refusal::NoWords;
        for (nth, clause) in order.into_iter().enumerate() {
            match clause.says(text, &own) {
                Ok(()) => {
                    return Ok(Proof {
                        line: clause.line,
                        clause: clause.text.clone(),
                    });
                }
                // the nearest clause says best why not
                Err(why) if nth == 0 => refusal = why,
                Err(_) => {}
            }
        }
        Err(refusal)
    }

    /// Whether a label of a scene may be kept: of its content words each was said, or is a word for
    /// a kind of talk. Labels are written in capitals, so names cannot be told from other words.
    ///
    /// # Errors
    /// [`Refusal::Part`] names the first word that is neither.
    pub fn label(&self, text: &str) -> Result<(), Refusal> {
        let words = words(text);
        if words.is_empty() {
            return Err(Refusal::NoWords);
        }
        let fits = |word: &&String| self.said.words().contains(*word) || is_kind_of_talk(word);
        match words.iter().find(|word| !fits(word)) {
            Some(word) => Err(Refusal::Part(word.clone())),
            None => Ok(()),
        }
    }

    /// Whether a summary may be kept: it may be in any words, but its names, numbers and times
    /// were said, its first word was or is one for a kind of talk, and it does not deny what the
    /// clause nearest to it says, nor say what that denies.
    ///
    /// # Errors
    /// [`Refusal`] says what was not.
    pub fn summary(&self, text: &str) -> Result<(), Refusal> {
        if words(text).is_empty() {
            return Err(Refusal::NoWords);
        }
        if let Some(missing) = self.said.missing(text) {
            return Err(missing.into());
        }
        // its capital does not tell whether it is a name
        if let Some(first) = self.said.first_missing(text)
            && !words(&first).iter().all(|word| is_kind_of_talk(word))
        {
            return Err(Refusal::Name(first));
        }
        match self.said.bears_on(text) && !self.said.agrees(text, &BTreeSet::new()) {
            true => Err(Refusal::Opposite),
            false => Ok(()),
        }
    }
}

impl Clause {
    fn of(line: usize, text: &str, heard: &Heard) -> Self {
        let speaker = heard.utterance.speaker.clone();
        let mut said = Said::of(text);
        let own = said.words().clone();
        let dated = resolved(text, heard.said_at_unix_ms).unwrap_or_else(|| text.to_owned());
        said.add_words(&dated);
        let dates = words(&dated).difference(&own).cloned().collect();
        said.add_words(speaker.as_deref().unwrap_or_default());
        Self {
            line,
            names: words(speaker.as_deref().unwrap_or_default()),
            negated: Marks::of(text).negated,
            text: text.to_owned(),
            dated,
            speaker,
            said,
            dates,
        }
    }

    /// Whether it says a fact of these content words.
    fn says(&self, fact: &str, own: &BTreeSet<String>) -> Result<(), Refusal> {
        if own.is_subset(&self.names) {
            return Err(Refusal::NoWords);
        }
        if let Some(missing) = self.said.missing(fact) {
            return Err(missing.into());
        }
        if let Some(first) = self.said.first_missing(fact) {
            return Err(Refusal::Part(first));
        }
        if !own.is_subset(self.said.words()) {
            return Err(Refusal::Invented);
        }
        if is_question(&self.text) {
            return Err(Refusal::Asked);
        }
        if self.negated != Marks::of(fact).negated {
            return Err(Refusal::Opposite);
        }
        retold(fact, &self.text, &self.names, &self.dates).map_err(Refusal::Otherwise)?;
        // "I moved to Rome in 2010" says nothing of now, but without its year it would
        let speaker = self.speaker.as_deref();
        let claims = |text: &str| Claim::read(text, speaker);
        match claims(fact) {
            Some(claim) => {
                let covers = |said: Option<Claim>| said.is_some_and(|said| said.covers(&claim));
                let made = covers(claims(&self.text)) || covers(claims(&self.dated));
                made.then_some(()).ok_or(Refusal::Otherwise(claim.slot))
            }
            None => Ok(()),
        }
    }
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
            ("Bob", "My sister Clara has two cats. Dora has one dog."),
            ("Alice", "The train leaves at seven."),
        ]))
    }

    fn of_one(speaker: &str, line: &str, fact: &str) -> Result<(), Refusal> {
        Gate::of(&block(&[(speaker, line)])).fact(fact, 0).map(drop)
    }

    #[test]
    fn what_was_said_may_be_told_again() {
        let gate = gate();
        for (fact, line, clause) in [
            ("Alice moved to Paris", 0, "I moved to Paris yesterday,"),
            (
                "Alice moved to Paris on 6 March 2025",
                0,
                "I moved to Paris yesterday,",
            ),
            ("Alice does not like rain", 0, "and I don't like the rain."),
            ("Clara has 2 cats", 1, "My sister Clara has two cats."),
            ("The train leaves at 7", 2, "The train leaves at seven."),
        ] {
            let clause = clause.to_owned();
            assert_eq!(gate.fact(fact, line), Ok(Proof { line, clause }));
        }
        for (speaker, line, fact) in [
            (
                "Alice",
                "I moved to Paris in May.",
                "Alice moved to Paris in May",
            ),
            ("Alice", "I love my old cats.", "Alice loves her old cat"),
            ("Anna Smith", "I bought a car.", "Anna Smith bought a car"),
            ("Bob", "Yeah, I work for Bosch.", "Bob works for Bosch"),
        ] {
            assert_eq!(of_one(speaker, line, fact), Ok(()), "{fact}");
        }
        // beside the name of whoever said it, "she" is somebody else
        assert!(of_one("Alice", "I moved to Paris.", "She moved to Paris").is_err());
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
        assert_eq!(
            refused("Clara has two cats. Berlin is nice", 1),
            Refusal::Sentences
        );
    }

    #[test]
    fn another_verb_or_object_was_not_said() {
        let market = "I bought milk at the market on Main Street";
        for (line, fact) in [
            ("I love the rain.", "Alice hates rain"),
            (market, "Alice bought cocaine at the market on Main Street"),
            (market, "Alice stole milk at the market on Main Street"),
            (market, "Alice bought milk at the market on Main Square"),
            ("I went to Rome", "Alice lives in Rome"),
            ("Did I buy milk at the market?", "Alice bought milk"),
        ] {
            assert!(of_one("Alice", line, fact).is_err(), "{line} / {fact}");
        }
        assert_eq!(of_one("Alice", market, "Alice bought milk"), Ok(()));
    }

    #[test]
    fn a_claim_that_was_not_made_then_is_none() {
        let line = "I moved to Porto in 2010.";
        assert_eq!(
            of_one("Ana", line, "Ana moved to Porto"),
            Err(Refusal::Otherwise("home".into()))
        );
        assert_eq!(of_one("Ana", line, "Ana moved to Porto in 2010"), Ok(()));
    }

    #[test]
    fn a_fact_is_of_one_clause() {
        let gate = gate();
        assert_eq!(
            gate.fact("Alice moved to Paris with two cats", 0),
            Err(Refusal::Figure("2".into()))
        );
        for crossed in [
            "Clara has seven cats",
            "Clara has one dog",
            "Dora has two cats",
        ] {
            assert!(gate.fact(crossed, 1).is_err(), "{crossed}");
        }
        // a line out of range, or one that does not say it, is set right
        for line in [9, 2] {
            let proof = gate.fact("Clara has two cats", line).expect("it was said");
            assert_eq!(proof.line, 1);
        }
    }

    #[test]
    fn words_with_a_hyphen_are_held_by_their_parts() {
        for (speaker, line, fact) in [
            ("Jean-Luc", "I had COVID-19.", "Jean-Luc had COVID-19"),
            ("Bob", "I met Jean-Luc.", "Bob met Jean-Luc"),
            (
                "Bob",
                "I was there on 2025-03-06.",
                "Bob was there on 2025-03-06",
            ),
        ] {
            assert_eq!(of_one(speaker, line, fact), Ok(()), "{fact}");
        }
        assert!(of_one("Bob", "I met Jean.", "Bob met Jean-Luc").is_err());
        assert!(of_one("Bob", "I was 7-8 times there.", "Bob was 8-7 times there").is_err());
    }

    #[test]
    fn summaries_and_labels_stand_in_the_block() {
        let gate = gate();
        assert_eq!(
            gate.summary("Friends chat about relocating to Paris"),
            Ok(())
        );
        assert_eq!(gate.summary("Clara and her cats"), Ok(()));
        for (summary, named) in [
            ("A chat about Berlin", "berlin"),
            ("Berlin trip planned", "berlin"),
            ("Friends chat. Berlin is nice", "berlin"),
        ] {
            assert_eq!(gate.summary(summary), Err(Refusal::Name(named.into())));
        }
        assert_eq!(gate.summary("Alice likes rain"), Err(Refusal::Opposite));
        assert_eq!(gate.summary(""), Err(Refusal::NoWords));
        assert_eq!(gate.label("Family Discussion"), Ok(()));
        assert_eq!(gate.label("Moving To Paris"), Ok(()));
        assert_eq!(
            gate.label("Berlin Trip"),
            Err(Refusal::Part("berlin".into()))
        );
    }
}
