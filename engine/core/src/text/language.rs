//! Which language a text is in, as far as memory needs to know: rules for English must leave other
//! talk alone.
//!
//! The script decides where it is not Latin; then `whichlang`, a small classifier. It was trained
//! on 16 languages and always names one, so what it says counts only if the words bear it out.

use super::script::{tells_alone, without_particle};
use super::words::{display_words, hash, searched_words, stem, terms};
use crate::analysis::Term;

/// Bytes of a text that are read.
const READ_MAX: usize = 1_024;
/// An English text of fewer words may be anything: "Ben!"
const ENGLISH_WORDS_MIN: usize = 3;
/// Words that must speak for another language: common ones of that language, or with a letter that
/// English lacks.
const EVIDENCE_MIN: usize = 2;
/// A text of so many words, of which fewer than one in so many is common in English, is not
/// English: it may be in a language that the classifier does not know.
const STRANGE_WORDS_MIN: usize = 4;
const STRANGE_SHARE: usize = 4;

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// English, or undecided: the rules for English apply.
    English,
    /// Another one, by the code of its list of common words.
    Other(&'static str),
}

impl Language {
    /// The language of a text; `None` if it is too short to tell. Cost: some microseconds.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let text = &text[..text.floor_char_boundary(READ_MAX)];
        let is_latin = |c: &char| matches!(u32::from(*c), 0..=0x24f | 0x1e00..=0x1eff);
        let letters = || text.chars().filter(|c| c.is_alphabetic());
        let latin = letters().filter(is_latin).count();
        let code = code(whichlang::detect_language(text));
        if letters().count() > 2 * latin {
            return Some(Self::Other(code));
        }
        let words = display_words(text).filter(|word| word.contains(char::is_alphabetic));
        let words: Vec<String> = words.map(str::to_lowercase).collect();
        if code == "en" {
            return (words.len() >= ENGLISH_WORDS_MIN).then_some(Self::English);
        }
        let common = |code| words.iter().filter(|word| is_common(code, word)).count();
        let marked = words
            .iter()
            .filter(|word| !word.is_ascii() && !word.contains('’'))
            .count();
        let (evidence, english) = (common(code) + marked, common("en"));
        let borne_out = evidence >= EVIDENCE_MIN && evidence > english;
        let strange = words.len() >= STRANGE_WORDS_MIN && STRANGE_SHARE * english < words.len();
        (borne_out || strange).then_some(Self::Other(code))
    }

    /// The search terms of a question, repeats included, and whether each tells what is asked.
    /// Words that only ask ("where", "is") are left out, unless there are no others; neither
    /// Japanese endings nor pairs of signs, which stand in no other sentence, tell anything alone.
    pub(crate) fn asked_terms(self, question: &str) -> Vec<(Term, bool)> {
        let Self::Other(code) = self else {
            return terms(question)
                .into_iter()
                .map(|term| (term, true))
                .collect();
        };
        let asks = |word: &str| {
            let lower = word.to_lowercase();
            is_common(code, &lower) || is_common(code, without_particle(&lower))
        };
        let words = display_words(question).filter(|word| !asks(word));
        let parts: Vec<String> = words.flat_map(searched_words).collect();
        let common = parts.iter().filter(|part| is_common(code, part));
        let common: Vec<&str> = common.map(String::as_str).collect();
        // signs of a common pair too
        let left_out = |part: &str| common.iter().any(|it| it.contains(part));
        let parts = parts.iter().filter(|part| !left_out(part));
        let mut parts: Vec<(Term, bool)> = parts
            .map(|part| (hash(&stem(part)), tells_alone(part)))
            .collect();
        if parts.is_empty() {
            parts = terms(question)
                .into_iter()
                .map(|term| (term, true))
                .collect();
        }
        let none_tells = parts.iter().all(|(_, tells)| !tells);
        parts.iter_mut().for_each(|(_, tells)| *tells |= none_tells);
        parts
    }

    /// Whether the rules for English apply.
    pub(crate) fn is_english(self) -> bool {
        self == Self::English
    }
}

/// The languages of what several speakers said in turn. A text that is too short to tell takes the
/// language of what its speaker said before it, else after it; without that it counts as English.
pub(crate) fn languages<'a>(
    said: impl Iterator<Item = (Option<&'a str>, &'a str)>,
) -> Vec<Language> {
    let read: Vec<(Option<&str>, Option<Language>)> = said
        .map(|(speaker, text)| (speaker, Language::of(text)))
        .collect();
    let nearest = |at: usize| {
        let same = |it: &&(Option<&str>, Option<Language>)| it.0 == read[at].0;
        let before = read[..=at].iter().rev().filter(same).find_map(|it| it.1);
        before.or_else(|| read[at..].iter().filter(same).find_map(|it| it.1))
    };
    let all = (0..read.len()).map(|at| nearest(at).unwrap_or(Language::English));
    all.collect()
}

fn is_common(code: &str, word: &str) -> bool {
    stop_words::lookup(code).is_some_and(|list| list.contains(&word))
}

fn code(language: whichlang::Lang) -> &'static str {
    use whichlang::Lang;
    match language {
        Lang::Ara => "ar",
        Lang::Cmn => "zh",
        Lang::Deu => "de",
        Lang::Eng => "en",
        Lang::Fra => "fr",
        Lang::Hin => "hi",
        Lang::Ita => "it",
        Lang::Jpn => "ja",
        Lang::Kor => "ko",
        Lang::Nld => "nl",
        Lang::Por => "pt",
        Lang::Rus => "ru",
        Lang::Spa => "es",
        Lang::Swe => "sv",
        Lang::Tur => "tr",
        Lang::Vie => "vi",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_told_from_other_languages_and_from_what_may_be_either() {
        use Language::{English, Other};
        for (text, language) in [
            ("I moved to Porto with my sister in May.", Some(English)),
            ("Where do I live?", Some(English)),
            (
                "Ich wohne seit Mai mit meiner Schwester hier.",
                Some(Other("de")),
            ),
            ("Wo wohne ich?", Some(Other("de"))),
            ("Olen asunut Tampereella kolme vuotta.", Some(Other("tr"))),
            ("Où est-ce que j'habite ?", Some(Other("fr"))),
            ("Где я живу?", Some(Other("ru"))),
            ("私はどこに住んでいますか？", Some(Other("ja"))),
            ("Her name is Zoë, and she's from Málaga.", Some(English)),
            ("Ben!", None),
            ("Fine.", None),
            ("Porto", None),
            ("0151 23 45 67 89", None),
            ("", None),
        ] {
            assert_eq!(Language::of(text), language, "{text}");
        }
    }

    #[test]
    fn a_short_text_takes_the_language_of_its_speaker() {
        let said = [
            ("Ana", "Super!"),
            ("Ana", "Ich habe gut geschlafen."),
            ("Bob", "That was a very long night."),
            ("Ana", "Super!"),
            ("Bob", "Super!"),
            ("Cyd", "Super!"),
        ];
        let read = languages(said.iter().map(|(speaker, text)| (Some(*speaker), *text)));
        let english: Vec<bool> = read.iter().map(|it| it.is_english()).collect();
        assert_eq!(english, [false, false, true, false, true, true]);
    }

    #[test]
    fn words_that_only_ask_are_left_out_of_a_question() {
        let asked = |text: &str| {
            let language = Language::of(text).expect("a language");
            let mut telling = language.asked_terms(text);
            telling.retain(|(_, tells)| *tells);
            telling
                .into_iter()
                .map(|(term, _)| term)
                .collect::<Vec<_>>()
        };
        assert_eq!(asked("Wo wohnt meine Schwester?"), terms("wohnt Schwester"));
        assert_eq!(asked("弟はどこで働いていますか？"), terms("弟 働"));
        assert_eq!(asked("我住在哪里？"), terms("住"));
        // nothing else is asked
        assert!(!asked("Wo bist du?").is_empty());
    }
}
