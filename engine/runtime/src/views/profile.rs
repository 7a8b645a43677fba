//! Facts of profiles as clients read them.

use super::evidence::quoted;
use std::cmp::Reverse;
use weir_api as api;
use weir_core::profile::{EndedBy, ProfileFact, Profiles};
use weir_core::session::Session;
use weir_core::text::is_speaker;
use weir_core::transcript::Transcript;

/// The facts of a speaker, if one is named, in order of speakers and headings, the newest
/// first; with `past` those too that hold no more.
#[must_use]
pub fn select_facts<'a>(
    profiles: &'a Profiles,
    speaker: Option<&str>,
    past: bool,
) -> Vec<&'a ProfileFact> {
    let facts = profiles.facts().iter();
    let facts = facts.filter(|it| is_speaker(speaker, it.speaker.as_deref()));
    let mut facts: Vec<&ProfileFact> = facts.filter(|it| past || it.holds()).collect();
    facts.sort_by_key(|it| (it.speaker.clone(), it.slot, Reverse(it.from_ms), it.id));
    facts
}

/// A fact of a profile.
#[must_use]
pub fn fact(fact: &ProfileFact, session: &Session, transcript: &dyn Transcript) -> api::Fact {
    let by = fact.until.and_then(|(_, by)| match by {
        EndedBy::Said => None,
        EndedBy::Change(id) | EndedBy::Contradiction(id) => Some(id.to_string()),
    });
    let evidence = fact.evidence.iter();
    api::Fact {
        id: fact.id.to_string(),
        speaker: fact.speaker.clone(),
        slot: fact.slot.to_string(),
        about: fact.about.clone(),
        value: fact.value.clone(),
        sentence: fact.value.clone(),
        from_ms: fact.from_ms,
        until_ms: fact.until.map(|(until, _)| until),
        ended_by: by,
        contradicted: matches!(fact.until, Some((_, EndedBy::Contradiction(_)))),
        times: fact.times,
        pinned: fact.pinned,
        edited: fact.edited,
        wanted: fact.wanted,
        evidence: evidence.map(|it| quoted(it, session, transcript)).collect(),
    }
}
