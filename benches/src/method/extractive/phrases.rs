//! Names, numbers and noun phrases of a short text.

use std::collections::BTreeMap;
use std::ops::Range;
use weir_core::text::is_content_word;

/// Most words of a phrase: longer runs keep their end, where English has the noun.
const PHRASE_WORDS_MAX: usize = 3;

/// A word as it stands in a text.
struct Word {
    lower: String,
    is_capital: bool,
    is_number: bool,
    /// Only spaces separate it from the word before.
    is_joined: bool,
}

fn words(text: &str) -> Vec<Word> {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    let (mut found, mut rest, mut is_first) = (Vec::new(), text, true);
    while let Some(from) = rest.find(inner) {
        let is_joined = !is_first && rest[..from].chars().all(|c| c == ' ');
        // a capital that opens a sentence means nothing, except before a colon: a speaker
        let opens = is_first || rest[..from].contains(['.', '!', '?', ':', '\n']);
        let word = &rest[from..];
        let (word, after) = word.split_at(word.find(|c| !inner(c)).unwrap_or(word.len()));
        let is_speaker = is_first && after.starts_with(':');
        let bare = word.strip_suffix("'s").or(word.strip_suffix("’s"));
        let word = bare.unwrap_or(word).trim_matches(['\'', '’']);
        (rest, is_first) = (after, false);
        let capital = word.chars().next().is_some_and(char::is_uppercase);
        let capitals = word.chars().filter(|c| c.is_uppercase()).count() > 1;
        if !word.is_empty() {
            found.push(Word {
                lower: word.to_lowercase().replace('’', "'"),
                is_capital: capital && (!opens || is_speaker || capitals),
                is_number: word.starts_with(|c: char| c.is_ascii_digit()),
                is_joined,
            });
        }
    }
    found
}

/// Runs of joined words that fit.
fn runs(words: &[Word], fits: impl Fn(&Word) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| fits(word)) {
        match runs.last_mut() {
            Some(run) if run.end == at && word.is_joined => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// Names, then numbers, then phrases of content words by their RAKE score, up to a number; in lower
/// case.
pub(crate) fn key_phrases(text: &str, phrases_max: usize) -> Vec<String> {
    let words = words(text);
    let mut others = runs(&words, |word| is_content_word(&word.lower));
    for run in &mut others {
        run.start = run.start.max(run.end.saturating_sub(PHRASE_WORDS_MAX));
    }
    // a word's score is its degree over its frequency, a phrase's the sum
    let mut scores: BTreeMap<&str, (f32, f32)> = BTreeMap::new();
    for run in &others {
        for word in &words[run.clone()] {
            let (degree, frequency) = scores.entry(&word.lower).or_default();
            *degree += run.len() as f32;
            *frequency += 1.0;
        }
    }
    let score = |run: &Range<usize>| -> f32 {
        let of = |word: &Word| scores.get(word.lower.as_str()).map_or(0.0, |(d, f)| d / f);
        words[run.clone()].iter().map(of).sum()
    };
    others.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.start.cmp(&b.start)));
    let names = runs(&words, |word| {
        word.is_capital && is_content_word(&word.lower)
    });
    let numbers = runs(&words, |word| word.is_number);
    let mut found: Vec<String> = Vec::new();
    for run in names.into_iter().chain(numbers).chain(others) {
        let phrase: Vec<&str> = words[run].iter().map(|word| word.lower.as_str()).collect();
        let phrase = phrase.join(" ");
        // a word of an earlier phrase is no phrase of its own
        let known = |whole: &String| *whole == phrase || whole.split(' ').any(|w| w == phrase);
        if found.len() < phrases_max && !found.iter().any(known) {
            found.push(phrase);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_numbers_and_nouns_are_found() {
        for (text, expected) in [
            (
                "Caroline: I went to a LGBTQ support group yesterday.",
                &["caroline", "lgbtq", "support group yesterday"][..],
            ),
            (
                "We paid 40 euros to New York's zoo.",
                &["new york", "40", "new york zoo"],
            ),
            ("Lisbon is far. I love Lisbon.", &["lisbon"]),
            ("", &[]),
            ("…?!", &[]),
        ] {
            let found = key_phrases(text, 8);
            for phrase in expected {
                assert!(found.contains(&(*phrase).to_owned()), "{text}: {found:?}");
            }
            assert_eq!(found.is_empty(), expected.is_empty(), "{text}: {found:?}");
        }
    }

    #[test]
    fn no_more_phrases_than_wanted() {
        let text = "Ana: sold a kite, a drum, a lamp, a piano and a bicycle to Bob.";
        for most in 0..9 {
            assert!(key_phrases(text, most).len() <= most);
        }
        assert_eq!(key_phrases(text, 2), ["ana", "bob"]);
    }
}
