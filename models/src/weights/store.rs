//! The store: finds weights on this machine and checks whether they are complete.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::{WeightsError, WeightsErrorKind};
use super::files;
use super::kind;
use super::manifest::{EncoderPrompts, Kind, Manifest, Model};
use super::options::StoreOptions;
use super::receipt::Receipt;
use super::report::{Finding, Located, OnProgress, Origin, Progress, State, Status, Step};
use super::wanted::is_address;
use crate::whisper;

/// The encoder that the project is calibrated for.
const ENCODER: &str = "all-MiniLM-L6-v2";

/// The first bytes of a ggml file: the number 0x67676d6c, little-endian.
const GGML_MAGIC: &[u8; 4] = b"lmgg";

/// The first bytes of a GGUF file.
const GGUF_MAGIC: &[u8; 4] = b"GGUF";

/// The width of Whisper base.
const BASE_WIDTH: u32 = 512;

/// Search depth for models that were pulled by address.
const ENTRIES_MAX: usize = 2000;

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
    /// [`WeightsError`] if the name is unknown, the model is not on this machine, a file is
    /// truncated, or the path is not a model.
    pub fn path(&self, name: &str) -> Result<Located, WeightsError> {
        match self.known(name) {
            Some(model) => self.locate(&model),
            None => self.locate_path(name),
        }
    }

    /// Finds the sentence encoder. If it is not fetched, the memory can still work with
    /// [`WordHashEncoder`](crate::WordHashEncoder).
    ///
    /// # Errors
    /// As for [`path`](Self::path).
    pub fn locate_encoder(&self) -> Result<Located, WeightsError> {
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

    /// The local speech models, best first: by larger Whisper, then the user's own, then English
    /// only, then less quantised. For English, multilingual models of the width of base or less
    /// come after all that know English alone: base makes as many errors there as tiny.en, in more
    /// time. Reads the header of each file.
    #[must_use]
    pub fn speech_models(&self, languages: SpeechLanguages) -> Vec<Located> {
        let mut ranked = Vec::new();
        for Status {
            model,
            state,
            bytes,
        } in self.list()
        {
            if model.kind != Kind::Speech {
                continue;
            }
            let size = match state {
                State::Embedded => model.embedded,
                // an unreadable model gives its error when it is requested by name
                State::Here { path } => whisper::size(&path).ok(),
                State::Partial { .. } | State::Absent => None,
            };
            let (Some(size), Ok(located)) = (size, self.locate(&model)) else {
                continue;
            };
            if languages == SpeechLanguages::English || size.multilingual {
                let is_behind = size.multilingual && size.width <= BASE_WIDTH;
                let capacity = (!is_behind, size.width, size.layers);
                let rank = (capacity, model.is_imported(), !size.multilingual, bytes);
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

    /// Warns once if the token is not sent to the hub.
    pub(super) fn tell_of_token(&self, model: &str, progress: OnProgress<'_>) {
        let hub = &self.options.hub_url;
        let is_withheld = self.options.hub_token.is_some() && self.options.token_for(hub).is_none();
        if is_withheld && !self.is_told.swap(true, Ordering::Relaxed) {
            progress(Progress::of(model, Step::TokenWithheld { hub }));
        }
    }

    /// The model of a name, or of its address.
    pub(super) fn known(&self, name: &str) -> Option<Model> {
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
        let roots = [self.options.models_dir.clone(), self.cache()];
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
    pub(super) fn target(&self, model: &Model) -> Option<PathBuf> {
        Some(self.root()?.join(&model.name))
    }

    /// The same, if downloads are allowed; `asked` is the model's name as the user gave it.
    pub(super) fn target_online(
        &self,
        model: &Model,
        asked: &str,
    ) -> Result<PathBuf, WeightsError> {
        let folder = self.target(model).ok_or_else(WeightsError::no_folder)?;
        if !self.options.offline {
            return Ok(folder);
        }
        let message = format!(
            "model {asked} is not on this machine and fetching is switched off; run \
             `weir models pull {asked}` without --offline and WEIR_OFFLINE, or copy its files to \
             {}",
            folder.display()
        );
        Err(WeightsError::new(WeightsErrorKind::Offline, message))
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
        let refused = |reason: &str| WeightsError::not_a_model(&path, reason);
        let about = match fs::metadata(&path) {
            Ok(about) => about,
            Err(_) if given.contains(std::path::is_separator) => {
                return Err(refused(if is_address(given) {
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
                let bytes = folders
                    .map(|(folder, _)| files::bytes_begun(model, &folder))
                    .max();
                match bytes.unwrap_or(0) {
                    0 => State::Absent,
                    bytes => State::Partial { bytes },
                }
            }
        }
    }

    pub(super) fn unknown(&self, name: &str) -> WeightsError {
        let similar = self.manifest.similar(name);
        let did_you_mean = match similar.is_empty() {
            true => String::new(),
            false => format!(" (did you mean {}?)", similar.join(", ")),
        };
        let message = format!(
            "{name:?} is neither a known model nor a file{did_you_mean}; `weir models list` shows \
             the names"
        );
        WeightsError::new(WeightsErrorKind::Request, message)
    }

    fn not_fetched(&self, model: &Model) -> WeightsError {
        let name = &model.name;
        let folders = self.folders(model).into_iter();
        let folders: Vec<String> = folders.map(|(at, _)| at.display().to_string()).collect();
        let looked_in = match folders.is_empty() {
            true => "no folder: HOME is not set".to_owned(),
            false => folders.join(", "),
        };
        let bytes = self.bytes(model);
        let size = bytes.map(|bytes| format!(" ({} MB)", bytes.div_ceil(1_000_000)));
        let message = format!(
            "model {name} is not on this machine (looked in {looked_in}); `weir models pull \
             {name}` fetches it{}",
            size.unwrap_or_default()
        );
        WeightsError::new(WeightsErrorKind::NotFetched, message)
    }
}

fn check_magic(path: &Path, expected: &[u8; 4], what: &str) -> Result<(), WeightsError> {
    let mut magic = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    let reason = match read {
        Ok(()) if &magic == expected => return Ok(()),
        Ok(()) => {
            let (found, expected) = (magic.escape_ascii(), expected.escape_ascii());
            format!("it begins with \"{found}\", {what} with \"{expected}\"")
        }
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            "it is shorter than four bytes".to_owned()
        }
        Err(error) => return Err(WeightsError::read(path, &error)),
    };
    Err(WeightsError::not_a_model(path, &reason))
}
