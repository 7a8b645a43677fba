//! Labelled stretches of audio files, several of them recognised in one window.
//!
//! A model with 30 s windows takes as long for one short line as for ten. So the speech of
//! consecutive stretches is packed into windows, regardless of speaker and file, and each stretch
//! gets the words of its own segments. Invariants: stretches are returned in input order. A
//! segment's words go to the stretch it was cut from, because windows return segments in order. At
//! most [`limits::STRETCHES_AHEAD_MAX`] stretches wait, with the audio of one window and one
//! stretch.

use crate::pipeline::hearing::recognition::Recognition;
use std::collections::VecDeque;
use weir_asr::{
    AudioError, HeardSegment, LanguageNews, LanguageTrack, Recognised, Refused, Rest, Segment,
    TranscribeError, Windows,
};
use weir_core::limits;

/// Recognition result of a labelled stretch.
#[derive(Debug, Default)]
pub struct HeardStretch {
    /// Its words as one utterance; `None` without words.
    pub said: Option<Recognised>,
    /// Its segments without words, in order.
    pub refused: Vec<Refused>,
    /// Errors of the model on its segments, in order.
    pub failed: Vec<TranscribeError>,
    /// What became known of the stream's language with it.
    pub language: Option<LanguageNews>,
}

impl HeardStretch {
    fn add(&mut self, segment: HeardSegment) {
        match segment {
            HeardSegment::Said(parts, uncovered) => {
                self.refused.extend(uncovered);
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

/// A stretch waiting in order, with its caller's data.
struct Waiting<T> {
    of: T,
    /// Number of its segments not yet in a window.
    unheard: usize,
    heard: Result<HeardStretch, AudioError>,
}

/// Stretches in order, each with caller data `T`.
pub(crate) struct Stretches<T> {
    windows: Windows,
    language: LanguageTrack,
    /// What happens to a partly filled window.
    rest: Rest,
    waiting: VecDeque<Waiting<T>>,
}

impl<T> Stretches<T> {
    /// Stretches that wait until a window is full.
    pub(crate) fn ahead(windows: Windows) -> Self {
        Self {
            windows,
            language: LanguageTrack::default(),
            rest: Rest::Keep,
            waiting: VecDeque::new(),
        }
    }

    /// Stretches that are recognised one by one.
    pub(crate) fn apart(windows: Windows) -> Self {
        Self {
            rest: Rest::Give,
            ..Self::ahead(windows)
        }
    }

    /// Adds a stretch with its speech, or with the error that replaces it, and recognises the full
    /// windows. A stretch without audio keeps its place without segments; only a stretch with
    /// segments needs a model.
    pub(crate) fn push(
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

    /// Recognises what waits; the next stretch begins a new window.
    pub(crate) fn finish(&mut self, hearing: Option<&mut Recognition>) {
        self.pack(Vec::new(), Rest::Give, hearing);
    }

    /// The data of the first stretch in order, if all of it is recognised.
    pub(crate) fn front(&self) -> Option<&T> {
        let first = self.waiting.front().filter(|it| it.unheard == 0)?;
        Some(&first.of)
    }

    /// That stretch.
    pub(crate) fn pop(&mut self) -> Option<(T, Result<HeardStretch, AudioError>)> {
        self.front()?;
        let first = self.waiting.pop_front()?;
        Some((first.of, first.heard))
    }

    fn pack(&mut self, segments: Vec<Segment>, rest: Rest, hearing: Option<&mut Recognition>) {
        let Some(hearing) = hearing else { return };
        self.windows.extend(segments);
        while let Some(mut window) = self.windows.next(rest) {
            let (heard, mut news) = hearing.hear_each(&mut self.language, &mut window);
            hearing.recycle(window);
            for segment in heard {
                let mut stretches = self.waiting.iter_mut();
                let Some(stretch) = stretches.find(|it| it.unheard > 0) else {
                    continue;
                };
                stretch.unheard -= 1;
                if let Ok(heard) = &mut stretch.heard {
                    heard.add(segment);
                    heard.language = heard.language.or_else(|| news.take());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
