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
///
/// A program that is shipped has it inside. Where debug assertions are on, it is read once from the
/// folder of this crate, so that test programs do not carry it.
///
/// # Panics
/// Where debug assertions are on and the file is not there.
#[must_use]
pub fn weights() -> &'static [u8] {
    #[cfg(not(debug_assertions))]
    {
        include_bytes!("../ggml-tiny.en-q8_0.bin")
    }
    #[cfg(debug_assertions)]
    {
        static READ: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/ggml-tiny.en-q8_0.bin");
            std::fs::read(path).unwrap_or_else(|error| {
                panic!("{path}: {error}; build again if the folder of the sources was moved")
            })
        });
        &READ
    }
}
