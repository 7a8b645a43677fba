//! What may answer a question that names something exactly: a number, an id, a day.

use super::candidate::{Candidate, Source};
use super::days_told::{days_of, days_told};
use super::found::Found;
use super::when::Stretch;
use crate::text::{date_in_words, date_of};
use std::collections::BTreeSet;

impl<'a> Found<'a> {
    /// Whether a statement may answer: its utterance has the terms with a digit that the question
    /// names, and it was said on, or tells of, the days that it names.
    pub(super) fn admits(&self, found: &Candidate<'a>) -> bool {
        self.is_exact(found) && self.is_of_days(found)
    }

    /// Whether an utterance has what the question names exactly.
    pub(super) fn is_exact(&self, found: &Candidate<'a>) -> bool {
        if self.query.codes.is_empty() {
            return true;
        }
        let turns = self.exact_turns.get_or_init(|| self.exact_turns());
        found
            .source
            .turn()
            .is_some_and(|turn| turns.contains(&turn))
    }

    /// The utterances with one of the terms. Key words stand for a statement whose words are not
    /// held: looking each up would read the transcript.
    fn exact_turns(&self) -> BTreeSet<u64> {
        let has = |found: &&Candidate<'a>| {
            let (text, asked) = match found.source {
                Source::Unit(node) => (node.text.as_str(), node.asked.as_deref()),
                Source::Raw(heard, _) => (heard.utterance.text.as_str(), None),
            };
            let mut codes = self.query.codes.iter();
            codes.any(|it| it.is_in(text) || asked.is_some_and(|asked| it.is_in(asked)))
        };
        let exact = self.ranked.iter().filter(has);
        exact.filter_map(|it| it.source.turn()).collect()
    }

    /// Whether a statement was said on the days in question, or tells of them; true where none are
    /// named.
    pub(super) fn is_of_days(&self, found: &Candidate<'a>) -> bool {
        let Some(days) = &self.query.days else {
            return true;
        };
        if found.said_on().is_some_and(|day| days.contains(&day)) {
            return true;
        }
        self.days_told(found).is_some_and(|told| days.meet(&told))
    }

    /// The days that a statement tells of: "tomorrow", "in May".
    fn days_told(&self, found: &Candidate<'_>) -> Option<Stretch> {
        let (said, at) = (found.said()?, found.said_at_unix_ms()?);
        let zone = &self.query.zone;
        match date_in_words(said, Some(at), zone) {
            Some(resolved) => days_of(&resolved),
            None => days_told(said, date_of(at, zone)?),
        }
    }

    /// Whether a statement is about a time after the question: a plan.
    pub(super) fn is_ahead(&self, found: &Candidate<'_>) -> bool {
        let zone = &self.query.zone;
        let now = self.question.at.unix_ms.or(self.session.now_unix_ms());
        let today = now.and_then(|now| date_of(now, zone));
        let told = self.days_told(found).zip(today);
        told.is_some_and(|(told, today)| *told.start() > today)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{question, told};

    /// Regression: a statement without the number that is asked for was counted as one whose words
    /// are not held.
    #[test]
    fn what_is_not_admitted_is_not_unreadable() {
        let memory = told(&[
            ("Ana", "The projector is in room 214."),
            ("Ana", "We had soup and bread."),
        ]);
        let asked = question("What is in room 305?");
        let recall = memory.session().search(&asked).assemble(400);
        assert_eq!(recall.heard.unreadable, 0);
        assert!(recall.heard.statements.is_empty());
    }
}
