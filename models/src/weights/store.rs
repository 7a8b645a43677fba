//! The store: finds weights on this machine and checks whether they are complete.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::error::{WeightsError, WeightsErrorKind as Fault};
use super::files;
use super::kind;
use super::manifest::{Kind, Manifest, Model};
use super::options::StoreOptions;
use super::receipt::Receipt;
use super::report::{Finding, Located, Origin, State, Status};
use super::wanted::ENTRIES_MAX;
use crate::whisper;

/// The first bytes of a ggml file: the number 0x67676d6c, little-endian.
const GGML_MAGIC: &[u8; 4] = b"lmgg";

/// The first bytes of a GGUF file.
const GGUF_MAGIC: &[u8; 4] = b"GGUF";

/// The width of Whisper base.
const BASE_WIDTH: u32 = 512;

/// Which talk speech models are wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeechLanguages {
    /// English: every model knows it.
    English,
    /// Other languages: multilingual models alone.
    Many,
}

/// The weights on this machine; [`pull`](Self::pull) and [`import`](Self::import) add more.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) manifest: Manifest,
    pub(super) options: StoreOptions,
}

impl Store {
    /// A store with the manifest of this crate.
    pub fn new(options: StoreOptions) -> Self {
        Self::with_manifest(Manifest::builtin(), options)
    }

    /// A store with another manifest.
    pub fn with_manifest(manifest: Manifest, options: StoreOptions) -> Self {
        Self { manifest, options }
    }

    /// Where it looks and what it may fetch.
    #[must_use]
    pub fn options(&self) -> &StoreOptions {
        &self.options
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
        let models = self.manifest.models.iter().chain(&pulled);
        models.map(status).collect()
    }

    /// Finds a model by name, or checks a file or folder given instead of a name. Downloads
    /// nothing.
    ///
    /// # Errors
    /// [`WeightsError`] if the name is unknown, the model is not on this machine, a file is
    /// truncated, or the path is not a model.
    pub fn path(&self, name: &str) -> Result<Located, WeightsError> {
        match self.known(name) {
            Some(model) => self.locate(&model),
            None => self.locate_path(name),
        }
    }

    /// The source of the first file of a local model, from its receipt.
    pub fn came_from(&self, name: &str) -> Option<String> {
        let model = self.known(name)?;
        let receipts = self.folders(&model).into_iter();
        let mut receipts = receipts.map(|(folder, _)| Receipt::read(&folder));
        receipts.find_map(|receipt| Some(receipt.files.into_values().next()?.source))
    }

    /// The local speech models, best first: by larger Whisper, then the user's own, then English
    /// only, then less quantised. For English, multilingual models of the width of base or less
    /// come after all that know English alone: base makes as many errors there as tiny.en, in more
    /// time. Reads the header of each file.
    #[must_use]
    pub fn speech_models(&self, languages: SpeechLanguages) -> Vec<Located> {
        let mut ranked = Vec::new();
        let listed = self.list().into_iter();
        for status in listed.filter(|status| status.model.kind == Kind::Speech) {
            let model = &status.model;
            let size = match &status.state {
                State::Embedded => model.embedded,
                // an unreadable model gives its error when it is requested by name
                State::Here { path } => whisper::size(path).ok(),
                State::Partial { .. } | State::Absent => None,
            };
            let (Some(size), Ok(located)) = (size, self.locate(model)) else {
                continue;
            };
            if languages == SpeechLanguages::English || size.multilingual {
                let is_behind = size.multilingual && size.width <= BASE_WIDTH;
                let capacity = (!is_behind, size.width, size.layers);
                let rank = (
                    capacity,
                    model.is_imported(),
                    !size.multilingual,
                    status.bytes,
                );
                ranked.push((rank, located));
            }
        }
        ranked.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        ranked.into_iter().map(|(_, located)| located).collect()
    }

    /// Reads every file of a local model and compares checksums. Costs about 3 s for 1 GB. For an
    /// embedded model, which needs no files, the result is empty.
    ///
    /// # Errors
    /// [`WeightsError`] if the name is unknown, or no file of the model exists.
    pub fn verify(&self, name: &str) -> Result<Vec<Finding>, WeightsError> {
        let model = self.known(name).ok_or_else(|| self.unknown(name))?;
        if model.embedded.is_some() {
            return Ok(Vec::new());
        }
        for (folder, _) in self.folders(&model) {
            let files = files::files(&model, &folder).unwrap_or_default();
            if files.iter().any(|file| folder.join(&file.path).exists()) {
                let receipt = Receipt::read(&folder);
                let verify = |file| files::verify(&folder, file, &receipt);
                return files.iter().map(verify).collect();
            }
        }
        Err(self.not_fetched(&model))
    }

    /// The model of a name, or of its address.
    #[must_use]
    pub fn known(&self, name: &str) -> Option<Model> {
        // one repository may hold many models; the name identifies one
        let last = name.rsplit('/').next().unwrap_or(name);
        let found = self.manifest.find(last);
        if let Some(model) = found.filter(|model| last == name || model.is_at(name)) {
            return Some(model.clone());
        }
        let is_it = |model: &Model| model.name.eq_ignore_ascii_case(name) || model.is_at(name);
        self.pulled().into_iter().find(is_it)
    }

    /// The models that were pulled by address or imported, by name, as described in their receipts.
    fn pulled(&self) -> Vec<Model> {
        let mut models: Vec<Model> = Vec::new();
        let roots = [self.options.models_dir.clone(), self.options.cache()];
        for root in roots.into_iter().flatten() {
            let entries = fs::read_dir(root).into_iter().flatten().flatten();
            for entry in entries.take(ENTRIES_MAX) {
                let Some(model) = Receipt::read(&entry.path()).model else {
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
        let mut folders = self.folders(model).into_iter();
        let files = match model.listed {
            true => folders.find_map(|(folder, _)| files::files(model, &folder))?,
            false => model.files.clone(),
        };
        Some(files.iter().map(|file| file.bytes).sum())
    }

    /// The target folder of a pull.
    pub(super) fn target(&self, model: &Model) -> Result<PathBuf, WeightsError> {
        let root = self.options.target().ok_or_else(WeightsError::no_folder)?;
        Ok(root.join(&model.name))
    }

    /// The same, if downloads are allowed; `asked` is the model's name as the user gave it.
    pub(super) fn target_online(
        &self,
        model: &Model,
        asked: &str,
    ) -> Result<PathBuf, WeightsError> {
        let folder = self.target(model)?;
        if !self.options.offline {
            return Ok(folder);
        }
        let message = format!(
            "model {asked} is not on this machine and fetching is switched off; fetch it with a \
             network, or copy its files to {}",
            folder.display()
        );
        Err(Fault::Offline.error(message).about(asked))
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
        let cache = self.options.cache();
        folders.extend(cache.map(|cache| (cache.join(&model.name), Origin::Cache)));
        folders
    }

    pub(super) fn locate(&self, model: &Model) -> Result<Located, WeightsError> {
        let name = model.name.clone();
        if model.embedded.is_some() {
            return Ok(Located::Embedded { name });
        }
        let mut wrong = None;
        for (folder, origin) in self.folders(model) {
            match files::check(model, &folder) {
                Ok(()) => {
                    return Ok(Located::OnDisk {
                        name,
                        kind: model.kind,
                        path: files::load_path(model, &folder),
                        origin,
                    });
                }
                Err(flaw) => wrong = wrong.or(flaw),
            }
        }
        Err(wrong.unwrap_or_else(|| self.not_fetched(model)))
    }

    fn locate_path(&self, given: &str) -> Result<Located, WeightsError> {
        let path = PathBuf::from(given);
        let is_dir = match fs::metadata(&path) {
            Ok(about) => about.is_dir(),
            Err(_) if given.contains(std::path::is_separator) => {
                let reason = "there is nothing at this path, and no repository of the hub is here \
                              under this address";
                return Err(not_a_model(&path, reason));
            }
            Err(_) => return Err(self.unknown(given)),
        };
        let kind = if is_dir {
            let reason = "the folder has no config.json or .gguf";
            kind::of_folder(&path).ok_or_else(|| not_a_model(&path, reason))?
        } else if kind::is_gguf(given) {
            check_magic(&path, GGUF_MAGIC, "a GGUF file")?;
            Kind::Generator
        } else {
            check_magic(&path, GGML_MAGIC, "a ggml file")?;
            Kind::Speech
        };
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        Ok(Located::OnDisk {
            name: name.unwrap_or_else(|| given.to_owned()),
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
                let bytes = folders.map(|(folder, _)| files::bytes_begun(model, &folder));
                match bytes.max() {
                    None | Some(0) => State::Absent,
                    Some(bytes) => State::Partial { bytes },
                }
            }
        }
    }

    pub(super) fn unknown(&self, name: &str) -> WeightsError {
        let did_you_mean = match self.manifest.similar(name).join(", ") {
            none if none.is_empty() => none,
            names => format!(" (did you mean {names}?)"),
        };
        let message = format!("{name:?} is neither a known model nor a file{did_you_mean}");
        Fault::Unknown.error(message)
    }

    fn not_fetched(&self, model: &Model) -> WeightsError {
        let name = &model.name;
        let folders = self.folders(model).into_iter();
        let folders: Vec<String> = folders.map(|(at, _)| at.display().to_string()).collect();
        let looked_in = match folders.is_empty() {
            true => "no folder: HOME is not set".to_owned(),
            false => folders.join(", "),
        };
        let size = self.bytes(model).map(|bytes| bytes.div_ceil(1_000_000));
        let size = size
            .map(|size| format!(" of {size} MB"))
            .unwrap_or_default();
        let message = format!("model {name}{size} is not on this machine (looked in {looked_in})");
        Fault::NotFetched.error(message).about(name)
    }
}

fn not_a_model(path: &Path, reason: &str) -> WeightsError {
    Fault::NotAModel.error(format!("{} is not a model: {reason}", path.display()))
}

fn check_magic(path: &Path, expected: &[u8; 4], what: &str) -> Result<(), WeightsError> {
    let mut magic = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    match read {
        Ok(()) if &magic == expected => Ok(()),
        Ok(()) => {
            let (found, expected) = (magic.escape_ascii(), expected.escape_ascii());
            let reason = format!("it begins with \"{found}\", {what} with \"{expected}\"");
            Err(not_a_model(path, &reason))
        }
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            Err(not_a_model(path, "it is shorter than four bytes"))
        }
        Err(error) => Err(WeightsError::read(path, &error)),
    }
}
