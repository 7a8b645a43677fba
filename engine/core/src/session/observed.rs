//! Beliefs and profiles of a session: what a distillate says of them, their bounds, changes by
//! hand.

use super::reencode::in_batches;
use super::{Input, InputError, Outcome, Session, SpeakerObservations};
use crate::analysis::Analysis;
use crate::beliefs::{Belief, Beliefs};
use crate::distil::{Observed, is_own, observe};
use crate::limits;
use crate::memory::{Kind, Node, NodeId};
use crate::profile::{FactId, ProfileChange, ProfileError, ProfileFact, Profiles};
use crate::talk::{
    Distillate, DistilledFact, DistilledOpinion, DistilledUnit, Evidence, Part, Utterances,
};
use crate::transcript::Transcript;
use std::sync::Arc;
use weir_models::{Encode, EncodeError, Terms};

impl Session {
    /// What the speakers feel about things.
    #[must_use]
    pub fn beliefs(&self) -> &Beliefs {
        &self.beliefs
    }

    /// What the speakers said of themselves.
    #[must_use]
    pub fn profiles(&self) -> &Profiles {
        &self.profiles
    }

    /// The words of an evidence item, from a transcript, raw talk or a unit; `None` where none of
    /// them holds these words any more. Cost without a transcript: O(N).
    #[must_use]
    pub fn quote(&self, item: &Evidence, transcript: Option<&dyn Transcript>) -> Option<String> {
        if let Some(words) = transcript.and_then(|it| it.quote(item)) {
            return Some(words);
        }
        let part = item.part?;
        let mut raw = self.buffer.raw();
        if let Some(heard) = raw.find(|heard| heard.turn == item.turn) {
            return part.in_text(&heard.utterance.text).map(str::to_owned);
        }
        let units = self.tree.of_kind(Kind::Unit).filter(|unit| !unit.is_key());
        let mut held = units.filter_map(|unit| {
            let of = unit
                .evidence
                .iter()
                .find(|it| it.turn == item.turn && it.verbatim)?;
            let whole = of.part.filter(|whole| whole.holds(part))?;
            let within = Part {
                start: part.start - whole.start,
                end: part.end - whole.start,
            };
            within.in_text(&unit.text)
        });
        held.next().map(str::to_owned)
    }

    /// Tokens of the text of beliefs and profiles.
    pub(super) fn observed_tokens(&self) -> usize {
        self.beliefs.tokens() + self.profiles.tokens()
    }

    /// Tokens that beliefs may use.
    pub(super) fn belief_tokens_max(&self) -> usize {
        self.observed_share(limits::BELIEFS_PART)
    }

    /// Tokens that profiles may use.
    pub(super) fn profile_tokens_max(&self) -> usize {
        self.observed_share(limits::PROFILE_PART)
    }

    /// One part in `parts` of the budget, and less where raw talk, sources and pinned units leave
    /// less of a small one.
    fn observed_share(&self, parts: usize) -> usize {
        let budget = self.config.budget_tokens;
        let share = budget / parts;
        let left = budget - self.config.raw_limits().held;
        let left = left.saturating_sub(self.sources.tokens());
        // counting pinned units walks over the tree, so it is left out where they cannot matter
        if 2 * share <= left.saturating_sub(budget / limits::PINNED_PART) {
            return share;
        }
        share.min(left.saturating_sub(self.tree.pinned_tokens()) / 2)
    }

    /// Whether an opinion counts: its statement says "I" or "we" and it is no weak remark, or its
    /// holder already has a belief about the same thing. `units` has the statements; an opinion of
    /// none of them counts.
    fn counts(&self, opinion: &DistilledOpinion, units: &[DistilledUnit]) -> bool {
        !opinion.is_weak() && is_own(opinion, units) || self.beliefs.has(opinion)
    }

    /// Takes in what was observed in the statements of `units`, in the order said.
    pub(super) fn take_observed(
        &mut self,
        opinions: &[DistilledOpinion],
        facts: &[DistilledFact],
        units: &[DistilledUnit],
    ) {
        let counter = self.counter.as_ref();
        for opinion in opinions {
            if self.counts(opinion, units) {
                Arc::make_mut(&mut self.beliefs).take(opinion, counter);
            }
        }
        for fact in facts {
            Arc::make_mut(&mut self.profiles).take(fact, counter);
        }
        self.fit_observed();
    }

    /// What the utterances of a unit say of their speakers once its words are `text`: what was read
    /// from the old words goes, except facts pinned or edited by hand. Cost: O(N), and the encoder
    /// reads a few words for each opinion and fact.
    ///
    /// # Errors
    /// [`EncodeError`].
    pub fn rereading(
        &self,
        node: NodeId,
        text: &str,
        encoder: &dyn Encode,
    ) -> Result<Input, EncodeError> {
        let mut utterances = Utterances::default();
        let of = self.tree.node(node);
        let evidence = of.map(|unit| unit.evidence.as_slice()).unwrap_or_default();
        for item in evidence {
            utterances.insert(&item.stream, &item.utterance);
        }
        let first = |unit: &Node| unit.evidence.first().cloned();
        let said = |unit: &Node| first(unit).is_some_and(|item| utterances.prove(&item));
        let mut units: Vec<&Node> = self.tree.of_kind(Kind::Unit).collect();
        units.retain(|unit| said(unit) && !unit.is_key());
        units.sort_by_key(|unit| (unit.said_ms, unit.id));
        let reads = units.into_iter().map(|unit| {
            let mut evidence = first(unit);
            // the words heard are no part of the new ones
            let reworded = unit.id == node;
            if let Some(item) = evidence.as_mut().filter(|_| reworded) {
                item.part = None;
            }
            let text = if reworded { text } else { &unit.text };
            self.as_distilled(unit, text.to_owned(), evidence.into_iter().collect())
        });
        let reads: Vec<DistilledUnit> = reads.collect();
        let Observed {
            mut opinions,
            facts,
            ..
        } = observe(&reads, encoder)?;
        opinions.retain(|it| self.counts(it, &reads));
        let named = |item: &Evidence| (item.stream.clone(), item.utterance.clone());
        let mut utterances: Vec<(String, String)> = evidence.iter().map(named).collect();
        utterances.dedup();
        Ok(Input::Observe(Box::new(SpeakerObservations {
            utterances,
            opinions,
            facts,
        })))
    }

    /// Applies [`Self::rereading`].
    pub(super) fn observe_again(&mut self, observed: &SpeakerObservations) -> Outcome {
        let mut utterances = Utterances::default();
        for (stream, id) in &observed.utterances {
            utterances.insert(stream, id);
        }
        Arc::make_mut(&mut self.beliefs).erase(&utterances);
        Arc::make_mut(&mut self.profiles).forget_read(&utterances);
        self.take_observed(&observed.opinions, &observed.facts, &[]);
        self.fitted()
    }

    /// A unit as a distiller would have made it.
    fn as_distilled(&self, unit: &Node, text: String, evidence: Vec<Evidence>) -> DistilledUnit {
        DistilledUnit {
            text,
            retold: false,
            asked: None,
            speaker: unit.speaker.clone(),
            evidence,
            salience: 0.0,
            said_ms: unit.said_ms,
            vector: self.tree.vector(unit.id).to_vec(),
            terms: Terms::default(),
            analysis: Analysis::default(),
        }
    }

    /// Forgets beliefs and facts beyond their bounds.
    pub(super) fn fit_observed(&mut self) {
        let (beliefs_max, facts_max) = (self.belief_tokens_max(), self.profile_tokens_max());
        if !self.beliefs.fits(beliefs_max) {
            Arc::make_mut(&mut self.beliefs).fit(beliefs_max);
        }
        if !self.profiles.fits(facts_max) {
            Arc::make_mut(&mut self.profiles).fit(facts_max);
        }
    }

    /// Refuses a change after which the pinned facts do not fit: none is forgotten unasked.
    pub(super) fn pinned_facts_fit(&self) -> Result<(), ProfileError> {
        let tokens = self.profiles.pinned_tokens();
        match self.profile_tokens_max() {
            max if tokens > max => Err(ProfileError::Displaced { tokens, max }),
            _ => Ok(()),
        }
    }

    /// Every vector must be of the session's encoder; weak remarks have none.
    pub(super) fn check_observed(&self, made: &Distillate) -> Result<(), InputError> {
        let opinions = made.opinions.iter().filter(|it| !it.is_weak());
        let opinions = opinions.map(|it| (&it.object, &it.vector));
        let facts = made.facts.iter().map(|it| (&it.value, &it.vector));
        let mut vectors = opinions.chain(facts);
        vectors.try_for_each(|(what, vector)| self.check_vector(what, vector))
    }

    /// Changes a profile by hand.
    pub(super) fn change_profile(&mut self, change: &ProfileChange) -> Result<Outcome, InputError> {
        if let ProfileChange::Edit { value, vector, .. } = change {
            self.check_vector(value, vector)?;
        }
        let most = self.profile_tokens_max();
        Arc::make_mut(&mut self.profiles).change(change, self.counter.as_ref(), most)?;
        Ok(self.fitted())
    }

    /// The input that gives a fact another value.
    ///
    /// # Errors
    /// [`EncodeError`]. Whether the fact exists and may change is checked when the input is
    /// applied.
    pub fn editing_fact(
        &self,
        fact: FactId,
        value: &str,
        encoder: &dyn Encode,
    ) -> Result<Input, EncodeError> {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let vector = encoder.encode(&[&value])?.pop().unwrap_or_default();
        Ok(Input::Profile(Box::new(ProfileChange::Edit {
            fact,
            value,
            vector,
        })))
    }

    /// The same session with the beliefs and facts of all statements that it still holds: for one
    /// of an image format before 8, which observed nothing. Statements kept as key words are read
    /// from `transcript`. `None` if the session has observed something, or holds nothing to
    /// observe.
    ///
    /// # Errors
    /// [`EncodeError`]; the session is then unchanged.
    pub fn with_observed(
        &self,
        encoder: &dyn Encode,
        transcript: Option<&dyn Transcript>,
    ) -> Result<Option<Self>, EncodeError> {
        if *self.beliefs != Beliefs::default() || *self.profiles != Profiles::default() {
            return Ok(None);
        }
        let mut units: Vec<&Node> = self.tree.of_kind(Kind::Unit).collect();
        units.sort_by_key(|unit| (unit.said_ms, unit.id));
        let units = units.into_iter().filter_map(|unit| {
            let quoted = || transcript?.quote(unit.evidence.first()?);
            let text = match unit.is_key() {
                true => quoted()?,
                false => unit.text.clone(),
            };
            Some(self.as_distilled(unit, text, unit.evidence.clone()))
        });
        let units: Vec<DistilledUnit> = units.collect();
        let Observed {
            opinions, facts, ..
        } = observe(&units, encoder)?;
        if opinions.is_empty() && facts.is_empty() {
            return Ok(None);
        }
        let mut made = self.clone();
        made.take_observed(&opinions, &facts, &units);
        let (tree, ctx) = made.tree_and_context();
        tree.enforce_budget(&ctx);
        Ok(Some(made))
    }

    /// Takes back the beliefs and facts of an export.
    pub(super) fn restore_observed(
        &mut self,
        beliefs: Vec<(Belief, Vec<f32>)>,
        facts: Vec<(ProfileFact, Vec<f32>)>,
    ) {
        let counter = self.counter.as_ref();
        for (belief, vector) in beliefs {
            Arc::make_mut(&mut self.beliefs).restore(belief, vector, counter);
        }
        for (fact, vector) in facts {
            Arc::make_mut(&mut self.profiles).restore(fact, vector, counter);
        }
    }

    /// Gives beliefs and facts the vectors of another encoder.
    pub(super) fn reencode_observed(&mut self, encoder: &dyn Encode) -> Result<(), EncodeError> {
        let encode = |batch: &[&str]| encoder.encode(batch);
        let beliefs = in_batches(&self.beliefs.labels(), encode)?;
        let facts = in_batches(&self.profiles.labels(), encode)?;
        Arc::make_mut(&mut self.beliefs).set_vectors(beliefs);
        Arc::make_mut(&mut self.profiles).set_vectors(facts);
        Ok(())
    }
}
