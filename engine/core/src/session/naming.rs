//! Applies names to a session: everything held, and everything heard from then on.

use super::derive::analyse_name;
use super::names::{
    NamedSpeaker, Naming, SpeakerChange, SpeakerError, SpeakerNames, check_speaker_name,
};
use super::reencode::in_batches;
use super::{Input, InputError, Outcome, Session, Target};
use crate::memory::{Kind, Node, NodeId};
use crate::stream::{Utterance, label_number, spoken_line};
use crate::talk::Distillate;
use crate::transcript::Transcript;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use weir_models::{Encode, EncodeError};

/// Why a change of names was not prepared.
#[derive(Debug, thiserror::Error)]
pub enum NamingError {
    /// It is refused.
    #[error(transparent)]
    Speaker(#[from] SpeakerError),
    /// The encoder failed.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

impl Session {
    /// The names given to speakers.
    #[must_use]
    pub fn speaker_names(&self) -> &SpeakerNames {
        &self.names
    }

    /// Everybody known by now, by name or label: who said something that is held, and who has a
    /// name. In order of the names.
    #[must_use]
    pub fn speakers(&self) -> Vec<String> {
        let held = self.tree.speakers().map(str::to_owned);
        let observed = self.beliefs.evidence().chain(self.profiles.evidence());
        let held = held.chain(observed.filter_map(|it| it.speaker.clone()));
        let raw = self.buffer.raw();
        let raw = raw.filter_map(|heard| heard.utterance.speaker.clone());
        let named = self.names.named().iter().map(|it| it.name.clone());
        let all: BTreeSet<String> = held.chain(raw).chain(named).collect();
        all.into_iter().collect()
    }

    /// The input that changes a name, with the vectors of all that the speaker said. Changes
    /// nothing; encodes each unit and raw utterance of the speaker once, or none without an
    /// encoder. Units kept as key words are read from `transcript`; without one they keep their
    /// vectors.
    ///
    /// # Errors
    /// The change is refused, or the encoder fails.
    pub fn naming(
        &self,
        change: SpeakerChange,
        encoder: Option<&dyn Encode>,
        transcript: Option<&dyn Transcript>,
    ) -> Result<Naming, NamingError> {
        let (_, to) = self.changed(&change)?;
        let mut naming = Naming::from(change);
        naming.analysis = analyse_name(&to);
        let Some(encoder) = encoder else {
            return Ok(naming);
        };
        let is = |speaker: &Option<String>| speaker.as_deref() == Some(naming.change.speaker());
        let said = |unit: &Node| {
            let quoted = || transcript?.quote(unit.evidence.first()?);
            let words = match unit.is_key() {
                true => unit.display_text_with(&quoted()?).into_owned(),
                false => unit.display_text().into_owned(),
            };
            Some((unit.id, spoken_line(Some(&to), &words)))
        };
        let units = self
            .tree
            .of_kind(Kind::Unit)
            .filter(|unit| is(&unit.speaker));
        let (ids, texts): (Vec<NodeId>, Vec<String>) = units.filter_map(said).unzip();
        let raw = self
            .buffer
            .raw()
            .filter(|heard| is(&heard.utterance.speaker));
        let line = |text: &str| spoken_line(Some(&to), text);
        let raw = raw.map(|heard| (heard.turn, line(&heard.utterance.text)));
        let (turns, talk): (Vec<u64>, Vec<String>) = raw.unzip();
        let encode = |batch: &[&str]| encoder.encode_for_search(batch);
        naming.units = ids.into_iter().zip(in_batches(&texts, encode)?).collect();
        naming.raw = turns.into_iter().zip(in_batches(&talk, encode)?).collect();
        Ok(naming)
    }

    /// The change that gives a recognised voice its name; somebody with that name is the same
    /// person. `None` if the user gave the voice a name already, or nothing of it is known.
    #[must_use]
    pub fn recognising(&self, label: &str, name: &str) -> Option<SpeakerChange> {
        let (speaker, known) = (label.to_owned(), self.speakers());
        if !known.contains(&speaker) || self.names.label(label) != label {
            return None;
        }
        Some(match self.taken(label, name) {
            Some(into) => SpeakerChange::Merge {
                speaker,
                into: self.names.current(&into).to_owned(),
            },
            // an earlier label of which nothing is held any more
            None if label_number(name).is_some() => return None,
            None => SpeakerChange::Name {
                speaker,
                name: name.to_owned(),
            },
        })
    }

    /// The inputs that forget the names of erased speakers, to be applied after the erasure: a name
    /// outlives what was said under it.
    #[must_use]
    pub fn forgetting(&self, erased: &[Target]) -> Vec<Input> {
        let is = |name: &String| {
            let name = name.to_lowercase();
            let same = |it: &Target| matches!(it, Target::Speaker(it) if it.to_lowercase() == name);
            erased.iter().any(same)
        };
        let named = self.names.named().iter();
        let given = named.filter(|it| is(&it.name) && !it.heard_as.contains(&it.name));
        let forget = |it: &NamedSpeaker| {
            let mut naming = Naming::from(SpeakerChange::Forget {
                speaker: it.name.clone(),
            });
            naming.analysis = analyse_name(self.names.label(&it.name));
            Input::Speaker(Box::new(naming))
        };
        given.map(forget).collect()
    }

    /// The names after a change, and what its speaker is called then.
    pub(super) fn changed(
        &self,
        change: &SpeakerChange,
    ) -> Result<(SpeakerNames, String), SpeakerError> {
        let mut names = self.names.clone();
        self.check_known(change.speaker())?;
        let to = match change {
            SpeakerChange::Name { speaker, name } => {
                check_speaker_name(name)?;
                if let Some(name) = self.taken(speaker, name) {
                    return Err(SpeakerError::Taken {
                        name,
                        speaker: speaker.clone(),
                    });
                }
                names.name(speaker, name)?;
                name.clone()
            }
            SpeakerChange::Merge { speaker, into } => {
                self.check_known(into)?;
                if speaker != into {
                    names.merge(speaker, into)?;
                }
                into.clone()
            }
            SpeakerChange::Forget { speaker } => names.forget(speaker)?,
        };
        Ok((names, to))
    }

    /// The name as somebody has it, in letters of either case: erasing by name knows no case.
    /// Whoever is to get it may have it in other letters.
    fn taken(&self, speaker: &str, name: &str) -> Option<String> {
        let lower = name.to_lowercase();
        let mut others = self.speakers().into_iter();
        let found = others.find(|it| {
            let other = it != speaker && it.to_lowercase() == lower;
            it == name || other
        });
        found.or_else(|| self.names.is_label(name).then(|| name.to_owned()))
    }

    /// Changes a name, also in everything held. Cost: O(N) over the tree.
    pub(super) fn rename(&mut self, naming: &Naming) -> Result<Outcome, InputError> {
        let (mut names, to) = self.changed(&naming.change)?;
        names.set_terms(&to, &naming.analysis.speaker);
        let from = naming.change.speaker();
        let units = naming.units.iter().map(|(_, found)| found);
        for found in units.chain(naming.raw.iter().map(|(_, found)| found)) {
            self.check_vector(from, &found.vector)?;
        }
        let mut buffer = self.buffer.clone();
        buffer.rename(from, &to, &naming.raw, self.counter.as_ref());
        let raw = self.config.raw_limits();
        buffer.trim(&raw);
        let (tokens, most) = (buffer.unmounted_tokens(), raw.held);
        if tokens > most {
            return Err(InputError::RawOverBudget { tokens, most });
        }
        let before = self.tree.clone();
        let (tree, ctx) = self.tree_and_context();
        tree.rename(from, &to, &naming.analysis.speaker, &naming.units, &ctx);
        if let Err(full) = tree.pins_fit(ctx.config) {
            *tree = before;
            return Err(full.into());
        }
        (self.buffer, self.names) = (buffer, names);
        Arc::make_mut(&mut self.beliefs).rename(from, &to);
        Arc::make_mut(&mut self.profiles).rename(from, &to);
        Ok(self.fitted())
    }

    fn check_known(&self, speaker: &str) -> Result<(), SpeakerError> {
        if self.speakers().iter().any(|known| known == speaker) {
            return Ok(());
        }
        let speaker = speaker.to_owned();
        Err(match self.names.current(&speaker) {
            name if *name != speaker => SpeakerError::Named {
                name: name.to_owned(),
                label: speaker,
            },
            _ => SpeakerError::Unknown { speaker },
        })
    }

    /// An utterance under its speaker's name.
    pub(super) fn with_current_name<'a>(&self, utterance: &'a Utterance) -> Cow<'a, Utterance> {
        let Some(speaker) = &utterance.speaker else {
            return Cow::Borrowed(utterance);
        };
        match self.names.current(speaker) {
            name if name == speaker => Cow::Borrowed(utterance),
            name => Cow::Owned(Utterance {
                speaker: Some(name.to_owned()),
                ..utterance.clone()
            }),
        }
    }

    /// A distillate under its speakers' names: it was made of talk that may have got them since.
    pub(super) fn with_current_names<'a>(&self, made: &'a Distillate) -> Cow<'a, Distillate> {
        let named = |speaker: &Option<String>| {
            let name = speaker.as_deref().map(|it| self.names.current(it));
            name.map(str::to_owned)
        };
        let same = |speaker: &Option<String>| named(speaker) == *speaker;
        let units = made.units.iter().flat_map(|unit| &unit.evidence);
        let observed = made.opinions.iter().map(|it| &it.evidence);
        let observed = observed.chain(made.facts.iter().map(|it| &it.evidence));
        let mut proofs = units.chain(&made.event_evidence).chain(observed);
        if proofs.all(|item| same(&item.speaker)) && same(&made.event_speaker) {
            return Cow::Borrowed(made);
        }
        let mut made = made.clone();
        made.event_speaker = named(&made.event_speaker);
        for unit in made.units.iter_mut().filter(|it| !same(&it.speaker)) {
            unit.speaker = named(&unit.speaker);
            let speaker = unit.speaker.as_deref().unwrap_or_default();
            let analysis = &mut unit.analysis;
            if let Some(terms) = self.names.terms_of(speaker) {
                analysis.speaker = terms.to_vec();
            }
        }
        for opinion in &mut made.opinions {
            opinion.holder = named(&opinion.holder);
        }
        for fact in &mut made.facts {
            fact.speaker = named(&fact.speaker);
        }
        let units = made.units.iter_mut().flat_map(|unit| &mut unit.evidence);
        let observed = made.opinions.iter_mut().map(|it| &mut it.evidence);
        let observed = observed.chain(made.facts.iter_mut().map(|it| &mut it.evidence));
        for item in units.chain(&mut made.event_evidence).chain(observed) {
            item.speaker = named(&item.speaker);
        }
        Cow::Owned(made)
    }
}
