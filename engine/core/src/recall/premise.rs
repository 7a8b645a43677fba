//! What a question presumes, compared with memory.

use super::candidate::Candidate;
use super::found::Found;
use crate::answer::Premise;
use crate::limits;
use crate::text::ClaimFeatures;

impl Found<'_> {
    /// The best statement by somebody else, if it fits better than all by the people in question.
    pub(super) fn elsewhere(&self, best: &[&Candidate<'_>]) -> Option<usize> {
        if self.query.people.is_empty() {
            return None;
        }
        let alone = |at: &usize| -> f32 { best[*at].signals.iter().sum() };
        let most = |concerns: bool| {
            let of = (0..best.len()).filter(|at| best[*at].concerns == concerns);
            of.max_by(|a, b| alone(a).total_cmp(&alone(b)).then(b.cmp(a)))
        };
        let (own, other) = (most(true), most(false)?);
        let fits_better = own.is_none_or(|own| alone(&other) > alone(&own));
        (fits_better && best[other].speaker().is_some()).then_some(other)
    }

    /// Whether somebody else speaks of themselves: "my" of a guest is not the asker's.
    pub(super) fn tells_of_another(&self, found: &Candidate<'_>) -> bool {
        let own = |said: &str| ClaimFeatures::of(said).first_person;
        !found.concerns && found.speaker().is_some() && found.said().is_some_and(own)
    }

    /// Compares the question's premise with memory; `of_other` says whether somebody else says the
    /// likeliest answer of themselves.
    pub(super) fn premise(&self, support: f32, elsewhere: bool, of_other: bool) -> Option<Premise> {
        if let Some((asked, people)) = self.query.ambiguous.clone() {
            return Some(Premise::Ambiguous { asked, people });
        }
        if !self.query.unheard.is_empty() && support < limits::SUPPORT_MIN {
            let words = self.query.unheard.clone();
            return Some(Premise::Unheard { words });
        }
        if let Some(code) = self.query.codes.first()
            && !self.ranked.iter().any(|it| self.is_exact(it))
        {
            let name = code.written.clone();
            return Some(Premise::Unknown { name });
        }
        if let Some(name) = &self.query.unknown {
            return Some(Premise::Unknown { name: name.clone() });
        }
        let asked = self.query.people_asked.clone();
        let asked = asked.filter(|_| of_other || elsewhere && support < limits::SUPPORT_MIN);
        let other = asked.map(|asked| Premise::OtherPerson { asked });
        other.or_else(|| {
            let (asked, meant) = self.query.misspelt.clone()?;
            Some(Premise::Misspelt { asked, meant })
        })
    }
}
