//! The formats that are read, by name.

use std::fmt;
use std::str::FromStr;

/// A format of another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// SubRip subtitles.
    Srt,
    /// WebVTT captions.
    Vtt,
    /// JSON of Whisper: OpenAI's program and interface, whisper.cpp, WhisperX.
    Whisper,
    /// The export of ChatGPT.
    ChatGpt,
    /// An exported chat of WhatsApp.
    WhatsApp,
    /// An export of Telegram as JSON.
    Telegram,
    /// An export of Slack.
    Slack,
}

impl Format {
    const ALL: [(Self, &str); 7] = [
        (Self::Srt, "srt"),
        (Self::Vtt, "vtt"),
        (Self::Whisper, "whisper"),
        (Self::ChatGpt, "chatgpt"),
        (Self::WhatsApp, "whatsapp"),
        (Self::Telegram, "telegram"),
        (Self::Slack, "slack"),
    ];

    /// All names.
    #[must_use]
    pub fn names() -> String {
        Self::ALL.map(|(_, name)| name).join(", ")
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(format, _)| *format == self);
        named.map_or("", |(_, name)| name)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(_, known)| *known == name);
        let found = found.map(|(format, _)| *format);
        found.ok_or_else(|| format!("`{name}` is no format; known are {}", Self::names()))
    }
}
