//! OpenAI's Whisper tiny.en as bytes: the speech model of a program that fetched none.
//!
//! A crate of its own, so that only programs that recognise speech carry its 44 MB. Origin and
//! licence stand in `README.md` and `LICENSE` beside it.

/// Its name in `weir models list`.
pub const NAME: &str = "tiny.en-q8_0";

/// Values per encoder position.
pub const WIDTH: u32 = 384;

/// Layers of encoder and decoder together.
pub const LAYERS: u32 = 8;

/// The published file, in whisper.cpp's format.
pub static WEIGHTS: &[u8] = include_bytes!("../ggml-tiny.en-q8_0.bin");
