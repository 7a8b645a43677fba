//! How far a clause agrees with a claim.

use super::clause::{Clause, Kind, Term};
use super::lists::TIMES_OF_ONE_KIND;

impl Clause {
    /// Number of words that a claim shares.
    pub(super) fn shared(&self, claim: &Self) -> usize {
        claim.terms.iter().filter(|term| self.says(term)).count()
    }

    fn says(&self, wanted: &Term) -> bool {
        self.terms.iter().any(|term| term.meaning == wanted.meaning)
    }

    /// Whether it has the word that a claim begins with; a claim without words has no subject.
    pub(super) fn names_subject_of(&self, claim: &Self) -> bool {
        claim.terms.first().is_some_and(|first| self.says(first))
    }

    /// Whether both speak of the same belongings, or neither of any: "Ana moved" is not "my sister
    /// moved", said by Ana.
    pub(super) fn is_owned_as(&self, claim: &Self) -> bool {
        let has = |clause: &Self, of: &Self| {
            let mut owned = of.owned.iter();
            owned.all(|owned| clause.terms.iter().any(|term| term.meaning == *owned))
        };
        has(self, claim) && has(claim, self)
    }

    /// Whether it is a guess, a wish or a plan exactly where the claim is one. "I leave on Monday"
    /// may be a plan too.
    pub(super) fn is_as_certain_as(&self, claim: &Self) -> bool {
        let mut missing = claim.doubts.difference(&self.doubts);
        self.doubts.is_subset(&claim.doubts) && missing.all(|doubt| doubt == "future")
    }

    /// Whether it has each name, number and time of a claim.
    pub(super) fn has_details_of(&self, claim: &Self) -> bool {
        let mut details = claim.terms.iter().filter(|term| term.kind != Kind::Other);
        details.all(|term| self.says(term))
    }

    /// Share of a claim's words that it has in the same order.
    pub(super) fn share_of(&self, claim: &Self) -> f32 {
        share(&claim.terms.iter().collect::<Vec<_>>(), self)
    }

    /// The same without numbers and times.
    pub(super) fn share_without_figures(&self, claim: &Self) -> f32 {
        let words = claim.terms.iter();
        let words = words.filter(|term| !matches!(term.kind, Kind::Number | Kind::Time));
        share(&words.collect::<Vec<_>>(), self)
    }

    /// Whether it has another polarity than a claim: an odd number of negations and opposites.
    pub(super) fn opposes(&self, claim: &Self) -> bool {
        let opposite = |wanted: &&Term| {
            let mut same = self
                .terms
                .iter()
                .filter(|term| term.meaning == wanted.meaning);
            same.next()
                .is_some_and(|term| term.opposite != wanted.opposite)
        };
        let opposites = claim.terms.iter().filter(opposite).count();
        (self.negated != claim.negated) != (opposites % 2 == 1)
    }

    /// Whether it says that something is over that a claim says of the present.
    pub(super) fn ends(&self, claim: &Self) -> bool {
        !claim.past && !self.endings.is_subset(&claim.endings)
    }

    /// Whether both have a number, or a time of one kind, that the other lacks.
    pub(super) fn has_other_figures_than(&self, claim: &Self) -> bool {
        let lacks = |clause: &Self, of: &Self| {
            let mut numbers = of.terms.iter().filter(|term| term.kind == Kind::Number);
            numbers.any(|number| !clause.says(number))
        };
        let other_times = TIMES_OF_ONE_KIND.iter().any(|kind| {
            let lacks = |clause: &Self, of: &Self| {
                let mut times = of.times.difference(&clause.times);
                times.any(|time| kind.contains(time))
            };
            lacks(self, claim) && lacks(claim, self)
        });
        other_times || (lacks(self, claim) && lacks(claim, self))
    }
}

/// Share of the wanted words in their longest common subsequence with a clause's; 0 of none.
fn share(wanted: &[&Term], clause: &Clause) -> f32 {
    let mut longest = vec![0; clause.terms.len() + 1];
    for term in wanted {
        let mut before = 0;
        for (at, said) in clause.terms.iter().enumerate() {
            let above = longest[at + 1];
            longest[at + 1] = match said.meaning == term.meaning {
                true => before + 1,
                false => longest[at].max(above),
            };
            before = above;
        }
    }
    let common = longest.last().copied().unwrap_or_default();
    common as f32 / wanted.len().max(1) as f32
}
