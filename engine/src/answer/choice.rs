//! Answers that only choose between what the question offers: "the blue one", of "red or blue".
//!
//! Every word of such an answer is the question's, so most of its words prove nothing. It stands
//! where somebody said it outright: one clause with all of its words and of what was asked, in the
//! same polarity and without doubt; and where that compares, what is chosen comes before the
//! comparison and the other, if at all, after it.

use crate::text::{Marks, clauses, display_words, is_question, keeps_doubts, words};
use std::collections::BTreeSet;

/// What a question offers: two things, by the stems of the words in which they differ.
#[derive(Debug, PartialEq)]
pub(super) struct Choice {
    one: BTreeSet<String>,
    other: BTreeSet<String>,
    /// What it asks of them.
    asked: BTreeSet<String>,
}

impl Choice {
    /// Reads the choice of a question, if it offers two things around one "or".
    pub(super) fn of(question: &str) -> Option<Self> {
        let (left, right) = question.split_once(" or ")?;
        let several = right.contains(" or ") || left.trim_end().ends_with(',');
        if several || !offers_two(left) {
            return None;
        }
        let one = phrase(left, true, usize::MAX);
        let other = phrase(right, false, one.len());
        let (one, other) = (set(&one), set(&other));
        let differ = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
            a.difference(b).cloned().collect::<BTreeSet<String>>()
        };
        let (one, other) = (differ(&one, &other), differ(&other, &one));
        let offered: BTreeSet<String> = one.union(&other).cloned().collect();
        let both = !one.is_empty() && !other.is_empty();
        both.then(|| Self {
            asked: differ(&words(question), &offered),
            one,
            other,
        })
    }

    /// Whether a statement says outright what a sentence of the question's words chooses.
    pub(super) fn is_said(&self, sentence: &str, statement: &str) -> bool {
        let own = words(sentence);
        let names = |what: &BTreeSet<String>| what.is_subset(&own);
        let touches = |what: &BTreeSet<String>| !what.is_disjoint(&own);
        let (chosen, other) = match (touches(&self.one), touches(&self.other)) {
            (true, false) if names(&self.one) => (&self.one, &self.other),
            (false, true) if names(&self.other) => (&self.other, &self.one),
            _ => return false,
        };
        let needed: BTreeSet<String> = own.union(&self.asked).cloned().collect();
        let negated = Marks::of(sentence).negated;
        clauses(statement).into_iter().any(|clause| {
            needed.is_subset(&words(clause))
                && !is_question(clause)
                && Marks::of(clause).negated == negated
                && keeps_doubts(sentence, clause)
                && compares(clause, chosen, other, &needed)
        })
    }
}

/// Whether a clause names the chosen before what it compares by and the other only after it; one
/// that does not compare does not name the other.
fn compares(
    clause: &str,
    chosen: &BTreeSet<String>,
    other: &BTreeSet<String>,
    needed: &BTreeSet<String>,
) -> bool {
    let said: Vec<(String, BTreeSet<String>)> = display_words(clause)
        .map(|word| (word.to_lowercase(), words(word)))
        .collect();
    let of = |what: &BTreeSet<String>| {
        let places = said.iter().enumerate();
        let own = places.filter(|(_, (_, stems))| !stems.is_disjoint(what));
        own.map(|(at, _)| at).collect::<Vec<usize>>()
    };
    let is_needed = |stems: &BTreeSet<String>| !stems.is_disjoint(needed);
    let by = said.iter().position(|(word, stems)| {
        is_comparative(word) && is_needed(stems) && stems.is_disjoint(chosen)
    });
    let (chosen, other) = (of(chosen), of(other));
    let Some(by) = by else {
        return other.is_empty();
    };
    // dearer than what, if it says so
    let than = said[by..].iter().any(|(word, _)| word == "than");
    let in_place = chosen.iter().all(|at| *at < by) && other.iter().all(|at| *at > by);
    in_place && (!than || !other.is_empty())
}

fn is_comparative(word: &str) -> bool {
    let known = ["more", "less", "fewer", "better", "worse", "rather"].contains(&word);
    known || (word.len() > 4 && word.ends_with("er"))
}

/// Whether what stands before "or" offers one thing: it has no comma, or one after what asks.
fn offers_two(left: &str) -> bool {
    let parts: Vec<&str> = left.split([',', ';', ':']).collect();
    let asks = |part: &str| {
        let words: Vec<String> = display_words(part).map(str::to_lowercase).collect();
        let first = words.first().map_or("", String::as_str);
        let of = ["of", "between", "among"];
        ["which", "what", "who", "where", "when"].contains(&first)
            && !words.iter().any(|word| of.contains(&word.as_str()))
    };
    match parts[..] {
        [_] => true,
        [before, _] => asks(before),
        _ => false,
    }
}

/// The content words next to the "or", away from it up to a small word or a mark; at most so many.
fn phrase(side: &str, backwards: bool, most: usize) -> Vec<String> {
    let mark = |c: char| ",;:?.!".contains(c);
    let near = match backwards {
        true => side.rsplit(mark).next(),
        false => side.split(mark).next(),
    };
    let mut all: Vec<&str> = display_words(near.unwrap_or_default()).collect();
    if backwards {
        all.reverse();
    }
    let small = |word: &&&str| {
        let lower = word.to_lowercase();
        words(word).is_empty() || ["one", "ones"].contains(&lower.as_str())
    };
    // "the" before the right one, "one" after the left
    let skipped = all.iter().take_while(small).count();
    let content = all[skipped..].iter().take_while(|word| !small(word));
    content.take(most).map(|word| (*word).to_owned()).collect()
}

fn set(all: &[String]) -> BTreeSet<String> {
    all.iter().flat_map(|word| words(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIKES: &str = "Which costs more, the red one or the blue one?";

    fn said(question: &str, sentence: &str, statement: &str) -> bool {
        Choice::of(question).is_some_and(|choice| choice.is_said(sentence, statement))
    }

    #[test]
    fn what_was_said_outright_may_be_chosen() {
        let dearer = "The blue one costs more than the red one.";
        assert!(said(BIKES, "The blue one costs more.", dearer));
        assert!(said(BIKES, "The blue one.", dearer));
        assert!(said(
            BIKES,
            "Blue",
            "I saw them, and the blue one costs more."
        ));
        let trains = "Is the train or the bus cheaper?";
        assert!(said(
            trains,
            "The bus is cheaper.",
            "The bus is cheaper than the train."
        ));
        let bought = "Did Alice buy the red bike or the blue bike?";
        assert!(said(
            bought,
            "Alice bought the blue bike.",
            "Alice bought the blue bike."
        ));
    }

    #[test]
    fn alternatives_are_not_swapped() {
        let dearer = "The red one costs more than the blue one.";
        assert!(!said(BIKES, "The blue one costs more.", dearer));
        assert!(said(BIKES, "The red one costs more.", dearer));
        let trains = "Is the train or the bus cheaper?";
        let statement = "Cheaper is the train, the bus is late.";
        assert!(!said(trains, "The bus is cheaper.", statement));
    }

    #[test]
    fn what_is_denied_doubted_asked_or_of_something_else_is_no_proof() {
        for statement in [
            "The blue one doesn't cost more than the red one.",
            "Maybe the blue one costs more than the red one.",
            "If the blue one costs more, I take the red one.",
            "Does the blue one cost more than the red one?",
            "The blue one costs more than I thought.",
            "The blue one costs less than the red one.",
            "I like the blue one more than the red one.",
            "The blue one is ugly. The red one costs more.",
        ] {
            assert!(
                !said(BIKES, "The blue one costs more.", statement),
                "{statement}"
            );
            assert!(!said(BIKES, "The blue one.", statement), "{statement}");
        }
    }

    #[test]
    fn only_one_of_two_is_a_choice() {
        let dearer = "The blue one costs more than the red one.";
        assert!(!said(
            BIKES,
            "The blue one and the red one cost more.",
            dearer
        ));
        assert!(!said(BIKES, "One costs more.", dearer));
        for three in [
            "Which costs more, the red one, the green one or the blue one?",
            "Which costs more: red or green or blue?",
            "Is red, green or blue dearer?",
            "Which of red, green or blue costs more?",
            "Which costs more, the red, the green, or the blue one?",
        ] {
            assert_eq!(Choice::of(three), None, "{three}");
        }
        assert_eq!(Choice::of("Which bike costs more?"), None);
    }
}
