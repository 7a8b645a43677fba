//! Data passed between the stages: a stretch of speech, its words, and the resulting utterance.
//!
//! Plain data that can only be joined and measured. Invariant: word spans are counted from the
//! source's first sample, lie inside their segment, and never run backwards.

use crate::SampleSpan;

/// One recognised word.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// As written by the recogniser, with punctuation, without surrounding spaces.
    pub text: String,
    /// Its position in the source.
    pub span: SampleSpan,
    /// Confidence of the recogniser, 0 to 1 (geometric mean of its tokens' probabilities).
    pub confidence: f32,
}

/// The geometric mean of the words' confidences.
pub(crate) fn confidence(words: &[Word]) -> f32 {
    if words.is_empty() {
        return 0.0;
    }
    let sum: f32 = words.iter().map(|it| it.confidence.max(1e-6).ln()).sum();
    (sum / words.len() as f32).exp()
}

/// A stretch of speech to recognise: 16 kHz mono samples and their position in the source.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// Position of the samples; as long as `samples`.
    pub span: SampleSpan,
    /// Channel of the source; 0 for a mix.
    pub channel: u16,
    /// Samples at 16 kHz, nominally -1 to 1.
    pub samples: Vec<f32>,
    /// Mean score of the voice detector, 0 to 1; 1 without a detector.
    pub voice: f32,
    /// Samples that the segmenter keeps behind the last voice.
    pub tail: u64,
    /// Code of the language that is spoken, where it was found; a model that knows several finds it
    /// itself otherwise.
    pub language: Option<&'static str>,
}

/// A segment that is not closed yet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpenSpeech<'a> {
    /// Position of the samples so far. Its start is that of the segment, unless a forced cut or
    /// too little voice ends it otherwise.
    pub span: SampleSpan,
    /// Channel of the source; 0 for a mix.
    pub channel: u16,
    /// Samples at 16 kHz.
    pub samples: &'a [f32],
    /// Mean score of the voice detector, 0 to 1.
    pub voice: f32,
    /// End of the last voice.
    pub voice_end: u64,
    /// Samples behind the last voice that belong to the segment.
    pub tail: u64,
}

impl OpenSpeech<'_> {
    /// A copy as a segment.
    #[must_use]
    pub fn to_segment(&self) -> Segment {
        Segment {
            span: self.span,
            channel: self.channel,
            samples: self.samples.to_vec(),
            voice: self.voice,
            tail: self.tail,
            language: None,
        }
    }

    /// Whether all of it is heard, unless somebody goes on.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.voice_end + self.tail <= self.span.end
    }

    /// The segment that it becomes if nobody goes on; `None` while that is not heard whole.
    #[must_use]
    pub fn closing(&self) -> Option<Segment> {
        let end = self.voice_end + self.tail;
        let len = usize::try_from(end.checked_sub(self.span.start)?).ok()?;
        Some(Segment {
            span: SampleSpan::new(self.span.start, end),
            samples: self.samples.get(..len)?.to_vec(),
            ..self.to_segment()
        })
    }
}

/// Output of a recogniser for one segment, before the guards check it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    /// Words in time order, their spans counted from the start of the source.
    pub words: Vec<Word>,
    /// Geometric mean of all token probabilities, 0 to 1.
    pub confidence: f32,
    /// No-speech probability, 0 to 1, if the model gives one.
    pub no_speech: f32,
}

/// An utterance that passed the guards.
#[derive(Debug, Clone, PartialEq)]
pub struct Recognised {
    /// The segment (or joined segments) of the words.
    pub span: SampleSpan,
    /// Channel of the source; 0 for a mix.
    pub channel: u16,
    /// Words in time order.
    pub words: Vec<Word>,
    /// Geometric mean over the tokens, 0 to 1; weighted by words where segments were joined.
    pub confidence: f32,
}

impl Recognised {
    /// The words joined by single spaces.
    #[must_use]
    pub fn text(&self) -> String {
        join(&self.words)
    }

    /// Joins this utterance and the next one of the same sentence.
    #[must_use]
    pub fn join(mut self, next: Self) -> Self {
        let (here, there) = (self.words.len() as f32, next.words.len() as f32);
        self.confidence =
            (self.confidence * here + next.confidence * there) / (here + there).max(1.0);
        self.span = self.span.hull(next.span);
        self.words.extend(next.words);
        self
    }
}

impl Transcript {
    /// The words joined by single spaces.
    #[must_use]
    pub fn text(&self) -> String {
        join(&self.words)
    }
}

fn join(words: &[Word]) -> String {
    let mut text = String::with_capacity(words.iter().map(|w| w.text.len() + 1).sum());
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&word.text);
    }
    text
}
