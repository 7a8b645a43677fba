//! Normalises a question: capitals only, and misspelt names.

use crate::analysis::Term;
use crate::answer::Question;
use crate::stream::label_number;
use crate::text::{display_words, forms, terms, without_possessive};
use std::borrow::Cow;
use weir_models::CountTokens;

/// Minimum word lengths, in letters, for one and for two spelling errors.
const ONE_SLIP_CHARS: usize = 5;
const TWO_SLIPS_CHARS: usize = 6;

/// A normalised question.
pub(super) struct Meant<'a> {
    pub(super) question: Cow<'a, Question>,
    /// A misspelt name: as in the question, and as memory knows it.
    pub(super) misspelt: Option<(String, String)>,
}

/// Normalises a question: lower case if it has capitals only, and a speaker's name in place of a
/// word that was never heard and is close to that name alone.
pub(super) fn meant<'a>(
    question: &'a Question,
    speakers: &[String],
    is_heard: impl Fn(Term) -> bool,
) -> Meant<'a> {
    let mut text = Cow::Borrowed(question.text.as_str());
    let letters = || {
        question
            .text
            .chars()
            .filter(|letter| letter.is_alphabetic())
    };
    // a single word in capitals may be a name
    let many = display_words(&question.text).nth(1).is_some();
    if many && letters().all(char::is_uppercase) {
        text = Cow::Owned(question.text.to_lowercase());
    }
    let heard = |word: &str| terms(word).into_iter().all(&is_heard);
    // where names are capitalised, a lower-case word is no name
    let capital = |word: &str| word.starts_with(char::is_uppercase);
    let written = display_words(&text).skip(1).any(capital);
    let misspelt = display_words(&text).find_map(|word| {
        if written && !capital(word) {
            return None;
        }
        let word = without_possessive(word);
        let name = nearly(word, speakers)?;
        (!heard(word)).then(|| (word.to_owned(), name.to_owned()))
    });
    if let Some((asked, name)) = &misspelt {
        text = Cow::Owned(text.replacen(asked.as_str(), name, 1));
    }
    let question = match text {
        Cow::Borrowed(_) => Cow::Borrowed(question),
        Cow::Owned(text) => Cow::Owned(Question {
            text,
            ..question.clone()
        }),
    };
    Meant { question, misspelt }
}

/// The question's words without those that are `beside`, as names are, if memory never heard any of
/// them and at least half are not whole words of the counter's vocabulary: another language, or no
/// language.
pub(super) fn unheard(
    question: &str,
    beside: impl Fn(&str) -> bool,
    heard: impl Fn(&Term) -> bool,
    counter: &dyn CountTokens,
) -> Vec<String> {
    let words: Vec<&str> = display_words(question)
        .filter(|word| {
            !terms(word).is_empty() && !beside(word.to_lowercase().trim_end_matches("'s"))
        })
        .collect();
    let is_heard = |word: &str| {
        let other = forms(&word.to_lowercase());
        terms(word).iter().chain(&other).any(&heard)
    };
    if words.iter().any(|word| is_heard(word)) {
        return Vec::new();
    }
    // the vocabulary has no words with an apostrophe: "what's", "doctor's"
    let stem = |word: &str| counter.count(word.split(['\'', '’']).next().unwrap_or(word));
    let strange = words.iter().filter(|word| stem(word) > 1).count();
    if strange == 0 || strange * 2 < words.len() {
        return Vec::new();
    }
    words.into_iter().map(str::to_owned).collect()
}

/// The only name, or part of a name, that a word is close to.
fn nearly<'a>(word: &str, speakers: &'a [String]) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let letters = lower.chars().count();
    let slips_max =
        usize::from(letters >= ONE_SLIP_CHARS) + usize::from(letters >= TWO_SLIPS_CHARS);
    // nobody misspells the label of a voice: "speaks" is not "Speaker 1"
    let names = || speakers.iter().filter(|name| label_number(name).is_none());
    let parts = || names().flat_map(|name| name.split_whitespace());
    if slips_max == 0 || parts().any(|part| part.to_lowercase() == lower) {
        return None;
    }
    let is_near = |part: &&str| {
        let part = part.to_lowercase();
        part.chars().next() == lower.chars().next()
            && strsim::osa_distance(&part, &lower) <= slips_max
    };
    let mut near: Vec<&str> = parts().filter(is_near).collect();
    near.dedup();
    match near[..] {
        [one] => Some(one),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_nearly_right_are_found_and_others_are_not() {
        let speakers: Vec<String> = [
            "Melanie", "Caroline", "Joan Ng", "Martin", "Marvin", "Speaker 2",
        ]
        .map(str::to_owned)
        .to_vec();
        for (word, name) in [
            ("Melany", Some("Melanie")),
            ("melanei", Some("Melanie")),
            ("Carolin", Some("Caroline")),
            ("Melanie", None),
            ("John", None), // too short to be a slip
            ("Jo", None),
            ("Delanie", None), // another first letter is another name
            ("Marfin", None),  // two names are as near
            ("Deborah", None),
            ("speaks", None), // a voice without a name
        ] {
            assert_eq!(nearly(word, &speakers), name, "{word}");
        }
    }
}
