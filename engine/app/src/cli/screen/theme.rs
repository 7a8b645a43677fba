//! The styles of the picture. Without colours, weight alone tells things apart.

use crate::cli::terminal::Tone;
use ratatui::style::{Color, Modifier, Style};

/// Colours of speakers, each readable on black and on white.
const SPEAKERS: [Color; 10] = [
    Color::Cyan,
    Color::Yellow,
    Color::Green,
    Color::Magenta,
    Color::Blue,
    Color::LightRed,
    Color::LightGreen,
    Color::LightMagenta,
    Color::LightBlue,
    Color::LightYellow,
];

/// Whether there are colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Theme {
    pub(crate) has_colours: bool,
}

impl Theme {
    fn colour(self, colour: Color) -> Style {
        match self.has_colours {
            true => Style::new().fg(colour),
            false => Style::new(),
        }
    }

    /// Ordinary text.
    pub(crate) fn plain(self) -> Style {
        Style::new()
    }

    pub(crate) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(crate) fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// The title of the part that the keys scroll.
    pub(crate) fn focused(self) -> Style {
        self.colour(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// The name of the speaker with this number.
    pub(crate) fn speaker(self, number: Option<usize>) -> Style {
        let style = number.map(|nth| self.colour(SPEAKERS[nth % SPEAKERS.len()]));
        style.unwrap_or_default().add_modifier(Modifier::BOLD)
    }

    pub(crate) fn good(self) -> Style {
        self.colour(Color::Green)
    }

    pub(crate) fn warning(self) -> Style {
        self.colour(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn failure(self) -> Style {
        self.colour(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn tone(self, tone: Tone) -> Style {
        match tone {
            Tone::Note => self.plain(),
            Tone::Warning => self.warning(),
            Tone::Failure => self.failure(),
        }
    }
}
