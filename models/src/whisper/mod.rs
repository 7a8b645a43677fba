//! Converts Whisper checkpoints of other programs to a ggml file for whisper.cpp.
//!
//! Three inputs: a folder of faster-whisper (CTranslate2), a folder of Hugging Face transformers
//! (safetensors), and a ggml file, which can be quantised or copied. The output equals, byte for
//! byte, that of `convert-pt-to-ggml.py` and `quantize` of whisper.cpp for the same weights. No
//! network is run and no tensor is held whole: weights are converted in pieces.
//!
//! Invariant: an opened [`Checkpoint`] has every tensor for its size, within its files; only the
//! values are unread.

mod binary;
mod checkpoint;
mod ctranslate2;
mod dims;
mod error;
mod ggml;
mod hugging_face;
mod mel;
mod plan;
mod quantise;
mod vocabulary;
mod write;

pub use checkpoint::Checkpoint;
pub use error::ConvertError;
pub use ggml::{Size, size};
pub use quantise::Quantisation;
