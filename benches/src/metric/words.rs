//! Measures by content words, and regret.

use std::collections::HashSet;
use weir_core::text::content_words;

/// Content words of a gold answer that is short enough to stand whole in an answer.
const SHORT_WORDS_MAX: usize = 4;
/// Words of an answer in which the gold answer must occur.
const FIRST_WORDS: usize = 40;

/// Share of the gold answer's distinct content words in a text; `None` if it has none.
pub(crate) fn containment(text: &str, gold: &str) -> Option<f64> {
    let shown: HashSet<String> = content_words(text).collect();
    let words: HashSet<String> = content_words(gold).collect();
    share(words.intersection(&shown).count(), words.len())
}

/// Whether all content words of a short gold answer stand in the first words of an answer; `None`
/// for a longer gold answer, and for one without content words.
pub(crate) fn answers_right(answer: &str, gold: &str) -> Option<bool> {
    let words: HashSet<String> = content_words(gold).collect();
    if words.is_empty() || words.len() > SHORT_WORDS_MAX {
        return None;
    }
    let first: Vec<&str> = answer.split_whitespace().take(FIRST_WORDS).collect();
    let said: HashSet<String> = content_words(&first.join(" ")).collect();
    Some(words.is_subset(&said))
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Share of the gold turns no longer in any part of memory; `held` `None` means all are in memory.
pub(crate) fn regret(evidence: &[String], held: Option<&HashSet<String>>) -> Option<f64> {
    let lost = held.map_or(0, |held| {
        evidence.iter().filter(|id| !held.contains(*id)).count()
    });
    share(lost, evidence.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn containment_counts_distinct_content_words() {
        let text = "We saw the boat, the boat.";
        assert_eq!(containment(text, "the boat and the boat, pier"), Some(0.5));
        assert_eq!(containment(text, "it is"), None);
    }

    #[test]
    fn a_short_gold_answer_stands_in_the_first_words() {
        let padded = format!("{}the boat", "so ".repeat(FIRST_WORDS));
        assert_eq!(answers_right("A red boat.", "the boat"), Some(true));
        assert_eq!(answers_right("A red kite.", "the boat"), Some(false));
        assert_eq!(answers_right(&padded, "the boat"), Some(false), "too late");
        assert_eq!(answers_right("a", "red blue green black white"), None);
        assert_eq!(answers_right("a", "it is"), None);
    }

    #[test]
    fn regret_is_what_is_held_no_more() {
        let held: HashSet<String> = ids(&["a"]).into_iter().collect();
        assert_eq!(regret(&ids(&["a", "b"]), Some(&held)), Some(0.5));
        assert_eq!(regret(&ids(&["a", "b"]), None), Some(0.0));
        assert_eq!(regret(&[], Some(&held)), None);
    }
}
