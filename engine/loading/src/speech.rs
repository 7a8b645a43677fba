//! The speech model: the one named, else the best of those installed and the one inside the
//! program.

use crate::built_in;
use crate::error::LoadingError;
use crate::loader::Loader;
use crate::note::Note;
use crate::selection::SpeechSelection;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use weir_asr::{
    Channels, GuardsConfig, LanguageGuess, Segment, Transcribe, TranscribeError, Transcript,
    WhisperConfig, WhisperDevice, WhisperModel, WhisperTranscriber,
};
use weir_engine::pipeline::{Cancellable, LiveModels, OpenAudio, Recognition};
use weir_models::DeviceChoice;
use weir_models::weights::{Kind, Located, SpeechLanguages};

/// A recogniser.
pub struct Speech {
    /// The recogniser with its models.
    pub hearing: Recognition,
    /// Name of its speech model.
    pub model: String,
}

impl Loader {
    /// The recogniser of a selection; `open` opens its audio files.
    ///
    /// # Errors
    /// [`LoadingError`].
    pub fn speech(
        &self,
        selection: &SpeechSelection,
        open: OpenAudio,
        tell: &mut dyn FnMut(Note),
    ) -> Result<Speech, LoadingError> {
        let models = self.speech_models(selection, tell)?;
        let config = WhisperConfig {
            threads: selection.threads,
            language: selection.language.clone(),
            expected: selection.expected.clone(),
            ..WhisperConfig::default()
        };
        let cancel = Arc::default();
        let transcriber = models.transcriber(&config, &cancel)?;
        let name = transcriber.name().to_owned();
        let guards = GuardsConfig::default().with(selection.guards);
        let hearing = Recognition::guarded(transcriber, guards, selection.channels, open)?;
        let mut hearing = hearing.cancelled_by(cancel);
        if selection.live_text {
            hearing = hearing.with_live_models(models.live(config)?)?;
        }
        if selection.speakers && selection.channels == Channels::Mix {
            match self.voices(selection.voices.as_deref())? {
                Some(voices) => hearing = hearing.with_voices(voices.models),
                None => tell(Note::NoSpeakers),
            }
        }
        let model = name;
        Ok(Speech { hearing, model })
    }

    /// The selection with these names as expected words: the first ones, as many as its model
    /// reads. Loads the model.
    ///
    /// # Errors
    /// [`LoadingError`].
    pub fn expecting(
        &self,
        selection: SpeechSelection,
        names: &[String],
        tell: &mut dyn FnMut(Note),
    ) -> Result<SpeechSelection, LoadingError> {
        if names.is_empty() {
            return Ok(selection);
        }
        let models = self.speech_models(&selection, &mut |_| ())?;
        let (expected, read) = models.first.expecting(names, &selection.expected);
        let of = names.len();
        if read < of {
            tell(Note::NamesLeftOut { read, of });
        }
        Ok(SpeechSelection {
            expected,
            ..selection
        })
    }

    /// Codes of the languages that a selection understands. Reads the headers of models.
    #[must_use]
    pub fn speech_languages(&self, selection: &SpeechSelection) -> Vec<&'static str> {
        let language = selection.language.as_deref().unwrap_or("auto");
        match weir_asr::check_language(language) {
            Ok("auto") => {}
            Ok(code) => return vec![code],
            Err(_) => return Vec::new(),
        }
        let is_multilingual = match &selection.model {
            Some(name) => {
                let path = self.store.path(name).ok();
                let located = path.and_then(|it| self.speech_model(it).ok());
                located.is_some_and(|it| it.is_multilingual())
            }
            None => !self.store.speech_models(SpeechLanguages::Many).is_empty(),
        };
        match is_multilingual {
            true => weir_asr::languages().collect(),
            false => vec!["en"],
        }
    }

    /// The models of a selection: the one named; else the best for the language; else the best in
    /// English, beside the best in other languages if that one knows English alone.
    fn speech_models(
        &self,
        selection: &SpeechSelection,
        tell: &mut dyn FnMut(Note),
    ) -> Result<Models, LoadingError> {
        let language = selection.language.as_deref();
        let language = language.map(weir_asr::check_language).transpose()?;
        let language = language.filter(|code| *code != "auto");
        let mut models = Models {
            first: match &selection.model {
                Some(name) => self.speech_model(self.store.path(name)?)?,
                None => {
                    let languages = match language.is_none_or(|code| code == "en") {
                        true => SpeechLanguages::English,
                        false => SpeechLanguages::Many,
                    };
                    self.best_speech(languages, tell)?
                }
            },
            other: None,
        };
        if selection.model.is_none() && language.is_none() && !models.first.is_multilingual() {
            let others = self.store.speech_models(SpeechLanguages::Many);
            if let Some(other) = others.into_iter().next() {
                tell(Note::OtherLanguages(other.clone()));
                models.other = Some(self.speech_model(other)?);
            }
        }
        Ok(models)
    }

    fn speech_model(&self, located: Located) -> Result<Arc<WhisperModel>, LoadingError> {
        match located {
            Located::Embedded { name } => self.pooled(Path::new(&name), |_, device| {
                built_in::load(device_of(device))
            }),
            Located::OnDisk {
                kind: Kind::Speech,
                path,
                ..
            } => self.pooled(&path, |path, device| {
                WhisperModel::load_on(path, device_of(device))
            }),
            Located::OnDisk { name, .. } => Err(LoadingError::OtherKind {
                name,
                wanted: Kind::Speech,
            }),
        }
    }

    fn best_speech(
        &self,
        languages: SpeechLanguages,
        tell: &mut dyn FnMut(Note),
    ) -> Result<Arc<WhisperModel>, LoadingError> {
        let here = self.store.speech_models(languages);
        let of = here.len();
        let Some(chosen) = here.into_iter().next() else {
            // one that knows English alone refuses the language by name
            let others = self.store.speech_models(SpeechLanguages::English);
            let refusing = others.into_iter().next().ok_or(LoadingError::NoSpeech)?;
            return self.speech_model(refusing);
        };
        tell(Note::SpeechModel {
            chosen: chosen.clone(),
            of,
        });
        self.speech_model(chosen)
    }
}

/// The speech models of a recogniser.
struct Models {
    first: Arc<WhisperModel>,
    /// For segments in other languages than English.
    other: Option<Arc<WhisperModel>>,
}

impl Models {
    fn transcriber(
        &self,
        config: &WhisperConfig,
        cancel: &Arc<AtomicBool>,
    ) -> Result<Box<dyn Transcribe>, TranscribeError> {
        let first = boxed(&self.first, config, cancel)?;
        let Some(model) = &self.other else {
            return Ok(first);
        };
        Ok(Box::new(ByLanguage {
            first,
            model: Arc::clone(model),
            config: config.clone(),
            cancel: Arc::clone(cancel),
            other: None,
        }))
    }

    /// The models that decode speech before it is over.
    fn live(&self, config: WhisperConfig) -> Result<LiveModels, TranscribeError> {
        let cancellable = |config: &WhisperConfig| {
            let cancel = Arc::default();
            let model = self.transcriber(config, &cancel)?;
            Ok::<_, TranscribeError>(Cancellable { model, cancel })
        };
        Ok(LiveModels {
            early: cancellable(&config)?,
            preview: cancellable(&config.preview())?,
        })
    }
}

/// A transcriber of a model in the pool.
fn boxed(
    model: &Arc<WhisperModel>,
    config: &WhisperConfig,
    cancel: &Arc<AtomicBool>,
) -> Result<Box<dyn Transcribe>, TranscribeError> {
    let transcriber = model.transcriber(config)?;
    let transcriber = transcriber.cancelled_by(Arc::clone(cancel));
    Ok(InPool::boxed(transcriber, model))
}

/// An English-only model, and one that finds languages and hears those other than English.
struct ByLanguage {
    first: Box<dyn Transcribe>,
    model: Arc<WhisperModel>,
    config: WhisperConfig,
    cancel: Arc<AtomicBool>,
    /// Of `model`; its memory is taken with the first segment that needs it.
    other: Option<Box<dyn Transcribe>>,
}

impl Transcribe for ByLanguage {
    fn transcribe(&mut self, segment: &Segment) -> Result<Transcript, TranscribeError> {
        if matches!(segment.language, None | Some("en")) {
            return self.first.transcribe(segment);
        }
        let other = match self.other.take() {
            Some(other) => other,
            None => boxed(&self.model, &self.config, &self.cancel)?,
        };
        self.other.insert(other).transcribe(segment)
    }

    fn find_language(
        &mut self,
        segments: &[Segment],
    ) -> Result<Option<LanguageGuess>, TranscribeError> {
        let threads = usize::try_from(self.config.threads).unwrap_or(1);
        self.model.find_language(segments, threads).map(Some)
    }

    fn name(&self) -> &str {
        self.first.name()
    }

    fn max_segment_ms(&self) -> u32 {
        self.first.max_segment_ms().min(self.model.max_segment_ms())
    }

    fn max_window_ms(&self) -> Option<u32> {
        let other = Some(self.model.max_segment_ms());
        self.first.max_window_ms().min(other)
    }
}

/// A transcriber of a model in the pool; while it is there, the pool does not let the model go.
struct InPool {
    transcriber: WhisperTranscriber,
    _model: Arc<WhisperModel>,
}

impl InPool {
    fn boxed(transcriber: WhisperTranscriber, model: &Arc<WhisperModel>) -> Box<dyn Transcribe> {
        let _model = Arc::clone(model);
        Box::new(Self {
            transcriber,
            _model,
        })
    }
}

impl Transcribe for InPool {
    fn transcribe(&mut self, segment: &Segment) -> Result<Transcript, TranscribeError> {
        self.transcriber.transcribe(segment)
    }

    fn find_language(
        &mut self,
        segments: &[Segment],
    ) -> Result<Option<LanguageGuess>, TranscribeError> {
        self.transcriber.find_language(segments)
    }

    fn assumes_language(&self) -> bool {
        self.transcriber.assumes_language()
    }

    fn name(&self) -> &str {
        self.transcriber.name()
    }

    fn max_segment_ms(&self) -> u32 {
        self.transcriber.max_segment_ms()
    }

    fn max_window_ms(&self) -> Option<u32> {
        self.transcriber.max_window_ms()
    }
}

/// Name of a speech model; says whether it is the one inside the program.
#[must_use]
pub fn name_of(located: &Located) -> String {
    match located {
        Located::OnDisk { name, .. } => name.clone(),
        Located::Embedded { name } => format!("{name} (built in)"),
    }
}

/// Whether a file is a speech model that loads.
///
/// # Errors
/// Why it does not load.
pub fn can_load(file: &Path) -> Result<(), String> {
    let loaded = WhisperModel::load(file);
    loaded.map(drop).map_err(|error| error.to_string())
}

fn device_of(device: DeviceChoice) -> WhisperDevice {
    match device {
        DeviceChoice::Cpu => WhisperDevice::Cpu,
        DeviceChoice::Cuda(number) | DeviceChoice::Metal(number) => {
            WhisperDevice::Gpu(u16::try_from(number).unwrap_or(u16::MAX))
        }
    }
}
