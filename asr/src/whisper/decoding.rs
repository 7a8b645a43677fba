//! How text is decoded: settings, and whisper.cpp's parameters for them.
//!
//! Words are decoded greedily first. Beam search follows where they repeat, since greedy decoding
//! never leaves a loop. With tiny.en, beam search from the start hears neither recordings nor
//! quieter voices better (benches/RESULTS.md).

use whisper_rs::{FullParams, SamplingStrategy};

use super::AudioContext;

/// How the text is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decoding {
    /// The most probable token each time; the fastest.
    Greedy,
    /// Beam search of this width, 1 to 8: several times the decoder's cost.
    Beam(u32),
    /// Greedy, and where the words repeat, beam search of this width over the same segment. With
    /// tiny.en it finds as many words as beam search alone, in two thirds of the time.
    GreedyFirst(u32),
}

impl Decoding {
    /// The width of its beam search, if it may search so.
    pub(super) fn width(self) -> Option<u32> {
        match self {
            Self::Greedy => None,
            Self::Beam(width) | Self::GreedyFirst(width) => Some(width),
        }
    }
}

/// Settings of a transcriber.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhisperConfig {
    /// Threads for one segment, 1 to 64. Two are often slower than one on a busy machine.
    pub threads: u32,
    /// Greedy or beam search.
    pub decoding: Decoding,
    /// Language code, or `auto`; `None` means English for English-only models, else `auto`.
    pub language: Option<String>,
    /// How much of its window the encoder computes.
    pub audio_context: AudioContext,
    /// Whether the words of the previous segment are a prompt. Then a transcript depends on earlier
    /// segments, and an error may propagate; for benchmarks.
    pub previous_text: bool,
    /// Whether beam search decodes a segment again at a higher temperature after low confidence or
    /// repetitions; up to six times the decoder's cost.
    pub fallback: bool,
    /// Words that may be said, such as names, as the text before each segment; the last
    /// [`EXPECTED_TOKENS_MAX`] tokens of it are read. Empty for none.
    pub expected: String,
}

impl Default for WhisperConfig {
    fn default() -> Self {
        Self {
            threads: 1,
            decoding: Decoding::GreedyFirst(5),
            language: None,
            audio_context: AudioContext::Auto,
            previous_text: false,
            fallback: true,
            expected: String::new(),
        }
    }
}

impl WhisperConfig {
    /// The same for text that is shown while people speak: greedy, and only as much of the encoder
    /// as the sound needs. Several times faster, and less exact.
    #[must_use]
    pub fn preview(self) -> Self {
        Self {
            decoding: Decoding::Greedy,
            audio_context: AudioContext::Scaled,
            previous_text: false,
            ..self
        }
    }
}

/// A way to decode.
pub(super) struct Decoder {
    /// Made once: whisper-rs leaks the language's name each time it is set.
    pub(super) parameters: FullParams<'static, 'static>,
    pub(super) is_greedy: bool,
}

impl WhisperConfig {
    /// Its ways to decode, the first one first.
    pub(super) fn decoders(&self, language: &'static str) -> Vec<Decoder> {
        let is_first = !matches!(self.decoding, Decoding::Beam(_));
        let greedy = is_first.then(|| Decoder {
            parameters: self.parameters(SamplingStrategy::Greedy { best_of: 1 }, language),
            is_greedy: true,
        });
        let beam = self.decoding.width().map(|width| {
            let strategy = SamplingStrategy::BeamSearch {
                beam_size: i32::try_from(width).unwrap_or(1),
                patience: -1.0,
            };
            Decoder {
                parameters: self.parameters(strategy, language),
                is_greedy: false,
            }
        });
        greedy.into_iter().chain(beam).collect()
    }

    /// The parameters that do not depend on the segment.
    fn parameters(
        &self,
        strategy: SamplingStrategy,
        language: &'static str,
    ) -> FullParams<'static, 'static> {
        let is_greedy = matches!(strategy, SamplingStrategy::Greedy { .. });
        let mut parameters = FullParams::new(strategy);
        parameters.set_n_threads(i32::try_from(self.threads).unwrap_or(1));
        parameters.set_language(Some(language));
        parameters.set_no_context(true);
        parameters.set_token_timestamps(true);
        parameters.set_suppress_blank(true);
        parameters.set_print_special(false);
        parameters.set_print_progress(false);
        parameters.set_print_realtime(false);
        parameters.set_print_timestamps(false);
        parameters.set_single_segment(true);
        // Word times come from alignment; time tokens would only cost sentences their punctuation.
        parameters.set_no_timestamps(true);
        if is_greedy || !self.fallback {
            // Greedy decoding stays reproducible only without a higher temperature.
            parameters.set_temperature_inc(0.0);
        }
        parameters
    }
}
