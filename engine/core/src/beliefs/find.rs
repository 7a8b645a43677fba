//! Finds the beliefs that a question is about, in two stages (DAM-LLM 3.5).

use super::belief::Belief;
use super::held::Beliefs;
use crate::limits;
use crate::text::stems;
use crate::vectors::dot;

/// What a question asks about beliefs.
#[derive(Debug, Clone, Copy)]
pub struct BeliefQuery<'a> {
    /// Whose beliefs, by names in any case; empty for everybody's.
    pub holders: &'a [String],
    /// The question.
    pub about: &'a str,
    /// Its unit-length vector.
    pub vector: &'a [f32],
}

impl Beliefs {
    /// The beliefs that a question is about, best first, at most [`limits::BELIEFS_FOUND_MAX`],
    /// with their cosines.
    ///
    /// Stage one keeps exact matches: beliefs of the holders whose object, or kind of object, the
    /// question names; if it names an aspect as well, only those of that aspect. Stage two orders
    /// these by cosine. Cost: linear in the number of beliefs.
    #[must_use]
    pub fn find(&self, sought: &BeliefQuery<'_>) -> Vec<(&Belief, f32)> {
        let words = stems(sought.about);
        let has = |text: &str| {
            let mut parts = stems(text).into_iter().peekable();
            parts.peek().is_some() && parts.all(|part| words.contains(&part))
        };
        let own = || self.held().iter().filter(|it| sought.is_holder(it));
        let mut exact: Vec<&Belief> = own().filter(|it| has(&it.object)).collect();
        if exact.is_empty() {
            exact = own().filter(|it| has(&it.kind.to_string())).collect();
        }
        if exact.iter().any(|it| has(&it.aspect)) {
            exact.retain(|it| has(&it.aspect));
        }
        let order = |belief: &Belief| dot(&belief.vector, sought.vector);
        let mut found: Vec<(&Belief, f32)> = exact.iter().map(|it| (*it, order(it))).collect();
        found.sort_by(|(a, x), (b, y)| y.total_cmp(x).then(b.last_ms().cmp(&a.last_ms())));
        found.truncate(limits::BELIEFS_FOUND_MAX);
        found
    }
}

impl BeliefQuery<'_> {
    fn is_holder(&self, belief: &Belief) -> bool {
        let holder = belief.holder.as_deref().map(str::to_lowercase);
        self.holders.is_empty()
            || holder.is_some_and(|it| self.holders.iter().any(|name| name.to_lowercase() == it))
    }
}
