//! Finds models and loads them into a pool.

use crate::built_in;
use crate::error::LoadingError;
use crate::pool::{Key, ModelPool};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_models::weights::{Kind, Located, Manifest, Store, StoreOptions};
use weir_models::{
    CrossEncoder, DeviceChoice, EntailmentModel, Generator, GeneratorOptions, LoadError,
    SentenceEncoder, SpeakerEncoder, SpeechSegmentation, T5Summariser,
};

/// Finds models in the folders of this machine and loads them onto a device, into a pool.
#[derive(Clone)]
pub struct Loader {
    pub(crate) store: Store,
    pub(crate) device: DeviceChoice,
    pub(crate) pool: Arc<ModelPool>,
}

impl Loader {
    /// A loader of the models in these folders, and of those inside the program.
    #[must_use]
    pub fn new(folders: StoreOptions, device: DeviceChoice, pool: Arc<ModelPool>) -> Self {
        let mut manifest = Manifest::builtin();
        built_in::embed(&mut manifest);
        Self {
            store: Store::with_manifest(manifest, folders),
            device,
            pool,
        }
    }

    /// The models that are known, and their files.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The file or folder of a model given by path or by name; `what` says what it is for.
    pub(crate) fn find(
        &self,
        name: &str,
        wanted: Kind,
        what: &str,
    ) -> Result<PathBuf, LoadingError> {
        let writes = [Kind::Generator, Kind::Summariser, Kind::Entailment];
        if cfg!(not(feature = "writers")) && writes.contains(&wanted) {
            let what = "models that write";
            return Err(LoadError::LeftOut { what }.into());
        }
        if Path::new(name).exists() {
            return Ok(PathBuf::from(name));
        }
        let not_here = |source| LoadingError::NotHere {
            what: what.to_owned(),
            source,
        };
        match self.store.path(name).map_err(not_here)? {
            Located::OnDisk { kind, path, .. } if kind == wanted => Ok(path),
            Located::OnDisk { name, .. } | Located::Embedded { name } => {
                Err(LoadingError::OtherKind { name, wanted })
            }
        }
    }

    /// A model from the pool, loaded if it is not there.
    pub(crate) fn pooled<T, E>(
        &self,
        path: &Path,
        load: impl FnOnce(&Path, DeviceChoice) -> Result<T, E>,
    ) -> Result<Arc<T>, LoadingError>
    where
        T: Send + Sync + 'static,
        LoadingError: From<E>,
    {
        self.pooled_as("", path, load)
    }

    /// The same for one of several ways to load the same files.
    pub(crate) fn pooled_as<T, E>(
        &self,
        way: &'static str,
        path: &Path,
        load: impl FnOnce(&Path, DeviceChoice) -> Result<T, E>,
    ) -> Result<Arc<T>, LoadingError>
    where
        T: Send + Sync + 'static,
        LoadingError: From<E>,
    {
        let key = Key::of::<T>(path, way, self.device);
        let bytes = bytes_of(path);
        self.pool.get(key, bytes, || Ok(load(path, self.device)?))
    }
}

/// Memory that a model needs once it is loaded; `None` for a speech model, which does not tell. It
/// is loaded to be measured, and not kept.
///
/// # Errors
/// [`LoadError`].
pub fn resident_bytes(kind: Kind, path: &Path) -> Result<Option<usize>, LoadError> {
    Ok(Some(match kind {
        Kind::Generator => Generator::load(path, GeneratorOptions::default())?.resident_bytes(),
        Kind::Summariser => T5Summariser::load(path)?.resident_bytes(),
        Kind::Reranker => CrossEncoder::load(path)?.resident_bytes(),
        Kind::Entailment => EntailmentModel::load(path)?.resident_bytes(),
        Kind::Encoder => SentenceEncoder::load(path)?.resident_bytes(),
        Kind::Speaker => SpeakerEncoder::load(path)?.resident_bytes(),
        Kind::Segmentation => SpeechSegmentation::load(path)?.resident_bytes(),
        Kind::Speech => return Ok(None),
    }))
}

/// Size of a file, or of the files in a folder; 0 if it does not exist.
#[must_use]
pub fn bytes_of(path: &Path) -> u64 {
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |about| about.len());
    match std::fs::read_dir(path) {
        Ok(files) => files.flatten().map(|file| length(&file.path())).sum(),
        Err(_) => length(path),
    }
}
