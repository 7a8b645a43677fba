//! One belief: what somebody thinks of one side of a thing, with its evidence.

use super::tally::Tally;
use crate::limits;
use crate::talk::{DistilledOpinion, Evidence};
use crate::text::{ObjectKind, Sentiment};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Id of a belief within its session; counts up from 1 and is never given again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BeliefId(pub u64);

impl fmt::Display for BeliefId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.0)
    }
}

impl FromStr for BeliefId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_prefix('b').and_then(|rest| rest.parse().ok());
        let id = number.map(Self);
        id.ok_or_else(|| format!("`{text}` is no name of a belief; those look like b12"))
    }
}

/// One observation of a belief.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Confidences of the polarities.
    pub sentiment: Sentiment,
    /// Strength, `0.0..=3.0`.
    pub strength: f32,
    /// Session time when it was said.
    pub said_ms: u64,
    /// Where; its part is the clause. It holds no words.
    pub evidence: Evidence,
}

/// What somebody thinks of one side of a thing: the memory unit of DAM-LLM 3.4.1.
///
/// The profiles are always those of the observations held and the sum of the older ones, so an
/// observation can be erased.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Belief {
    /// Its id.
    pub id: BeliefId,
    /// Whose it is; `None` if the speaker is unknown.
    pub holder: Option<String>,
    /// What it is about: "coffee".
    pub object: String,
    /// The kind of thing that is.
    pub kind: ObjectKind,
    /// Which side of it: "taste", or "general".
    pub aspect: String,
    /// The sum of observations that are no longer held one by one.
    pub(super) base: Option<Tally>,
    /// The latest observations, oldest first, at most [`limits::BELIEF_OBSERVATIONS_MAX`].
    pub(super) observed: Vec<Observation>,
    /// Unit-length vector of object and aspect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) vector: Vec<f32>,
    /// Tokens of object and aspect.
    pub(super) tokens: u32,
}

impl Belief {
    pub(super) fn of(id: BeliefId, opinion: &DistilledOpinion, tokens: u32) -> Self {
        Self {
            id,
            holder: opinion.holder.clone(),
            object: opinion.object.clone(),
            kind: opinion.kind,
            aspect: opinion.aspect.clone(),
            base: None,
            observed: vec![Observation::of(opinion)],
            vector: opinion.vector.clone(),
            tokens,
        }
    }

    /// The observations held one by one, oldest first; at least one.
    #[must_use]
    pub fn observations(&self) -> &[Observation] {
        &self.observed
    }

    /// Profiles, weight and number of all observations.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let later = self.observed.iter().map(|it| (it.sentiment, it.strength));
        let none = Sentiment {
            positive: 0.0,
            negative: 0.0,
            neutral: 1.0,
        };
        Tally::over(self.base, later).unwrap_or_else(|| Tally::of(none, 0.0))
    }

    /// The tally after each observation held, with the time of the observation: how the belief
    /// moved.
    pub fn history(&self) -> impl Iterator<Item = (&Observation, Tally)> {
        (1..=self.observed.len()).filter_map(|n| {
            let upto = self.observed[..n].iter();
            let tally = Tally::over(self.base, upto.map(|it| (it.sentiment, it.strength)))?;
            Some((&self.observed[n - 1], tally))
        })
    }

    /// When it was last observed, in session time.
    #[must_use]
    pub fn last_ms(&self) -> u64 {
        self.observed.last().map_or(0, |it| it.said_ms)
    }

    /// Whether it has an observation held that is too strong to be thrown away as noise.
    pub(super) fn has_strong_evidence(&self) -> bool {
        let strong = |it: &Observation| it.strength >= limits::BELIEF_STRONG;
        self.observed.iter().any(strong)
    }

    /// Adds observations in the order of time; the oldest beyond the bound are added up.
    pub(super) fn observe(&mut self, more: impl IntoIterator<Item = Observation>) {
        self.observed.extend(more);
        self.observed
            .sort_by_key(|it| (it.said_ms, it.evidence.turn));
        let over = self
            .observed
            .len()
            .saturating_sub(limits::BELIEF_OBSERVATIONS_MAX);
        let old = self.observed.drain(..over);
        self.base = Tally::over(self.base, old.map(|it| (it.sentiment, it.strength)));
    }

    /// Takes in a belief about another side of the same thing.
    pub(super) fn integrate(&mut self, other: Self) {
        self.base = match (self.base, other.base) {
            (Some(own), Some(more)) => Some(own.with(&more)),
            (own, more) => own.or(more),
        };
        self.observe(other.observed);
    }

    /// Removes observations. Whoever erases all that is held of a belief erases the rest, whose
    /// evidence cannot be traced: to erase more than requested is better than to leave a trace.
    /// Returns whether something was removed.
    pub(super) fn erase(&mut self, erased: impl Fn(&Evidence) -> bool) -> bool {
        let before = self.observed.len();
        self.observed.retain(|it| !erased(&it.evidence));
        self.observed.len() < before
    }

    /// The belief without its vector, for an export.
    pub(crate) fn bare(&self) -> Self {
        Self {
            vector: Vec::new(),
            ..self.clone()
        }
    }

    /// Unit-length vector of object and aspect.
    #[must_use]
    pub fn vector(&self) -> &[f32] {
        &self.vector
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let observed = self.observed.iter();
        let observed = observed.map(|it| size_of::<Observation>() + it.evidence.bytes());
        size_of::<Self>()
            + self.holder.as_ref().map_or(0, String::len)
            + self.object.len()
            + self.aspect.len()
            + size_of_val(self.vector.as_slice())
            + observed.sum::<usize>()
    }
}

impl Observation {
    pub(super) fn of(opinion: &DistilledOpinion) -> Self {
        Self {
            sentiment: opinion.sentiment,
            strength: opinion.strength,
            said_ms: opinion.said_ms,
            evidence: opinion.evidence.clone(),
        }
    }
}
