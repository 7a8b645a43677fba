//! A speech model with guards that check its output: windows of segments in, utterances out.
//!
//! Invariant: every stretch of speech that is dropped is counted, except repetitions that a guard
//! cuts.

use crate::guards::{Guards, GuardsConfig, Refusal, plain};
use crate::{
    LanguageNews, LanguageTrack, Recognised, SampleSpan, Segment, SettingError, Transcribe,
    TranscribeError, Transcript, Word, sentences,
};
use crate::{uncovered, window, words};

/// Counts of the outcomes of the segments given to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TranscriptionCounts {
    /// Segments with words.
    pub recognised: u64,
    /// Their length in milliseconds.
    pub recognised_ms: u64,
    /// Words in them.
    pub words: u64,
    /// Segments the model failed on.
    pub failed: u64,
    refused: [u64; Refusal::ALL.len()],
}

impl TranscriptionCounts {
    /// Number of segments refused for this reason.
    #[must_use]
    pub fn refused(&self, why: Refusal) -> u64 {
        self.refused[why as usize]
    }
}

/// A segment whose words were refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// Its position in the source.
    pub span: SampleSpan,
    /// The reason.
    pub why: Refusal,
}

/// Result of recognising one window.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeardWindow {
    /// Utterances in order of time.
    pub utterances: Vec<Recognised>,
    /// Segments without words, and voiced stretches that no word covers, in time order.
    pub refused: Vec<Refused>,
    /// What became known of the source's language.
    pub language: Option<LanguageNews>,
}

/// Result of recognising one segment of a window.
#[derive(Debug)]
pub enum HeardSegment {
    /// Recognised text, one utterance for each sentence, in time order; and voiced stretches that
    /// no word covers.
    Said(Vec<Recognised>, Vec<Refused>),
    /// Its words were refused, or there were none.
    Refused(Refused),
    /// The model failed on it.
    Failed(TranscribeError),
}

/// A model with its guards.
pub struct GuardedTranscriber<T> {
    model: T,
    guards: Guards,
    counts: TranscriptionCounts,
    /// Samples of the last window; the buffer is reused.
    joined: Vec<f32>,
}

impl<T: Transcribe> GuardedTranscriber<T> {
    /// Adds guards to a model.
    ///
    /// # Errors
    /// A limit is outside its range.
    pub fn new(model: T, guards: GuardsConfig) -> Result<Self, SettingError> {
        Ok(Self {
            model,
            guards: Guards::new(guards)?,
            counts: TranscriptionCounts::default(),
            joined: Vec::new(),
        })
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &T {
        &self.model
    }

    /// The same, to change its settings.
    pub fn model_mut(&mut self) -> &mut T {
        &mut self.model
    }

    /// Finds the language of the next window of a source, if it is time to, and marks its segments.
    pub fn find_language(
        &mut self,
        track: &mut LanguageTrack,
        window: &mut [Segment],
    ) -> Option<LanguageNews> {
        let found = track.find(&mut self.model, window);
        // the model reports its failure when it transcribes the window
        found.inspect_err(|error| log::warn!("{error}")).ok()?
    }

    /// Whether the language of a source is doubted with this window.
    pub fn doubt_language(
        &self,
        track: &mut LanguageTrack,
        window: &[Segment],
        refused: impl IntoIterator<Item = Refused>,
    ) -> Option<LanguageNews> {
        let refused = refused
            .into_iter()
            .filter(|_| self.model.assumes_language());
        track.doubt(window, refused.map(|it| (it.why, it.span.len())))
    }

    /// Outcomes of all segments so far.
    #[must_use]
    pub fn counts(&self) -> &TranscriptionCounts {
        &self.counts
    }

    /// Recognises the segments of one window, which are consecutive in one channel, and cuts their
    /// words into utterances. A sentence may continue after a pause. A segment is recognised again
    /// alone if its words in the window are refused or missing.
    ///
    /// # Errors
    /// When the model fails on each segment; segments on which it fails are counted, and the next
    /// window may be given.
    pub fn hear(&mut self, window: &[Segment]) -> Result<HeardWindow, TranscribeError> {
        let (mut said, mut refused, mut failed) = (Vec::new(), Vec::new(), None);
        for segment in self.hear_each(window) {
            match segment {
                HeardSegment::Said(sentences, uncovered) => {
                    said.push(sentences);
                    refused.extend(uncovered);
                }
                HeardSegment::Refused(segment) => refused.push(segment),
                HeardSegment::Failed(error) => failed = failed.or(Some(error)),
            }
        }
        match failed {
            Some(error) if said.is_empty() && refused.is_empty() => Err(error),
            _ => Ok(HeardWindow {
                utterances: sentences::over_pauses(said),
                refused,
                language: None,
            }),
        }
    }

    /// Recognises the segments of one window like [`Self::hear`] and returns a result for each
    /// segment, in order. No sentence spans two segments, so they may come from different sources.
    pub fn hear_each(&mut self, window: &[Segment]) -> Vec<HeardSegment> {
        let admit = |segment: &Segment| self.guards.admit(segment);
        let admitted: Vec<Result<(), Refusal>> = window.iter().map(admit).collect();
        let segments = window.iter().zip(&admitted);
        let segments: Vec<&Segment> = segments
            .filter_map(|(segment, admitted)| admitted.is_ok().then_some(segment))
            .collect();
        let judged = match segments[..] {
            [] => Vec::new(),
            [alone] => vec![self.alone(alone)],
            _ => self.together(&segments),
        };
        let mut judged = judged.into_iter();
        let mut heard = Vec::new();
        for (segment, admitted) in window.iter().zip(admitted) {
            let judged = match admitted {
                // each admitted segment has a verdict
                Ok(()) => judged.next().unwrap_or(Ok(Err(Refusal::Empty))),
                Err(why) => Ok(Err(why)),
            };
            heard.push(self.heard(segment, judged));
        }
        heard
    }

    /// Counts the result of a segment and cuts its words into sentences.
    fn heard(&mut self, segment: &Segment, judged: Judged) -> HeardSegment {
        let completed = judged.and_then(|judged| match judged {
            Ok(words) => self.completed(segment, words).map(Ok),
            Err(why) => Ok(Err(why)),
        });
        match completed {
            Ok(Ok((words, uncovered))) => {
                self.counts.recognised += 1;
                self.counts.recognised_ms += segment.span.len_ms();
                self.counts.words += words.len() as u64;
                let refuse = |span| self.refuse(span, Refusal::Uncovered);
                let uncovered = uncovered.into_iter().map(refuse).collect();
                HeardSegment::Said(sentences::in_segment(segment, words), uncovered)
            }
            Ok(Err(why)) => HeardSegment::Refused(self.refuse(segment.span, why)),
            Err(error) => {
                let cancelled = matches!(error, TranscribeError::Cancelled { .. });
                self.counts.failed += u64::from(!cancelled);
                HeardSegment::Failed(error)
            }
        }
    }

    /// Recognises again the voiced stretches that no word covers. Returns all words, and the
    /// stretches in which no words were found.
    fn completed(
        &mut self,
        segment: &Segment,
        words: Vec<Word>,
    ) -> Result<(Vec<Word>, Vec<SampleSpan>), TranscribeError> {
        let (mut words, mut silent) = (words, Vec::new());
        let mut stretches = uncovered::uncovered(segment, &words);
        let more = stretches.split_off(stretches.len().min(uncovered::STRETCHES_MAX));
        silent.extend(more.into_iter().map(|it| it.span));
        // from the last to the first, so that the indices of earlier words stay valid
        for stretch in stretches.into_iter().rev() {
            let cut = uncovered::cut(segment, stretch.span);
            let found = match self.transcribe(&cut) {
                Err(error @ TranscribeError::Cancelled { .. }) => return Err(error),
                found => found.ok(),
            };
            let found = found.filter(|it| it.confidence >= uncovered::SURE);
            let found = found.and_then(|it| self.guards.judge(&cut, it).ok());
            match found.and_then(|it| uncovered::with(&words, &stretch, it.words)) {
                Some(more) => words = more,
                None => silent.insert(0, stretch.span),
            }
        }
        Ok((words, silent))
    }

    fn refuse(&mut self, span: SampleSpan, why: Refusal) -> Refused {
        self.counts.refused[why as usize] += 1;
        log::debug!("{} ms: refused: {}", span.start_ms(), why.reason());
        Refused { span, why }
    }

    fn alone(&mut self, segment: &Segment) -> Judged {
        let transcript = self.transcribe(segment)?;
        let judged = self.guards.judge(segment, transcript);
        Ok(judged.map(|transcript| transcript.words))
    }

    /// Recognises several segments at once, or one by one if the model fails on the window.
    fn together(&mut self, segments: &[&Segment]) -> Vec<Judged> {
        let joined = window::join(segments, std::mem::take(&mut self.joined));
        let transcript = self.transcribe(&joined);
        self.joined = joined.samples;
        let transcript = match transcript {
            Ok(transcript) => transcript,
            // the others would be, too
            Err(TranscribeError::Cancelled { model }) => {
                let cancelled = |_| {
                    let model = model.clone();
                    Err(TranscribeError::Cancelled { model })
                };
                return segments.iter().map(cancelled).collect();
            }
            Err(error) => {
                log::warn!("{error}; its segments are recognised one by one");
                return segments.iter().map(|it| self.alone(it)).collect();
            }
        };
        let sorted = window::sort(transcript.words, segments);
        let mut judged = Vec::new();
        for (at, segment) in segments.iter().enumerate() {
            let part = Transcript {
                confidence: words::confidence(&sorted[at]),
                words: sorted[at].clone(),
                // the model reports this for the whole window
                no_speech: 0.0,
            };
            judged.push(match self.guards.judge(segment, part) {
                Ok(part) => Ok(Ok(part.words)),
                Err(why) => self.again(
                    segment,
                    why,
                    [at.checked_sub(1), Some(at + 1)].map(|at| sorted.get(at?)),
                ),
            });
        }
        judged
    }

    /// Recognises a segment of a window alone after its words in the window were refused. Words at
    /// the edge of a neighbour may have been assigned to the wrong segment.
    fn again(
        &mut self,
        segment: &Segment,
        why: Refusal,
        [before, behind]: [Option<&Vec<Word>>; 2],
    ) -> Judged {
        let Ok(words) = self.alone(segment)? else {
            return Ok(Err(why));
        };
        let plain = |words: &[Word]| words.iter().map(|it| plain(&it.text)).collect::<Vec<_>>();
        let said = plain(&words);
        let taken = before.is_some_and(|words| plain(words).ends_with(&said))
            || behind.is_some_and(|words| plain(words).starts_with(&said));
        Ok(if taken { Err(why) } else { Ok(words) })
    }

    fn transcribe(&mut self, segment: &Segment) -> Result<Transcript, TranscribeError> {
        let transcript = self.model.transcribe(segment)?;
        log::trace!(
            "{} ms: voice {:.2}, confidence {:.2}, no speech {:.2}: {}",
            segment.span.start_ms(),
            segment.voice,
            transcript.confidence,
            transcript.no_speech,
            transcript.text(),
        );
        Ok(transcript)
    }
}

/// The words of a segment, or the reason why there are none, or the model's error.
type Judged = Result<Result<Vec<Word>, Refusal>, TranscribeError>;
