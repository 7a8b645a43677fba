//! What was heard, word for word, kept apart from memory: looked up by name, never searched.
//!
//! The memory works without one. With one, answers quote the original words, and contexts show the
//! statements of which memory holds key words alone.

use crate::stream::Utterance;
use crate::talk::Evidence;
use std::collections::BTreeMap;

/// Where the words of utterances can be looked up.
pub trait Transcript: Send + Sync {
    /// The text of an utterance; `None` where it is not kept, erased, or cannot be read. `turn` is
    /// its ordinal in the session; its stream and id are checked against what is found there.
    fn utterance(&self, turn: u64, stream: &str, id: &str) -> Option<String>;

    /// Every utterance kept that `wanted` names by stream, id and speaker, with its ordinal: for
    /// erasing, never for answering. Cost: one pass over everything kept.
    fn find(&self, wanted: &dyn Fn(&str, &str, Option<&str>) -> bool) -> Vec<Found>;

    /// The words that a proof rests on: its part of the utterance, or all of it where the part is
    /// not known.
    fn quote(&self, item: &Evidence) -> Option<String> {
        let text = self.utterance(item.turn, &item.stream, &item.utterance)?;
        match item.part {
            Some(part) => part.in_text(&text).map(str::to_owned),
            None => Some(text),
        }
    }
}

/// An utterance that a transcript keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its ordinal in the session.
    pub turn: u64,
    /// Its stream.
    pub stream: String,
    /// Its id in it.
    pub utterance: String,
}

/// A transcript in memory, for programs that keep words elsewhere, and for tests. It has no bound.
#[derive(Debug, Clone, Default)]
pub struct HeldTranscript(BTreeMap<u64, Utterance>);

impl HeldTranscript {
    /// Keeps an utterance under its ordinal in the session.
    pub fn insert(&mut self, turn: u64, utterance: Utterance) {
        self.0.insert(turn, utterance);
    }
}

impl Transcript for HeldTranscript {
    fn utterance(&self, turn: u64, stream: &str, id: &str) -> Option<String> {
        let said = self.0.get(&turn)?;
        (said.stream == stream && said.id == id).then(|| said.text.clone())
    }

    fn find(&self, wanted: &dyn Fn(&str, &str, Option<&str>) -> bool) -> Vec<Found> {
        let named = |said: &Utterance| wanted(&said.stream, &said.id, said.speaker.as_deref());
        let all = self.0.iter().filter(|(_, said)| named(said));
        all.map(|(&turn, said)| Found {
            turn,
            stream: said.stream.clone(),
            utterance: said.id.clone(),
        })
        .collect()
    }
}
