//! The word-for-word transcript, separate from memory: looked up by turn, never searched.
//!
//! The memory works without one. With one, answers quote the original words, and contexts show
//! statements of which memory holds only key words.

use crate::stream::Utterance;
use crate::talk::Evidence;
use std::collections::BTreeMap;

/// A store for looking up the words of utterances.
pub trait Transcript: Send + Sync {
    /// The text of an utterance; `None` if it is not kept, was erased, or cannot be read. `turn` is
    /// its ordinal in the session; stream and id are checked against the stored ones.
    fn utterance(&self, turn: u64, stream: &str, id: &str) -> Option<String>;

    /// Every stored utterance that `wanted` accepts by stream, id and speaker, with its ordinal:
    /// for erasure, never for answers. Cost: one pass over everything stored.
    fn find(&self, wanted: &dyn Fn(&str, &str, Option<&str>) -> bool) -> Vec<Found>;

    /// The words of an evidence item: its part of the utterance, or all of it if the part is not
    /// known.
    fn quote(&self, item: &Evidence) -> Option<String> {
        let text = self.utterance(item.turn, &item.stream, &item.utterance)?;
        match item.part {
            Some(part) => part.in_text(&text).map(str::to_owned),
            None => Some(text),
        }
    }
}

/// An utterance in a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its ordinal in the session.
    pub turn: u64,
    /// Its stream.
    pub stream: String,
    /// Its id in the stream.
    pub utterance: String,
}

/// A transcript in memory, for programs with their own storage, and for tests. It has no bound.
#[derive(Debug, Clone, Default)]
pub struct HeldTranscript(BTreeMap<u64, Utterance>);

impl HeldTranscript {
    /// Stores an utterance under its ordinal in the session.
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
