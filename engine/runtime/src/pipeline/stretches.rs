//! Labelled stretches of audio files, several of them heard in one window.
//!
//! A model that hears 30 s at once takes as long for one short line as for ten. So the speech of
//! stretches that follow each other is packed into windows, whoever speaks and whatever file it is
//! from, and each stretch is given the words of its own segments. Invariants: stretches come out
//! in the order they went in; a segment's words go to the stretch it was cut from, because windows
//! give segments back in order; no more wait than [`limits::STRETCHES_AHEAD_MAX`] stretches, with
//! the sound of one window and of one stretch.

use super::recognition::Recognition;
use std::collections::VecDeque;
use std::path::Path;
use weir_asr::{
    AudioError, HeardSegment, Recognised, Refused, Rest, SampleSpan, Segment, SourceWarning,
    TranscribeError, Windows,
};
use weir_core::limits;

/// What was heard in a labelled stretch.
#[derive(Debug, Default)]
pub struct HeardStretch {
    /// What is said in it, as one utterance; `None` where there are no words.
    pub said: Option<Recognised>,
    /// Its segments without words, in order.
    pub refused: Vec<Refused>,
    /// Why the model failed on segments of it, in order.
    pub failed: Vec<TranscribeError>,
}

impl HeardStretch {
    fn add(&mut self, segment: HeardSegment) {
        match segment {
            HeardSegment::Said(parts) => {
                for part in parts {
                    self.said = Some(match self.said.take() {
                        None => part,
                        Some(whole) => whole.join(part),
                    });
                }
            }
            HeardSegment::Refused(refused) => self.refused.push(refused),
            HeardSegment::Failed(error) => self.failed.push(error),
        }
    }
}

/// A stretch whose place in the order is taken, with what it is for.
struct Waiting<T> {
    of: T,
    /// Segments of it that no window held yet.
    unheard: usize,
    heard: Result<HeardStretch, AudioError>,
}

/// Stretches in order, each with a `T` that says what it is for.
pub(super) struct Stretches<T> {
    windows: Windows,
    /// What becomes of a window that a stretch leaves open.
    rest: Rest,
    waiting: VecDeque<Waiting<T>>,
}

impl<T> Stretches<T> {
    /// Stretches that wait for each other until a window is full.
    pub(super) fn ahead(windows: Windows) -> Self {
        Self {
            windows,
            rest: Rest::Keep,
            waiting: VecDeque::new(),
        }
    }

    /// Stretches that are heard one by one.
    pub(super) fn apart(windows: Windows) -> Self {
        Self {
            rest: Rest::Give,
            ..Self::ahead(windows)
        }
    }

    /// Takes a stretch with its speech, or with the reason why there is none, and hears the
    /// windows that are full. What has no sound takes its turn without segments; only a stretch
    /// with segments needs a model.
    pub(super) fn push(
        &mut self,
        of: T,
        cut: Result<Vec<Segment>, AudioError>,
        hearing: Option<&mut Recognition>,
    ) {
        let (segments, heard) = match cut {
            Ok(segments) => (segments, Ok(HeardStretch::default())),
            Err(error) => (Vec::new(), Err(error)),
        };
        let unheard = segments.len();
        self.waiting.push_back(Waiting { of, unheard, heard });
        let full = self.waiting.len() >= limits::STRETCHES_AHEAD_MAX;
        let rest = if full { Rest::Give } else { self.rest };
        self.pack(segments, rest, hearing);
    }

    /// Hears what waits: the next stretch begins a window.
    pub(super) fn finish(&mut self, hearing: Option<&mut Recognition>) {
        self.pack(Vec::new(), Rest::Give, hearing);
    }

    /// The first in order, where all of it is heard.
    pub(super) fn pop(&mut self) -> Option<(T, Result<HeardStretch, AudioError>)> {
        if self.waiting.front()?.unheard > 0 {
            return None;
        }
        let first = self.waiting.pop_front()?;
        Some((first.of, first.heard))
    }

    fn pack(&mut self, segments: Vec<Segment>, rest: Rest, hearing: Option<&mut Recognition>) {
        let Some(hearing) = hearing else { return };
        self.windows.extend(segments);
        while let Some(window) = self.windows.next(rest) {
            let heard = hearing.hear_each(&window);
            hearing.recycle(window);
            for segment in heard {
                let mut stretches = self.waiting.iter_mut();
                let Some(stretch) = stretches.find(|it| it.unheard > 0) else {
                    continue;
                };
                stretch.unheard -= 1;
                if let Ok(heard) = &mut stretch.heard {
                    heard.add(segment);
                }
            }
        }
    }
}

impl Recognition {
    /// Recognises what is said inside a labelled stretch of a file: its speech is cut in pauses,
    /// recognised and joined to one utterance, where there are words in it.
    ///
    /// # Errors
    /// [`AudioError`] when the file cannot be read to the end of the stretch.
    pub fn hear_span(
        &mut self,
        path: &Path,
        span: SampleSpan,
        warnings: &mut Vec<SourceWarning>,
    ) -> Result<HeardStretch, AudioError> {
        let cut = self.cut(path, span, warnings).map(|(segments, _)| segments);
        let mut alone = Stretches::apart(self.windows());
        alone.push((), cut, Some(self));
        let heard = alone.pop().map(|((), heard)| heard);
        heard.unwrap_or_else(|| Ok(HeardStretch::default()))
    }
}

#[cfg(test)]
mod tests;
