//! The models that tell speakers apart, and the file of enrolled voices.

use crate::error::LoadingError;
use crate::loader::Loader;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_engine::pipeline::{VoiceEmbedder, VoiceModels, WindowSegmenter};
use weir_engine::store::EnrolledVoices;
use weir_models::weights::Located;
use weir_models::{EncodeSpeaker as _, SpeakerEncoder, SpeechSegmentation};

/// Name of the encoder of voices.
pub const SPEAKERS: &str = "campplus-cn-en-common";
/// Name of the model that tells the speakers of a moment apart.
pub const SEGMENTATION: &str = "pyannote-segmentation-3.0";

/// The models with their enrolled voices.
pub struct Voices {
    /// The models; all enrolled voices are known to them.
    pub models: VoiceModels,
    /// The file of enrolled voices.
    pub enrolled: EnrolledVoices,
    /// Name and digest of the encoder.
    pub encoder: (String, String),
}

impl Loader {
    /// The models that tell speakers apart, with the voices enrolled in `file`, or in the usual
    /// file; `None` if they are not installed.
    ///
    /// # Errors
    /// [`LoadingError`].
    pub fn voices(&self, file: Option<&Path>) -> Result<Option<Voices>, LoadingError> {
        let here = |name| match self.store.path(name) {
            Ok(Located::OnDisk { path, .. }) => Some(path),
            _ => None,
        };
        let (Some(encoder), Some(segmentation)) = (here(SPEAKERS), here(SEGMENTATION)) else {
            return Ok(None);
        };
        let load = |path: &Path, device| SpeakerEncoder::load_on(path, device);
        let encoder: Arc<SpeakerEncoder> = self.pooled(&encoder, load)?;
        let load = |path: &Path, device| SpeechSegmentation::load_on(path, device);
        let segmentation: Arc<SpeechSegmentation> = self.pooled(&segmentation, load)?;
        let identity = encoder.identity().clone();
        let enrolled = EnrolledVoices::open(&voices_file(file)?)?;
        let known = enrolled.known((&identity.name, &identity.digest))?;
        Ok(Some(Voices {
            models: VoiceModels {
                segmenter: Box::new(WindowSegmenter(segmentation)),
                embedder: Box::new(VoiceEmbedder(encoder)),
                known,
            },
            enrolled,
            encoder: (identity.name, identity.digest),
        }))
    }
}

/// The file of enrolled voices: the one given, else the usual one in the user's data folder.
///
/// # Errors
/// [`LoadingError::NoVoicesFile`] without a home folder.
pub fn voices_file(given: Option<&Path>) -> Result<PathBuf, LoadingError> {
    if let Some(file) = given {
        return Ok(file.to_owned());
    }
    Ok(user_data()?.join("voices.json"))
}

/// The folder of this program in the user's data folder.
///
/// # Errors
/// [`LoadingError::NoVoicesFile`] without a home folder.
pub fn user_data() -> Result<PathBuf, LoadingError> {
    let set = |name| std::env::var_os(name).filter(|it: &OsString| !it.is_empty());
    let home = || Some(PathBuf::from(set("HOME")?).join(".local/share"));
    let folder = set("XDG_DATA_HOME").map(PathBuf::from).or_else(home);
    Ok(folder.ok_or(LoadingError::NoVoicesFile)?.join("weir"))
}
