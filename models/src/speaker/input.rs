//! What a model of voices takes: its weights file, and sound.

use std::path::{Path, PathBuf};

use crate::checkpoint::LoadError;
use crate::voice::VoiceError;

/// Refuses a sound that is too short or has a value that is not finite.
pub(super) fn checked(model: &str, samples: &[f32], min: usize) -> Result<(), VoiceError> {
    let model = || model.to_owned();
    if samples.len() < min {
        return Err(VoiceError::TooShort {
            model: model(),
            found: samples.len(),
            min,
        });
    }
    let odd = samples.iter().position(|value| !value.is_finite());
    match odd {
        None => Ok(()),
        Some(index) => Err(VoiceError::NotFinite {
            model: model(),
            index,
            value: samples[index],
        }),
    }
}

/// The file `name` in the folder `path`, or `path` itself if it is a file.
pub(super) fn weights_file(
    path: &Path,
    name: &str,
    model: &'static str,
) -> Result<PathBuf, LoadError> {
    let file = match path.is_dir() {
        true => path.join(name),
        false => path.to_owned(),
    };
    match file.is_file() {
        true => Ok(file),
        false => Err(LoadError::NotFetched { file, model }),
    }
}
