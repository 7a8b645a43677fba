//! The word table: what a word adds to the log-odds of a feeling, and how intense it is.

use super::clause::Hit;
use super::numbers;
use crate::text::words::stem;
use std::collections::HashMap;
use std::sync::LazyLock;

const WORDS: &str = include_str!("words.txt");
/// Weights and intensities are stored in tenths.
const UNIT: f32 = 10.0;

/// A word, pair or symbol of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Entry {
    /// Added to the log-odds of positive and of negative against neutral.
    pub(super) odds: [f32; 2],
    /// 0 to 3.
    pub(super) intensity: f32,
}

/// An entry that a hit finds.
pub(super) struct Found {
    pub(super) entry: Entry,
    /// Whether a negation is still to be applied; an entry may be trained under one.
    pub(super) negated: bool,
}

static ENTRIES: LazyLock<HashMap<&'static str, Entry>> = LazyLock::new(|| {
    let rows = numbers::rows::<3>(WORDS);
    rows.map(|(name, [positive, negative, intensity])| {
        let entry = Entry {
            odds: [positive / UNIT, negative / UNIT],
            intensity: intensity / UNIT,
        };
        (name, entry)
    })
    .collect()
});

/// The entries of a hit: its pair with the word before, and its word. `key` is a buffer.
pub(super) fn found(hit: &Hit, key: &mut String) -> impl Iterator<Item = Found> + use<> {
    let pair = (!hit.previous.is_empty())
        .then(|| listed(key, [&hit.previous, " ", &hit.word]))
        .flatten()
        .map(|entry| Found {
            entry,
            negated: false,
        });
    pair.into_iter().chain(of_word(hit, key))
}

fn of_word(hit: &Hit, key: &mut String) -> Option<Found> {
    if hit.negated
        && let Some(entry) = listed(key, ["!", &hit.word, ""])
    {
        return Some(Found {
            entry,
            negated: false,
        });
    }
    let short = hit.short.as_deref();
    let held = known(&hit.word, key).or_else(|| known(short?, key));
    held.map(|entry| Found {
        entry,
        negated: hit.negated,
    })
}

/// The entry of a word, or of its stem.
fn known(word: &str, key: &mut String) -> Option<Entry> {
    let held = ENTRIES.get(word).copied();
    held.or_else(|| listed(key, ["~", &stem(word), ""]))
}

fn listed(key: &mut String, parts: [&str; 3]) -> Option<Entry> {
    key.clear();
    key.extend(parts);
    ENTRIES.get(key.as_str()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_small() {
        let names: Vec<&str> = numbers::rows::<3>(WORDS).map(|(name, _)| name).collect();
        assert!(
            names.is_sorted_by(|a, b| a < b),
            "each name once, ascending"
        );
        assert!((1_000..8_000).contains(&names.len()), "{}", names.len());
        assert!(WORDS.len() < 100_000, "{} bytes", WORDS.len());
    }

    #[test]
    fn intensities_are_in_range() {
        for (name, entry) in ENTRIES.iter() {
            assert!((0.0..=3.0).contains(&entry.intensity), "{name}");
        }
    }
}
