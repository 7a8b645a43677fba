//! `weir doctor`: checks what is present, what is missing, and how to fix it.
//!
//! Read-only: it downloads and changes nothing. A missing optional part is no failure.

use crate::cli::args::{DoctorArgs, Global};
use crate::cli::failure::{Exit, one_line};
use crate::cli::loading::loader::{better, how_to_tell_speakers_apart, text};
use crate::cli::loading::model_args::WriterArgs;
use crate::cli::loading::wiring;
use crate::cli::terminal::{Terminal, Tint, many, plain, size};
use std::path::Path;
use weir_engine::store::transcript::{damaged_indexes, lost_lines};
use weir_engine::store::{check_session, read_session_telling};
use weir_loading::{
    Loader, MINILM, Note, SEGMENTATION, SPEAKERS, SPLADE, Selection, bytes_of, name_of,
    resident_bytes,
};
use weir_models::endpoint::CHECK_TIME;
use weir_models::weights::{Kind, Located, SpeechLanguages, State, WeightsErrorKind};
use weir_models::{DeviceChoice, Generate as _};

/// Larger models are not loaded to measure their memory.
const LOADED_BYTES_MAX: u64 = 1 << 30;

/// State of one checked item, with its details or the way out.
enum Health {
    /// Works.
    Good(String),
    /// Missing, but optional.
    Without(String),
    /// Prevents something the user asked for.
    Bad(String),
}

impl From<Result<String, String>> for Health {
    fn from(checked: Result<String, String>) -> Self {
        checked.map_or_else(Self::Bad, Self::Good)
    }
}

/// Runs the command.
pub(crate) fn run(
    args: &DoctorArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let loader = global.loader();
    let mut sound = true;
    let mut tell = |what: &str, health: Health| {
        sound &= !matches!(health, Health::Bad(_));
        let (tint, mark, how) = match health {
            Health::Good(how) => (Tint::Good, "ok     ", how),
            Health::Without(how) => (Tint::Warning, "without", how),
            Health::Bad(how) => (Tint::Failure, "bad    ", how),
        };
        let mark = terminal.tint(tint, mark);
        terminal.data(&format!("{mark}  {what:<16} {how}"))
    };
    tell("weir", Health::Good(version()))?;
    tell("device", device(global.device))?;
    tell("speech", speech(&loader))?;
    tell("speakers", speakers(&loader, global))?;
    tell("encoder", encoder(&loader))?;
    for (what, health) in thinking(&loader) {
        tell(what, health)?;
    }
    let writer = &args.writer;
    if writer.generator != Selection::GENERATOR {
        tell("--generator", named_generator(&writer.generator, &loader))?;
    }
    if writer.endpoint.is_some() {
        tell("endpoint", endpoint(writer, global))?;
    }
    tell("microphone", microphone())?;
    let models = global.models_folder();
    tell("models folder", folder(models.as_deref(), global))?;
    if let Some(dir) = &args.session {
        tell("session", session(dir))?;
    }
    Ok(if sound { Exit::Done } else { Exit::NotDone })
}

fn version() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!(
        "{} on {} with {cores} cores",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH
    )
}

/// The selected device.
fn device(device: DeviceChoice) -> Health {
    let opened = device.open().map(|_| device.to_string());
    opened.map_err(|error| one_line(&error.into())).into()
}

/// The default speech model.
fn speech(loader: &Loader) -> Health {
    let here = loader.store().speech_models(SpeechLanguages::English);
    let Some((best, others)) = here.split_first() else {
        return Health::Without("none; `weir models pull base.en` installs one".to_owned());
    };
    let name = |model| plain(&name_of(model));
    let mut how = name(best) + better(best);
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(name).collect();
        how += &format!("; also here: {}", others.join(", "));
    }
    Health::Good(how)
}

/// The models that tell speakers apart, and the enrolled voices.
fn speakers(loader: &Loader, global: &Global) -> Health {
    match loader.voices(global.voices.as_deref()) {
        Ok(Some(voices)) => {
            let enrolled = many(voices.models.known.len() as u64, "enrolled voice");
            Health::Good(format!("{SPEAKERS}, {SEGMENTATION}, {enrolled}"))
        }
        Ok(None) => {
            let get = how_to_tell_speakers_apart();
            Health::Without(format!("not told apart; after `{get}` they are"))
        }
        Err(error) => Health::Bad(one_line(&error.into())),
    }
}

fn encoder(loader: &Loader) -> Health {
    match loader.store().path(MINILM) {
        Ok(Located::OnDisk { name, path, .. }) => taken(&name, Kind::Encoder, &path).into(),
        Ok(Located::Embedded { name }) => Health::Good(name),
        Err(error) if error.kind() == WeightsErrorKind::NotFetched => Health::Without(format!(
            "the built-in {SPLADE} alone; `weir models pull {MINILM}` finds somewhat more"
        )),
        Err(error) => Health::Bad(one_line(&error.into())),
    }
}

/// The models other than speech and encoder: which are installed, and the memory each needs.
fn thinking(loader: &Loader) -> Vec<(&'static str, Health)> {
    let listed = loader.store().list();
    let health = |kind, first: &str, flags: &str| {
        let here = listed.iter().filter(|status| status.model.kind == kind);
        let here = here.filter_map(|status| match &status.state {
            State::Here { path } => Some(taken(&status.model.name, kind, path)),
            _ => None,
        });
        match here.collect::<Result<Vec<String>, String>>() {
            Ok(none) if none.is_empty() => {
                Health::Without(format!("for {flags}: `weir models pull {first}`"))
            }
            Ok(all) => Health::Good(format!("{}; {flags}", all.join(", "))),
            Err(why) => Health::Bad(why),
        }
    };
    let llm = "--distiller llm, --answer local";
    let neural = "--distiller neural";
    vec![
        (
            "generator",
            health(Kind::Generator, Selection::GENERATOR, llm),
        ),
        (
            "summariser",
            health(Kind::Summariser, Selection::SUMMARISER, neural),
        ),
        (
            "reranker",
            health(Kind::Reranker, Selection::RERANKER, "--reranker"),
        ),
    ]
}

/// A model with the memory it needs once loaded; large ones are not loaded to measure it.
fn taken(name: &str, kind: Kind, path: &Path) -> Result<String, String> {
    let on_disk = bytes_of(path);
    let measured = match on_disk > LOADED_BYTES_MAX {
        true => None,
        false => {
            let measured = resident_bytes(kind, path);
            measured.map_err(|error| one_line(&error.into()))?
        }
    };
    Ok(match measured {
        Some(bytes) => format!("{name} ({} in memory)", size(bytes as u64)),
        None => format!("{name} ({} on disk)", size(on_disk)),
    })
}

/// A generator named by a flag.
fn named_generator(name: &str, loader: &Loader) -> Health {
    match loader.store().path(name) {
        Ok(Located::OnDisk {
            name, path, kind, ..
        }) => match taken(&name, kind, &path) {
            Ok(_) if kind != Kind::Generator => Health::Bad(format!("{name} is not a generator")),
            loaded => loaded.into(),
        },
        Ok(Located::Embedded { name }) => Health::Bad(format!("{name} is not a generator")),
        Err(error) => Health::Bad(one_line(&error.into())),
    }
}

fn endpoint(writer: &WriterArgs, global: &Global) -> Health {
    let mut told = String::new();
    let mut tell = |note: Note| told += &format!("; {}", text(&note));
    let chosen = writer.endpoint(global.typed);
    match chosen.and_then(|it| Ok(it.open(CHECK_TIME, &mut tell)?)) {
        Ok(model) => {
            let tokens = model.context_tokens();
            Health::Good(format!("{} reads {tokens} tokens", plain(model.name())))
        }
        Err(error) => Health::Bad(format!("{}{told}", one_line(&error))),
    }
}

fn microphone() -> Health {
    match wiring::microphones() {
        Ok(names) if !names.is_empty() => Health::Good(plain(&names.join(", "))),
        Ok(_) => Health::Without("none; `weir listen --stdin` reads audio from a pipe".to_owned()),
        Err(error) => Health::Without(one_line(&error)),
    }
}

fn folder(folder: Option<&Path>, global: &Global) -> Health {
    match folder {
        Some(folder) if global.models.is_some() && !folder.is_dir() => Health::Bad(format!(
            "{}: folder not found; `weir models pull` creates it",
            folder.display()
        )),
        Some(folder) => Health::Good(folder.display().to_string()),
        None => Health::Without("no models folder: set WEIR_MODELS or HOME".to_owned()),
    }
}

fn session(dir: &Path) -> Health {
    let mut mended = String::new();
    let read = read_session_telling(dir, wiring::counter(), &mut |told| {
        mended = format!("; {told}");
    });
    match read.and_then(|session| check_session(dir).map(|()| session)) {
        Ok(session) => {
            if let Ok([first, ..]) = damaged_indexes(dir).as_deref() {
                mended.push_str(&format!(
                    "; {} is damaged or missing: the next program that writes to the session makes \
                     it anew from the lines of the transcript",
                    first.display()
                ));
            }
            let lost = lost_lines(dir).unwrap_or(0);
            if lost > 0 {
                mended.push_str(&format!(
                    "; damaged lines of the transcript, whose words are lost: {lost}"
                ));
            }
            let stats = session.stats();
            let memory = &stats.memory;
            Health::Good(format!(
                "{} turns, {} of {} tokens, {} held, encoder {}{mended}",
                stats.turns,
                memory.tokens,
                memory.budget_tokens,
                size(stats.memory.bytes as u64),
                plain(&session.encoder().name)
            ))
        }
        Err(error) => Health::Bad(one_line(&error.into())),
    }
}
