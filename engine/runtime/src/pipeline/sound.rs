//! A plain recording under way in a replay: decoded, cut into segments, packed into windows.
//!
//! Of a recording whose beginning the session holds, the segments it holds are cut as they were
//! and not recognised again. Whether they are the same is seen at the window after them, which is
//! heard once more: its utterances that the session holds have to end where they did.

use crate::store::InputProgress;
use std::collections::VecDeque;
use std::path::Path;
use weir_asr::{AudioError, AudioSource, Recognised, Recogniser, Recovery, SourceWarning};

/// A recording under way.
pub(super) struct Sound {
    source: Box<dyn AudioSource>,
    pub(super) recogniser: Recogniser,
    chunk: Vec<f32>,
    /// Recognised, and not yet fed.
    pub(super) heard: VecDeque<Recognised>,
    pub(super) ended: bool,
    pub(super) failed: bool,
    pub(super) counted_ms: u64,
    /// What it holds of the window after them, until that window is heard again.
    pub(super) again: Option<InputProgress>,
    /// Segments of the window that was heard last.
    pub(super) window: u64,
}

impl Sound {
    /// A recording from its beginning, of which the session holds what is `known`.
    pub(super) fn new(
        source: Box<dyn AudioSource>,
        mut recogniser: Recogniser,
        known: Option<InputProgress>,
    ) -> Self {
        recogniser.skip(known.as_ref().map_or(0, |known| known.items));
        Self {
            source,
            recogniser,
            chunk: Vec::new(),
            heard: VecDeque::new(),
            ended: false,
            failed: false,
            counted_ms: 0,
            again: known,
            window: 0,
        }
    }

    /// Takes one chunk in. After an error that ends the source, what was open is cut all the same:
    /// it was heard whole up to there.
    pub(super) fn read(&mut self, warnings: &mut Vec<SourceWarning>) -> Result<(), AudioError> {
        let read = match self.source.read(&mut self.chunk) {
            Err(error) if error.recovery() == Recovery::SkipChunk => return Ok(()),
            read => read,
        };
        self.source.take_warnings(warnings);
        match read {
            Ok(1..) => self.recogniser.step(&self.chunk),
            Ok(0) | Err(_) => {
                self.recogniser.finish();
                self.ended = true;
                self.failed = read.is_err();
            }
        }
        read.map(|_| ())
    }

    /// Leaves out what the session holds of the window that was heard just now. Other settings cut
    /// and hear the sound otherwise: then nobody knows where to go on, and why is returned.
    pub(super) fn pass_over(&mut self, path: &Path) -> Option<String> {
        let known = self.again.take()?;
        let within = usize::try_from(known.within).unwrap_or(usize::MAX);
        let last = within.checked_sub(1).and_then(|last| self.heard.get(last));
        if last.is_some_and(|last| last.span.end_ms() == known.end_ms) {
            self.heard.drain(..within);
            return None;
        }
        self.heard.clear();
        self.recogniser.drop_waiting();
        (self.ended, self.failed) = (true, true);
        Some(format!(
            "{}: the session holds its first {} utterances, up to {} ms, and no utterance ends \
             there now; go on with the --asr-model, --guards, --channels and --pace of before, or \
             hear all of it once more with --force",
            path.display(),
            known.turns,
            known.end_ms
        ))
    }
}
