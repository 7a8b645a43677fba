//! Words with their speaker.

use std::fmt;

/// Words with their speaker, to whom "I" and "my" refer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SpeakerText<'a> {
    /// The speaker; `None` if unknown, or if nobody spoke the words.
    pub speaker: Option<&'a str>,
    /// The words.
    pub text: &'a str,
}

/// One line: `Ana: I live in Lisbon.`, or the words alone.
impl fmt::Display for SpeakerText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        match self.speaker {
            Some(speaker) => write!(f, "{speaker}: {}", words.join(" ")),
            None => f.write_str(&words.join(" ")),
        }
    }
}
