//! Streams a reply: only whole characters, and no reasoning.

use crate::think_filter::ThinkFilter;

/// Text waiting to be sent.
#[derive(Debug)]
pub(super) struct Stream {
    /// Removes reasoning; `None` passes every character.
    spoken: Option<ThinkFilter>,
    /// Bytes that are not yet whole characters.
    bytes: Vec<u8>,
    /// All text sent.
    text: String,
}

impl Stream {
    /// Of a reply as `spoken` gives it on; as it is where there is none.
    pub(super) fn new(spoken: Option<ThinkFilter>) -> Self {
        Self {
            spoken,
            bytes: Vec::new(),
            text: String::new(),
        }
    }

    /// Takes a token's bytes and returns the text to send.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        self.bytes.extend_from_slice(bytes);
        let read = self.take_whole(false);
        let out = match &mut self.spoken {
            Some(spoken) => spoken.push(&read),
            None => read,
        };
        self.text.push_str(&out);
        out
    }

    /// The remaining text, and the whole text.
    pub(super) fn finish(mut self) -> (String, String) {
        let mut rest = self.take_whole(true);
        if let Some(spoken) = &mut self.spoken {
            rest = spoken.push(&rest) + &spoken.end();
        }
        self.text.push_str(&rest);
        (rest, self.text)
    }

    /// Takes whole characters from `bytes`; invalid bytes become U+FFFD.
    fn take_whole(&mut self, is_last: bool) -> String {
        let (mut used, mut read) = (0, String::new());
        for chunk in self.bytes.utf8_chunks() {
            read.push_str(chunk.valid());
            used += chunk.valid().len();
            let invalid = chunk.invalid();
            let may_grow = used + invalid.len() == self.bytes.len() && is_begun(invalid);
            if invalid.is_empty() || (may_grow && !is_last) {
                break;
            }
            read.push('\u{fffd}');
            used += invalid.len();
        }
        self.bytes.drain(..used);
        read
    }
}

/// Whether more bytes could complete a character.
fn is_begun(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}
