//! Checkpoints on disk: settings, tensors with checked shapes, and clear errors.
//!
//! Every model of this crate loads through here, so that a missing file, a truncated file, or a
//! tensor of another model gives the same messages. It contains no architecture.

mod error;
mod gguf;
mod json;
mod pickle;
mod rows;
mod safetensors;
#[cfg(feature = "writers")]
mod shared;
mod tensors;
mod tokenizer;

pub use error::LoadError;
#[cfg(feature = "writers")]
pub(crate) use gguf::{first_line, open_gguf};
pub(crate) use json::{read_json, read_json_if_there};
pub(crate) use rows::Rows;
pub(crate) use safetensors::Weights;
#[cfg(feature = "writers")]
pub(crate) use shared::SharedTensors;
pub(crate) use tensors::{TensorFile, tensor_bytes};
pub(crate) use tokenizer::{read_tokenizer, tokens_added, unusable};
