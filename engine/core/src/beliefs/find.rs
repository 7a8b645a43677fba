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
    /// What the feeling is about, as the question says it: "the new office".
    pub about: &'a str,
    /// `Some(true)` for what is liked, `Some(false)` for what is disliked.
    pub liked: Option<bool>,
    /// The unit-length vector of `about`, or of the question.
    pub vector: &'a [f32],
}

impl Beliefs {
    /// The beliefs that a question is about, best first, at most [`limits::BELIEFS_FOUND_MAX`],
    /// with their cosines.
    ///
    /// Stage one keeps exact matches: beliefs of the holders whose object, or kind of object, the
    /// question names; if it names an aspect as well, only those of that aspect. A question that
    /// names more than that ("the office after the move") is about something else: none is found.
    /// One that names nothing ("What does Ana hate?") keeps all of the holders'. Stage two orders
    /// these by cosine, or, where nothing is named, by leaning and weight. Cost: linear in the
    /// number of beliefs.
    #[must_use]
    pub fn find(&self, sought: &BeliefQuery<'_>) -> Vec<(&Belief, f32)> {
        let words = stems(sought.about);
        let has = |text: &str| {
            let mut parts = stems(text).into_iter().peekable();
            parts.peek().is_some() && parts.all(|part| words.contains(&part))
        };
        let of = |belief: &&Belief| sought.is_holder(belief) && sought.leans(belief);
        let own: Vec<&Belief> = self.held().iter().filter(of).collect();
        let mut exact: Vec<&Belief> = match words.is_empty() {
            true => own,
            false => {
                let object = own.iter().copied().filter(|it| has(&it.object));
                let object: Vec<&Belief> = object.collect();
                let kind = || own.iter().copied().filter(|it| has(&it.kind.to_string()));
                match object.is_empty() {
                    true => kind().collect(),
                    false => object,
                }
            }
        };
        if exact.iter().any(|it| has(&it.aspect)) {
            exact.retain(|it| has(&it.aspect));
        }
        exact.retain(|it| {
            let label = format!("{} {} {}", it.object, it.aspect, it.kind);
            words.is_subset(&stems(&label))
        });
        let order = |belief: &Belief| match words.is_empty() {
            true => {
                let tally = belief.tally();
                tally.current.leaning().abs() * tally.weight
            }
            false => dot(&belief.vector, sought.vector),
        };
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

    fn leans(&self, belief: &Belief) -> bool {
        let leaning = belief.tally().current.leaning();
        self.liked
            .is_none_or(|liked| if liked { leaning > 0.0 } else { leaning < 0.0 })
    }
}
