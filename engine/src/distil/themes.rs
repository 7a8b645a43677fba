//! The inventory of themes that scenes are labelled from, and the key words beside them.

use crate::text::{Term, content_words, display_words, stem, terms};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Themes of everyday and working talk with the words that give them away.
const THEMES: &[(&str, &str)] = &[
    (
        "travel",
        "trip travel flight fly train station airport hotel visit ticket passport suitcase tour \
      vacation holiday beach journey luggage",
    ),
    (
        "food",
        "cook eat dinner lunch breakfast recipe restaurant bake soup bread coffee tea cheese fruit \
      kitchen meal pizza cake hungry taste",
    ),
    (
        "family",
        "brother sister mother father son daughter wife husband uncle aunt cousin grandmother \
      grandfather parent family baby child",
    ),
    (
        "work",
        "job work office boss colleague meeting project report deadline client manager budget \
      presentation interview team",
    ),
    (
        "health",
        "doctor hospital sick medicine headache pain fever allergy dentist nurse appointment cold \
      injury sleep",
    ),
    (
        "home",
        "house apartment room kitchen garden furniture rent neighbor move door window roof floor",
    ),
    (
        "school",
        "school class teacher student exam lesson university study homework course learn degree",
    ),
    (
        "sport",
        "game team play football tennis run swim hike climb gym race match training ski",
    ),
    (
        "music",
        "music song guitar piano violin concert band sing choir instrument play",
    ),
    (
        "arts",
        "paint painting draw museum book read write poem movie film theater photo camera gallery",
    ),
    (
        "pets",
        "dog cat rabbit parrot hamster horse puppy kitten pet vet feed",
    ),
    (
        "money",
        "money dollar pay price cost buy sell bank budget cheap expensive loan save",
    ),
    (
        "plans",
        "tomorrow weekend plan meet party birthday wedding invite celebrate schedule remind",
    ),
    (
        "weather",
        "weather rain snow sunny wind storm cold warm hot temperature",
    ),
    (
        "feelings",
        "happy sad tired excited nervous angry worried lonely proud afraid stressed love",
    ),
    (
        "technology",
        "computer phone software website laptop code data screen battery internet app design",
    ),
    (
        "shopping",
        "shop store market buy dress shoe jacket gift present order supermarket",
    ),
];

/// Theme of talk that fits none.
const OTHER: &str = "talk";

/// Words for kinds of talk, which a label may use whatever was said.
const KINDS: &str = "talk chat conversation discussion session meeting update planning sharing \
    social casual personal general daily life friends friendship family work learning education \
    support emotional advice news story memories experience activity hobby leisure relationship \
    entertainment event celebration decision problem solving interaction catch introduction \
    greeting farewell reflection achievement career community environment lifestyle wellness";

/// Whether a stem is a word for a kind or a theme of talk.
pub(super) fn is_kind_of_talk(stemmed: &str) -> bool {
    static WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let themes = THEMES.iter().flat_map(|(name, list)| [*name, *list]);
        let words = themes.chain([KINDS]).flat_map(str::split_whitespace);
        words.map(stem).collect()
    });
    WORDS.contains(stemmed)
}

/// A label for talk: its theme, then its two most telling words.
///
/// Deterministic; cost linear in the text.
#[must_use]
pub(crate) fn label(text: &str) -> String {
    let words = terms(text);
    let theme = theme_of(&words).unwrap_or(OTHER);
    let mut label = theme.to_owned();
    for (i, word) in key_words(text).into_iter().take(2).enumerate() {
        label.push_str(if i == 0 { ": " } else { ", " });
        label.push_str(&word);
    }
    label
}

fn theme_of(words: &[Term]) -> Option<&'static str> {
    static INVENTORY: LazyLock<Vec<(&str, Vec<Term>)>> = LazyLock::new(|| {
        THEMES
            .iter()
            .map(|(name, list)| (*name, terms(list)))
            .collect()
    });
    INVENTORY
        .iter()
        .map(|(name, list)| {
            (
                words.iter().filter(|word| list.contains(word)).count(),
                *name,
            )
        })
        .filter(|(hits, _)| *hits > 0)
        // the first of the inventory wins among equals
        .rev()
        .max_by_key(|(hits, _)| *hits)
        .map(|(_, name)| name)
}

/// Content words by how often they occur, then by length: the longer word says more.
fn key_words(text: &str) -> Vec<String> {
    let mut seen: HashMap<String, (usize, usize, String)> = HashMap::new();
    for (at, word) in display_words(text).enumerate() {
        let lower = word.to_lowercase();
        if content_words(&lower).next().is_none() || lower.chars().count() < 3 {
            continue;
        }
        let entry = seen.entry(stem(&lower)).or_insert((0, at, lower));
        entry.0 += 1;
    }
    let mut ranked: Vec<_> = seen.into_values().collect();
    ranked.sort_by(|a, b| {
        (b.0, b.2.chars().count())
            .cmp(&(a.0, a.2.chars().count()))
            .then(a.1.cmp(&b.1))
    });
    ranked.into_iter().map(|(_, _, word)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_names_theme_and_words() {
        let label = label("We fly to Lisbon on Friday. The flight to Lisbon leaves at noon.");
        assert!(label.starts_with("travel: "), "{label}");
        assert!(label.contains("lisbon"), "{label}");
    }

    #[test]
    fn talk_without_theme_still_has_a_label() {
        assert_eq!(label("Hmm."), "talk: hmm");
        assert_eq!(label(""), "talk");
    }
}
