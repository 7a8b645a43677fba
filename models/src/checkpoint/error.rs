//! Why a checkpoint could not be loaded; each says what to do.

use std::path::PathBuf;

/// Why a checkpoint was refused.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The path given is not a folder.
    #[error(
        "{} is not a folder; give the folder of a model, or a name of `weir models list`",
        path.display()
    )]
    NotAFolder {
        /// What was given.
        path: PathBuf,
    },
    /// A file that the model needs is not there.
    #[error(
        "{} is missing; a model's folder holds config.json, tokenizer.json and \
         model.safetensors; `weir models list` names models that `weir models pull` fetches whole",
        file.display()
    )]
    Missing {
        /// The file that was looked for.
        file: PathBuf,
    },
    /// A file is there and could not be read.
    #[error("{} cannot be read: {source}; check its permissions and the disk", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A settings file is not the JSON it should be.
    #[error("{} is not a valid settings file: {reason}; fetch it again", file.display())]
    Json {
        /// The file.
        file: PathBuf,
        /// What the parser said, with line and column.
        reason: String,
    },
    /// A setting asks for something that is not done here.
    #[error(
        "{}: {field} is {found}, and only {expected} is supported; use a model of \
         `weir models list`, or another of a supported kind", file.display()
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
    /// The weights end too early.
    #[error(
        "{} is cut short: {found} bytes of {expected}; fetch it again with `weir models pull`",
        file.display()
    )]
    Truncated {
        /// The file.
        file: PathBuf,
        /// Its size in bytes.
        found: u64,
        /// The size that its own header asks for, in bytes.
        expected: u64,
    },
    /// The weights are not in the safetensors format.
    #[error(
        "{} is not a safetensors file: {reason}; fetch it again with `weir models pull`",
        file.display()
    )]
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
        /// What its name promises: `PyTorch`, or `GGUF`.
        format: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A tensor is missing or has another shape than the settings promise.
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
        /// The shape that the settings ask for.
        expected: Vec<usize>,
    },
    /// The file is not in the GGUF format, or is cut short.
    #[error("{} is not a whole GGUF file: {reason}; fetch it again", file.display())]
    NotGguf {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A tensor of a GGUF file is of a type that is not read here.
    #[error("{}: {reason}", file.display())]
    GgufType {
        /// The file.
        file: PathBuf,
        /// The type, what to choose instead, and the tensor.
        reason: String,
    },
    /// A GGUF file says something else of itself than is needed.
    #[error(
        "{}: the entry {key} is {found}, expected {expected}; use a model of a supported kind, \
         or convert it again", file.display()
    )]
    GgufEntry {
        /// The file.
        file: PathBuf,
        /// The entry's key.
        key: String,
        /// `missing`, or what was found.
        found: String,
        /// What is supported.
        expected: String,
    },
    /// A tensor of a GGUF file is missing, or of another shape than its entries promise.
    #[error(
        "{}: tensor {name} is {found}, expected {expected}; the file is damaged or its model is \
         not supported", file.display()
    )]
    GgufTensor {
        /// The file.
        file: PathBuf,
        /// The tensor's name.
        name: String,
        /// `missing`, or the type or shape that was found.
        found: String,
        /// What is needed.
        expected: String,
    },
    /// The chat template is missing, or is not one.
    #[error(
        "{}: {reason}; a generator needs a model that was trained to answer, with its template",
        file.display()
    )]
    Template {
        /// The file that holds it, or should.
        file: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Something that the system was asked for was not given.
    #[error("the model cannot be started: {reason}")]
    Start {
        /// What was said.
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
        /// The number that config.json promises.
        expected: usize,
    },
    /// The device that was asked for cannot be used.
    #[error(transparent)]
    Device(#[from] crate::device::DeviceError),
}
