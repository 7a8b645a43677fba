//! A reply as it comes: whole characters only, and nothing that may be part of a stop word.

use crate::marks::{beginning_of, first_of};

/// Text on its way out.
#[derive(Debug)]
pub(super) struct Stream<'a> {
    stop: Vec<&'a str>,
    /// Bytes that are not yet whole characters.
    bytes: Vec<u8>,
    /// Text that may be the beginning of a stop word.
    held: String,
    /// All that went out.
    text: String,
}

impl<'a> Stream<'a> {
    /// Empty stop words end nothing.
    pub(super) fn new(stop: &'a [String]) -> Self {
        let words = stop.iter().filter(|word| !word.is_empty());
        Self {
            stop: words.map(String::as_str).collect(),
            bytes: Vec::new(),
            held: String::new(),
            text: String::new(),
        }
    }

    /// Takes a token's bytes. Gives what can go out, and whether a stop word was found after it.
    pub(super) fn push(&mut self, bytes: &[u8]) -> (String, bool) {
        self.bytes.extend_from_slice(bytes);
        self.take_whole(false);
        if let Some(at) = self.first_stop() {
            self.held.truncate(at);
            return (self.out(at), true);
        }
        (self.out(beginning_of(&self.held, &self.stop)), false)
    }

    /// The rest, and all of the text.
    pub(super) fn finish(mut self) -> (String, String) {
        self.take_whole(true);
        if let Some(at) = self.first_stop() {
            self.held.truncate(at);
        }
        let rest = self.out(self.held.len());
        (rest, self.text)
    }

    fn out(&mut self, end: usize) -> String {
        let out: String = self.held.drain(..end).collect();
        self.text.push_str(&out);
        out
    }

    fn first_stop(&self) -> Option<usize> {
        first_of(&self.held, &self.stop).map(|(at, _)| at)
    }

    /// Moves whole characters from `bytes` to `held`; bytes that can be none become U+FFFD.
    fn take_whole(&mut self, is_last: bool) {
        let mut used = 0;
        for chunk in self.bytes.utf8_chunks() {
            self.held.push_str(chunk.valid());
            used += chunk.valid().len();
            let invalid = chunk.invalid();
            let may_grow = used + invalid.len() == self.bytes.len() && is_begun(invalid);
            if invalid.is_empty() || (may_grow && !is_last) {
                break;
            }
            self.held.push('\u{fffd}');
            used += invalid.len();
        }
        self.bytes.drain(..used);
    }
}

/// Whether more bytes could make a character of these.
fn is_begun(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}
