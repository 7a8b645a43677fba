//! What passes between the stages: a stretch of speech, its words, and the utterance they make.
//!
//! Plain data without behaviour beyond joining and measuring. Invariant: word spans are counted
//! from the source's first sample, lie inside their segment, and never run backwards.

use crate::SampleSpan;

/// One recognised word.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// As written by the recogniser, punctuation attached, without surrounding blanks.
    pub text: String,
    /// Where it was said.
    pub span: SampleSpan,
    /// How sure the recogniser is, 0 to 1 (the geometric mean of its tokens' probabilities).
    pub confidence: f32,
}

/// One stretch of speech to recognise: 16 kHz mono samples and where they lie in the source.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// Where the samples lie; as long as `samples`.
    pub span: SampleSpan,
    /// Channel of the source they come from; 0 for a mix.
    pub channel: u16,
    /// Samples at 16 kHz, nominally -1 to 1.
    pub samples: Vec<f32>,
    /// Mean score of the voice detector over all of it, 0 to 1; 1 where none was asked.
    pub voice: f32,
}

/// What a recogniser says about one segment, before the guards judge it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    /// Words in order of time, their spans counted from the start of the source.
    pub words: Vec<Word>,
    /// Geometric mean of all token probabilities, 0 to 1.
    pub confidence: f32,
    /// Probability that nobody speaks, 0 to 1, as far as the model knows.
    pub no_speech: f32,
    /// Language code ("en") where the model named one.
    pub language: Option<String>,
}

/// An utterance that passed the guards.
#[derive(Debug, Clone, PartialEq)]
pub struct Recognised {
    /// The segment (or joined segments) the words were heard in.
    pub span: SampleSpan,
    /// Channel of the source; 0 for a mix.
    pub channel: u16,
    /// Words in order of time.
    pub words: Vec<Word>,
    /// Geometric mean over the tokens, 0 to 1; weighted by words where segments were joined.
    pub confidence: f32,
}

impl Recognised {
    /// The words with single blanks between them.
    #[must_use]
    pub fn text(&self) -> String {
        join(&self.words)
    }

    /// This utterance and what was said after it in the same breath, as one.
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
    /// The words with single blanks between them.
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
