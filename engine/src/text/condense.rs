//! Says a statement in fewer words, all of them its own.
//!
//! Words are left out, never changed or moved, and never the ones that turn a statement into
//! another: negations, numbers, times and names stay at every level.

use super::marks::{is_negation, is_number_or_time};
use super::words::{Term, is_content_word, terms};
use serde::{Deserialize, Serialize};

/// Share of its content words that a gist keeps: a little over the half from which a text counts as
/// carrying a statement.
const GIST_SHARE: f32 = 0.55;

/// How much of a statement's wording is kept.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Detail {
    /// All of it.
    #[default]
    Whole,
    /// Content words, without the small words between them, like a telegram.
    Telegram,
    /// The rarer half of the content words, in order.
    Gist,
}

impl Detail {
    /// The next level down; `None` for a gist.
    #[must_use]
    pub fn less(self) -> Option<Self> {
        match self {
            Self::Whole => Some(Self::Telegram),
            Self::Telegram => Some(Self::Gist),
            Self::Gist => None,
        }
    }
}

/// A statement at a level of detail; `rarity` weighs a term, and rare ones are kept first.
///
/// Cost: O(n log n) in its words.
#[must_use]
pub fn condense(text: &str, detail: Detail, rarity: impl Fn(Term) -> f32) -> String {
    if detail == Detail::Whole {
        return text.to_owned();
    }
    let mut words = words(text, rarity);
    drop_repeats(&mut words);
    if detail == Detail::Gist {
        keep_rarest(&mut words);
    }
    let kept: Vec<&str> = words
        .iter()
        .filter(|word| word.keep != Keep::No)
        .map(|word| word.text)
        .collect();
    if kept.is_empty() {
        return text.to_owned();
    }
    kept.join(" ")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    No,
    Content,
    Always,
}

struct Word<'a> {
    text: &'a str,
    keep: Keep,
    terms: Vec<Term>,
    rarity: f32,
}

fn words<'a>(text: &'a str, rarity: impl Fn(Term) -> f32) -> Vec<Word<'a>> {
    let mut sentence_start = true;
    text.split_whitespace()
        .map(|raw| {
            let text = raw.trim_matches(|c: char| !c.is_alphanumeric());
            let lower = text.to_lowercase().replace('’', "'");
            let capital = text.starts_with(char::is_uppercase);
            let named = capital && !sentence_start && is_content_word(&lower);
            sentence_start = raw.ends_with(['.', '!', '?']);
            let terms = terms(text);
            let keep = if is_negation(&lower) || is_number_or_time(&lower, capital) || named {
                Keep::Always
            } else if terms.is_empty() {
                Keep::No
            } else {
                Keep::Content
            };
            Word {
                text,
                keep,
                rarity: terms.iter().map(|&term| rarity(term)).fold(0.0, f32::max),
                terms,
            }
        })
        .collect()
}

/// A word said twice is kept once.
fn drop_repeats(words: &mut [Word<'_>]) {
    for at in 1..words.len() {
        let (before, rest) = words.split_at_mut(at);
        let word = &mut rest[0];
        let said = |earlier: &Word<'_>| {
            earlier.keep != Keep::No && word.terms.iter().all(|term| earlier.terms.contains(term))
        };
        if word.keep == Keep::Content && before.iter().any(said) {
            word.keep = Keep::No;
        }
    }
}

fn keep_rarest(words: &mut [Word<'_>]) {
    let counted = words.iter().filter(|word| !word.terms.is_empty());
    let content = counted.filter(|word| word.keep != Keep::No).count();
    let always = words
        .iter()
        .filter(|word| word.keep == Keep::Always && !word.terms.is_empty())
        .count();
    let room = ((content as f32 * GIST_SHARE).ceil() as usize).saturating_sub(always);
    let mut order: Vec<usize> = (0..words.len())
        .filter(|&at| words[at].keep == Keep::Content)
        .collect();
    order.sort_by(|&a, &b| words[b].rarity.total_cmp(&words[a].rarity).then(a.cmp(&b)));
    for &at in order.iter().skip(room) {
        words[at].keep = Keep::No;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rare(_: Term) -> f32 {
        1.0
    }

    #[test]
    fn a_telegram_keeps_what_is_said_and_a_gist_half_of_it() {
        let text = "I did not go to the support group in Oslo on Friday, it was really powerful.";
        assert_eq!(condense(text, Detail::Whole, rare), text);
        assert_eq!(
            condense(text, Detail::Telegram, rare),
            "not go support group Oslo Friday powerful"
        );
        let gist = condense(text, Detail::Gist, rare);
        assert!(gist.contains("not") && gist.contains("Oslo") && gist.contains("Friday"));
        assert!(gist.len() < "not go support group Oslo Friday powerful".len());
    }

    #[test]
    fn the_rare_words_make_the_gist() {
        let powerful = terms("powerful")[0];
        let rarity = |term: Term| if term == powerful { 9.0 } else { 1.0 };
        let gist = condense(
            "the group was powerful and nice today",
            Detail::Gist,
            rarity,
        );
        assert!(gist.contains("powerful"), "{gist}");
    }

    proptest! {
        #[test]
        fn words_are_left_out_never_changed_and_a_text_never_vanishes(text in "\\PC{0,80}") {
            for detail in [Detail::Telegram, Detail::Gist] {
                let short = condense(&text, detail, |term| (term % 7) as f32);
                prop_assert_eq!(short.is_empty(), text.is_empty());
                let mut rest = text.as_str();
                for word in short.split_whitespace() {
                    let at = rest.find(word);
                    prop_assert!(at.is_some(), "{} not in {}", word, rest);
                    rest = &rest[at.unwrap_or(0) + word.len()..];
                }
            }
        }

        #[test]
        fn negations_numbers_and_names_stay(
            text in "(I|we|do|not|never|7|May|sold|the|Bob| ){1,20}"
        ) {
            let marks = super::super::Marks::of(&text);
            for detail in [Detail::Telegram, Detail::Gist] {
                let short = super::super::Marks::of(&condense(&text, detail, |_| 1.0));
                prop_assert_eq!(marks.negated, short.negated);
                prop_assert_eq!(&marks.numbers, &short.numbers);
            }
        }
    }
}
