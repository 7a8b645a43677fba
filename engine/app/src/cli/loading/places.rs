//! The folders of models, from flags and environment.

use crate::cli::args::Global;
use crate::cli::hearing::built_in;
use std::path::{Path, PathBuf};
use weir_models::weights::{Manifest, Store, StoreOptions};

/// The folders of models, from flags and environment.
pub(crate) fn model_places(global: &Global) -> StoreOptions {
    let mut options = StoreOptions::from_env();
    if let Some(dir) = &global.models {
        options.models_dir = Some(dir.clone());
    }
    options.offline |= global.offline;
    options
}

/// The store of installed and downloadable models, and of the one inside the program.
pub(crate) fn models(global: &Global) -> Store {
    let mut manifest = Manifest::builtin();
    built_in::embed(&mut manifest);
    Store::with_manifest(manifest, model_places(global))
}

/// The folder that models are downloaded into; `None` without a home folder.
pub(crate) fn models_folder(global: &Global) -> Option<PathBuf> {
    let places = model_places(global);
    let cache = places
        .cache_dir
        .map(|cache| cache.join("weir").join("models"));
    places.models_dir.or(cache)
}

/// Size of a file, or of the files in a folder; 0 if it does not exist.
pub(crate) fn bytes_of(path: &Path) -> u64 {
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |about| about.len());
    match std::fs::read_dir(path) {
        Ok(files) => files.flatten().map(|file| length(&file.path())).sum(),
        Err(_) => length(path),
    }
}
