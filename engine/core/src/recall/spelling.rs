//! Reads a question as it was meant: one in capitals, and names of people spelt almost right.

use crate::answer::Question;
use crate::text::{Term, display_words, terms};
use std::borrow::Cow;
use weir_models::CountTokens;

/// Letters of a word from which one slip is forgiven, and from which two are.
const ONE_SLIP_CHARS: usize = 5;
const TWO_SLIPS_CHARS: usize = 6;

/// A question as it was meant.
pub(super) struct Meant<'a> {
    pub(super) question: Cow<'a, Question>,
    /// A name as the question spells it, and as memory does.
    pub(super) misspelt: Option<(String, String)>,
}

/// Reads a question: in lower case if it has capitals alone, and with the name of a speaker for a
/// word that was never heard and is nearly that name, and no other.
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
    // one word in capitals may be a name
    let many = display_words(&question.text).nth(1).is_some();
    if many && letters().all(char::is_uppercase) {
        text = Cow::Owned(question.text.to_lowercase());
    }
    let heard = |word: &str| terms(word).into_iter().all(&is_heard);
    // where names are written as such, a word in lower case is none
    let capital = |word: &str| word.starts_with(char::is_uppercase);
    let written = display_words(&text).skip(1).any(capital);
    let misspelt = display_words(&text).find_map(|word| {
        if written && !capital(word) {
            return None;
        }
        let word = word.trim_end_matches("'s").trim_end_matches("’s");
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

/// The words of a question besides names, where memory never heard one of them and half of them or
/// more are no whole words of the counter's vocabulary: it is in another language, or is no
/// language.
pub(super) fn unheard(
    question: &str,
    is_name: impl Fn(&str) -> bool,
    heard: impl Fn(&Term) -> bool,
    counter: &dyn CountTokens,
) -> Vec<String> {
    let words: Vec<&str> = display_words(question)
        .filter(|word| {
            !terms(word).is_empty() && !is_name(word.to_lowercase().trim_end_matches("'s"))
        })
        .collect();
    if words.iter().any(|word| terms(word).iter().any(&heard)) {
        return Vec::new();
    }
    // a vocabulary has no word with an apostrophe: "what's", "doctor's"
    let stem = |word: &str| counter.count(word.split(['\'', '’']).next().unwrap_or(word));
    let strange = words.iter().filter(|word| stem(word) > 1).count();
    if strange == 0 || strange * 2 < words.len() {
        return Vec::new();
    }
    words.into_iter().map(str::to_owned).collect()
}

/// The one name, or part of one, that a word is nearly.
fn nearly<'a>(word: &str, speakers: &'a [String]) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let letters = lower.chars().count();
    let slips_max =
        usize::from(letters >= ONE_SLIP_CHARS) + usize::from(letters >= TWO_SLIPS_CHARS);
    let parts = || speakers.iter().flat_map(|name| name.split_whitespace());
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
        let speakers: Vec<String> = ["Melanie", "Caroline", "Joan Ng", "Martin", "Marvin"]
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
        ] {
            assert_eq!(nearly(word, &speakers), name, "{word}");
        }
    }
}
