//! The weights are the published ones, and what the crate says of them is true.

use sha2::{Digest, Sha256};

/// SHA-256 of `ggml-tiny.en-q8_0.bin` at `huggingface.co/ggerganov/whisper.cpp`. Its SHA-1, which
/// whisper.cpp publishes, is 802d6668e7d411123e672abe4cb6c18f12306abb.
const PUBLISHED: &str = "5bc2b3860aa151a4c6e7bb095e1fcce7cf12c7b020ca08dcec0c6d018bb7dd94";

#[test]
fn the_weights_are_the_published_file() {
    let sum: String = Sha256::digest(weir_tiny_en::weights())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(sum, PUBLISHED);
}

#[test]
fn the_header_has_the_stated_sizes() {
    let number = |at: usize| {
        let bytes = weir_tiny_en::weights()[at * 4..][..4].try_into();
        u32::from_le_bytes(bytes.expect("four bytes"))
    };
    // after the magic number: vocabulary, positions, width, heads, encoder layers, text context,
    // text width, text heads, decoder layers
    assert_eq!(number(3), weir_tiny_en::WIDTH);
    assert_eq!(number(5) + number(9), weir_tiny_en::LAYERS);
}
