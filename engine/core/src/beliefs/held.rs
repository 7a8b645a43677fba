//! The beliefs of a session: taken in, compressed, bounded, erased.

use super::belief::{Belief, BeliefId, Observation};
use crate::limits;
use crate::stream::rename_speaker;
use crate::talk::{DistilledOpinion, Evidence, Utterances, opinion_label};
use crate::text::Doubt;
use serde::{Deserialize, Serialize};
use weir_models::CountTokens;

/// A remark that sounds like a feeling and does not count as one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RejectedRemark {
    /// Whose remark it is.
    pub holder: Option<String>,
    /// Why it does not count.
    pub doubt: Doubt,
    /// The utterance; its part is the clause.
    pub evidence: Evidence,
}

/// What happened to the opinions so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BeliefCounts {
    /// Opinions that were taken in.
    pub observed: u64,
    /// Opinions too uncertain to take in: entropy above [`limits::BELIEF_ENTROPY_HIGH`].
    pub abandoned: u64,
    /// Opinions that do not count: hypothetical, reported, perhaps sarcastic.
    pub doubted: u64,
    /// Uncertain fragments that became part of the belief about the thing as a whole.
    pub integrated: u64,
    /// Uncertain fragments that were deleted.
    pub deleted: u64,
    /// Beliefs forgotten because the bounds were full.
    pub forgotten: u64,
}

/// All beliefs of a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Beliefs {
    held: Vec<Belief>,
    /// Beliefs made so far.
    made: u64,
    counts: BeliefCounts,
    /// The latest remarks that do not count, at most [`limits::BELIEF_DOUBTED_MAX`].
    doubted: Vec<RejectedRemark>,
}

impl Beliefs {
    /// The beliefs held, in the order in which they were formed.
    #[must_use]
    pub fn held(&self) -> &[Belief] {
        &self.held
    }

    /// The latest remarks that do not count, oldest first.
    #[must_use]
    pub fn doubted(&self) -> &[RejectedRemark] {
        &self.doubted
    }

    /// What happened to the opinions so far.
    #[must_use]
    pub fn counts(&self) -> BeliefCounts {
        self.counts
    }

    /// Tokens of the text of all beliefs: their objects and aspects.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.held.iter().map(|it| it.tokens as usize).sum()
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let doubted = self.doubted.iter();
        let doubted = doubted.map(|it| size_of::<RejectedRemark>() + it.evidence.bytes());
        self.held.iter().map(Belief::bytes).sum::<usize>() + doubted.sum::<usize>()
    }

    /// All evidence held.
    pub fn evidence(&self) -> impl Iterator<Item = &Evidence> {
        let observed = self.held.iter().flat_map(Belief::observations);
        let doubted = self.doubted.iter().map(|it| &it.evidence);
        observed.map(|it| &it.evidence).chain(doubted)
    }

    /// Takes in an opinion (DAM-LLM 3.3.3): as a new belief, as an observation of one, or not at
    /// all. Cost: linear in the number of beliefs.
    pub(crate) fn take(&mut self, opinion: &DistilledOpinion, counter: &dyn CountTokens) {
        if let Some(doubt) = opinion.doubt {
            self.doubt(opinion, doubt);
            return;
        }
        if opinion.sentiment.entropy() > limits::BELIEF_ENTROPY_HIGH {
            self.counts.abandoned += 1;
            return;
        }
        let same = |it: &Belief| it.is_of(opinion) && it.aspect == opinion.aspect;
        let id = match self.held.iter_mut().find(|it| same(it)) {
            Some(belief) => {
                belief.observe([Observation::of(opinion)]);
                belief.id
            }
            None if opinion.is_weak() => return,
            None => {
                self.made += 1;
                let id = BeliefId(self.made);
                let tokens = counter.count(&opinion.object) + counter.count(&opinion.aspect);
                self.held.push(Belief::of(id, opinion, tokens as u32));
                id
            }
        };
        self.counts.observed += 1;
        self.compress(id);
    }

    /// Whether the holder of an opinion has a belief about the same thing.
    pub(crate) fn has(&self, opinion: &DistilledOpinion) -> bool {
        self.held.iter().any(|it| it.is_of(opinion))
    }

    fn doubt(&mut self, opinion: &DistilledOpinion, doubt: Doubt) {
        self.counts.doubted += 1;
        if self.doubted.len() == limits::BELIEF_DOUBTED_MAX {
            self.doubted.remove(0);
        }
        self.doubted.push(RejectedRemark {
            holder: opinion.holder.clone(),
            doubt,
            evidence: opinion.evidence.clone(),
        });
    }

    /// Entropy-driven compression (DAM-LLM 3.3.3) of a belief that was just observed, if it is an
    /// uncertain fragment: entropy above [`limits::BELIEF_ENTROPY_HIGH`], and little weight. Where
    /// that lowers its entropy, it becomes part of the belief about the thing as a whole;
    /// otherwise it is deleted after some observations, unless one of them is strong. A conflict of
    /// weight is no fragment: somebody is of two minds. Nor are two sides ever joined with each
    /// other, although one belief always has less entropy than the sum of two: the paper keeps
    /// taste and packaging apart as well.
    fn compress(&mut self, id: BeliefId) {
        let Some(at) = self.held.iter().position(|it| it.id == id) else {
            return;
        };
        let (belief, tally) = (&self.held[at], self.held[at].tally());
        let entropy = tally.settled.entropy();
        let weak = tally.weight < limits::BELIEF_FRAGMENT_WEIGHT;
        if entropy <= limits::BELIEF_ENTROPY_HIGH || !weak {
            return;
        }
        let whole = self.held.iter().position(|it| {
            it.id != id && it.is_about_same(belief) && it.aspect == limits::BELIEF_ASPECT_GENERAL
        });
        let lowers = |whole: &usize| {
            let joined = tally.with(&self.held[*whole].tally());
            joined.settled.entropy() < entropy
        };
        if let Some(into) = whole.filter(lowers) {
            let gone = self.held[at].clone();
            self.held[into].integrate(gone);
            self.held.remove(at);
            self.counts.integrated += 1;
        } else if tally.count >= limits::BELIEF_NOISE_OBSERVATIONS && !belief.has_strong_evidence()
        {
            self.held.remove(at);
            self.counts.deleted += 1;
        }
    }

    /// Whether they are within their bounds.
    pub(crate) fn fits(&self, tokens_max: usize) -> bool {
        self.held.len() <= limits::BELIEFS_MAX && self.tokens() <= tokens_max
    }

    /// Forgets beliefs until their number and tokens are within the bounds: those without strong
    /// evidence first, then those of the least weight, then the oldest.
    pub(crate) fn fit(&mut self, tokens_max: usize) {
        let mut tokens = self.tokens();
        while self.held.len() > limits::BELIEFS_MAX || tokens > tokens_max {
            let least = self.held.iter().enumerate().min_by(|(_, a), (_, b)| {
                let strong = a.has_strong_evidence().cmp(&b.has_strong_evidence());
                let weight = a.tally().weight.total_cmp(&b.tally().weight);
                strong.then(weight).then(a.last_ms().cmp(&b.last_ms()))
            });
            let Some((at, _)) = least else { return };
            tokens -= self.held.remove(at).tokens as usize;
            self.counts.forgotten += 1;
        }
    }

    /// The counts without the beliefs, for an export.
    pub(crate) fn frame(&self) -> Self {
        Self {
            held: Vec::new(),
            doubted: self.doubted.clone(),
            ..*self
        }
    }

    /// Takes back a belief of an export.
    pub(crate) fn restore(&mut self, belief: Belief, vector: Vec<f32>, counter: &dyn CountTokens) {
        let tokens = counter.count(&belief.object) + counter.count(&belief.aspect);
        self.held.push(Belief {
            vector,
            tokens: tokens as u32,
            ..belief
        });
    }

    /// Erases everything observed in the utterances. Returns the number of beliefs that are gone.
    pub(crate) fn erase(&mut self, utterances: &Utterances) -> usize {
        let erased = |item: &Evidence| utterances.prove(item);
        self.doubted.retain(|it| !erased(&it.evidence));
        let before = self.held.len();
        self.held
            .retain_mut(|it| !it.erase(erased) || !it.observed.is_empty());
        before - self.held.len()
    }

    /// Changes the name of a speaker; beliefs of both names about the same become one.
    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        let named = |speaker: &mut Option<String>| rename_speaker(speaker, from, to);
        for doubted in &mut self.doubted {
            named(&mut doubted.holder);
            named(&mut doubted.evidence.speaker);
        }
        let mut renamed: Vec<Belief> = Vec::with_capacity(self.held.len());
        for mut belief in self.held.drain(..) {
            named(&mut belief.holder);
            let observed = belief.observed.iter_mut();
            observed.for_each(|it| named(&mut it.evidence.speaker));
            let same = |it: &&mut Belief| it.is_about_same(&belief) && it.aspect == belief.aspect;
            match renamed.iter_mut().find(same) {
                Some(known) => known.integrate(belief),
                None => renamed.push(belief),
            }
        }
        self.held = renamed;
    }

    /// Texts of the vectors, in the order of the beliefs.
    pub(crate) fn labels(&self) -> Vec<String> {
        self.held
            .iter()
            .map(|it| opinion_label(&it.object, &it.aspect))
            .collect()
    }

    /// Sets the vectors of [`Self::labels`].
    pub(crate) fn set_vectors(&mut self, vectors: Vec<Vec<f32>>) {
        for (belief, vector) in self.held.iter_mut().zip(vectors) {
            belief.vector = vector;
        }
    }

    /// Checks the bounds and every belief.
    ///
    /// # Errors
    /// The first inconsistency, as text.
    pub(crate) fn check(&self, dimension: usize, tokens_max: usize) -> Result<(), String> {
        if self.held.len() > limits::BELIEFS_MAX || self.tokens() > tokens_max {
            let (held, tokens) = (self.held.len(), self.tokens());
            return Err(format!("{held} beliefs of {tokens} tokens exceed a bound"));
        }
        if self.doubted.len() > limits::BELIEF_DOUBTED_MAX {
            return Err(format!("{} doubted remarks", self.doubted.len()));
        }
        for (place, belief) in self.held.iter().enumerate() {
            let alone = || {
                let mut before = self.held[..place].iter();
                !before.any(|it| {
                    it.id == belief.id || (it.is_about_same(belief) && it.aspect == belief.aspect)
                })
            };
            let sound = !belief.observed.is_empty()
                && belief.observed.len() <= limits::BELIEF_OBSERVATIONS_MAX
                && belief.vector.len() == dimension
                && belief.vector.iter().all(|float| float.is_finite())
                && belief.tally().is_sound()
                && belief.id.0 <= self.made;
            if !sound || !alone() {
                return Err(format!("belief {} is damaged or held twice", belief.id));
            }
        }
        Ok(())
    }
}

impl Belief {
    fn is_of(&self, opinion: &DistilledOpinion) -> bool {
        self.holder == opinion.holder && self.object == opinion.object
    }

    fn is_about_same(&self, other: &Self) -> bool {
        self.holder == other.holder && self.object == other.object
    }
}
