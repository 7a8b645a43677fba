//! Selects the speech model: the one named, else the best of those installed and the one inside
//! the program. Nothing is downloaded.

use crate::cli::args::Global;
use crate::cli::hearing::built_in;
use crate::cli::hearing::hearing_args::{ChannelsArg, HearingArgs};
use crate::cli::hearing::voices;
use crate::cli::loading::places;
use crate::cli::loading::wiring;
use crate::cli::terminal::{Terminal, plain};
use anyhow::{Context, bail};
use std::path::Path;
use weir_asr::{Channels, GuardsConfig, Transcribe, WhisperConfig, WhisperDevice, WhisperModel};
use weir_engine::pipeline::{Cancellable, LiveModels, Recognition};
use weir_models::DeviceChoice;
use weir_models::weights::{Kind, Located, Store};

/// Whether somebody reads text while people speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LiveText {
    /// On a terminal, or as events.
    Wanted,
    /// Nobody would see it.
    Unseen,
}

impl LiveText {
    /// For output as events or on this terminal.
    pub(crate) fn of(json: bool, terminal: &Terminal) -> Self {
        match json || terminal.redraws() {
            true => Self::Wanted,
            false => Self::Unseen,
        }
    }
}

/// What a command hears.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sound {
    /// Whether somebody reads text while people speak.
    pub(crate) live_text: LiveText,
    /// Whether some of it does not say who speaks, as stream files do.
    pub(crate) unlabelled: bool,
}

/// The recogniser with its speech model, and the model's name.
pub(crate) fn hearing(
    args: &HearingArgs,
    global: &Global,
    sound: Sound,
    terminal: &mut Terminal,
) -> anyhow::Result<(Recognition, String)> {
    let model = model(args, global, terminal)?;
    let config = WhisperConfig {
        threads: args.threads.map_or(1, u32::from),
        language: args.language.clone(),
        ..WhisperConfig::default()
    };
    let transcriber: Box<dyn Transcribe> = Box::new(model.transcriber(&config)?);
    let name = transcriber.name().to_owned();
    let channels = match args.channels {
        ChannelsArg::Mix => Channels::Mix,
        ChannelsArg::Split => Channels::Split,
    };
    let guards = GuardsConfig::default().with(args.guards.into());
    let mut hearing = Recognition::guarded(transcriber, guards, channels, wiring::opener())
        .context("cannot use the speech model")?;
    if sound.live_text == LiveText::Wanted && !args.no_live_text {
        hearing = hearing.with_live_models(live_models(&model, config)?)?;
    }
    if channels == Channels::Mix
        && sound.unlabelled
        && !args.no_speakers
        && let Some(voices) = voices::for_speech(global, terminal)?
    {
        hearing = hearing.with_voices(voices);
    }
    Ok((hearing, name))
}

/// The models that decode speech before it is over.
fn live_models(model: &WhisperModel, config: WhisperConfig) -> anyhow::Result<LiveModels> {
    let cancellable = |config: &WhisperConfig| -> anyhow::Result<Cancellable> {
        let (transcriber, cancel) = model.cancellable(config)?;
        let model = Box::new(transcriber);
        Ok(Cancellable { model, cancel })
    };
    Ok(LiveModels {
        early: cancellable(&config)?,
        preview: cancellable(&config.preview())?,
    })
}

fn model(
    args: &HearingArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<WhisperModel> {
    let language = args.language.as_deref().map(weir_asr::check_language);
    let is_english = language.transpose()?.is_none_or(|code| code == "en");
    let store = places::models(global);
    let located = match &args.asr_model {
        Some(name) => store.path(name)?,
        None => by_default(&store, is_english, terminal)?,
    };
    match located {
        Located::Embedded { .. } => Ok(built_in::load(device(global.device))?),
        Located::OnDisk {
            kind: Kind::Speech,
            path,
            ..
        } => Ok(WhisperModel::load_on(path, device(global.device))?),
        Located::OnDisk { name, .. } => {
            bail!("{name} is not a speech model; `weir models list` shows the kinds")
        }
    }
}

/// Whether a file is a speech model that loads.
pub(crate) fn can_load(file: &Path) -> Result<(), String> {
    let loaded = WhisperModel::load(file);
    loaded.map(drop).map_err(|error| error.to_string())
}

fn device(device: DeviceChoice) -> WhisperDevice {
    match device {
        DeviceChoice::Cpu => WhisperDevice::Cpu,
        DeviceChoice::Cuda(number) | DeviceChoice::Metal(number) => {
            WhisperDevice::Gpu(u16::try_from(number).unwrap_or(u16::MAX))
        }
    }
}

/// The default model; a message names it.
fn by_default(store: &Store, is_english: bool, terminal: &mut Terminal) -> anyhow::Result<Located> {
    let here = store.speech_models(!is_english);
    let others = match here.len() {
        0 | 1 => String::new(),
        all => format!(", the best of {all}; --asr-model selects another"),
    };
    let Some(best) = here.into_iter().next() else {
        match is_english {
            true => bail!(
                "no speech model is installed, and none is inside this build of weir; `weir \
                 models pull base.en` installs one"
            ),
            false => bail!(
                "the speech models that are here understand English only; `weir models pull base` \
                 installs one for other languages, or leave out --language"
            ),
        }
    };
    let (name, better) = (name(&best), better(&best));
    terminal.note(&format!("speech model: {name}{others}{better}"));
    Ok(best)
}

/// Name of a model.
pub(crate) fn name(located: &Located) -> String {
    match located {
        Located::OnDisk { name, .. } => plain(name),
        Located::Embedded { name } => format!("{name} (built in)"),
    }
}

/// What to do for fewer errors, if the built-in model is the best one here.
pub(crate) fn better(best: &Located) -> &'static str {
    match best {
        Located::OnDisk { .. } => "",
        Located::Embedded { .. } => "; `weir models pull base.en` installs a better one",
    }
}
