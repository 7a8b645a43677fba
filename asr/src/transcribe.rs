//! The recogniser's contract and a scripted implementation for tests.
//!
//! An implementation owns its model and its scratch memory. It handles no files, channels or voice
//! activity. Invariant: its output depends on the segment alone.

use std::path::PathBuf;

use crate::{SampleSpan, Segment, Transcript, Word};

/// A language and its chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LanguageGuess {
    /// Its code: "de".
    pub code: &'static str,
    /// 0 to 1.
    pub chance: f32,
}

/// Turns one stretch of speech into words.
pub trait Transcribe: Send {
    /// Recognises one segment. Word spans are counted from the start of the source.
    ///
    /// # Errors
    /// The model cannot be run on this segment.
    fn transcribe(&mut self, segment: &Segment) -> Result<Transcript, TranscribeError>;

    /// The language of consecutive segments; `None` where it is given, or the model knows one.
    ///
    /// # Errors
    /// As for [`Self::transcribe`].
    fn find_language(
        &mut self,
        _segments: &[Segment],
    ) -> Result<Option<LanguageGuess>, TranscribeError> {
        Ok(None)
    }

    /// Whether it knows one language, and nobody said that this one is spoken.
    fn assumes_language(&self) -> bool {
        false
    }

    /// Name of the model, for logs and results.
    fn name(&self) -> &str;

    /// Longest segment that the model takes, in milliseconds.
    fn max_segment_ms(&self) -> u32 {
        28_000
    }

    /// Longest window of several segments that the model takes at once, in milliseconds; `None` for
    /// a model that takes one segment at a time.
    fn max_window_ms(&self) -> Option<u32> {
        None
    }
}

impl<T: Transcribe + ?Sized> Transcribe for Box<T> {
    fn transcribe(&mut self, segment: &Segment) -> Result<Transcript, TranscribeError> {
        (**self).transcribe(segment)
    }

    fn find_language(
        &mut self,
        segments: &[Segment],
    ) -> Result<Option<LanguageGuess>, TranscribeError> {
        (**self).find_language(segments)
    }

    fn assumes_language(&self) -> bool {
        (**self).assumes_language()
    }

    fn name(&self) -> &str {
        (**self).name()
    }

    fn max_segment_ms(&self) -> u32 {
        (**self).max_segment_ms()
    }

    fn max_window_ms(&self) -> Option<u32> {
        (**self).max_window_ms()
    }
}

/// Why a model could not be loaded or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TranscribeError {
    /// The model file does not exist.
    #[error("{}: no such model file", .path.display())]
    ModelMissing {
        /// The file.
        path: PathBuf,
    },
    /// The model file could not be read.
    #[error("{}: cannot read the model file: {source}", .path.display())]
    ModelRead {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not a whisper model in ggml format.
    #[error("{model}: not a whisper model in ggml format ({reason}); take a ggml-*.bin file")]
    NotGgml {
        /// File or name of the model.
        model: String,
        /// The reason.
        reason: String,
    },
    /// The file ends before its tensors.
    #[error(
        "{model}: the model file is cut short: {bytes} bytes, at least {expected} are needed for \
         its {tensors}; fetch it again"
    )]
    ModelTruncated {
        /// File or name of the model.
        model: String,
        /// Bytes present.
        bytes: u64,
        /// Bytes needed at least.
        expected: u64,
        /// The part that is missing, in words.
        tensors: String,
    },
    /// There is not enough memory for the model.
    #[error(
        "{model} needs about {needed_mb} MB of memory and {free_mb} MB are free; close other \
         programs, or take a smaller model"
    )]
    NotEnoughMemory {
        /// File or name of the model.
        model: String,
        /// Memory needed, in millions of bytes.
        needed_mb: u64,
        /// Memory available, in millions of bytes.
        free_mb: u64,
    },
    /// whisper.cpp refused the model.
    #[error("{model}: whisper.cpp could not load the model: {reason}")]
    Load {
        /// File or name of the model.
        model: String,
        /// The reason given by whisper.cpp.
        reason: String,
    },
    /// An English-only model was asked for another language.
    #[error("{model} understands English only and was asked for language '{language}'")]
    EnglishOnly {
        /// File or name of the model.
        model: String,
        /// The language asked for.
        language: String,
    },
    /// No such language.
    #[error(
        "whisper does not know the language '{language}'; give a code or an English name of one of \
         its hundred, such as de or german, or auto"
    )]
    UnknownLanguage {
        /// The language asked for.
        language: String,
    },
    /// A setting is outside its range.
    #[error(transparent)]
    Setting(#[from] crate::SettingError),
    /// The run was cancelled from outside.
    #[error("{model}: recognition was cancelled")]
    Cancelled {
        /// File or name of the model.
        model: String,
    },
    /// The model ran and failed.
    #[error("{model}: recognition failed at {} ms: {reason}", .span.start_ms())]
    Run {
        /// File or name of the model.
        model: String,
        /// The segment.
        span: SampleSpan,
        /// The reason given by whisper.cpp.
        reason: String,
    },
}

/// A recogniser without a model: it returns one word for every so many samples.
///
/// Its words depend on the segment's position and length alone, so a test with other chunk sizes
/// shows whether a segment moved. It recognises nothing.
#[derive(Debug, Clone)]
pub struct ScriptedTranscriber {
    samples_per_word: u64,
    fail_on_call: Option<u64>,
    calls: u64,
}

impl ScriptedTranscriber {
    /// Returns one word for every `samples_per_word` samples (at least one per segment).
    #[must_use]
    pub fn new(samples_per_word: u64) -> Self {
        Self {
            samples_per_word: samples_per_word.max(1),
            fail_on_call: None,
            calls: 0,
        }
    }

    /// Fails on the n-th call, counted from 1, and then works again.
    #[must_use]
    pub fn failing_on(mut self, call: u64) -> Self {
        self.fail_on_call = Some(call);
        self
    }

    /// Number of calls so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls
    }
}

impl Transcribe for ScriptedTranscriber {
    fn transcribe(&mut self, segment: &Segment) -> Result<Transcript, TranscribeError> {
        self.calls += 1;
        if self.fail_on_call == Some(self.calls) {
            return Err(TranscribeError::Run {
                model: self.name().to_owned(),
                span: segment.span,
                reason: "it was told to fail on this call".to_owned(),
            });
        }
        let count = (segment.span.len() / self.samples_per_word).max(1);
        let words = (0..count)
            .map(|i| {
                let start = segment.span.start + i * segment.span.len() / count;
                let end = segment.span.start + (i + 1) * segment.span.len() / count;
                Word {
                    text: format!("w{start}"),
                    span: SampleSpan::new(start, end),
                    confidence: 1.0,
                }
            })
            .collect();
        Ok(Transcript {
            words,
            confidence: 1.0,
            no_speech: 0.0,
        })
    }

    fn name(&self) -> &str {
        "scripted"
    }
}
