//! A speech model with the guards behind it: windows of segments in, utterances out.
//!
//! Invariant: no stretch of speech vanishes without being counted.

use crate::guards::{Guards, GuardsConfig, Refusal, plain};
use crate::window;
use crate::{
    Recognised, SampleSpan, Segment, SettingError, Transcribe, TranscribeError, Transcript, Word,
    sentences,
};

/// What became of the segments a model was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TranscriptionCounts {
    /// Segments with words.
    pub recognised: u64,
    /// Milliseconds of them.
    pub recognised_ms: u64,
    /// Words in them.
    pub words: u64,
    /// Segments the model failed on.
    pub failed: u64,
    refused: [u64; Refusal::ALL.len()],
}

impl TranscriptionCounts {
    /// How many segments were refused for this reason.
    #[must_use]
    pub fn refused(&self, why: Refusal) -> u64 {
        self.refused[why as usize]
    }

    /// How many segments were refused in all.
    #[must_use]
    pub fn refused_in_all(&self) -> u64 {
        self.refused.iter().sum()
    }
}

/// A segment whose words were not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// Where it lies in the source.
    pub span: SampleSpan,
    /// Why.
    pub why: Refusal,
}

/// What a model heard in one window.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeardWindow {
    /// Utterances in order of time.
    pub utterances: Vec<Recognised>,
    /// Segments without words, in order of time.
    pub refused: Vec<Refused>,
}

/// What a model heard in one segment of a window.
#[derive(Debug)]
pub enum HeardSegment {
    /// What is said in it: an utterance for each sentence, in order of time.
    Said(Vec<Recognised>),
    /// Its words were not taken, or there were none.
    Refused(Refused),
    /// The model failed on it.
    Failed(TranscribeError),
}

/// A model and the guards behind it.
pub struct GuardedTranscriber<T> {
    model: T,
    guards: Guards,
    counts: TranscriptionCounts,
    /// The samples of the last window, to be filled again.
    joined: Vec<f32>,
}

impl<T: Transcribe> GuardedTranscriber<T> {
    /// Puts guards behind a model.
    ///
    /// # Errors
    /// A limit outside its range.
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

    /// What became of the segments so far.
    #[must_use]
    pub fn counts(&self) -> &TranscriptionCounts {
        &self.counts
    }

    /// Recognises the segments of one window, which follow each other in one channel, and cuts
    /// their words into utterances; a sentence may go on behind a pause. A segment of a window
    /// whose words the guards refuse, or that has none, is heard once more alone.
    ///
    /// # Errors
    /// When the model fails on each segment; segments on which it fails are counted, and the next
    /// window may be given.
    pub fn hear(&mut self, window: &[Segment]) -> Result<HeardWindow, TranscribeError> {
        let (mut said, mut refused, mut failed) = (Vec::new(), Vec::new(), None);
        for segment in self.hear_each(window) {
            match segment {
                HeardSegment::Said(sentences) => said.push(sentences),
                HeardSegment::Refused(segment) => refused.push(segment),
                HeardSegment::Failed(error) => failed = failed.or(Some(error)),
            }
        }
        match failed {
            Some(error) if said.is_empty() && refused.is_empty() => Err(error),
            _ => Ok(HeardWindow {
                utterances: sentences::over_pauses(said),
                refused,
            }),
        }
    }

    /// Recognises the segments of one window as [`Self::hear`] does, and gives what came of each
    /// segment, in their order. No sentence goes on from one segment to the next, so they may be
    /// of different sources.
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
                // there is a verdict for each segment that was admitted
                Ok(()) => judged.next().unwrap_or(Ok(Err(Refusal::Empty))),
                Err(why) => Ok(Err(why)),
            };
            heard.push(self.heard(segment, judged));
        }
        heard
    }

    /// Counts what came of a segment, and cuts its words into sentences.
    fn heard(&mut self, segment: &Segment, judged: Judged) -> HeardSegment {
        match judged {
            Ok(Ok(words)) => {
                self.counts.recognised += 1;
                self.counts.recognised_ms += segment.span.len_ms();
                self.counts.words += words.len() as u64;
                HeardSegment::Said(sentences::in_segment(segment, words))
            }
            Ok(Err(why)) => self.refuse(segment, why),
            Err(error) => {
                self.counts.failed += 1;
                HeardSegment::Failed(error)
            }
        }
    }

    fn refuse(&mut self, segment: &Segment, why: Refusal) -> HeardSegment {
        self.counts.refused[why as usize] += 1;
        let span = segment.span;
        log::debug!("{} ms: refused: {}", span.start_ms(), why.reason());
        HeardSegment::Refused(Refused { span, why })
    }

    fn alone(&mut self, segment: &Segment) -> Judged {
        let transcript = self.transcribe(segment)?;
        let judged = self.guards.judge(segment, transcript);
        Ok(judged.map(|transcript| transcript.words))
    }

    /// Hears several segments at once; one by one where the model fails on the window.
    fn together(&mut self, segments: &[&Segment]) -> Vec<Judged> {
        let joined = window::join(segments, std::mem::take(&mut self.joined));
        let transcript = self.transcribe(&joined);
        self.joined = joined.samples;
        let transcript = match transcript {
            Ok(transcript) => transcript,
            Err(error) => {
                log::warn!("{error}; its segments are heard one by one");
                return segments.iter().map(|it| self.alone(it)).collect();
            }
        };
        let sorted = window::sort(transcript.words, segments);
        let mut judged = Vec::new();
        for (at, segment) in segments.iter().enumerate() {
            let part = Transcript {
                confidence: sentences::confidence(&sorted[at]),
                words: sorted[at].clone(),
                // the model says it of the whole window
                no_speech: 0.0,
                language: None,
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

    /// Hears a segment of a window alone, after its words in the window were refused. Words that
    /// stand at the edge of a neighbour were only sorted to that.
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

/// The words of a segment, or why there are none; or the model's failure.
type Judged = Result<Result<Vec<Word>, Refusal>, TranscribeError>;
