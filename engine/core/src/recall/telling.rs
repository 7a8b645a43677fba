//! The statements that tell most of a person, a name or a time: what overviews show.

use super::candidate::{Candidate, Source};
use super::found::Found;
use super::support;
use crate::answer::{OverviewOf, Statement};
use crate::text::{content_words, is_small_talk};
use std::collections::BTreeSet;

/// Maximum number of statements in an overview, and of their words.
pub(super) const STATEMENTS_MAX: usize = 6;
pub(super) const WORDS_MAX: usize = 90;

/// What memory tells for an overview.
pub(super) struct Told {
    /// What was asked, with the names as memory has them.
    pub(super) of: OverviewOf,
    /// The names that answer, or the one that stands between two.
    pub(super) names: Vec<String>,
    pub(super) statements: Vec<Statement>,
    /// How many statements bear on it.
    pub(super) of_statements: usize,
}

impl<'a> Found<'a> {
    /// The wanted statements that head their events, then others, the most informative first, one
    /// per utterance; in the order said. With the number of all.
    pub(super) fn telling(
        &self,
        wanted: impl Fn(&Candidate<'a>) -> bool,
    ) -> (Vec<Statement>, usize) {
        let people = self.query.speakers().iter();
        let people = people.flat_map(|name| name.split_whitespace().map(str::to_lowercase));
        let people: BTreeSet<String> = people.collect();
        let tells = |found: &&Candidate<'a>| {
            let says = |said: &str| content_words(said).next().is_some();
            let tells = |said: &str| says(said) && !is_small_talk(said, &people);
            wanted(found) && !found.traits.question && found.said().is_some_and(tells)
        };
        let heads = |found: &Candidate<'a>| match found.source {
            Source::Unit(unit) => self.session.tree().heads(unit),
            Source::Raw(..) => false,
        };
        let told = self.ranked.iter().filter(tells);
        let mut best: Vec<(bool, &Candidate<'a>)> = told.map(|it| (heads(it), it)).collect();
        best.sort_by(|(heads, a), (other_heads, b)| {
            let order = other_heads.cmp(heads);
            let order = order.then(salience(b).total_cmp(&salience(a)));
            order.then(a.said_ms().cmp(&b.said_ms()))
        });
        let all = best.len();
        let (mut taken, mut length): (Vec<&Candidate<'a>>, usize) = (Vec::new(), 0);
        let mut said: BTreeSet<String> = BTreeSet::new();
        for (_, found) in best {
            let shown = found.display_text().unwrap_or_default();
            let words = shown.split_whitespace().count();
            let content: BTreeSet<String> = content_words(&shown).collect();
            let again = content.intersection(&said).count() * 2 > content.len();
            let beside = taken.iter().any(|other| other.said_with(found));
            if taken.len() < STATEMENTS_MAX && length + words <= WORDS_MAX && !again && !beside {
                taken.push(found);
                length += words;
                said.extend(content);
            }
        }
        taken.sort_by_key(|found| found.said_ms());
        let told = taken.into_iter();
        let told = told.map(|found| support::answer(found, 1.0, &self.query));
        (told.collect(), all)
    }
}

pub(super) fn salience(found: &Candidate<'_>) -> f32 {
    match found.source {
        Source::Unit(unit) => unit.salience,
        Source::Raw(..) => f32::MIN,
    }
}
