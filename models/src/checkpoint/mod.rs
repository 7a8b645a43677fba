//! Checkpoints on disk: settings, tensors with their shapes checked, and clear refusals.
//!
//! Every model of this crate loads through here, so that a missing file, a cut one, or a tensor of
//! another model is refused with the same words. It knows no architecture.

mod error;
mod few_rows;
mod gguf;
mod json;
mod matrix;
mod pickle;
mod rows;
mod safetensors;
mod tensors;
mod tokenizer;

pub use error::LoadError;
pub(crate) use gguf::{first_line, open_gguf};
pub(crate) use json::{read_json, read_json_if_there};
pub(crate) use matrix::{Matrix, tensor_bytes};
pub(crate) use rows::Rows;
pub(crate) use safetensors::Weights;
pub(crate) use tensors::TensorFile;
pub(crate) use tokenizer::{read_tokenizer, tokens_added, unusable};
