//! A plain recording in a replay: decoded, segmented, packed into windows.
//!
//! If the session holds the beginning of a recording, that part is segmented as before but not
//! recognised again. To check that the segments are the same, the next window is recognised once
//! more: those of its utterances that the session holds must end at the same times.

use crate::pipeline::feed::Notice;
use crate::pipeline::hearing::diarized::SpeakerTrack;
use crate::pipeline::hearing::recognition::Recognition;
use crate::pipeline::hearing::replay_input::ReplayInput;
use crate::pipeline::hearing::speech::{LabelWhich, Speech};
use crate::store::InputProgress;
use std::path::Path;
use weir_asr::{AudioError, AudioSource, Recogniser, Recovery, Rest, SourceWarning};

/// A recording being processed.
pub(crate) struct Sound {
    source: Box<dyn AudioSource>,
    pub(crate) speech: Speech,
    chunk: Vec<f32>,
    pub(crate) ended: bool,
    pub(crate) failed: bool,
    pub(crate) counted_ms: u64,
    /// The session's progress, until the window after it is recognised again.
    pub(crate) again: Option<InputProgress>,
    /// Number of segments in the last window.
    pub(crate) window: u64,
}

impl Sound {
    /// A recording from its beginning; the session holds the part in `known`.
    pub(crate) fn new(
        source: Box<dyn AudioSource>,
        mut recogniser: Recogniser,
        speakers: Option<SpeakerTrack>,
        known: Option<InputProgress>,
    ) -> Self {
        recogniser.skip(known.as_ref().map_or(0, |known| known.items));
        Self {
            source,
            speech: Speech::new(recogniser, speakers),
            chunk: Vec::new(),
            ended: false,
            failed: false,
            counted_ms: 0,
            again: known,
            window: 0,
        }
    }

    /// Reads one chunk. After an error that ends the source, the open segment is still finished:
    /// its audio is complete up to there.
    pub(crate) fn read(&mut self, warnings: &mut Vec<SourceWarning>) -> Result<(), AudioError> {
        let read = match self.source.read(&mut self.chunk) {
            Err(error) if error.recovery() == Recovery::SkipChunk => return Ok(()),
            read => read,
        };
        self.source.take_warnings(warnings);
        match read {
            Ok(1..) => self.speech.recogniser.step(&self.chunk),
            Ok(0) | Err(_) => {
                self.speech.recogniser.finish();
                if read.is_ok() {
                    let signal = self.speech.recogniser.listener();
                    warnings.extend(signal.warnings(&self.source.spec().name));
                }
                self.ended = true;
                self.failed = read.is_err();
            }
        }
        read.map(|_| ())
    }

    /// Gives the sound that was read last to the speakers.
    pub(crate) fn follow(&mut self, hearing: &mut Recognition, notices: &mut Vec<Notice>) {
        self.speech.follow(hearing, notices);
        if self.ended {
            self.speech.end(hearing, notices);
        }
    }

    /// Recognises the next window, if one is due: its utterances wait for their speakers. Returns
    /// whether one was.
    pub(crate) fn recognise(
        &mut self,
        input: &ReplayInput,
        hearing: &mut Recognition,
        progress: &mut InputProgress,
        notices: &mut Vec<Notice>,
    ) -> bool {
        let (speech, rest) = (&mut self.speech, Rest::Keep);
        if !speech.recognise(hearing, rest, &input.stream, 0, notices) {
            return false;
        }
        // a window that the session holds is counted already
        if self.again.is_none() {
            progress.items += std::mem::replace(&mut self.window, 0);
            progress.within = 0;
        }
        self.window = speech.recogniser.last_window();
        if speech.unlabelled.is_empty() {
            notices.extend(self.pass_over(&input.path).map(Notice::Failed));
        }
        true
    }

    /// Gives the utterances of the last window their speakers; returns whether all have them.
    pub(crate) fn label(&mut self, stream: &str, notices: &mut Vec<Notice>) -> bool {
        self.speech.label(LabelWhich::All, stream, 0, notices)
    }

    /// Drops the utterances of the last window that the session holds. With other settings the
    /// segments differ, and the resume point is unknown; then the reason is returned.
    pub(crate) fn pass_over(&mut self, path: &Path) -> Option<String> {
        let known = self.again.take()?;
        let within = usize::try_from(known.within).unwrap_or(usize::MAX);
        let last = within
            .checked_sub(1)
            .and_then(|last| self.speech.heard.get(last));
        if last.is_some_and(|last| last.said.span.end_ms() == known.end_ms) {
            self.speech.heard.drain(..within);
            return None;
        }
        self.speech.heard.clear();
        self.speech.recogniser.drop_waiting();
        (self.ended, self.failed) = (true, true);
        Some(format!(
            "{}: the session holds its first {} utterances, up to {} ms, but no utterance ends \
             there now; use the same speech model, guards, channels, speakers and pace as before, \
             or process all of it again (--force)",
            path.display(),
            known.turns,
            known.end_ms
        ))
    }
}
