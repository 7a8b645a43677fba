//! The speech model: the one named, else the best of those installed and the one inside the
//! program.

use crate::built_in;
use crate::error::LoadingError;
use crate::loader::Loader;
use crate::note::Note;
use crate::selection::SpeechSelection;
use std::path::Path;
use std::sync::Arc;
use weir_asr::{
    Channels, GuardsConfig, Segment, Transcribe, TranscribeError, Transcript, WhisperConfig,
    WhisperDevice, WhisperModel, WhisperTranscriber,
};
use weir_engine::pipeline::{Cancellable, LiveModels, OpenAudio, Recognition};
use weir_models::DeviceChoice;
use weir_models::weights::{Kind, Located};

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
        let model = self.speech_model(selection, tell)?;
        let config = WhisperConfig {
            threads: selection.threads,
            language: selection.language.clone(),
            ..WhisperConfig::default()
        };
        let transcriber = InPool::boxed(model.transcriber(&config)?, &model);
        let name = transcriber.name().to_owned();
        let guards = GuardsConfig::default().with(selection.guards);
        let mut hearing = Recognition::guarded(transcriber, guards, selection.channels, open)?;
        if selection.live_text {
            hearing = hearing.with_live_models(live_models(&model, config)?)?;
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

    fn speech_model(
        &self,
        selection: &SpeechSelection,
        tell: &mut dyn FnMut(Note),
    ) -> Result<Arc<WhisperModel>, LoadingError> {
        let language = selection.language.as_deref();
        let language = language.map(weir_asr::check_language).transpose()?;
        let is_english = language.is_none_or(|code| code == "en");
        let located = match &selection.model {
            Some(name) => self.store.path(name)?,
            None => self.best_speech(is_english, tell)?,
        };
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
        is_english: bool,
        tell: &mut dyn FnMut(Note),
    ) -> Result<Located, LoadingError> {
        let here = self.store.speech_models(!is_english);
        let of = here.len();
        let Some(chosen) = here.into_iter().next() else {
            return Err(match is_english {
                true => LoadingError::NoSpeech,
                false => LoadingError::EnglishOnly,
            });
        };
        tell(Note::SpeechModel {
            chosen: chosen.clone(),
            of,
        });
        Ok(chosen)
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

/// The models that decode speech before it is over.
fn live_models(
    model: &Arc<WhisperModel>,
    config: WhisperConfig,
) -> Result<LiveModels, TranscribeError> {
    let cancellable = |config: &WhisperConfig| {
        let (transcriber, cancel) = model.cancellable(config)?;
        let model = InPool::boxed(transcriber, model);
        Ok::<_, TranscribeError>(Cancellable { model, cancel })
    };
    Ok(LiveModels {
        early: cancellable(&config)?,
        preview: cancellable(&config.preview())?,
    })
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
