//! Whisper through whisper.cpp: one shared model, and scratch memory that its transcribers share.
//!
//! A model is loaded once and shared. A transcriber processes one segment after another; it takes
//! scratch memory (a state of whisper.cpp, 100 MB and more) only while it runs. whisper.cpp's
//! messages go to the `log` crate. Invariant: a transcript depends on the segment's samples alone:
//! no text, prompt or random state carries over from one segment to the next, unless a benchmark
//! asks for the text as a prompt. whisper.cpp's beam search draws its candidates from a random
//! generator in the state, which is seeded only when the state is made. So greedy decoding reuses
//! states, and beam search makes a new one each time (a few ms) to keep the invariant.

mod alignment;
mod device;
mod expected;
mod ggml;
mod language;
mod memory_check;
mod positions;
mod quiet;
mod tokens;

use std::fs::File;
use std::io::{BufReader, Cursor};
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use parking_lot::Mutex;

use whisper_rs::{
    FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperError,
    WhisperState,
};

use expected::Expected;
use language::{AUTO, is_auto};
use quiet::log_quietly;

pub use device::WhisperDevice;
pub use expected::EXPECTED_TOKENS_MAX;
pub use language::{check_language, language_name, languages};
pub use positions::AudioContext;

use crate::{LanguageGuess, Segment, SettingError, Transcribe, TranscribeError, Transcript};

/// Longest segment given to a model, in ms: whisper takes 30 s at once.
const SEGMENT_MS_MAX: u32 = 28_000;
/// Most threads and beams allowed.
const THREADS_MAX: u32 = 64;
const BEAM_MAX: u32 = 8;

/// How the text is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decoding {
    /// The most probable token each time; the fastest.
    Greedy,
    /// Beam search of this width, 1 to 8: fewer wrong words, several times the decoder's cost.
    Beam(u32),
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
            decoding: Decoding::Beam(5),
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

/// A loaded model. Cloning shares it.
#[derive(Clone)]
pub struct WhisperModel {
    context: Arc<WhisperContext>,
    /// Scratch memory that no transcriber uses now, for greedy decoding.
    free: Arc<Mutex<Vec<WhisperState>>>,
    name: Arc<str>,
    device: WhisperDevice,
    multilingual: bool,
    max_segment_ms: u32,
}

impl WhisperModel {
    /// Loads a ggml file, quantised or not. Takes the file's size in memory.
    ///
    /// # Errors
    /// The file is missing, unreadable or not a complete whisper model in ggml format, or does not
    /// fit into free memory.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, TranscribeError> {
        Self::load_on(path, WhisperDevice::Cpu)
    }

    /// The same on another device. Weights go to its memory; the file is read once.
    ///
    /// # Errors
    /// As for [`Self::load`]. If the build lacks the backend, or the device does not respond,
    /// whisper.cpp uses the CPU and logs that.
    pub fn load_on(path: impl AsRef<Path>, device: WhisperDevice) -> Result<Self, TranscribeError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let read_error = |source: std::io::Error| {
            let path = path.to_owned();
            if source.kind() == std::io::ErrorKind::NotFound {
                TranscribeError::ModelMissing { path }
            } else {
                TranscribeError::ModelRead { path, source }
            }
        };
        let file = File::open(path).map_err(read_error)?;
        let metadata = file.metadata().map_err(read_error)?;
        if !metadata.is_file() {
            return Err(TranscribeError::NotGgml {
                model: name,
                reason: "it is a folder or device, not a file".to_owned(),
            });
        }
        let header = ggml::check(&name, metadata.len(), &mut BufReader::new(file))?;
        Self::create(&name, metadata.len(), header, device, |parameters| {
            WhisperContext::new_with_params(path, parameters)
        })
    }

    /// Loads a ggml file that is in memory already, such as one inside the program. whisper.cpp
    /// copies its weights.
    ///
    /// # Errors
    /// As for [`Self::load_on`], except that no file is read.
    pub fn from_bytes(
        name: &str,
        bytes: &[u8],
        device: WhisperDevice,
    ) -> Result<Self, TranscribeError> {
        let size = bytes.len() as u64;
        let header = ggml::check(name, size, &mut Cursor::new(bytes))?;
        Self::create(name, size, header, device, |parameters| {
            WhisperContext::new_from_buffer_with_params(bytes, parameters)
        })
    }

    /// Makes the context of a checked model of `size` bytes.
    fn create(
        name: &str,
        size: u64,
        header: ggml::Header,
        device: WhisperDevice,
        load: impl FnOnce(WhisperContextParameters<'_>) -> Result<WhisperContext, WhisperError>,
    ) -> Result<Self, TranscribeError> {
        if device == WhisperDevice::Cpu {
            memory_check::check(name, size)?;
        }
        log_quietly();
        let mut parameters = device.parameters();
        parameters.dtw_parameters(alignment::parameters(header));
        let context = load(parameters).map_err(|error| load_error(name, error))?;
        let window_ms = header.n_audio_ctx * 1_000 / positions::PER_S;
        Ok(Self {
            context: Arc::new(context),
            free: Arc::default(),
            name: name.into(),
            device,
            multilingual: header.is_multilingual(),
            max_segment_ms: SEGMENT_MS_MAX.min(window_ms),
        })
    }

    /// File or name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The likeliest language of consecutive segments.
    ///
    /// # Errors
    /// The model cannot be run on them.
    pub fn find_language(
        &self,
        segments: &[Segment],
        threads: usize,
    ) -> Result<LanguageGuess, TranscribeError> {
        let found = language::find(&self.context, segments, threads);
        found.map_err(|error| TranscribeError::Run {
            model: self.name.to_string(),
            span: segments.first().map(|it| it.span).unwrap_or_default(),
            reason: error.to_string(),
        })
    }

    /// True for a model that knows languages other than English.
    #[must_use]
    pub fn is_multilingual(&self) -> bool {
        self.multilingual
    }

    /// The text `and` with a sentence of names in front of it, for [`WhisperConfig::expected`], and
    /// the number of these names: the first ones, as many as the model reads together with it.
    #[must_use]
    pub fn expecting(&self, names: &[String], and: &str) -> (String, usize) {
        expected::sentence(&self.context, names, and)
    }

    /// Longest segment it takes, in ms.
    #[must_use]
    pub fn max_segment_ms(&self) -> u32 {
        self.max_segment_ms
    }

    /// Scratch memory for one run.
    fn state(&self, decoding: Decoding) -> Result<WhisperState, WhisperError> {
        let free = match decoding {
            Decoding::Greedy => self.free.lock().pop(),
            Decoding::Beam(_) => None,
        };
        free.map_or_else(|| self.context.create_state(), Ok)
    }

    /// Keeps scratch memory for the next greedy run, as much as the processor can use.
    fn keep(&self, state: WhisperState) {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let mut free = self.free.lock();
        if free.len() < cores {
            free.push(state);
        }
    }

    /// Makes a transcriber for one worker.
    ///
    /// # Errors
    /// A setting is outside its range, the language is unknown or not English for an English-only
    /// model, or there is not enough memory.
    pub fn transcriber(
        &self,
        config: &WhisperConfig,
    ) -> Result<WhisperTranscriber, TranscribeError> {
        let threads = config.threads;
        SettingError::unless(
            (1..=THREADS_MAX).contains(&threads),
            "threads",
            &threads,
            "1 to 64",
        )?;
        if let Decoding::Beam(width) = config.decoding {
            SettingError::unless(
                (1..=BEAM_MAX).contains(&width),
                "beam width",
                &width,
                "1 to 8",
            )?;
        }
        let wanted = config.language.as_deref();
        let language = language::chosen(wanted, self.multilingual, &self.name)?;
        let state = self.state(Decoding::Greedy);
        self.keep(state.map_err(|error| load_error(&self.name, error))?);
        let parameters = base_parameters(config, language);
        let threads = usize::try_from(threads).unwrap_or(1);
        Ok(WhisperTranscriber {
            model: self.clone(),
            parameters,
            language,
            is_found: language == AUTO,
            is_assumed: !self.multilingual && wanted.is_none_or(is_auto),
            threads,
            audio_context: config.audio_context,
            decoding: config.decoding,
            expected: Expected::of(&self.context, &config.expected),
            previous: config.previous_text.then(Vec::new),
            cancel: None,
        })
    }
}

/// One worker's recogniser.
pub struct WhisperTranscriber {
    model: WhisperModel,
    /// Made once: whisper-rs leaks the language's name each time it is set.
    parameters: FullParams<'static, 'static>,
    /// The language in them.
    language: &'static str,
    /// Whether it is that of the segment.
    is_found: bool,
    /// Whether nobody said that it is spoken.
    is_assumed: bool,
    threads: usize,
    audio_context: AudioContext,
    decoding: Decoding,
    expected: Expected,
    /// The last tokens of the previous segment, if they are a prompt.
    previous: Option<Vec<i32>>,
    cancel: Option<Arc<AtomicBool>>,
}

impl WhisperModel {
    /// A transcriber whose runs end early while the flag is set.
    ///
    /// # Errors
    /// As for [`Self::transcriber`].
    pub fn cancellable(
        &self,
        config: &WhisperConfig,
    ) -> Result<(WhisperTranscriber, Arc<AtomicBool>), TranscribeError> {
        let cancel = Arc::<AtomicBool>::default();
        let transcriber = self.transcriber(config)?;
        Ok((transcriber.cancelled_by(Arc::clone(&cancel)), cancel))
    }
}

impl WhisperTranscriber {
    /// Makes runs end early with [`TranscribeError::Cancelled`] while `cancel` is set. whisper.cpp
    /// looks at it before each pass of the encoder and decoder.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel = Some(Arc::clone(&cancel));
        // whisper-rs calls the closure through a pointer to its box, so its type must be that box
        let cancelled: Box<dyn FnMut() -> bool> = Box::new(move || cancel.load(Ordering::Relaxed));
        self.parameters.set_abort_callback_safe(cancelled);
        self
    }

    /// Recognises a segment, with these tokens as the text before it.
    fn run(
        &mut self,
        segment: &Segment,
        length_ms: u32,
        prompt: &[i32],
    ) -> Result<Transcript, TranscribeError> {
        let mut parameters: FullParams<'_, '_> = self.parameters(length_ms);
        parameters.set_tokens(prompt);
        let state = self.model.state(self.decoding);
        let mut state = state.map_err(|error| self.run_error(segment, &error))?;
        let transcript = match state.full(parameters, &segment.samples) {
            Ok(_) => Ok(self.read(&state, segment)),
            Err(error) => Err(self.run_error(segment, &error)),
        };
        if self.decoding == Decoding::Greedy {
            self.model.keep(state);
        }
        transcript
    }

    /// The words of the last run.
    fn read(&mut self, state: &WhisperState, segment: &Segment) -> Transcript {
        let end_of_text = self.model.context.token_eot();
        if let Some(previous) = &mut self.previous {
            *previous = tokens::last(state, end_of_text, EXPECTED_TOKENS_MAX);
        }
        tokens::read(state, end_of_text, segment.span)
    }

    /// Error of a run on this segment.
    fn run_error(&self, segment: &Segment, reason: &WhisperError) -> TranscribeError {
        let model = self.model.name.to_string();
        let cancel = self.cancel.as_ref();
        match cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            true => TranscribeError::Cancelled { model },
            false => TranscribeError::Run {
                model,
                span: segment.span,
                reason: reason.to_string(),
            },
        }
    }

    /// The parameters for a segment of this length. Public so that a comparison with bare
    /// whisper.cpp can use the same ones.
    #[must_use]
    pub fn parameters(&self, segment_ms: u32) -> FullParams<'static, 'static> {
        let mut parameters = self.parameters.clone();
        let all = u32::try_from(self.model.context.n_audio_ctx()).unwrap_or(0);
        let context = positions::of(self.audio_context, all, self.model.device, segment_ms);
        parameters.set_audio_ctx(i32::try_from(context).unwrap_or(0));
        parameters
    }
}

/// The parameters that do not depend on the segment.
fn base_parameters(config: &WhisperConfig, language: &'static str) -> FullParams<'static, 'static> {
    let mut parameters = FullParams::new(match config.decoding {
        Decoding::Greedy => SamplingStrategy::Greedy { best_of: 1 },
        Decoding::Beam(width) => SamplingStrategy::BeamSearch {
            beam_size: i32::try_from(width).unwrap_or(1),
            patience: -1.0,
        },
    });
    parameters.set_n_threads(i32::try_from(config.threads).unwrap_or(1));
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
    if config.decoding == Decoding::Greedy || !config.fallback {
        // Greedy decoding stays reproducible only without a higher temperature.
        parameters.set_temperature_inc(0.0);
    }
    parameters
}

impl Transcribe for WhisperTranscriber {
    fn transcribe(&mut self, segment: &Segment) -> Result<Transcript, TranscribeError> {
        let length_ms = u32::try_from(segment.span.len_ms()).unwrap_or(u32::MAX);
        SettingError::unless(
            length_ms <= SEGMENT_MS_MAX,
            "segment length in ms",
            &length_ms,
            "at most 28000",
        )?;
        let language = segment.language.unwrap_or(AUTO);
        if self.is_found && language != self.language {
            self.parameters.set_language(Some(language));
            self.language = language;
        }
        let previous = self.previous.as_deref().unwrap_or_default();
        // whisper keeps the end of a prompt, so the previous text leaves room for the names
        let room = EXPECTED_TOKENS_MAX - self.expected.tokens.len();
        let previous = &previous[previous.len().saturating_sub(room)..];
        let prompt = [&self.expected.tokens, previous].concat();
        let transcript = self.run(segment, length_ms, &prompt)?;
        match self.expected.is_echoed(&transcript) {
            true => self.run(segment, length_ms, &[]),
            false => Ok(transcript),
        }
    }

    fn find_language(
        &mut self,
        segments: &[Segment],
    ) -> Result<Option<LanguageGuess>, TranscribeError> {
        let find = || self.model.find_language(segments, self.threads);
        self.is_found.then(find).transpose()
    }

    fn assumes_language(&self) -> bool {
        self.is_assumed
    }

    fn name(&self) -> &str {
        &self.model.name
    }

    fn max_segment_ms(&self) -> u32 {
        self.model.max_segment_ms
    }

    fn max_window_ms(&self) -> Option<u32> {
        Some(self.model.max_segment_ms)
    }
}

fn load_error(model: &str, error: WhisperError) -> TranscribeError {
    TranscribeError::Load {
        model: model.to_owned(),
        reason: format!("{error} (its tensors may be missing or of another kind; -v shows more)"),
    }
}
