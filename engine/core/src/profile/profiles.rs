//! The profiles of a session: facts taken in, bounded, erased.

use super::fact::{FactId, ProfileFact};
use crate::limits;
use crate::stream::rename_speaker;
use crate::talk::{DistilledFact, Evidence, Utterances};
use crate::vectors::dot;
use serde::{Deserialize, Serialize};
use weir_models::CountTokens;

/// All profiles of a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Profiles {
    pub(super) facts: Vec<ProfileFact>,
    /// Facts made so far.
    made: u64,
    /// Facts that the bounds did not let in or made it forget.
    forgotten: u64,
    /// Changes of the vectors or speakers of facts held, in this process.
    #[serde(skip)]
    pub(super) revision: u64,
}

impl Profiles {
    /// All facts, also those that no longer hold, in the order in which they were first said.
    #[must_use]
    pub fn facts(&self) -> &[ProfileFact] {
        &self.facts
    }

    /// A fact by its id.
    #[must_use]
    pub fn fact(&self, id: FactId) -> Option<&ProfileFact> {
        let at = self.facts.binary_search_by_key(&id, |it| it.id);
        at.ok().map(|at| &self.facts[at])
    }

    /// Counts changes of the vectors or speakers of facts held, in this process: an index of
    /// another count is out of date.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// What a speaker said of themselves and what still holds, in the first person, in the order in
    /// which it was first said. Cost: linear in the number of facts.
    #[must_use]
    pub fn persona(&self, speaker: &str) -> Vec<String> {
        let own = |it: &&ProfileFact| it.holds() && it.speaker.as_deref() == Some(speaker);
        self.facts
            .iter()
            .filter(own)
            .map(|it| it.value.clone())
            .collect()
    }

    /// Facts so far that the bounds did not let in or made it forget.
    #[must_use]
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// Tokens of the text of all facts.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.facts.iter().map(|it| it.tokens as usize).sum()
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.facts.iter().map(ProfileFact::bytes).sum()
    }

    /// All evidence held.
    pub fn evidence(&self) -> impl Iterator<Item = &Evidence> {
        self.facts.iter().flat_map(|it| &it.evidence)
    }

    /// Takes in a fact. Cost: linear in the number of facts.
    pub(crate) fn take(&mut self, said: &DistilledFact, counter: &dyn CountTokens) {
        // journals of builds that read values told an end like this
        if said.ended {
            return;
        }
        let same = |it: &ProfileFact| it.speaker == said.speaker && it.holds() && it.is_same(said);
        if let Some(known) = self.facts.iter_mut().find(|it| same(it)) {
            known.confirm(said);
            return;
        }
        let tokens = counter.count(&said.about) + counter.count(&said.value);
        if tokens > limits::FACT_TOKENS_MAX {
            self.forgotten += 1;
            return;
        }
        self.made += 1;
        let id = FactId(self.made);
        self.facts.push(ProfileFact::of(id, said, tokens as u32));
    }

    /// The facts of a speaker that hold and are nearest to a question, best first, with their
    /// cosines. An exact scan: its cost is linear in the number of facts.
    #[must_use]
    pub fn find(
        &self,
        speaker: Option<&str>,
        vector: &[f32],
        most: usize,
    ) -> Vec<(&ProfileFact, f32)> {
        let own = self.facts.iter().filter(|it| it.holds());
        let own = own.filter(|it| it.speaker.as_deref() == speaker);
        let mut found: Vec<_> = own.map(|it| (it, dot(&it.vector, vector))).collect();
        found.sort_by(|(a, x), (b, y)| y.total_cmp(x).then(a.id.cmp(&b.id)));
        found.truncate(most);
        found
    }

    /// Whether they are within their bounds.
    pub(crate) fn fits(&self, tokens_max: usize) -> bool {
        self.facts.len() <= limits::FACTS_MAX && self.tokens() <= tokens_max
    }

    /// Forgets facts until their number and tokens are within the bounds: those that no longer
    /// hold first, then those said least often, then the oldest; pinned ones last.
    pub(crate) fn fit(&mut self, tokens_max: usize) {
        let value = |it: &ProfileFact| (it.pinned, it.holds(), it.wanted, it.times, it.from_ms);
        let mut tokens = self.tokens();
        while self.facts.len() > limits::FACTS_MAX || tokens > tokens_max {
            let facts = self.facts.iter().enumerate();
            let Some((at, _)) = facts.min_by_key(|(_, it)| value(it)) else {
                return;
            };
            tokens -= self.facts.remove(at).tokens as usize;
            self.forgotten += 1;
        }
    }

    /// Tokens of pinned facts.
    #[must_use]
    pub fn pinned_tokens(&self) -> usize {
        let pinned = self.facts.iter().filter(|it| it.pinned);
        pinned.map(|it| it.tokens as usize).sum()
    }

    /// The counts without the facts, for an export.
    pub(crate) fn frame(&self) -> Self {
        Self {
            facts: Vec::new(),
            ..*self
        }
    }

    /// Takes back a fact of an export.
    pub(crate) fn restore(
        &mut self,
        fact: ProfileFact,
        vector: Vec<f32>,
        counter: &dyn CountTokens,
    ) {
        let tokens = counter.count(&fact.about) + counter.count(&fact.value);
        self.facts.push(ProfileFact {
            vector,
            tokens: tokens as u32,
            ..fact
        });
    }

    /// Erases what was said in the utterances; a fact without evidence is gone. Returns how many.
    pub(crate) fn erase(&mut self, utterances: &Utterances) -> usize {
        let before = self.facts.len();
        for fact in &mut self.facts {
            fact.evidence.retain(|item| !utterances.prove(item));
        }
        self.facts.retain(|it| !it.evidence.is_empty());
        before - self.facts.len()
    }

    /// Forgets what was read from the utterances, except facts pinned or edited by hand.
    pub(crate) fn forget_read(&mut self, utterances: &Utterances) {
        let by_hand = |it: &ProfileFact| it.pinned || it.edited;
        for fact in self.facts.iter_mut().filter(|it| !by_hand(it)) {
            fact.evidence.retain(|item| !utterances.prove(item));
        }
        self.facts.retain(|it| !it.evidence.is_empty());
    }

    /// Changes the name of a speaker. Facts of both names stay apart.
    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        self.revision += 1;
        for fact in &mut self.facts {
            rename_speaker(&mut fact.speaker, from, to);
            for item in &mut fact.evidence {
                rename_speaker(&mut item.speaker, from, to);
            }
        }
    }

    /// Texts of the vectors, in the order of the facts.
    pub(crate) fn labels(&self) -> Vec<String> {
        self.facts.iter().map(|it| it.value.clone()).collect()
    }

    /// Sets the vectors of [`Self::labels`].
    pub(crate) fn set_vectors(&mut self, vectors: Vec<Vec<f32>>) {
        self.revision += 1;
        for (fact, vector) in self.facts.iter_mut().zip(vectors) {
            fact.vector = vector;
        }
    }

    /// Checks the bounds and every fact.
    ///
    /// # Errors
    /// The first inconsistency, as text.
    pub(crate) fn check(&self, dimension: usize, tokens_max: usize) -> Result<(), String> {
        let (held, tokens) = (self.facts.len(), self.tokens());
        if held > limits::FACTS_MAX || tokens > tokens_max {
            return Err(format!("{held} facts of {tokens} tokens exceed a bound"));
        }
        let mut before = 0;
        for fact in &self.facts {
            let sound = !fact.evidence.is_empty()
                && fact.evidence.len() <= limits::FACT_EVIDENCE_MAX
                && fact.vector.len() == dimension
                && fact.vector.iter().all(|float| float.is_finite())
                && (before + 1..=self.made).contains(&fact.id.0);
            if !sound {
                return Err(format!("fact {} is damaged or held twice", fact.id));
            }
            before = fact.id.0;
        }
        Ok(())
    }
}

impl ProfileFact {
    fn is_same(&self, said: &DistilledFact) -> bool {
        self.slot == said.slot
            && self.about.eq_ignore_ascii_case(&said.about)
            && self.value.eq_ignore_ascii_case(&said.value)
    }
}
