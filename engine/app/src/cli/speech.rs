//! Which speech model hears: the one asked for, else the best on this machine, else one that is
//! fetched now, else the one in the program.

use super::args::Global;
use super::failure::one_line;
use super::hearing_args::{ChannelsArg, HearingArgs};
use super::models;
use super::places;
use super::terminal::{Terminal, plain, size};
use super::wiring;
use anyhow::{Context, bail};
use std::num::NonZero;
use weir_asr::{Channels, Transcribe, WhisperConfig, WhisperDevice, WhisperModel};
use weir_engine::pipeline::Recognition;
use weir_models::DeviceChoice;
use weir_models::weights::{Kind, Located, Store};

/// Cores from which the larger of the two models that are fetched unasked keeps up with talk.
const CORES_FOR_BASE: usize = 4;

/// A speech model with what it needs around it, and its name.
pub(super) fn hearing(
    args: &HearingArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<(Recognition, String)> {
    let model = model(args, global, terminal)?;
    let transcriber: Box<dyn Transcribe> = Box::new(model.transcriber(&WhisperConfig {
        threads: args.threads.map_or(1, u32::from),
        language: args.language.clone(),
        ..WhisperConfig::default()
    })?);
    let name = transcriber.name().to_owned();
    let channels = match args.channels {
        ChannelsArg::Mix => Channels::Mix,
        ChannelsArg::Split => Channels::Split,
    };
    let guards = transcriber.guards().with(args.guards.into());
    let hearing = Recognition::guarded(transcriber, guards, channels, wiring::opener())
        .context("the speech model cannot be used")?;
    Ok((hearing, name))
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
            bail!("{name} is no speech model; `weir models list` shows the kinds")
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

/// The model that is taken when none is named; says which.
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
            0 => format!("hearing with {name}"),
            1 => format!("hearing with {name}, the better of two models here; --asr-model chooses"),
            _ => format!(
                "hearing with {name}, the best of {} models here; --asr-model chooses",
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
                    "hearing with the built-in speech model, which understands clear synthetic \
                     English only; for people: `weir models pull {}`",
                    wanted[0]
                ));
            }
            Located::Embedded {
                name: "weir-tiny".to_owned(),
            }
        }
    }
}

/// What a model is called.
pub(super) fn name(located: &Located) -> String {
    match located {
        Located::OnDisk { name, .. } | Located::Embedded { name } => plain(name),
    }
}

/// The models to fetch where none is here, the first that can be had.
fn wanted(is_english: bool) -> &'static [&'static str] {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    match (is_english, cores >= CORES_FOR_BASE) {
        (true, true) => &["base.en", "tiny.en"],
        (true, false) => &["tiny.en"],
        (false, true) => &["base", "tiny"],
        (false, false) => &["tiny"],
    }
}

/// Fetches the first of these that can be had, unless nothing may be fetched.
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
            "no speech model is here yet: fetching {name}{bytes} into {}, once; --offline does \
             not fetch",
            folder.display()
        ));
        match models::fetch(store, name, terminal) {
            Ok(located) => return Some(located),
            Err(error) => {
                let why = one_line(&error.into());
                terminal.warn(&format!("{name} cannot be fetched: {why}"));
            }
        }
    }
    None
}
