//! A Whisper checkpoint that was checked and can be converted.

use std::path::{Path, PathBuf};

use super::binary;
use super::ctranslate2;
use super::dims::Dims;
use super::error::{self, ConvertError};
use super::ggml;
use super::hugging_face;
use super::mel;
use super::plan::{self, Layout, Tensor};
use super::vocabulary;

/// Names listed in the message about a folder that is not a checkpoint.
const SHOWN_MAX: usize = 10;

/// A Whisper on disk, in any of the three layouts. Its weights are read when it is converted.
#[derive(Debug)]
pub struct Checkpoint {
    pub(super) layout: Layout,
    pub(super) files: Vec<PathBuf>,
    pub(super) dims: Dims,
    /// `[n_mels, 201]`.
    pub(super) filters: Vec<f32>,
    pub(super) tokens: Vec<Vec<u8>>,
    pub(super) tensors: Vec<Tensor>,
    /// The size of a ggml file; `None` for other layouts.
    pub(super) ggml_bytes: Option<u64>,
}

impl Checkpoint {
    /// Checks the folder of a checkpoint, or a ggml file. Reads headers and the vocabulary, a few
    /// megabytes in all.
    ///
    /// # Errors
    /// [`ConvertError`] if it is not a Whisper that whisper.cpp supports, a file is truncated or
    /// damaged, or the vocabulary is missing.
    pub fn open(path: &Path) -> Result<Self, ConvertError> {
        let about = std::fs::metadata(path).map_err(error::read(path))?;
        if about.is_file() {
            return Self::open_file(path, about.len());
        }
        let has = |name: &str| path.join(name).is_file();
        let (layout, index, dims) = if has(ctranslate2::FILE) {
            let model = ctranslate2::read(&path.join(ctranslate2::FILE))?;
            (Layout::CTranslate2, model.index, model.dims)
        } else if has(hugging_face::CONFIG)
            && (has(hugging_face::WEIGHTS) || has(hugging_face::WEIGHTS_INDEX))
        {
            let model = hugging_face::read(path)?;
            (Layout::HuggingFace, model.index, model.dims)
        } else {
            return Err(not_whisper(path, contents(path)));
        };
        dims.check(index.first_file())?;
        Ok(Self {
            tensors: plan::tensors(layout, &index, &dims)?,
            tokens: vocabulary::read(path, dims.n_vocab)?,
            filters: mel::filters(dims.n_mels as usize),
            layout,
            files: index.files,
            dims,
            ggml_bytes: None,
        })
    }

    fn open_file(file: &Path, bytes: u64) -> Result<Self, ConvertError> {
        if !ggml::is_one(file)? {
            let found = "it is a file, and does not begin as a ggml file".to_owned();
            return Err(not_whisper(file, found));
        }
        let model = ggml::read(file)?;
        model.dims.check(file)?;
        Ok(Self {
            layout: Layout::Ggml,
            tensors: plan::tensors(Layout::Ggml, &model.index, &model.dims)?,
            files: model.index.files,
            dims: model.dims,
            filters: model.filters,
            tokens: model.tokens,
            ggml_bytes: Some(bytes),
        })
    }

    /// A readable description: `faster-whisper checkpoint`.
    pub fn title(&self) -> &'static str {
        match self.layout {
            Layout::CTranslate2 => "faster-whisper checkpoint",
            Layout::HuggingFace => "Hugging Face checkpoint",
            Layout::Ggml => "ggml file",
        }
    }

    /// Whether it knows languages other than English.
    pub fn is_multilingual(&self) -> bool {
        self.dims.n_vocab > super::dims::ENGLISH_VOCAB
    }

    pub(super) fn open_weights(&self) -> Result<Vec<binary::Binary>, ConvertError> {
        let files = self.files.iter();
        files.map(|file| binary::Binary::open(file)).collect()
    }
}

fn not_whisper(path: &Path, found: String) -> ConvertError {
    ConvertError::NotWhisper {
        path: path.to_owned(),
        found,
    }
}

fn contents(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.take(1_000).collect();
    names.sort_unstable();
    let more = names.len().saturating_sub(SHOWN_MAX);
    names.truncate(SHOWN_MAX);
    match (names.is_empty(), more) {
        (true, _) => "the folder is empty".to_owned(),
        (false, 0) => format!("the folder holds {}", names.join(", ")),
        (false, more) => format!("the folder holds {} and {more} more", names.join(", ")),
    }
}
