//! Converts a Whisper checkpoint to a local speech model.
//!
//! Invariant: a model's file and its receipt both exist, or neither; a failed import leaves the
//! folder unchanged.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use super::error::{WeightsError, WeightsErrorKind as Fault};
use super::files;
use super::manifest::{Kind, Model, ModelFile};
use super::receipt::{Entry, Receipt};
use super::report::{Located, Progress, Reporter, Step, shared};
use super::store::Store;
use super::wanted::{LOCK, is_name};
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
    /// [`WeightsError`]. No files are left then.
    pub fn import(
        &self,
        asked: &Import<'_>,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Located, WeightsError> {
        let name = asked
            .name
            .map_or_else(|| asked.suggested_name(), str::to_owned);
        if !is_name(&name) {
            return Err(Fault::Name.error(format!(
                "{name:?} cannot be the name of a model: names have 1 to 128 of a-z, A-Z, 0-9, \
                 '.', '-', '_' and do not begin with a dot"
            )));
        }
        let folder = self
            .options
            .target()
            .ok_or_else(WeightsError::no_folder)?
            .join(&name);
        if let Some((kind, by)) = self.holder(&name, &folder, asked.replace) {
            let message = format!("{name} is the name of {by} here ({})", folder.display());
            return Err(kind.error(message).about(&name));
        }
        let checkpoint = Checkpoint::open(asked.path)?;
        checkpoint.check(asked.quantisation)?;
        let had_folder = folder.is_dir();
        let model = asked.model(&checkpoint, &name);
        let progress = shared(progress);
        let made = make(
            asked,
            &checkpoint,
            model,
            &folder,
            &Reporter::new(&name, &progress),
        );
        if made.is_err() && !had_folder {
            let _ = fs::remove_file(folder.join(LOCK));
            // removes the folder only if it is empty
            let _ = fs::remove_dir(&folder);
        }
        self.locate(&made?)
    }

    /// What has the name, unless it may be replaced.
    fn holder(&self, name: &str, folder: &Path, replace: bool) -> Option<(Fault, &'static str)> {
        if self.manifest.find(name).is_some() {
            return Some((Fault::Taken, "a listed model"));
        }
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let is_empty = entries.filter(|entry| entry.file_name() != LOCK).count() == 0;
        match Receipt::read(folder).model.filter(Model::is_imported) {
            Some(held) => (!replace && files::check(&held, folder).is_ok())
                .then_some((Fault::Imported, "an imported model")),
            None => (!is_empty).then_some((Fault::Taken, "another model or something else")),
        }
    }
}

impl Import<'_> {
    /// The name derived from the path.
    fn suggested_name(&self) -> String {
        // so that `.` has a name
        let whole = fs::canonicalize(self.path).unwrap_or_else(|_| self.path.to_owned());
        let last = whole.file_name().unwrap_or_default().to_string_lossy();
        match (whole.is_file(), last.strip_suffix(".bin")) {
            (true, Some(stem)) => stem.strip_prefix("ggml-").unwrap_or(stem).to_owned(),
            _ => last.into_owned(),
        }
    }

    /// The model that a checkpoint becomes.
    fn model(&self, checkpoint: &Checkpoint, name: &str) -> Model {
        let language = match checkpoint.is_multilingual() {
            true => "multilingual",
            false => "en",
        };
        let quantised = self
            .quantisation
            .map(|kind| format!(", quantised to {}", kind.name()));
        let (title, quantised) = (checkpoint.title(), quantised.unwrap_or_default());
        let (path, bytes) = (
            format!("ggml-{name}.bin"),
            checkpoint.bytes(self.quantisation),
        );
        Model {
            languages: vec![language.to_owned()],
            note: format!("Imported from a {title}{quantised}."),
            files: vec![ModelFile::new(path, bytes)],
            ..Model::new(name, Kind::Speech)
        }
    }
}

/// Converts, and gives the file its final name and a receipt.
fn make(
    asked: &Import<'_>,
    checkpoint: &Checkpoint,
    mut model: Model,
    folder: &Path,
    reporter: &Reporter<'_>,
) -> Result<Model, WeightsError> {
    let path = model.files[0].path.clone();
    reporter.bytes_total.set(model.files[0].bytes);
    let _lock = files::lock(folder, &mut || reporter.tell(0, Step::Waiting))?;
    let (file, part) = (folder.join(&path), files::part(folder, &path));
    let unwritten = |error: io::Error| WeightsError::write(&file, &error, 0);
    let mut report = |bytes| reporter.tell(bytes, Step::Converting);
    let written = convert(checkpoint, asked.quantisation, &part, &mut report).and_then(|()| {
        (asked.load)(&part).map_err(|reason| Fault::Unusable.error(reason))?;
        let sha256 = checksum::sha256(&part).map_err(unwritten)?;
        fs::rename(&part, &file).map_err(unwritten)?;
        model.files[0].sha256 = Some(sha256.clone());
        let source = asked.path.display().to_string();
        let entry = Entry { source, sha256 };
        let receipt = Receipt {
            files: [(path, entry)].into(),
            model: Some(model.clone()),
            commit: None,
        };
        receipt.write(folder).map_err(|error| {
            // without its receipt the file is unknown to the store
            let _ = fs::remove_file(&file);
            unwritten(error)
        })
    });
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written.map(|()| model)
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
