//! Converts a Whisper checkpoint to a local speech model.
//!
//! Invariant: a model's file and its receipt both exist, or neither; a failed import leaves the
//! folder unchanged.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::LocateError;
use super::found::Located;
use super::manifest::is_name;
use super::progress::{Progress, Step};
use super::pull::OnProgress;
use super::receipt::{Entry, Imported, Receipt};
use super::store::Store;
use super::wanted::{LOCK, RECEIPT};
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
}

/// Why an import failed. It leaves no files.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The checkpoint is invalid, or writing the file failed.
    #[error(transparent)]
    Convert(#[from] ConvertError),
    /// The name is invalid.
    #[error(
        "{name:?} cannot be the name of a model: names have 1 to 128 of a-z, A-Z, 0-9, '.', '-', \
         '_' and do not begin with a dot; give one with --name NAME"
    )]
    Name {
        /// The name given, or derived from the path.
        name: String,
    },
    /// The name is taken.
    #[error("{name} is the name of {by} here; {advice}")]
    Taken {
        /// The name.
        name: String,
        /// The model or folder with this name.
        by: String,
        /// Advice.
        advice: &'static str,
    },
    /// There is no folder for models.
    #[error(
        "there is no folder to keep models in: HOME and XDG_CACHE_HOME are not set; give one \
         with --models DIR or WEIR_MODELS"
    )]
    NoFolder,
    /// Another process writes to the folder.
    #[error("another process writes to {} now; run the command again later", folder.display())]
    Busy {
        /// The model's folder.
        folder: PathBuf,
    },
    /// The file system returned an error.
    #[error("{} cannot be written: {source}; check its permissions", path.display())]
    Write {
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It was written but cannot be found.
    #[error(transparent)]
    Locate(#[from] LocateError),
}

impl Store {
    /// Converts a Whisper checkpoint to a ggml file, and stores it as a speech model under its own
    /// name. It is written as a `.part` and renamed when complete.
    ///
    /// # Errors
    /// [`ImportError`]; each variant gives advice. No files are left then.
    pub fn import(
        &self,
        asked: &Import<'_>,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Located, ImportError> {
        by_checkpoint(self, asked, progress)
    }
}

/// Converts, checks, and renames.
fn by_checkpoint(
    store: &Store,
    asked: &Import<'_>,
    progress: OnProgress<'_>,
) -> Result<Located, ImportError> {
    let name = name(asked)?;
    check_free(store, &name)?;
    let root = store.root().ok_or(ImportError::NoFolder)?;
    let folder = root.join(&name);
    check_folder(&folder, &name, asked.replace)?;
    let checkpoint = Checkpoint::open(asked.path)?;
    checkpoint.check(asked.quantisation)?;
    let had_folder = folder.is_dir();
    let place = Place {
        name: &name,
        folder: &folder,
    };
    let made = place.make(asked, &checkpoint, progress);
    if made.is_err() && !had_folder {
        let _ = fs::remove_file(folder.join(LOCK));
        // Removes the folder only if it is empty.
        let _ = fs::remove_dir(&folder);
    }
    Ok(store.locate(&made?.model())?)
}

/// The given name, or the one derived from the path.
fn name(asked: &Import<'_>) -> Result<String, ImportError> {
    let suggested = || {
        // So that `.` has a name.
        let whole = fs::canonicalize(asked.path).unwrap_or_else(|_| asked.path.to_owned());
        let last = whole.file_name().unwrap_or_default().to_string_lossy();
        match (whole.is_file(), last.strip_suffix(".bin")) {
            (true, Some(stem)) => stem.strip_prefix("ggml-").unwrap_or(stem).to_owned(),
            _ => last.into_owned(),
        }
    };
    let name = asked.name.map_or_else(suggested, str::to_owned);
    match is_name(&name) {
        true => Ok(name),
        false => Err(ImportError::Name { name }),
    }
}

/// Refuses the names of the manifest.
fn check_free(store: &Store, name: &str) -> Result<(), ImportError> {
    let Some(known) = store.manifest.find(name) else {
        return Ok(());
    };
    Err(ImportError::Taken {
        name: name.to_owned(),
        by: format!("{}, a model of `weir models list`", known.name),
        advice: "give another one with --name NAME",
    })
}

/// Refuses a folder with files other than the one to be replaced.
fn check_folder(folder: &Path, name: &str, replace: bool) -> Result<(), ImportError> {
    let taken = |by: &str, advice| {
        Err(ImportError::Taken {
            name: name.to_owned(),
            by: format!("{by} ({})", folder.display()),
            advice,
        })
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_ours = |entry: &fs::DirEntry| entry.file_name() == LOCK;
    let receipt = Receipt::read(folder);
    match &receipt.imported {
        Some(held) if folder.join(&held.path).exists() && !replace => taken(
            "an imported model",
            "replace it with --replace, or give another name with --name NAME",
        ),
        Some(_) => Ok(()),
        None if entries.filter(|entry| !is_ours(entry)).count() > 0 => taken(
            "another model, or of something else,",
            "remove that, or give another name with --name NAME",
        ),
        None => Ok(()),
    }
}

struct Place<'a> {
    name: &'a str,
    folder: &'a Path,
}

impl Place<'_> {
    fn make(
        &self,
        asked: &Import<'_>,
        checkpoint: &Checkpoint,
        progress: OnProgress<'_>,
    ) -> Result<Imported, ImportError> {
        fs::create_dir_all(self.folder).map_err(write_error(self.folder))?;
        let lock_file = self.folder.join(LOCK);
        let lock = File::create(&lock_file).map_err(write_error(&lock_file))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let folder = self.folder.to_owned();
                return Err(ImportError::Busy { folder });
            }
            Err(TryLockError::Error(source)) => return Err(write_error(&lock_file)(source)),
        }
        let path = format!("ggml-{}.bin", self.name);
        let part = self.folder.join(format!("{path}.part"));
        let whole = self
            .write(asked, checkpoint, &part, progress)
            .and_then(|sha256| {
                let imported = self.imported(asked, checkpoint, path, sha256);
                let file = self.folder.join(&imported.path);
                fs::rename(&part, &file).map_err(write_error(&part))?;
                let remembered = self.remember(asked, &imported);
                if remembered.is_err() {
                    // Without its receipt the file is unknown to the store.
                    let _ = fs::remove_file(&file);
                }
                remembered.map(|()| imported)
            });
        if whole.is_err() {
            let _ = fs::remove_file(&part);
        }
        whole
    }

    /// Writes the part file and returns its SHA-256.
    fn write(
        &self,
        asked: &Import<'_>,
        checkpoint: &Checkpoint,
        part: &Path,
        progress: OnProgress<'_>,
    ) -> Result<String, ImportError> {
        let file = File::create(part).map_err(write_error(part))?;
        let mut out = Hashed {
            out: BufWriter::new(file),
            hasher: Sha256::new(),
        };
        let bytes_total = checkpoint.bytes(asked.quantisation);
        let mut report = |bytes_done| {
            progress(Progress {
                model: self.name,
                file: "",
                bytes_done,
                bytes_total,
                step: Step::Converting,
            });
        };
        checkpoint.write(asked.quantisation, &mut out, &mut report)?;
        let file = out.out.into_inner();
        let file = file.map_err(|error| write_error(part)(error.into_error()))?;
        file.sync_all().map_err(write_error(part))?;
        let sum = out.hasher.finalize();
        Ok(sum.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn imported(
        &self,
        asked: &Import<'_>,
        checkpoint: &Checkpoint,
        path: String,
        sha256: String,
    ) -> Imported {
        let language = match checkpoint.is_multilingual() {
            true => "multilingual",
            false => "en",
        };
        let quantised = asked.quantisation.map_or_else(String::new, |kind| {
            format!(", quantised to {}", kind.name())
        });
        Imported {
            name: self.name.to_owned(),
            languages: vec![language.to_owned()],
            note: format!("Imported from a {}{quantised}.", checkpoint.title()),
            path,
            bytes: checkpoint.bytes(asked.quantisation),
            sha256,
        }
    }

    fn remember(&self, asked: &Import<'_>, imported: &Imported) -> Result<(), ImportError> {
        let mut receipt = Receipt::default();
        let entry = Entry {
            source: asked.path.display().to_string(),
            sha256: imported.sha256.clone(),
            bytes: imported.bytes,
            checked_against: "nothing".to_owned(),
        };
        receipt.files.insert(imported.path.clone(), entry);
        receipt.imported = Some(imported.clone());
        let file = self.folder.join(RECEIPT);
        receipt.write(self.folder).map_err(write_error(&file))
    }
}

/// Computes the checksum of the bytes written through it.
struct Hashed<W> {
    out: W,
    hasher: Sha256,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn write_error(path: &Path) -> impl Fn(io::Error) -> ImportError {
    move |source| ImportError::Write {
        path: path.to_owned(),
        source,
    }
}
