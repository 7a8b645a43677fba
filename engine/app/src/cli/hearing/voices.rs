//! The models that tell speakers apart, and the file of enrolled voices.

use crate::cli::args::Global;
use crate::cli::loading::places;
use crate::cli::terminal::Terminal;
use anyhow::{Context, bail};
use std::path::PathBuf;
use std::sync::Arc;
use weir_engine::pipeline::{VoiceEmbedder, VoiceModels, WindowSegmenter};
use weir_engine::store::EnrolledVoices;
use weir_models::weights::Located;
use weir_models::{EncodeSpeaker, SpeakerEncoder, SpeechSegmentation};

/// Names of the two models.
pub(crate) const ENCODER: &str = "campplus-cn-en-common";
pub(crate) const SEGMENTATION: &str = "pyannote-segmentation-3.0";

/// The models with their enrolled voices.
pub(crate) struct Voices {
    /// The models; all enrolled voices are known to them.
    pub(crate) models: VoiceModels,
    /// The file of enrolled voices.
    pub(crate) enrolled: EnrolledVoices,
    /// Name and digest of the encoder.
    pub(crate) encoder: (String, String),
}

/// Loads the models; `None` if they are not installed.
pub(crate) fn load(global: &Global) -> anyhow::Result<Option<Voices>> {
    let store = places::models(global);
    let here = |name| match store.path(name) {
        Ok(Located::OnDisk { path, .. }) => Some(path),
        _ => None,
    };
    let (Some(encoder), Some(segmentation)) = (here(ENCODER), here(SEGMENTATION)) else {
        return Ok(None);
    };
    let encoder = SpeakerEncoder::load_on(&encoder, global.device)
        .with_context(|| format!("cannot load {ENCODER}"))?;
    let segmentation = SpeechSegmentation::load_on(&segmentation, global.device)
        .with_context(|| format!("cannot load {SEGMENTATION}"))?;
    let identity = encoder.identity().clone();
    let enrolled = EnrolledVoices::open(&file(global)?)?;
    let known = enrolled.known((&identity.name, &identity.digest))?;
    Ok(Some(Voices {
        models: VoiceModels {
            segmenter: Box::new(WindowSegmenter(Arc::new(segmentation))),
            embedder: Box::new(VoiceEmbedder(Arc::new(encoder))),
            known,
        },
        enrolled,
        encoder: (identity.name, identity.digest),
    }))
}

/// The models for a source of speech; says how to get them where they are missing.
pub(crate) fn for_speech(
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Option<VoiceModels>> {
    let Some(voices) = load(global)? else {
        terminal.note(&format!(
            "speakers are not told apart; after `{}` they are",
            how_to_get()
        ));
        return Ok(None);
    };
    Ok(Some(voices.models))
}

/// The command that installs the models.
pub(crate) fn how_to_get() -> String {
    format!("weir models pull {ENCODER} {SEGMENTATION}")
}

/// The file of enrolled voices.
pub(crate) fn file(global: &Global) -> anyhow::Result<PathBuf> {
    if let Some(file) = &global.voices {
        return Ok(file.clone());
    }
    let set = |name| std::env::var_os(name).filter(|it: &std::ffi::OsString| !it.is_empty());
    let home = || Some(PathBuf::from(set("HOME")?).join(".local/share"));
    match set("XDG_DATA_HOME").map(PathBuf::from).or_else(home) {
        Some(folder) => Ok(folder.join("weir").join("voices.json")),
        None => bail!("no home folder for enrolled voices; name a file with --voices"),
    }
}
