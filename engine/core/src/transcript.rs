//! The word-for-word transcript, separate from memory: looked up by turn.
//!
//! The memory works without one. With one, answers quote the original words, and contexts show
//! statements of which memory holds only key words. It is searched only where memory does not know
//! an answer ([`crate::recall::TranscriptSearch`]).

use crate::stream::{AudioSpan, Span, Utterance};
use crate::talk::Evidence;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A store for looking up the words of utterances.
pub trait Transcript: Send + Sync {
    /// The text of an utterance; `None` if it is not kept, was erased, or cannot be read. `turn` is
    /// its ordinal in the session; stream and id are checked against the stored ones.
    fn utterance(&self, turn: u64, stream: &str, id: &str) -> Option<String>;

    /// Every stored utterance that `wanted` accepts by stream, id and speaker, with its ordinal:
    /// for erasure, never for answers. Cost: one pass over everything stored.
    fn find(&self, wanted: &dyn Fn(&str, &str, Option<&str>) -> bool) -> Vec<UtteranceRef>;

    /// Goes through all stored utterances, newest first. `glance` sees the stored bytes of each,
    /// its words among them, and says what to do with it; `read` gets those that are to be read.
    fn newest_first(
        &self,
        glance: &mut dyn FnMut(&[u8]) -> ScanStep,
        read: &mut dyn FnMut(TranscriptUtterance),
    );

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

/// What to do with a stored utterance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanStep {
    /// Go on with the one before.
    Skip,
    /// Read it, then go on.
    Read,
    /// Look at no further one.
    Stop,
}

/// An utterance as a transcript has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptUtterance {
    /// Which one.
    pub found: UtteranceRef,
    /// Its speaker, if known.
    pub speaker: Option<String>,
    /// Its start in session time.
    pub session_ms: u64,
    /// Wall time of its start, if known.
    pub said_at_unix_ms: Option<i64>,
    /// Its place, if known.
    pub place: Option<Place>,
    /// Its words.
    pub text: String,
}

/// Where an utterance is in its stream and in its recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Its span in stream time.
    pub span: Span,
    /// Its place in the audio; `None` for text.
    pub audio: Option<AudioSpan>,
}

impl Place {
    /// Of an utterance.
    #[must_use]
    pub fn of(utterance: &Utterance) -> Self {
        Self {
            span: utterance.span,
            audio: utterance.audio.clone(),
        }
    }
}

/// An utterance in a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UtteranceRef {
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

    fn newest_first(
        &self,
        glance: &mut dyn FnMut(&[u8]) -> ScanStep,
        read: &mut dyn FnMut(TranscriptUtterance),
    ) {
        for (&turn, said) in self.0.iter().rev() {
            match glance(said.text.as_bytes()) {
                ScanStep::Skip => {}
                ScanStep::Stop => return,
                ScanStep::Read => read(TranscriptUtterance {
                    found: UtteranceRef {
                        turn,
                        stream: said.stream.clone(),
                        utterance: said.id.clone(),
                    },
                    speaker: said.speaker.clone(),
                    session_ms: said.span.start_ms,
                    said_at_unix_ms: None,
                    place: Some(Place::of(said)),
                    text: said.text.clone(),
                }),
            }
        }
    }

    fn find(&self, wanted: &dyn Fn(&str, &str, Option<&str>) -> bool) -> Vec<UtteranceRef> {
        let named = |said: &Utterance| wanted(&said.stream, &said.id, said.speaker.as_deref());
        let all = self.0.iter().filter(|(_, said)| named(said));
        all.map(|(&turn, said)| UtteranceRef {
            turn,
            stream: said.stream.clone(),
            utterance: said.id.clone(),
        })
        .collect()
    }
}
