//! Parts of an error message about a file: its bytes as text, the system's error, advice.

use crate::AudioError;

/// Advice for a format that is recognised but cannot be read.
pub(super) const CONVERT: &str = "convert it, for example with: ffmpeg -i IN OUT.wav";

/// Bytes as text for a message; unprintable bytes become dots.
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

pub(super) fn unsupported(name: &str, what: &str) -> AudioError {
    AudioError::Unsupported {
        name: name.to_owned(),
        what: what.to_owned(),
        advice: CONVERT.to_owned(),
    }
}
