//! Selects the speech model: the one named, else the best installed, else one downloaded now, else
//! the built-in one.

use super::args::Global;
use super::failure::one_line;
use super::hearing_args::{ChannelsArg, HearingArgs};
use super::models;
use super::places;
use super::terminal::{Terminal, plain, size};
use super::{voices, wiring};
use anyhow::{Context, bail};
use std::num::NonZero;
use weir_asr::{Channels, Transcribe, WhisperConfig, WhisperDevice, WhisperModel};
use weir_engine::pipeline::{Cancellable, LiveModels, Recognition};
use weir_models::DeviceChoice;
use weir_models::weights::{Kind, Located, Store};

/// Minimum number of cores for the larger of the two default downloads to keep up with talk.
const CORES_FOR_BASE: usize = 4;

/// Whether somebody reads text while people speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LiveText {
    /// On a terminal, or as events.
    Wanted,
    /// Nobody would see it.
    Unseen,
}

impl LiveText {
    /// For output as events or on this terminal.
    pub(super) fn of(json: bool, terminal: &Terminal) -> Self {
        match json || terminal.redraws() {
            true => Self::Wanted,
            false => Self::Unseen,
        }
    }
}

/// What a command hears.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sound {
    /// Whether somebody reads text while people speak.
    pub(super) live_text: LiveText,
    /// Whether some of it does not say who speaks, as stream files do.
    pub(super) unlabelled: bool,
}

/// The recogniser with its speech model, and the model's name.
pub(super) fn hearing(
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
    let guards = transcriber.guards().with(args.guards.into());
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
        None => by_default(&store, is_english, global, terminal),
    };
    match located {
        Located::Embedded { .. } => Ok(WhisperModel::embedded()?),
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

fn device(device: DeviceChoice) -> WhisperDevice {
    match device {
        DeviceChoice::Cpu => WhisperDevice::Cpu,
        DeviceChoice::Cuda(number) | DeviceChoice::Metal(number) => {
            WhisperDevice::Gpu(u16::try_from(number).unwrap_or(u16::MAX))
        }
    }
}

/// The default model; a message names it.
fn by_default(
    store: &Store,
    is_english: bool,
    global: &Global,
    terminal: &mut Terminal,
) -> Located {
    let here = store.speech_models(!is_english);
    let others = here.len().saturating_sub(1);
    if let Some(best) = here.into_iter().next() {
        let name = name(&best);
        terminal.note(&match others {
            0 => format!("speech model: {name}"),
            1 => format!("speech model: {name}, the better of two; --asr-model selects another"),
            _ => format!(
                "speech model: {name}, the best of {} installed; --asr-model selects another",
                others + 1
            ),
        });
        return best;
    }
    let wanted = wanted(is_english);
    match fetched(store, wanted, global, terminal) {
        Some(located) => located,
        None => {
            if is_english {
                terminal.warn(&format!(
                    "using the built-in speech model, which understands clear synthetic \
                     English only; for natural speech: `weir models pull {}`",
                    wanted[0]
                ));
            }
            Located::Embedded {
                name: "weir-tiny".to_owned(),
            }
        }
    }
}

/// Name of a model.
pub(super) fn name(located: &Located) -> String {
    match located {
        Located::OnDisk { name, .. } | Located::Embedded { name } => plain(name),
    }
}

/// The models to download when none is installed, in order of preference.
fn wanted(is_english: bool) -> &'static [&'static str] {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    match (is_english, cores >= CORES_FOR_BASE) {
        (true, true) => &["base.en", "tiny.en"],
        (true, false) => &["tiny.en"],
        (false, true) => &["base", "tiny"],
        (false, false) => &["tiny"],
    }
}

/// Downloads the first of these that is available, unless downloads are off.
fn fetched(
    store: &Store,
    names: &[&str],
    global: &Global,
    terminal: &mut Terminal,
) -> Option<Located> {
    let places = places::model_places(global);
    let folder = places::models_folder(global)?;
    if places.offline {
        return None;
    }
    let listed = store.list();
    for name in names {
        let bytes = listed
            .iter()
            .find(|status| status.model.name == *name)
            .and_then(|status| status.bytes)
            .map_or_else(String::new, |bytes| format!(" ({})", size(bytes)));
        terminal.note(&format!(
            "no speech model is installed: downloading {name}{bytes} into {}, once; --offline \
             disables downloads",
            folder.display()
        ));
        match models::fetch(store, name, terminal) {
            Ok(located) => return Some(located),
            Err(error) => {
                let why = one_line(&error.into());
                terminal.warn(&format!("cannot download {name}: {why}"));
            }
        }
    }
    None
}
