//! Text made from turns, summaries and notes, and which of the turns it still carries.

use super::Kit;
use super::flat::Stored;
use std::sync::Arc;
use weir_engine::text::content_hashes;

/// Share of a turn's content words that a text must hold to carry the turn.
const CARRIED_SHARE: f64 = 0.5;

/// A text made from turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its words.
    pub text: String,
    /// Their tokens.
    pub tokens: usize,
    /// The turns it carries to at least half of their content words, by number.
    pub carries: Vec<(usize, Arc<str>)>,
    /// Number of the newest turn that it was made from.
    pub newest: usize,
}

impl Note {
    /// A text made from these turns, given with their numbers.
    pub fn of<'a>(
        kit: &Kit,
        text: String,
        sources: impl IntoIterator<Item = (usize, &'a Stored)>,
    ) -> Self {
        let shown = content_hashes(&text);
        let mut newest = 0;
        let mut carries = Vec::new();
        for (number, turn) in sources {
            newest = newest.max(number);
            if is_carried(&shown, &content_hashes(turn.words())) {
                carries.push((number, Arc::clone(&turn.id)));
            }
        }
        Self {
            tokens: kit.counter.count(&text),
            text,
            carries,
            newest,
        }
    }

    /// Bytes of text and of what it carries.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let links = self.carries.len() * (size_of::<usize>() + size_of::<Arc<str>>());
        self.text.len() + links
    }
}

/// Whether sorted words hold at least half of the distinct content words of what was said.
#[must_use]
pub fn is_carried(shown: &[u32], said: &[u32]) -> bool {
    let found = said.iter().filter(|word| shown.binary_search(word).is_ok());
    !said.is_empty() && found.count() as f64 >= CARRIED_SHARE * said.len() as f64
}

/// Ids of the turns that are in a store or carried by a note; `None` where the store forgot none.
#[must_use]
pub fn held<'a>(
    flat: &super::flat::Flat,
    notes: impl IntoIterator<Item = &'a Note>,
) -> Option<Vec<String>> {
    let mut ids = flat.held()?;
    let mut earlier: Vec<(usize, &Arc<str>)> = notes
        .into_iter()
        .flat_map(|note| note.carries.iter())
        .filter(|(number, _)| *number < flat.first())
        .map(|(number, id)| (*number, id))
        .collect();
    earlier.sort_unstable();
    earlier.dedup();
    ids.splice(0..0, earlier.into_iter().map(|(_, id)| id.to_string()));
    Some(ids)
}
