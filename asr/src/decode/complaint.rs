//! What a complaint about a file is made of: its bytes as text, the system's error, an advice.

use crate::AudioError;

/// What to do with a format that is known and cannot be read.
pub(super) const CONVERT: &str = "convert it, for example with: ffmpeg -i IN OUT.wav";

/// Bytes as text for a message: what is not printable becomes a dot.
pub(super) fn shown(bytes: &[u8]) -> String {
    let one = |b: &u8| {
        if b.is_ascii_graphic() || *b == b' ' {
            char::from(*b)
        } else {
            '.'
        }
    };
    bytes.iter().map(one).collect()
}

pub(super) fn io_error(name: &str, source: std::io::Error) -> AudioError {
    AudioError::Io {
        name: name.to_owned(),
        source,
    }
}
