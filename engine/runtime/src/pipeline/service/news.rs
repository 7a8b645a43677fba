//! What changed beside the tree, for those who follow a session: names, changes by hand, beliefs.

use crate::pipeline::event::Event;
use crate::pipeline::service::change::Change;
use crate::views;
use std::collections::HashMap;
use weir_api::Changed;
use weir_core::beliefs::{Belief, BeliefId};
use weir_core::session::{Session, SpeakerChange};
use weir_core::transcript::Transcript;

/// Beliefs that are told at once: those observed last. Who follows can look at all of them.
const BELIEFS_MAX: usize = 16;

/// News that were not told yet.
pub(super) struct News {
    events: Vec<Event>,
    /// Observations of each belief when it was told last.
    observed: HashMap<BeliefId, u32>,
}

impl News {
    /// Nothing is new about a session as it was opened.
    pub(super) fn of(session: &Session) -> Self {
        Self {
            events: Vec::new(),
            observed: observed(session),
        }
    }

    /// Notes a change that was carried out.
    pub(super) fn changed(&mut self, name: Option<Event>, done: &Changed) {
        self.events
            .push(name.unwrap_or_else(|| Event::Changed(Box::new(done.clone()))));
    }

    /// The news since the last call.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Event> {
        std::mem::take(&mut self.events).into_iter()
    }

    /// The beliefs that are new or were observed again since the last call.
    pub(super) fn beliefs(&mut self, session: &Session, transcript: &dyn Transcript) -> Vec<Event> {
        let is_told = |it: &Belief| self.observed.get(&it.id) == Some(&it.tally().count);
        let held = session.beliefs().held().iter();
        let mut fresh: Vec<&Belief> = held.filter(|it| !is_told(it)).collect();
        fresh.sort_by_key(|it| it.last_ms());
        let from = fresh.len().saturating_sub(BELIEFS_MAX);
        let told = fresh[from..].iter().map(|it| {
            let belief = views::belief(it, session, transcript);
            Event::Belief(Box::new(belief))
        });
        let told = told.collect();
        self.observed = observed(session);
        told
    }
}

fn observed(session: &Session) -> HashMap<BeliefId, u32> {
    let held = session.beliefs().held().iter();
    held.map(|it| (it.id, it.tally().count)).collect()
}

impl Change {
    /// Whether those who follow a session learn of it: a change by hand of what it holds.
    pub(super) fn is_told(&self) -> bool {
        !matches!(
            self,
            Self::Begin(_) | Self::End(_) | Self::Pause { .. } | Self::Flush
        )
    }

    /// The event of a change of names.
    pub(super) fn naming(&self) -> Option<Event> {
        let Self::Speaker(change) = self else {
            return None;
        };
        let (speaker, name) = match change {
            SpeakerChange::Name { speaker, name } => (speaker, Some(name)),
            SpeakerChange::Merge { speaker, into } => (speaker, Some(into)),
            SpeakerChange::Forget { speaker } => (speaker, None),
        };
        Some(Event::Speaker {
            speaker: speaker.clone(),
            name: name.cloned(),
        })
    }
}
