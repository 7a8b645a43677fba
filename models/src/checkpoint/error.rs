//! Why a checkpoint could not be loaded; each message gives advice.

use std::path::{Path, PathBuf};

/// Why a checkpoint was refused.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// This build has no models of this kind.
    #[error("this program was built without {what} (feature `writers`)")]
    LeftOut {
        /// Such models.
        what: &'static str,
    },
    /// The path given is not a folder.
    #[error("{} is not a folder; give the folder of a model", path.display())]
    NotAFolder {
        /// What was given.
        path: PathBuf,
    },
    /// A required file does not exist.
    #[error(
        "{} is missing; a model's folder holds config.json, tokenizer.json and model.safetensors",
        file.display()
    )]
    Missing {
        /// The missing file.
        file: PathBuf,
    },
    /// The weights of a listed model do not exist.
    #[error("{} is missing; {model} was not fetched", file.display())]
    NotFetched {
        /// The missing file.
        file: PathBuf,
        /// The model's name.
        model: &'static str,
    },
    /// A file exists but could not be read.
    #[error("{} cannot be read: {source}; check its permissions and the disk", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A settings file is not valid JSON.
    #[error("{} is not a valid settings file: {reason}; fetch it again", file.display())]
    Json {
        /// The file.
        file: PathBuf,
        /// The parser's error, with line and column.
        reason: String,
    },
    /// A setting has a value that is not supported.
    #[error(
        "{}: {field} is {found}, and only {expected} is supported; use a model of a supported kind",
        file.display()
    )]
    Setting {
        /// The file.
        file: PathBuf,
        /// The field in it.
        field: &'static str,
        /// Its value.
        found: String,
        /// The values that are supported.
        expected: &'static str,
    },
    /// The weights file is truncated.
    #[error("{} is cut short: {found} bytes of {expected}; fetch it again", file.display())]
    Truncated {
        /// The file.
        file: PathBuf,
        /// Its size in bytes.
        found: u64,
        /// The size stated by its header, in bytes.
        expected: u64,
    },
    /// The weights are not in the safetensors format.
    #[error("{} is not a safetensors file: {reason}; fetch it again", file.display())]
    NotSafetensors {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Weights of another format than safetensors or GGUF cannot be read.
    #[error("{} is not a readable {format} file: {reason}; fetch it again", file.display())]
    Format {
        /// The file.
        file: PathBuf,
        /// The format that its name suggests: `PyTorch` or `GGUF`.
        format: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A tensor is missing or its shape differs from the settings.
    #[error(
        "{}: tensor {name} is {found}, expected {expected:?}; the file is damaged or belongs to \
         another model than the settings: fetch the folder again", file.display()
    )]
    Tensor {
        /// The weights file.
        file: PathBuf,
        /// The tensor's name.
        name: String,
        /// `missing`, or the shape that was found.
        found: String,
        /// The shape required by the settings.
        expected: Vec<usize>,
    },
    /// The file is not in GGUF format or is truncated.
    #[error("{} is not a whole GGUF file: {reason}; fetch it again", file.display())]
    NotGguf {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The type of a tensor of a GGUF file is not supported.
    #[error("{}: {reason}", file.display())]
    GgufType {
        /// The file.
        file: PathBuf,
        /// The type, a supported alternative, and the tensor.
        reason: String,
    },
    /// An entry of a GGUF file has an unsupported value.
    #[error(
        "{}: the entry {key} is {found}, expected {expected}; use a model of a supported kind, \
         or convert it again", file.display()
    )]
    GgufEntry {
        /// The file.
        file: PathBuf,
        /// The entry's key.
        key: String,
        /// `missing`, or the value found.
        found: String,
        /// What is supported.
        expected: String,
    },
    /// A tensor of a GGUF file is missing, or its shape differs from the entries.
    #[error(
        "{}: tensor {name} is {found}, expected {expected}; the file is damaged or its model is \
         not supported", file.display()
    )]
    GgufTensor {
        /// The file.
        file: PathBuf,
        /// The tensor's name.
        name: String,
        /// `missing`, or the type or shape found.
        found: String,
        /// The required type or shape.
        expected: String,
    },
    /// The chat template is missing or invalid.
    #[error(
        "{}: {reason}; a generator needs a model that was trained to answer, with its template",
        file.display()
    )]
    Template {
        /// The file that holds it, or should hold it.
        file: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The system refused a resource.
    #[error("the model cannot be started: {reason}")]
    Start {
        /// The reason.
        reason: String,
    },
    /// The tokenizer file cannot be used.
    #[error("{} is not a usable tokenizer: {reason}; fetch it again", file.display())]
    Tokenizer {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The tokenizer and the weights belong to different models.
    #[error(
        "{} has {found} tokens, the weights know {expected}; the two belong to different \
         models: fetch the folder again", file.display()
    )]
    TokenizerMisfit {
        /// The tokenizer file.
        file: PathBuf,
        /// Its number of tokens.
        found: usize,
        /// The number in config.json.
        expected: usize,
    },
    /// The requested device cannot be used.
    #[error(transparent)]
    Device(#[from] crate::device::DeviceError),
}

impl LoadError {
    /// Refuses a path that is no folder.
    pub(crate) fn unless_folder(path: &Path) -> Result<(), Self> {
        match path.is_dir() {
            true => Ok(()),
            false => Err(Self::NotAFolder {
                path: path.to_owned(),
            }),
        }
    }
}
