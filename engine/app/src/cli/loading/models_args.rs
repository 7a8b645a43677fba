//! The command line of `weir models`.

use clap::Subcommand;
use std::path::PathBuf;
use weir_models::whisper::Quantisation;

pub(crate) const EXAMPLES: &str = "\
Examples:
  weir models list
  weir models pull all-MiniLM-L6-v2               better recall: sentences by meaning
  weir models pull base.en                        fewer wrong words than tiny.en
  weir models verify                              checksums of everything that is here";

/// `weir models`.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List all models: name, purpose, size, whether installed
    List {
        /// Print JSON instead of lines
        #[arg(long)]
        json: bool,
    },
    /// Download models; resumes interrupted downloads
    Pull {
        /// Names from `weir models list`, or repositories of the hub: owner/name,
        /// owner/name@revision, owner/name:file.gguf
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// Convert a Whisper checkpoint to a speech model: a folder of faster-whisper (CTranslate2) or
    /// Hugging Face, or a ggml file
    Import {
        /// The folder or file
        path: PathBuf,
        /// Name of the model; by default the folder's name
        #[arg(long)]
        name: Option<String>,
        /// Quantise its matrices: q4_0, q4_1, q5_0, q5_1 or q8_0 instead of float16
        #[arg(long, value_name = "KIND", alias = "quantize")]
        quantise: Option<Quantisation>,
        /// Replace an imported model of the same name
        #[arg(long)]
        replace: bool,
    },
    /// Verify the checksums of installed models
    Verify {
        /// Names of models; by default all that are installed
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Print the folder or file of a model
    Path {
        /// Name of the model; by default the folder of all models
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
}
