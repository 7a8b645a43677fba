//! The store: where weights lie on this machine, and whether they are whole.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::checksum;
use super::error::{LocateError, PullError};
use super::manifest::{Kind, Manifest, Model, ModelFile};
use super::options::StoreOptions;
use super::progress::Progress;
use super::pull;
use super::receipt::Receipt;

/// The encoder that the project is calibrated for.
const ENCODER: &str = "all-MiniLM-L6-v2";

/// The first bytes of a ggml file: the number 0x67676d6c, lowest byte first.
const GGML_MAGIC: &[u8; 4] = b"lmgg";

/// The weights on this machine, and the way to more.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) manifest: Manifest,
    pub(super) options: StoreOptions,
}

/// A model that can be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    /// The program carries it.
    Embedded {
        /// The model's name.
        name: String,
    },
    /// It lies on disk.
    OnDisk {
        /// The model's name, or the file name of a path that was given.
        name: String,
        /// What it is for.
        kind: Kind,
        /// The ggml file of a speech model, the folder of an encoder.
        path: PathBuf,
        /// Who put it there.
        origin: Origin,
    },
}

/// Where a model on disk was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// At the path that was given instead of a name.
    Given,
    /// In the user's folder of models.
    ModelsDir,
    /// In the cache.
    Cache,
}

/// One line of `weir models list`.
#[derive(Debug, Clone)]
pub struct Status {
    /// What the manifest says of it.
    pub model: Model,
    /// Whether it is here.
    pub state: State,
}

/// Whether a model is on this machine. Judged by the sizes of files, so it costs nothing;
/// [`Store::verify`] reads them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// The program carries it.
    Embedded,
    /// All files are there, with the right sizes.
    Here {
        /// The file or folder to load.
        path: PathBuf,
    },
    /// A pull was begun.
    Partial {
        /// Bytes that are on disk.
        bytes: u64,
    },
    /// Nothing of it is there.
    Absent,
}

/// What [`Store::verify`] found for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file.
    pub file: PathBuf,
    /// How it is.
    pub verdict: Verdict,
}

/// How a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Its checksum is right.
    Intact,
    /// It has another size than it should.
    WrongSize {
        /// The right size in bytes.
        expected: u64,
        /// Its size.
        found: u64,
    },
    /// It has the right size and another checksum.
    WrongChecksum {
        /// The right SHA-256.
        expected: String,
        /// Its SHA-256.
        found: String,
    },
    /// Nobody knows what its checksum should be.
    Unknown {
        /// Its SHA-256.
        found: String,
    },
    /// It is not there.
    Missing,
}

impl Store {
    /// A store of the weights that come with the manifest of the program.
    pub fn new(options: StoreOptions) -> Self {
        Self::with_manifest(Manifest::builtin(), options)
    }

    /// A store with a manifest of one's own.
    pub fn with_manifest(manifest: Manifest, options: StoreOptions) -> Self {
        Self { manifest, options }
    }

    /// All known models and whether they are here, in the manifest's order.
    pub fn list(&self) -> Vec<Status> {
        let status = |model: &Model| Status {
            model: model.clone(),
            state: self.state(model),
        };
        self.manifest.models.iter().map(status).collect()
    }

    /// Finds a model by name, or checks the file or folder given instead of a name. Fetches
    /// nothing.
    ///
    /// # Errors
    /// [`LocateError`] says whether the name is unknown, the model not fetched, a file cut short,
    /// or the path not a model.
    pub fn path(&self, name: &str) -> Result<Located, LocateError> {
        match self.manifest.find(name) {
            Some(model) => self.locate(model),
            None => self.locate_path(name),
        }
    }

    /// Finds the sentence encoder. With [`LocateError::NotFetched`] memory can still run on
    /// words alone ([`WordHashEncoder`](crate::WordHashEncoder)).
    ///
    /// # Errors
    /// As [`path`](Self::path).
    pub fn locate_encoder(&self) -> Result<Located, LocateError> {
        self.path(ENCODER)
    }

    /// Fetches a model if it is not here yet, and says where it is. Resumes what an earlier pull
    /// left, waits for one that runs in another process, and calls `progress` now and then.
    ///
    /// # Errors
    /// [`PullError`]; each kind says what to do.
    pub fn pull(
        &self,
        name: &str,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Located, PullError> {
        match self.path(name) {
            Err(LocateError::NotFetched { .. } | LocateError::WrongSize { .. }) => {}
            other => return Ok(other?),
        }
        let unknown = || self.unknown(name);
        let model = self.manifest.find(name).ok_or_else(unknown)?;
        pull::pull(self, model, progress)?;
        Ok(self.locate(model)?)
    }

    /// Reads every file of a model that is here and compares checksums. Costs about 3 s for 1 GB.
    /// An embedded model has no files, so nothing to find.
    ///
    /// # Errors
    /// [`LocateError`] where the name is unknown, or nothing of the model is here.
    pub fn verify(&self, name: &str) -> Result<Vec<Finding>, LocateError> {
        let model = self.manifest.find(name).ok_or_else(|| self.unknown(name))?;
        if model.embedded {
            return Ok(Vec::new());
        }
        let here = |folder: &PathBuf| {
            model
                .files
                .iter()
                .any(|file| folder.join(&file.path).exists())
        };
        let folders = self.folders(model).into_iter().map(|(folder, _)| folder);
        let folder = folders
            .into_iter()
            .find(here)
            .ok_or_else(|| self.not_fetched(model))?;
        let receipt = Receipt::read(&folder);
        model
            .files
            .iter()
            .map(|file| judge(&folder, file, &receipt))
            .collect()
    }

    /// The folder that a pull writes into.
    pub(super) fn target(&self, model: &Model) -> Option<PathBuf> {
        let root = self.options.models_dir.clone().or_else(|| self.cache())?;
        Some(root.join(&model.name))
    }

    fn cache(&self) -> Option<PathBuf> {
        self.options
            .cache_dir
            .as_ref()
            .map(|cache| cache.join("weir").join("models"))
    }

    /// The folders that may hold the model's files, the first to be looked in first. In the
    /// user's folder a model may lie in a folder of its name or, as ggml files do, directly.
    fn folders(&self, model: &Model) -> Vec<(PathBuf, Origin)> {
        let mut folders = Vec::new();
        if let Some(given) = &self.options.models_dir {
            folders.push((given.join(&model.name), Origin::ModelsDir));
            if model.kind == Kind::Speech {
                folders.push((given.clone(), Origin::ModelsDir));
            }
        }
        folders.extend(
            self.cache()
                .map(|cache| (cache.join(&model.name), Origin::Cache)),
        );
        folders
    }

    fn locate(&self, model: &Model) -> Result<Located, LocateError> {
        let name = model.name.clone();
        if model.embedded {
            return Ok(Located::Embedded { name });
        }
        let mut wrong = None;
        for (folder, origin) in self.folders(model) {
            match first_flaw(model, &folder) {
                None => {
                    let path = load_path(model, &folder);
                    return Ok(Located::OnDisk {
                        name,
                        kind: model.kind,
                        path,
                        origin,
                    });
                }
                Some(Flaw::WrongSize {
                    file,
                    found,
                    expected,
                }) => {
                    let name = name.clone();
                    wrong.get_or_insert(LocateError::WrongSize {
                        name,
                        file,
                        found,
                        expected,
                    });
                }
                Some(Flaw::Missing) => {}
            }
        }
        Err(wrong.unwrap_or_else(|| self.not_fetched(model)))
    }

    fn locate_path(&self, given: &str) -> Result<Located, LocateError> {
        let path = PathBuf::from(given);
        let refused = |reason: &str| LocateError::NotAModel {
            path: path.clone(),
            reason: reason.to_owned(),
        };
        let about = match fs::metadata(&path) {
            Ok(about) => about,
            Err(_) if given.contains(std::path::is_separator) => {
                return Err(refused("there is nothing at this path"));
            }
            Err(_) => return Err(self.unknown(given)),
        };
        let kind = if about.is_dir() {
            kind_of_folder(&path).ok_or_else(|| refused("the folder has no config.json"))?
        } else {
            check_ggml(&path)?;
            Kind::Speech
        };
        let name = path
            .file_name()
            .map_or(given.into(), |name| name.to_string_lossy());
        Ok(Located::OnDisk {
            name: name.into_owned(),
            kind,
            path,
            origin: Origin::Given,
        })
    }

    fn state(&self, model: &Model) -> State {
        match self.locate(model) {
            Ok(Located::Embedded { .. }) => State::Embedded,
            Ok(Located::OnDisk { path, .. }) => State::Here { path },
            Err(_) => {
                let folders = self.folders(model).into_iter();
                let bytes = folders.map(|(folder, _)| bytes_begun(model, &folder)).max();
                match bytes.unwrap_or(0) {
                    0 => State::Absent,
                    bytes => State::Partial { bytes },
                }
            }
        }
    }

    pub(super) fn unknown(&self, name: &str) -> LocateError {
        let similar = self.manifest.similar(name);
        LocateError::Unknown {
            name: name.to_owned(),
            similar,
        }
    }

    fn not_fetched(&self, model: &Model) -> LocateError {
        LocateError::NotFetched {
            name: model.name.clone(),
            looked_in: self
                .folders(model)
                .into_iter()
                .map(|(folder, _)| folder)
                .collect(),
            bytes: model.bytes(),
        }
    }
}

/// Why a folder does not hold a whole model.
pub(super) enum Flaw {
    Missing,
    WrongSize {
        file: PathBuf,
        found: u64,
        expected: u64,
    },
}

/// The first reason why `folder` does not hold the whole model; none when it does.
pub(super) fn first_flaw(model: &Model, folder: &Path) -> Option<Flaw> {
    model.files.iter().find_map(|file| {
        let path = folder.join(&file.path);
        match fs::metadata(&path) {
            Ok(about) if about.is_file() && about.len() == file.bytes => None,
            Ok(about) if about.is_file() => {
                let (found, expected) = (about.len(), file.bytes);
                Some(Flaw::WrongSize {
                    file: path,
                    found,
                    expected,
                })
            }
            _ => Some(Flaw::Missing),
        }
    })
}

/// A folder of a GGUF file is a generator, one with settings an encoder.
fn kind_of_folder(folder: &Path) -> Option<Kind> {
    if folder.join("config.json").is_file() || folder.join("modules.json").is_file() {
        return Some(Kind::Encoder);
    }
    let is_gguf = |path: PathBuf| path.extension().is_some_and(|end| end == "gguf");
    let mut files = fs::read_dir(folder).into_iter().flatten().flatten();
    let found = files.any(|file| is_gguf(file.path()));
    found.then_some(Kind::Generator)
}

fn load_path(model: &Model, folder: &Path) -> PathBuf {
    match (model.kind, model.files.first()) {
        (Kind::Speech, Some(file)) => folder.join(&file.path),
        _ => folder.to_owned(),
    }
}

fn bytes_begun(model: &Model, folder: &Path) -> u64 {
    let size = |path: PathBuf| fs::metadata(path).map_or(0, |about| about.len());
    let of = |file: &ModelFile| {
        size(folder.join(&file.path)) + size(folder.join(format!("{}.part", file.path)))
    };
    model.files.iter().map(of).sum()
}

fn judge(folder: &Path, file: &ModelFile, receipt: &Receipt) -> Result<Finding, LocateError> {
    let path = folder.join(&file.path);
    let verdict = match fs::metadata(&path) {
        Err(_) => Verdict::Missing,
        Ok(about) if about.len() != file.bytes => Verdict::WrongSize {
            expected: file.bytes,
            found: about.len(),
        },
        Ok(_) => {
            let found = checksum::sha256(&path).map_err(|source| LocateError::Read {
                path: path.clone(),
                source,
            })?;
            let remembered = || {
                receipt
                    .files
                    .get(&file.path)
                    .map(|entry| entry.sha256.clone())
            };
            match file.sha256.clone().or_else(remembered) {
                Some(expected) if expected == found => Verdict::Intact,
                Some(expected) => Verdict::WrongChecksum { expected, found },
                None => Verdict::Unknown { found },
            }
        }
    };
    Ok(Finding {
        file: path,
        verdict,
    })
}

fn check_ggml(path: &Path) -> Result<(), LocateError> {
    let mut magic = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    let reason = match read {
        Ok(()) if &magic == GGML_MAGIC => return Ok(()),
        Ok(()) => format!(
            "it begins with {:?}, a ggml file with \"lmgg\"",
            magic.escape_ascii()
        ),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            "it is shorter than four bytes".to_owned()
        }
        Err(source) => {
            return Err(LocateError::Read {
                path: path.to_owned(),
                source,
            });
        }
    };
    Err(LocateError::NotAModel {
        path: path.to_owned(),
        reason,
    })
}
