//! Where models lie, as the flags and the environment say.

use super::args::Global;
use std::path::PathBuf;
use weir_models::weights::{Store, StoreOptions};

/// Where models are, as the flags and the environment say.
pub(super) fn model_places(global: &Global) -> StoreOptions {
    let mut options = StoreOptions::from_env();
    if let Some(dir) = &global.models {
        options.models_dir = Some(dir.clone());
    }
    options.offline |= global.offline;
    options
}

/// The models on this machine, and the way to more.
pub(super) fn models(global: &Global) -> Store {
    Store::new(model_places(global))
}

/// The folder that models are fetched into; `None` where there is no home.
pub(super) fn models_folder(global: &Global) -> Option<PathBuf> {
    let places = model_places(global);
    let cache = places
        .cache_dir
        .map(|cache| cache.join("weir").join("models"));
    places.models_dir.or(cache)
}
