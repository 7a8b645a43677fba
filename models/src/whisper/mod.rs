//! Whisper checkpoints of other programs, turned into the one ggml file that whisper.cpp reads.
//!
//! Three inputs: a folder of faster-whisper (CTranslate2), a folder of Hugging Face transformers
//! (safetensors), and a ggml file, which can be quantised or copied. The output is byte for byte
//! what `convert-pt-to-ggml.py` and `quantize` of whisper.cpp publish for the same weights. No
//! network is run here and no tensor is held whole: weights pass through in pieces.
//!
//! Invariant: a [`Checkpoint`] that opened has every tensor of its size, within its files; only
//! its values are unread.

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
