//! Why a Whisper checkpoint was not converted; each message gives advice.

use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::quantise::Quantisation;

/// Why the conversion failed.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The path is not a checkpoint.
    #[error(
        "{} is not a Whisper checkpoint: {found}; give a folder of faster-whisper (model.bin and \
         tokenizer.json), a folder of Hugging Face (config.json, model.safetensors and \
         tokenizer.json or vocab.json), or a ggml file of whisper.cpp", path.display()
    )]
    NotWhisper {
        /// What was given.
        path: PathBuf,
        /// What was found.
        found: String,
    },
    /// A file is truncated.
    #[error(
        "{} is cut short: it has {found} bytes and promises {expected} (for its {part}); \
         download or copy it again", file.display()
    )]
    Truncated {
        /// The file.
        file: PathBuf,
        /// Its size in bytes.
        found: u64,
        /// The minimum size, in bytes.
        expected: u64,
        /// The truncated part.
        part: String,
    },
    /// The content of a file does not match its name or format.
    #[error("{} is not a valid {format} file: {reason}; download it again", file.display())]
    Format {
        /// The file.
        file: PathBuf,
        /// `CTranslate2`, `safetensors`, `ggml` or `JSON`.
        format: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A tensor is missing, or its shape or type is wrong.
    #[error(
        "{}: tensor {name} is {found}, expected {expected}; the file is damaged or its model is \
         no Whisper that whisper.cpp can run", file.display()
    )]
    Tensor {
        /// The file.
        file: PathBuf,
        /// The tensor's name.
        name: String,
        /// `missing`, or the actual shape or type.
        found: String,
        /// The required shape or type.
        expected: String,
    },
    /// whisper.cpp does not support a size or setting.
    #[error(
        "{}: {field} is {found}, and whisper.cpp runs {expected}; use another checkpoint",
        file.display()
    )]
    Setting {
        /// The file with the setting.
        file: PathBuf,
        /// The setting.
        field: &'static str,
        /// Its value.
        found: String,
        /// The supported values.
        expected: String,
    },
    /// No file lists the tokens.
    #[error(
        "{} has no vocabulary: put tokenizer.json, vocab.json, vocabulary.json or vocabulary.txt \
         of the same model there", folder.display()
    )]
    NoVocabulary {
        /// The folder.
        folder: PathBuf,
    },
    /// The weights are quantised already.
    #[error(
        "{}: tensor {name} is {found} already; quantise a checkpoint in float16 or float32 \
         instead", file.display()
    )]
    AlreadyQuantised {
        /// The file.
        file: PathBuf,
        /// The first such tensor.
        name: String,
        /// Its type.
        found: String,
    },
    /// The quantisation's name is unknown.
    #[error("unknown quantisation {given:?}; known are {}", Quantisation::names())]
    UnknownQuantisation {
        /// What was given.
        given: String,
    },
    /// The file system failed to read.
    #[error("{} cannot be read: {source}; check its permissions and the disk", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file system failed to write.
    #[error(
        "the converted model cannot be written: {source}; check the disk's free space and the \
         folder's permissions"
    )]
    Write {
        /// The system's error.
        source: io::Error,
    },
}

impl FromStr for Quantisation {
    type Err = ConvertError;

    fn from_str(text: &str) -> Result<Self, ConvertError> {
        let is_it = |kind: &Self| kind.name().eq_ignore_ascii_case(text);
        let unknown = || ConvertError::UnknownQuantisation {
            given: text.to_owned(),
        };
        Self::ALL.into_iter().find(is_it).ok_or_else(unknown)
    }
}

/// A failed read.
pub(super) fn read(file: &Path) -> impl Fn(io::Error) -> ConvertError {
    move |source| ConvertError::Read {
        file: file.to_owned(),
        source,
    }
}

/// A file with invalid format.
pub(super) fn format(file: &Path, format: &'static str, reason: impl Into<String>) -> ConvertError {
    ConvertError::Format {
        file: file.to_owned(),
        format,
        reason: reason.into(),
    }
}
