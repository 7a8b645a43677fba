//! The store: finds weights on this machine and checks whether they are complete.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::LocateError;
use super::found::{Finding, Located, Origin, State, Status};
use super::held::{self, Flaw, bytes_begun, first_flaw, judge, load_path};
use super::kind;
use super::manifest::{EncoderPrompts, Kind, Manifest, Model, Source};
use super::options::StoreOptions;
use super::progress::{Progress, Step};
use super::receipt::Receipt;
use super::repository::Repository;

/// The encoder that the project is calibrated for.
const ENCODER: &str = "all-MiniLM-L6-v2";

/// The first bytes of a ggml file: the number 0x67676d6c, little-endian.
const GGML_MAGIC: &[u8; 4] = b"lmgg";

/// The first bytes of a GGUF file.
const GGUF_MAGIC: &[u8; 4] = b"GGUF";

/// Search depth for models that were pulled by address.
const ENTRIES_MAX: usize = 2000;

/// The weights on this machine; [`pull`](Self::pull) and [`import`](Self::import) add more.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) manifest: Manifest,
    pub(super) options: StoreOptions,
    /// Whether the warning about the withheld token was given; clones share it.
    is_told: Arc<AtomicBool>,
}

impl Store {
    /// A store with the manifest of this crate.
    pub fn new(options: StoreOptions) -> Self {
        Self::with_manifest(Manifest::builtin(), options)
    }

    /// A store with another manifest.
    pub fn with_manifest(manifest: Manifest, options: StoreOptions) -> Self {
        Self {
            manifest,
            options,
            is_told: Arc::default(),
        }
    }

    /// All known models and their state: those of the manifest in its order, then those pulled by
    /// address or imported, by name.
    pub fn list(&self) -> Vec<Status> {
        let status = |model: &Model| Status {
            model: model.clone(),
            state: self.state(model),
            bytes: self.bytes(model),
        };
        let pulled = self.pulled();
        self.manifest
            .models
            .iter()
            .chain(&pulled)
            .map(status)
            .collect()
    }

    /// Finds a model by name, or checks a file or folder given instead of a name. Downloads
    /// nothing.
    ///
    /// # Errors
    /// [`LocateError`] if the name is unknown, the model is not on this machine, a file is
    /// truncated, or the path is not a model.
    pub fn path(&self, name: &str) -> Result<Located, LocateError> {
        match self.known(name) {
            Some(model) => self.locate(&model),
            None => self.locate_path(name),
        }
    }

    /// Finds the sentence encoder. After [`LocateError::NotFetched`] the memory can still work with
    /// [`WordHashEncoder`](crate::WordHashEncoder).
    ///
    /// # Errors
    /// As for [`path`](Self::path).
    pub fn locate_encoder(&self) -> Result<Located, LocateError> {
        self.path(ENCODER)
    }

    /// The prompts of an encoder in the manifest.
    pub fn prompts(&self, name: &str) -> Option<EncoderPrompts> {
        self.known(name)?.prompts
    }

    /// The source of the first file of a local model, from its receipt.
    pub fn came_from(&self, name: &str) -> Option<String> {
        let model = self.known(name)?;
        let receipts = self.folders(&model).into_iter();
        let mut receipts = receipts.map(|(folder, _)| Receipt::read(&folder));
        receipts.find_map(|receipt| Some(receipt.files.into_values().next()?.source))
    }

    /// The licence of a known model, an SPDX expression or `unknown`.
    pub fn licence(&self, name: &str) -> Option<String> {
        Some(self.known(name)?.licence)
    }

    /// Reads every file of a local model and compares checksums. Costs about 3 s for 1 GB. For an
    /// embedded model, which needs no files, the result is empty.
    ///
    /// # Errors
    /// [`LocateError`] if the name is unknown, or no file of the model exists.
    pub fn verify(&self, name: &str) -> Result<Vec<Finding>, LocateError> {
        let model = self.known(name).ok_or_else(|| self.unknown(name))?;
        if model.embedded.is_some() {
            return Ok(Vec::new());
        }
        for (folder, _) in self.folders(&model) {
            let files = held::files(&model, &folder).unwrap_or_default();
            if files.iter().any(|file| folder.join(&file.path).exists()) {
                let receipt = Receipt::read(&folder);
                return files
                    .iter()
                    .map(|file| judge(&folder, file, &receipt))
                    .collect();
            }
        }
        Err(self.not_fetched(&model))
    }

    /// Warns once if the token is not sent to the hub.
    pub(super) fn tell_of_token(&self, model: &str, progress: &mut dyn FnMut(Progress<'_>)) {
        if !self.options.withholds_token() || self.is_told.swap(true, Ordering::Relaxed) {
            return;
        }
        progress(Progress {
            model,
            file: "",
            bytes_done: 0,
            bytes_total: 0,
            step: Step::TokenWithheld {
                hub: &self.options.hub_url,
            },
        });
    }

    /// The model of a name, or of its address.
    pub(super) fn known(&self, name: &str) -> Option<Model> {
        if let Some(model) = self.manifest.find(name) {
            return Some(model.clone());
        }
        let is_at = |model: &Model, address: &str| {
            let mut hubs = model.sources.iter().filter_map(Source::hub);
            hubs.any(|hub| hub.eq_ignore_ascii_case(address))
        };
        if let Some((_, last)) = name.split_once('/') {
            // One repository may hold many models; the name identifies one.
            let known = self.manifest.find(last).filter(|model| is_at(model, name));
            if known.is_some() {
                return known.cloned();
            }
        }
        let is_it = |model: &Model| model.name.eq_ignore_ascii_case(name) || is_at(model, name);
        self.pulled().into_iter().find(is_it)
    }

    /// The models that were pulled by address or imported, by name, as described in their receipts.
    fn pulled(&self) -> Vec<Model> {
        let mut models: Vec<Model> = Vec::new();
        let roots = [self.options.models_dir.clone(), self.cache()];
        for root in roots.into_iter().flatten() {
            let entries = fs::read_dir(root).into_iter().flatten().flatten();
            for entry in entries.take(ENTRIES_MAX) {
                let receipt = Receipt::read(&entry.path());
                let imported = receipt.imported.map(|imported| imported.model());
                let listed = || receipt.listed.map(|listed| listed.model());
                let Some(model) = imported.or_else(listed) else {
                    continue;
                };
                let is_here = entry.file_name().to_str() == Some(model.name.as_str());
                let is_new = models.iter().all(|other| other.name != model.name);
                if is_here && is_new && self.manifest.find(&model.name).is_none() {
                    models.push(model);
                }
            }
        }
        models.sort_by(|a, b| a.name.cmp(&b.name));
        models
    }

    /// The total size of a model's files, if known.
    fn bytes(&self, model: &Model) -> Option<u64> {
        let of = |folder: PathBuf| held::files(model, &folder);
        let files = match model.listed {
            true => self
                .folders(model)
                .into_iter()
                .find_map(|(folder, _)| of(folder))?,
            false => model.files.clone(),
        };
        Some(files.iter().map(|file| file.bytes).sum())
    }

    /// The target folder of a pull.
    pub(super) fn target(&self, model: &Model) -> Option<PathBuf> {
        Some(self.root()?.join(&model.name))
    }

    /// The parent folder for models.
    pub(super) fn root(&self) -> Option<PathBuf> {
        self.options.models_dir.clone().or_else(|| self.cache())
    }

    fn cache(&self) -> Option<PathBuf> {
        self.options
            .cache_dir
            .as_ref()
            .map(|cache| cache.join("weir").join("models"))
    }

    /// The folders that may hold the model's files, in search order. In the user's folder a model
    /// may be in a folder of its name or, like ggml files, directly.
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

    pub(super) fn locate(&self, model: &Model) -> Result<Located, LocateError> {
        let name = model.name.clone();
        if model.embedded.is_some() {
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
                return Err(refused(if Repository::is_meant(given) {
                    "there is nothing at this path; a repository of the hub is fetched with \
                     `weir models pull` first"
                } else {
                    "there is nothing at this path"
                }));
            }
            Err(_) => return Err(self.unknown(given)),
        };
        let kind = if about.is_dir() {
            let reason = "the folder has no config.json, gliner_config.json or .gguf";
            kind::of_folder(&path).ok_or_else(|| refused(reason))?
        } else if kind::is_gguf(given) {
            check_magic(&path, GGUF_MAGIC, "a GGUF file")?;
            Kind::Generator
        } else {
            check_magic(&path, GGML_MAGIC, "a ggml file")?;
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
            bytes: self.bytes(model),
        }
    }
}

fn check_magic(path: &Path, expected: &[u8; 4], what: &str) -> Result<(), LocateError> {
    let mut magic = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    let reason = match read {
        Ok(()) if &magic == expected => return Ok(()),
        Ok(()) => format!(
            "it begins with {:?}, {what} with {:?}",
            magic.escape_ascii().to_string(),
            expected.escape_ascii().to_string()
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
