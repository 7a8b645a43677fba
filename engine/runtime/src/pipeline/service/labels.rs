//! What may be the name of a speaker, a stream or an utterance: a context shows it before the words
//! of its line, so it must not read as a line of somebody else.

use crate::pipeline::service::error::ServiceError;
use weir_core::limits::STREAM_LABEL_BYTES_MAX;
use weir_core::text::{is_blank, is_hidden, leaves_its_line};

/// Refuses a name that is none; `what` says whose it is.
///
/// # Errors
/// [`ServiceError::Malformed`].
pub(crate) fn check(what: &str, label: &str) -> Result<(), ServiceError> {
    let refused = |why: &str| {
        let shown: String = label.chars().take(80).collect();
        Err(ServiceError::Malformed {
            why: format!("the {what} {shown:?} {why}"),
        })
    };
    if label.contains(is_hidden) {
        return refused("has a character that shows nothing; leave it out");
    }
    if label.contains(leaves_its_line) {
        return refused("has a line break or another control character; leave it out");
    }
    if label.chars().all(is_blank) {
        return refused("shows nothing; give it a letter or a digit");
    }
    if label.len() > STREAM_LABEL_BYTES_MAX {
        let why = format!(
            "has {} bytes; at most {STREAM_LABEL_BYTES_MAX} are possible",
            label.len()
        );
        return refused(&why);
    }
    let ends = label.ends_with(':') || label.contains(": ");
    match what == "speaker" && ends {
        true => refused("has a colon as before somebody's words; leave it out"),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_on_its_line_and_is_seen() {
        for good in [
            "Ana", "Dr. O'Neil", "Ана", "山田", "🦊", "10:30 group", "speaker:2",
        ] {
            assert!(check("speaker", good).is_ok(), "{good}");
        }
        let long = "x".repeat(STREAM_LABEL_BYTES_MAX + 1);
        for bad in [
            "", "   ", "\u{200b}", "\u{feff} ", "Ana\nBob", "A\u{2029}B", "A\u{202e}B",
            "Ana: I owe you", "Bo:", &long,
        ] {
            assert!(check("speaker", bad).is_err(), "{bad:?}");
        }
        assert!(check("stream", "meeting: Monday").is_ok());
    }
}
