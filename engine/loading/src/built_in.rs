//! The speech model inside the program. Builds without feature `built-in-speech` have none.

use weir_asr::{TranscribeError, WhisperDevice, WhisperModel};
use weir_models::weights::Manifest;

/// Marks the speech model inside the program in the list of all models.
#[cfg(feature = "built-in-speech")]
pub(crate) fn embed(manifest: &mut Manifest) {
    let size = weir_models::whisper::Size {
        width: weir_tiny_en::WIDTH,
        layers: weir_tiny_en::LAYERS,
        multilingual: false,
    };
    manifest.embed(weir_tiny_en::NAME, size);
}

/// Marks nothing: there is none in this build.
#[cfg(not(feature = "built-in-speech"))]
pub(crate) fn embed(_manifest: &mut Manifest) {}

/// Loads the speech model inside the program.
#[cfg(feature = "built-in-speech")]
pub(crate) fn load(device: WhisperDevice) -> Result<WhisperModel, TranscribeError> {
    WhisperModel::from_bytes(weir_tiny_en::NAME, weir_tiny_en::weights(), device)
}

/// Refuses: there is none in this build.
#[cfg(not(feature = "built-in-speech"))]
pub(crate) fn load(_device: WhisperDevice) -> Result<WhisperModel, TranscribeError> {
    Err(TranscribeError::ModelMissing {
        path: "the speech model inside the program".into(),
    })
}
