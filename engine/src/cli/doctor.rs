//! `weir doctor`: what is there, what is missing, and what to do about it.
//!
//! Looks only; it fetches, opens and changes nothing. What is missing but not needed is no failure.

use super::args::{DoctorArgs, Global};
use super::failure::{Exit, one_line};
use super::parts;
use super::screen::{Screen, Tint, plain, size};
use crate::store::read_session;
use std::path::Path;
use weir_asr::WhisperModel;
use weir_models::weights::{Kind, LocateError, Located, State};

/// How one thing is.
enum Health {
    /// As it should be.
    Good,
    /// Not there, and weir does without.
    Without,
    /// In the way of something that was asked for.
    Bad,
}

/// Runs the command.
pub(super) fn run(args: &DoctorArgs, global: &Global, screen: &mut Screen) -> anyhow::Result<Exit> {
    let mut sound = true;
    let mut tell = |health: Health, what: &str, how: &str| -> anyhow::Result<()> {
        sound &= !matches!(health, Health::Bad);
        let (tint, mark) = match health {
            Health::Good => (Tint::Good, "ok     "),
            Health::Without => (Tint::Warning, "without"),
            Health::Bad => (Tint::Failure, "bad    "),
        };
        let mark = screen.tint(tint, mark);
        Ok(screen.data(&format!("{mark}  {what:<16} {how}"))?)
    };
    tell(Health::Good, "weir", &version())?;
    let (health, how) = speech();
    tell(health, "speech", &how)?;
    let (health, how) = more_speech(global);
    tell(health, "speech of people", &how)?;
    let (health, how) = encoder(global);
    tell(health, "encoder", &how)?;
    let (health, how) = microphone();
    tell(health, "microphone", &how)?;
    let (health, how) = folder(parts::models_folder(global).as_deref());
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

fn speech() -> (Health, String) {
    match WhisperModel::embedded() {
        Ok(_) => (
            Health::Good,
            "the embedded model; it understands clear synthetic English only".to_owned(),
        ),
        Err(error) => (Health::Bad, error.to_string()),
    }
}

/// Whether a speech model for people is here.
fn more_speech(global: &Global) -> (Health, String) {
    let here: Vec<String> = parts::models(global)
        .list()
        .into_iter()
        .filter(|status| status.model.kind == Kind::Speech)
        .filter(|status| matches!(status.state, State::Here { .. }))
        .map(|status| status.model.name)
        .collect();
    if here.is_empty() {
        let advice = "`weir models pull base.en`, then --asr-model base.en";
        (Health::Without, advice.to_owned())
    } else {
        let first = &here[0];
        let how = format!("{}; use one with --asr-model {first}", here.join(", "));
        (Health::Good, how)
    }
}

fn encoder(global: &Global) -> (Health, String) {
    match parts::models(global).locate_encoder() {
        Ok(Located::OnDisk { path, .. }) => (Health::Good, path.display().to_string()),
        Ok(Located::Embedded { name }) => (Health::Good, name),
        Err(LocateError::NotFetched { .. }) => (
            Health::Without,
            format!(
                "memory runs on words alone; `weir models pull {}`",
                parts::MINILM
            ),
        ),
        Err(error) => (Health::Bad, error.to_string()),
    }
}

fn microphone() -> (Health, String) {
    match parts::microphones() {
        Ok(names) if !names.is_empty() => (Health::Good, plain(&names.join(", "))),
        Ok(_) => (
            Health::Without,
            "none; `weir listen --stdin` takes sound from a pipe".to_owned(),
        ),
        Err(error) => (Health::Without, one_line(&error)),
    }
}

fn folder(folder: Option<&Path>) -> (Health, String) {
    match folder {
        Some(folder) => (Health::Good, folder.display().to_string()),
        None => (
            Health::Without,
            "no home for models: set WEIR_MODELS or HOME".to_owned(),
        ),
    }
}

fn session(dir: &Path) -> (Health, String) {
    match read_session(dir, parts::counter()) {
        Ok(session) => {
            let stats = session.stats();
            let memory = &stats.memory;
            (
                Health::Good,
                format!(
                    "{} turns, {} of {} tokens, {} held, encoder {}",
                    stats.turns,
                    memory.tokens,
                    memory.budget_tokens,
                    size(stats.bytes as u64),
                    plain(&session.encoder().name)
                ),
            )
        }
        Err(error) => (Health::Bad, error.to_string()),
    }
}
