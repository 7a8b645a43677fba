//! Whom and what a statement names, and how these stand to each other: the paper's triplets
//! (ProStream 5.2) as attributes of a unit.
//!
//! A trained head reads them when the statement is distilled; they are stored with it, and go with
//! its words. They hold no words themselves, only places in those of the statement: where memory
//! holds key words alone, the transcript has the others.

use serde::{Deserialize, Serialize};
use std::ops::Range;
use weir_models::NameKind;

/// What is named in one statement.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mentions {
    /// Its names, in the order of the text.
    pub names: Vec<Mention>,
    /// How these stand to each other, or the speaker to them, in the order of the text.
    pub relations: Vec<Relation>,
}

/// A name: "Porto", "my sister".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// What it is of.
    pub kind: NameKind,
    /// Its words.
    pub at: Place,
}

/// A triplet: "Carla", "lives in", "Porto".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relation {
    /// The number of a name, from 0; `None` for the speaker.
    pub subject: Option<u16>,
    /// The words between the two.
    pub how: Place,
    /// The number of a name.
    pub object: u16,
}

/// Some words of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The first byte.
    pub start: u32,
    /// Their bytes.
    pub len: u16,
}

impl Place {
    /// The words at these bytes; `None` beyond what can be stored.
    pub(crate) fn of(bytes: &Range<usize>) -> Option<Self> {
        Some(Self {
            start: u32::try_from(bytes.start).ok()?,
            len: u16::try_from(bytes.len()).ok()?,
        })
    }

    /// Their bytes in the statement.
    #[must_use]
    pub fn bytes(self) -> Range<usize> {
        let start = self.start as usize;
        start..start + usize::from(self.len)
    }

    /// These words of a text; `None` if it is another text.
    #[must_use]
    pub fn of_text(self, text: &str) -> Option<&str> {
        text.get(self.bytes())
    }
}

impl Mentions {
    /// Whether nothing is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.relations.is_empty()
    }

    /// The names that an edited statement still has, in the same order. It loses its relations: the
    /// edit may have corrected one.
    #[must_use]
    pub(crate) fn moved(&self, from: &str, to: &str) -> Self {
        let mut searched = 0;
        let names = self.names.iter().filter_map(|name| {
            let words = name.at.of_text(from).filter(|it| !it.is_empty())?;
            let start = find_words(to, words, searched)?;
            searched = start + words.len();
            let at = Place::of(&(start..searched))?;
            Some(Mention { at, ..*name })
        });
        Self {
            names: names.collect(),
            relations: Vec::new(),
        }
    }

    /// Heap bytes, without the struct itself.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.names.as_slice()) + size_of_val(self.relations.as_slice())
    }
}

/// Where words stand in a text from a byte on, as whole words.
pub(crate) fn find_words(text: &str, words: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let mut found = rest.match_indices(words).map(|(at, _)| from + at);
    found.find(|at| {
        let before = text[..*at].chars().next_back();
        let behind = text[at + words.len()..].chars().next();
        ![before, behind]
            .into_iter()
            .flatten()
            .any(char::is_alphanumeric)
    })
}
