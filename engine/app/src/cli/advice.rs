//! What a user can do about an error: the commands and flags that libraries do not know.

use std::error::Error;
use weir_asr::{AudioError, ListenError, TranscribeError};
use weir_engine::import::{ImportError, ImportProblem};
use weir_engine::pipeline::ClipError;
use weir_engine::store::{StoreError, VoicesError};
use weir_engine::streamfile::{Problem, StreamFileError};
use weir_loading::{LoadingError, MINILM, SPLADE, WORDS};
use weir_models::weights::{Kind, WeightsError, WeightsErrorKind};
use weir_models::{DeviceError, LoadError};

/// What a user can do about an error; none if its message says all.
pub(crate) fn advice(error: &(dyn Error + 'static)) -> Option<String> {
    let loading = || of_loading(error.downcast_ref()?);
    let weights = || of_weights(error.downcast_ref()?);
    let model = || of_model(error.downcast_ref()?);
    let speech = || of_speech(error.downcast_ref()?);
    let audio = || of_audio(error.downcast_ref()?);
    let listening = || match error.downcast_ref()? {
        ListenError::Audio(error) => of_audio(error),
        ListenError::Setting(_) => None,
    };
    let store = || of_store(error.downcast_ref()?);
    let clip = || of_clip(error.downcast_ref()?);
    let stream = || of_stream(error.downcast_ref()?);
    let voices = || of_voices(error.downcast_ref()?);
    let import = || of_import(error.downcast_ref()?);
    let device = || of_device(error.downcast_ref()?);
    loading()
        .or_else(weights)
        .or_else(model)
        .or_else(speech)
        .or_else(audio)
        .or_else(listening)
        .or_else(store)
        .or_else(clip)
        .or_else(stream)
        .or_else(voices)
        .or_else(import)
        .or_else(device)
}

fn of_loading(error: &LoadingError) -> Option<String> {
    let advice = match error {
        LoadingError::Store(error) => return of_weights(error),
        LoadingError::Load(error) => return of_model(error),
        LoadingError::Speech(error) => return of_speech(error),
        LoadingError::Voices(error) => return of_voices(error),
        LoadingError::Session(error) => return of_store(error),
        LoadingError::NoSpeech => "`weir models pull base.en` installs one",
        LoadingError::NoVoicesFile => "name a file with --voices",
        LoadingError::OtherKind {
            wanted: Kind::Encoder,
            ..
        } => {
            return Some(format!(
                "give --encoder {MINILM}, a folder, {SPLADE} (built in) or {WORDS}"
            ));
        }
        LoadingError::OtherKind { .. } => "`weir models list` shows the kinds",
        _ => return None,
    };
    Some(advice.to_owned())
}

fn of_weights(error: &WeightsError) -> Option<String> {
    let name = error.model();
    let pull = format!("`weir models pull {name}`");
    Some(match error.kind() {
        WeightsErrorKind::Unknown => "`weir models list` shows the names".to_owned(),
        WeightsErrorKind::NotAModel => {
            "give a ggml file of whisper.cpp, a GGUF file, the folder of another model, or a name \
             from `weir models list`; `weir models pull OWNER/NAME` fetches a repository of the hub"
                .to_owned()
        }
        WeightsErrorKind::Name => "give one with --name NAME".to_owned(),
        WeightsErrorKind::Taken => format!(
            "`weir models path {name}` shows where that is; give another name (--name NAME, if you \
             import), or another folder of models (--models DIR)"
        ),
        WeightsErrorKind::Imported => {
            "replace it with --replace, or give another name with --name NAME".to_owned()
        }
        WeightsErrorKind::NotFetched => format!("{pull} fetches it"),
        WeightsErrorKind::Damaged => format!("{pull} fetches it again"),
        WeightsErrorKind::Lost => {
            format!("`weir models import PATH --name {name} --replace` imports it again")
        }
        WeightsErrorKind::Offline => {
            format!("{pull} fetches it without --offline and WEIR_OFFLINE")
        }
        WeightsErrorKind::Unusable => "`weir models list` shows models that fit".to_owned(),
        WeightsErrorKind::NoFolder => "give one with --models DIR or WEIR_MODELS".to_owned(),
        WeightsErrorKind::Disk => "--models DIR names another folder of models".to_owned(),
        _ => return None,
    })
}

fn of_model(error: &LoadError) -> Option<String> {
    let advice = match error {
        LoadError::Device(error) => return of_device(error),
        LoadError::LeftOut { .. } => {
            "`cargo install --locked --path engine/app` builds and installs everything"
        }
        LoadError::NotFetched { model, .. } => {
            return Some(format!("`weir models pull {model}` fetches it"));
        }
        LoadError::NotAFolder { .. } | LoadError::Missing { .. } | LoadError::Setting { .. } => {
            "`weir models list` names models that `weir models pull` fetches whole"
        }
        LoadError::Truncated { .. } | LoadError::NotSafetensors { .. } => {
            "`weir models pull` fetches listed models"
        }
        _ => return None,
    };
    Some(advice.to_owned())
}

fn of_device(error: &DeviceError) -> Option<String> {
    match error {
        DeviceError::Unknown { .. } => None,
        DeviceError::NotBuiltIn { feature, .. } => Some(format!(
            "build it with `--features {feature}`, or use `--device cpu`"
        )),
        DeviceError::NotThere { .. } => Some("use another one, or `--device cpu`".to_owned()),
    }
}

fn of_speech(error: &TranscribeError) -> Option<String> {
    let advice = match error {
        TranscribeError::EnglishOnly { .. } => {
            "`weir models pull base` installs a model for a hundred languages, which is then used \
             for them; or leave out --language"
        }
        TranscribeError::ModelMissing { .. } | TranscribeError::NotEnoughMemory { .. } => {
            "`weir models list` shows the models that are here"
        }
        TranscribeError::NotGgml { .. } | TranscribeError::ModelTruncated { .. } => {
            "`weir models pull base.en` fetches a whole one"
        }
        _ => return None,
    };
    Some(advice.to_owned())
}

fn of_audio(error: &AudioError) -> Option<String> {
    let advice = match error {
        AudioError::NotAudio { .. } => "raw PCM is read with --stdin",
        AudioError::NoDevice { .. } => "raw PCM can be piped in with --stdin",
        AudioError::TooManyChannels { .. } => "--channels mix mixes them",
        _ => return None,
    };
    Some(advice.to_owned())
}

fn of_store(error: &StoreError) -> Option<String> {
    match error {
        StoreError::NoSession { dir } => {
            let dir = dir.display();
            Some(format!("`weir replay INPUT --session {dir}` creates one"))
        }
        StoreError::EncoderMismatch { dir, .. } => {
            let dir = dir.display();
            Some(format!(
                "`weir memory reencode --session {dir}` encodes it anew"
            ))
        }
        _ => None,
    }
}

fn of_clip(error: &ClipError) -> Option<String> {
    match error {
        ClipError::Store(error) => of_store(error),
        ClipError::Audio(error) => of_audio(error),
        ClipError::NoFile { session, .. } => Some(format!(
            "put it back, or run `weir replay` with --session {} on its new path: that records \
             the path and processes nothing twice",
            session.display()
        )),
        ClipError::NoFolder { .. } | ClipError::Short { .. } => None,
    }
}

fn of_stream(error: &StreamFileError) -> Option<String> {
    match error {
        StreamFileError::Bad(bad) if matches!(bad.problem, Problem::AudioMissing { .. }) => {
            Some("--trust-text takes the text of the lines".to_owned())
        }
        _ => None,
    }
}

fn of_import(error: &ImportError) -> Option<String> {
    let advice = match error.problem {
        ImportProblem::Unknown => {
            "--format says which it is; `weir replay` hears recordings and stream files, `weir \
             memory import` reads what `weir memory export` wrote"
        }
        ImportProblem::Dates { .. } => "--dates day-first or --dates month-first",
        _ => return None,
    };
    Some(advice.to_owned())
}

fn of_voices(error: &VoicesError) -> Option<String> {
    match error {
        VoicesError::SameVoice { known: name } | VoicesError::OtherVoice { name } => Some(format!(
            "`weir speakers forget \"{name}\"` forgets the enrolled one"
        )),
        _ => None,
    }
}
