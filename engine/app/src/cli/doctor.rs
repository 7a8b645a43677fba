//! `weir doctor`: checks what is present, what is missing, and how to fix it.
//!
//! Read-only: it downloads and changes nothing. A missing optional part is no failure.

use super::args::{DoctorArgs, Global};
use super::endpoints;
use super::failure::{Exit, one_line};
use super::model_args::{EXTRACTOR, GENERATOR, RERANKER, SUMMARISER, WriterArgs};
use super::places;
use super::speech;
use super::terminal::{Terminal, Tint, many, plain, size};
use super::{voices, wiring};
use std::path::Path;
use weir_engine::store::{check_session, read_session_telling};
use weir_models::weights::{Kind, Located, State, WeightsErrorKind};
use weir_models::{
    CrossEncoder, DeviceChoice, EntailmentModel, Generator, GeneratorOptions, Gliner,
    SentenceEncoder, SpeakerEncoder, SpeechSegmentation, T5Summariser,
};

/// Larger models are not loaded to measure their memory.
const LOADED_BYTES_MAX: u64 = 1 << 30;

/// State of one checked item.
enum Health {
    /// Works.
    Good,
    /// Missing, but optional.
    Without,
    /// Prevents something the user asked for.
    Bad,
}

/// Runs the command.
pub(super) fn run(
    args: &DoctorArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let mut sound = true;
    let mut tell = |health: Health, what: &str, how: &str| -> anyhow::Result<()> {
        sound &= !matches!(health, Health::Bad);
        let (tint, mark) = match health {
            Health::Good => (Tint::Good, "ok     "),
            Health::Without => (Tint::Warning, "without"),
            Health::Bad => (Tint::Failure, "bad    "),
        };
        let mark = terminal.tint(tint, mark);
        Ok(terminal.data(&format!("{mark}  {what:<16} {how}"))?)
    };
    tell(Health::Good, "weir", &version())?;
    let (health, how) = device(global.device);
    tell(health, "device", &how)?;
    let (health, how) = speech(global);
    tell(health, "speech", &how)?;
    let (health, how) = speakers(global);
    tell(health, "speakers", &how)?;
    let (health, how) = encoder(global);
    tell(health, "encoder", &how)?;
    for (health, kind, how) in thinking(global) {
        tell(health, kind, &how)?;
    }
    if args.writer.generator != GENERATOR {
        let (health, how) = named_generator(&args.writer.generator, global);
        tell(health, "--generator", &how)?;
    }
    if args.writer.endpoint.is_some() {
        let (health, how) = endpoint(&args.writer, global);
        tell(health, "endpoint", &how)?;
    }
    let (health, how) = microphone();
    tell(health, "microphone", &how)?;
    let (health, how) = folder(places::models_folder(global).as_deref(), global);
    tell(health, "models folder", &how)?;
    if let Some(dir) = &args.session {
        let (health, how) = session(dir);
        tell(health, "session", &how)?;
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
fn device(device: DeviceChoice) -> (Health, String) {
    match device.open() {
        Ok(_) => (Health::Good, device.to_string()),
        Err(error) => (Health::Bad, error.to_string()),
    }
}

/// The default speech model.
fn speech(global: &Global) -> (Health, String) {
    let here = places::models(global).speech_models(false);
    let Some((best, others)) = here.split_first() else {
        let how = "none; `weir models pull base.en` installs one".to_owned();
        return (Health::Without, how);
    };
    let mut how = speech::name(best) + speech::better(best);
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(speech::name).collect();
        how += &format!("; also here: {}", others.join(", "));
    }
    (Health::Good, how)
}

/// The models that tell speakers apart, and the enrolled voices.
fn speakers(global: &Global) -> (Health, String) {
    match voices::load(global) {
        Ok(Some(voices)) => {
            let enrolled = many(voices.models.known.len() as u64, "enrolled voice");
            (
                Health::Good,
                format!("{}, {}, {enrolled}", voices::ENCODER, voices::SEGMENTATION),
            )
        }
        Ok(None) => (
            Health::Without,
            format!("not told apart; after `{}` they are", voices::how_to_get()),
        ),
        Err(error) => (Health::Bad, format!("{error:#}")),
    }
}

fn encoder(global: &Global) -> (Health, String) {
    match places::models(global).locate_encoder() {
        Ok(Located::OnDisk { name, path, .. }) => match taken(&name, Kind::Encoder, &path) {
            Ok(how) => (Health::Good, how),
            Err(why) => (Health::Bad, why),
        },
        Ok(Located::Embedded { name }) => (Health::Good, name),
        Err(error) if error.kind() == WeightsErrorKind::NotFetched => (
            Health::Without,
            format!(
                "the built-in {} alone; `weir models pull {}` finds somewhat more",
                wiring::SPLADE,
                wiring::MINILM
            ),
        ),
        Err(error) => (Health::Bad, error.to_string()),
    }
}

/// The models other than speech and encoder: which are installed, and the memory each needs.
fn thinking(global: &Global) -> Vec<(Health, &'static str, String)> {
    let kinds = [
        (
            Kind::Generator,
            "generator",
            GENERATOR,
            "--distiller llm, --answer local",
        ),
        (
            Kind::Summariser,
            "summariser",
            SUMMARISER,
            "--distiller neural",
        ),
        (
            Kind::Extractor,
            "extractor",
            EXTRACTOR,
            "--distiller neural",
        ),
        (Kind::Reranker, "reranker", RERANKER, "--reranker"),
    ];
    let listed = places::models(global).list();
    kinds
        .into_iter()
        .map(|(kind, what, first, flags)| {
            let here = listed.iter().filter(|status| status.model.kind == kind);
            let here = here.filter_map(|status| match &status.state {
                State::Here { path } => Some(taken(&status.model.name, kind, path)),
                _ => None,
            });
            let here: Vec<Result<String, String>> = here.collect();
            if here.is_empty() {
                let how = format!("for {flags}: `weir models pull {first}`");
                return (Health::Without, what, how);
            }
            match here.into_iter().collect::<Result<Vec<String>, String>>() {
                Ok(all) => (Health::Good, what, format!("{}; {flags}", all.join(", "))),
                Err(why) => (Health::Bad, what, why),
            }
        })
        .collect()
}

/// A model with the memory it needs once loaded; large ones are not loaded to measure it.
fn taken(name: &str, kind: Kind, path: &Path) -> Result<String, String> {
    let on_disk = bytes_of(path);
    if on_disk > LOADED_BYTES_MAX {
        return Ok(format!("{name} ({} on disk)", size(on_disk)));
    }
    let resident = match kind {
        Kind::Generator => {
            Generator::load(path, GeneratorOptions::default()).map(|model| model.resident_bytes())
        }
        Kind::Summariser => T5Summariser::load(path).map(|model| model.resident_bytes()),
        Kind::Extractor => Gliner::load(path).map(|model| model.resident_bytes()),
        Kind::Reranker => CrossEncoder::load(path).map(|model| model.resident_bytes()),
        Kind::Entailment => EntailmentModel::load(path).map(|model| model.resident_bytes()),
        Kind::Encoder => SentenceEncoder::load(path).map(|model| model.resident_bytes()),
        Kind::Speaker => SpeakerEncoder::load(path).map(|model| model.resident_bytes()),
        Kind::Segmentation => SpeechSegmentation::load(path).map(|model| model.resident_bytes()),
        Kind::Speech => return Ok(format!("{name} ({} on disk)", size(on_disk))),
    };
    let resident = resident.map_err(|error| one_line(&error.into()))?;
    Ok(format!("{name} ({} in memory)", size(resident as u64)))
}

/// Size of a file, or of the files in a folder.
fn bytes_of(path: &Path) -> u64 {
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |about| about.len());
    match std::fs::read_dir(path) {
        Ok(files) => files.flatten().map(|file| length(&file.path())).sum(),
        Err(_) => length(path),
    }
}

/// A generator named by a flag.
fn named_generator(name: &str, global: &Global) -> (Health, String) {
    match places::models(global).path(name) {
        Ok(Located::OnDisk {
            name, path, kind, ..
        }) => match taken(&name, kind, &path) {
            Ok(how) if kind == Kind::Generator => (Health::Good, how),
            Ok(_) => (Health::Bad, format!("{name} is not a generator")),
            Err(why) => (Health::Bad, why),
        },
        Ok(Located::Embedded { name }) => (Health::Bad, format!("{name} is not a generator")),
        Err(error) => (Health::Bad, error.to_string()),
    }
}

fn endpoint(writer: &WriterArgs, global: &Global) -> (Health, String) {
    match endpoints::endpoint(writer, global.typed, endpoints::CHECK_TIME) {
        Ok(model) => {
            let tokens = model.context_tokens();
            (
                Health::Good,
                format!("{} reads {tokens} tokens", plain(model.name())),
            )
        }
        Err(error) => {
            let told = endpoints::told_of_key(writer, global);
            let told = told.map_or_else(String::new, |told| format!("; {told}"));
            (Health::Bad, format!("{}{told}", one_line(&error)))
        }
    }
}

fn microphone() -> (Health, String) {
    match wiring::microphones() {
        Ok(names) if !names.is_empty() => (Health::Good, plain(&names.join(", "))),
        Ok(_) => (
            Health::Without,
            "none; `weir listen --stdin` reads audio from a pipe".to_owned(),
        ),
        Err(error) => (Health::Without, one_line(&error)),
    }
}

fn folder(folder: Option<&Path>, global: &Global) -> (Health, String) {
    match folder {
        Some(folder) if global.models.is_some() && !folder.is_dir() => (
            Health::Bad,
            format!(
                "{}: folder not found; `weir models pull` creates it",
                folder.display()
            ),
        ),
        Some(folder) => (Health::Good, folder.display().to_string()),
        None => (
            Health::Without,
            "no models folder: set WEIR_MODELS or HOME".to_owned(),
        ),
    }
}

fn session(dir: &Path) -> (Health, String) {
    let mut mended = String::new();
    let read = read_session_telling(dir, wiring::counter(), &mut |told| {
        mended = format!("; {told}");
    });
    match read.and_then(|session| check_session(dir).map(|()| session)) {
        Ok(session) => {
            let stats = session.stats();
            let memory = &stats.memory;
            (
                Health::Good,
                format!(
                    "{} turns, {} of {} tokens, {} held, encoder {}{mended}",
                    stats.turns,
                    memory.tokens,
                    memory.budget_tokens,
                    size(stats.memory.bytes as u64),
                    plain(&session.encoder().name)
                ),
            )
        }
        Err(error) => (Health::Bad, error.to_string()),
    }
}
