//! Converts a Whisper checkpoint to a local speech model.
//!
//! Invariant: a model's file and its receipt both exist, or neither; a failed import leaves the
//! folder unchanged.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use super::error::{WeightsError, WeightsErrorKind as Fault};
use super::files;
use super::manifest::{Kind, Model, ModelFile, is_name};
use super::receipt::{Entry, Receipt};
use super::report::{Located, OnProgress, Progress, Step};
use super::store::Store;
use super::wanted::LOCK;
use crate::checksum;
use crate::whisper::{Checkpoint, ConvertError, Quantisation};

/// The import request.
#[derive(Debug, Clone, Copy)]
pub struct Import<'a> {
    /// A folder in faster-whisper or Hugging Face format, or a ggml file.
    pub path: &'a Path,
    /// The model's name; `None` uses the name of the folder, or of the file without `ggml-` and
    /// `.bin`.
    pub name: Option<&'a str>,
    /// Format of its matrices; `None` means float16, or unchanged for a ggml file.
    pub quantisation: Option<Quantisation>,
    /// Whether to replace an imported model of the same name.
    pub replace: bool,
    /// Loads the finished file, before it gets its name; the reason if it cannot be used.
    pub load: fn(&Path) -> Result<(), String>,
}

impl Store {
    /// Converts a Whisper checkpoint to a ggml file, and stores it as a speech model under its own
    /// name. It is written as a `.part` and renamed when complete.
    ///
    /// # Errors
    /// [`WeightsError`]; the message gives advice. No files are left then.
    pub fn import(
        &self,
        asked: &Import<'_>,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Located, WeightsError> {
        let name = name(asked)?;
        if let Some(known) = self.manifest.find(&name) {
            let by = format!("{}, a model of `weir models list`", known.name);
            return Err(WeightsError::taken(
                &name,
                &by,
                "give another one with --name NAME",
            ));
        }
        let folder = self.root().ok_or_else(WeightsError::no_folder)?.join(&name);
        check_folder(&folder, &name, asked.replace)?;
        let checkpoint = Checkpoint::open(asked.path)?;
        checkpoint.check(asked.quantisation)?;
        let had_folder = folder.is_dir();
        let made = make(asked, &checkpoint, &name, &folder, progress);
        if made.is_err() && !had_folder {
            let _ = fs::remove_file(folder.join(LOCK));
            // removes the folder only if it is empty
            let _ = fs::remove_dir(&folder);
        }
        self.locate(&made?)
    }
}

/// The given name, or the one derived from the path.
fn name(asked: &Import<'_>) -> Result<String, WeightsError> {
    let suggested = || {
        // so that `.` has a name
        let whole = fs::canonicalize(asked.path).unwrap_or_else(|_| asked.path.to_owned());
        let last = whole.file_name().unwrap_or_default().to_string_lossy();
        match (whole.is_file(), last.strip_suffix(".bin")) {
            (true, Some(stem)) => stem.strip_prefix("ggml-").unwrap_or(stem).to_owned(),
            _ => last.into_owned(),
        }
    };
    let name = asked.name.map_or_else(suggested, str::to_owned);
    if is_name(&name) {
        return Ok(name);
    }
    let message = format!(
        "{name:?} cannot be the name of a model: names have 1 to 128 of a-z, A-Z, 0-9, '.', '-', \
         '_' and do not begin with a dot; give one with --name NAME"
    );
    Err(WeightsError::new(Fault::Request, message))
}

/// Refuses a folder with files other than the one to be replaced.
fn check_folder(folder: &Path, name: &str, replace: bool) -> Result<(), WeightsError> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_empty = entries.filter(|entry| entry.file_name() != LOCK).count() == 0;
    let (by, advice) = match Receipt::read(folder).model.filter(Model::is_imported) {
        Some(held) if !replace && files::check(&held, folder).is_ok() => (
            "an imported model",
            "replace it with --replace, or give another name with --name NAME",
        ),
        None if !is_empty => (
            "another model, or of something else,",
            "remove that, or give another name with --name NAME",
        ),
        _ => return Ok(()),
    };
    Err(WeightsError::taken(
        name,
        &format!("{by} ({})", folder.display()),
        advice,
    ))
}

/// Converts, and gives the file its final name and a receipt.
fn make(
    asked: &Import<'_>,
    checkpoint: &Checkpoint,
    name: &str,
    folder: &Path,
    progress: OnProgress<'_>,
) -> Result<Model, WeightsError> {
    let bytes_total = checkpoint.bytes(asked.quantisation);
    let mut tell = |bytes_done, step| {
        progress(Progress {
            bytes_done,
            bytes_total,
            ..Progress::of(name, step)
        });
    };
    let _lock = files::lock(folder, &mut || tell(0, Step::Waiting))?;
    let path = format!("ggml-{name}.bin");
    let (file, part) = (folder.join(&path), files::part(folder, &path));
    let unwritten = |error: io::Error| WeightsError::write(&file, &error, 0);
    let mut report = |bytes| tell(bytes, Step::Converting);
    let written = convert(checkpoint, asked.quantisation, &part, &mut report).and_then(|()| {
        (asked.load)(&part).map_err(|reason| WeightsError::new(Fault::Unusable, reason))?;
        let sha256 = checksum::sha256(&part).map_err(unwritten)?;
        let model = model(asked, checkpoint, name, path, sha256);
        fs::rename(&part, &file).map_err(unwritten)?;
        receipt(asked, &model).write(folder).map_err(|error| {
            // without its receipt the file is unknown to the store
            let _ = fs::remove_file(&file);
            unwritten(error)
        })?;
        Ok(model)
    });
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

fn model(
    asked: &Import<'_>,
    checkpoint: &Checkpoint,
    name: &str,
    path: String,
    sha256: String,
) -> Model {
    let language = match checkpoint.is_multilingual() {
        true => "multilingual",
        false => "en",
    };
    let quantised = asked
        .quantisation
        .map(|kind| format!(", quantised to {}", kind.name()));
    let (title, quantised) = (checkpoint.title(), quantised.unwrap_or_default());
    Model {
        languages: vec![language.to_owned()],
        note: format!("Imported from a {title}{quantised}."),
        files: vec![ModelFile {
            path,
            bytes: checkpoint.bytes(asked.quantisation),
            sha256: Some(sha256),
            oid: None,
        }],
        ..Model::new(name, Kind::Speech)
    }
}

fn receipt(asked: &Import<'_>, model: &Model) -> Receipt {
    let entry = |file: &ModelFile| {
        let entry = Entry {
            source: asked.path.display().to_string(),
            sha256: file.sha256.clone().unwrap_or_default(),
            bytes: file.bytes,
            checked_against: "nothing".to_owned(),
        };
        (file.path.clone(), entry)
    };
    Receipt {
        files: model.files.iter().map(entry).collect(),
        model: Some(model.clone()),
        commit: None,
    }
}

/// Writes a checkpoint as a ggml file.
pub(super) fn convert(
    checkpoint: &Checkpoint,
    quantisation: Option<Quantisation>,
    to: &Path,
    report: &mut dyn FnMut(u64),
) -> Result<(), WeightsError> {
    let unwritten = |error: io::Error| WeightsError::write(to, &error, 0);
    let mut out = BufWriter::new(File::create(to).map_err(unwritten)?);
    let written = checkpoint.write(quantisation, &mut out, report);
    written.map_err(|error| match error {
        ConvertError::Write { source } => unwritten(source),
        other => other.into(),
    })?;
    let out = out
        .into_inner()
        .map_err(|error| unwritten(error.into_error()))?;
    out.sync_all().map_err(unwritten)
}
