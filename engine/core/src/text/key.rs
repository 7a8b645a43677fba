//! The few words that distinguish a statement from others.

use super::words::{Term, display_words, is_content_word, terms};

/// Maximum number of words in a key.
const WORDS_MAX: usize = 5;

/// The rarest content words of a statement, in their order, or its first word if it has none.
/// `rarity` is the weight of a term. Cost: O(n log n) in its words.
#[must_use]
pub(crate) fn key_words(text: &str, rarity: impl Fn(Term) -> f32) -> String {
    let mut words: Vec<(usize, &str, f32)> = Vec::new();
    for (at, word) in display_words(text).enumerate() {
        let known = words
            .iter()
            .any(|(_, other, _)| other.eq_ignore_ascii_case(word));
        if is_content_word(&word.to_lowercase()) && !known {
            let weight = terms(word).into_iter().map(&rarity).fold(0.0, f32::max);
            words.push((at, word, weight));
        }
    }
    words.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
    words.truncate(WORDS_MAX);
    words.sort_by_key(|(at, ..)| *at);
    let words: Vec<&str> = words.into_iter().map(|(_, word, _)| word).collect();
    match words.is_empty() {
        true => display_words(text).next().unwrap_or(text).to_owned(),
        false => words.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rarest_words_stay_in_their_order() {
        let common = terms("group")[0];
        let rarity = |term: Term| if term == common { 0.1 } else { 5.0 };
        let text = "I went to the support group in Oslo, and Mia read a poem about rivers there.";
        assert_eq!(key_words(text, rarity), "went support Oslo Mia read");
        assert_eq!(key_words("It was there.", rarity), "It");
    }
}
