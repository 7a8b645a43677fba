//! Content words, search terms and stems.
//!
//! *Content words* follow the stream-file measures exactly, so that the memory and the benchmarks
//! count the same words. *Terms* are the units of lexical search: stemmed, in any script.

use super::script::{has_pairs, pairs, script_runs, stem_by_script};
use crate::analysis::Term;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;
use unicode_categories::UnicodeCategories as _;
use unicode_normalization_alignments::UnicodeNormalization as _;

/// Words that carry no content: the stop list of the stream-file measures.
const STOP_WORDS: &str = "a an the of to in on at for and or but is are was were be been am i you \
    he she it we they me my your his her our their its this that these those do does did have has \
    had with as by from not no so what which who when where why how will would can could should \
    just there here about into over up out if than then them us very really too also s t m re ve \
    ll d";

/// Irregular forms and the stem of their regular relatives.
const IRREGULAR: &[(&str, &str)] = &[
    ("went", "go"),
    ("gone", "go"),
    ("goes", "go"),
    ("going", "go"),
    ("bought", "buy"),
    ("brought", "bring"),
    ("sold", "sell"),
    ("told", "tell"),
    ("said", "say"),
    ("met", "meet"),
    ("left", "leav"),
    ("lost", "los"),
    ("found", "find"),
    ("made", "mak"),
    ("took", "tak"),
    ("taken", "tak"),
    ("gave", "giv"),
    ("given", "giv"),
    ("ate", "eat"),
    ("eaten", "eat"),
    ("drank", "drink"),
    ("drove", "driv"),
    ("flew", "fly"),
    ("flies", "fly"),
    ("saw", "see"),
    ("seen", "see"),
    ("knew", "know"),
    ("known", "know"),
    ("grew", "grow"),
    ("wrote", "writ"),
    ("written", "writ"),
    ("began", "begin"),
    ("begun", "begin"),
    ("broke", "break"),
    ("broken", "break"),
    ("chose", "choos"),
    ("chosen", "choos"),
    ("spoke", "speak"),
    ("kept", "keep"),
    ("slept", "sleep"),
    ("felt", "feel"),
    ("paid", "pay"),
    ("sent", "send"),
    ("spent", "spend"),
    ("built", "build"),
    ("won", "win"),
    ("wore", "wear"),
    ("taught", "teach"),
    ("caught", "catch"),
    ("thought", "think"),
    ("ran", "run"),
    ("sang", "sing"),
    ("swam", "swim"),
    ("rode", "rid"),
    ("children", "child"),
    ("people", "person"),
    ("wives", "wif"),
    ("feet", "foot"),
    ("older", "old"),
    ("oldest", "old"),
    ("younger", "young"),
    ("youngest", "young"),
    ("bigger", "big"),
    ("biggest", "big"),
    ("longer", "long"),
    ("longest", "long"),
    ("cost", "cost"),
    ("colour", "color"),
    ("favourite", "favorit"),
];

/// Number words that are often written as digits.
const NUMBERS: &[(&str, &str)] = &[
    ("zero", "0"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("first", "1st"),
    ("second", "2nd"),
    ("third", "3rd"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
];

/// Whether a lower-cased word carries content.
#[must_use]
pub fn is_content_word(word: &str) -> bool {
    use std::sync::LazyLock;
    static STOPS: LazyLock<std::collections::HashSet<&'static str>> =
        LazyLock::new(|| STOP_WORDS.split_whitespace().collect());
    !STOPS.contains(word)
}

/// A text for comparing words whatever their accents and capitals: compatible forms decomposed
/// (NFKD) without marks, in lower case, with "ss" for the sharp s and one sigma.
#[must_use]
pub(crate) fn unaccented(text: &str) -> String {
    if text.is_ascii() {
        return text.to_lowercase();
    }
    let letters = text.nfkd().map(|(c, _)| c).filter(|c| !c.is_mark());
    let letters = letters.flat_map(char::to_lowercase);
    letters
        .collect::<String>()
        .replace('ß', "ss")
        .replace('ς', "σ")
}

/// The content words of a text as the stream-file measures define them: lower-cased runs of
/// `[a-z0-9']` outside the stop list, in order, repeats included. Letters and digits of all other
/// scripts count too, which the measures leave out.
pub fn content_words(text: &str) -> impl Iterator<Item = String> {
    let lower = text.to_lowercase();
    lower
        .split(|c: char| !(is_letter(c) || c == '\''))
        .map(|word| word.trim_start_matches(|c: char| !c.is_ascii() && c.is_mark()))
        .flat_map(script_runs)
        .filter(|word| is_content_word(word))
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

/// Words as written, letters and digits with inner apostrophes and hyphens, in any script. Where a
/// script puts no spaces between words, a run of one script counts as a word.
pub fn display_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(is_letter(c) || c == '\'' || c == '’' || c == '-'))
        .map(|word| word.trim_matches(|c| c == '\'' || c == '’' || c == '-'))
        // a mark alone is the colour of an emoji
        .map(|word| word.trim_start_matches(|c: char| !c.is_ascii() && c.is_mark()))
        .flat_map(script_runs)
}

/// A letter or a digit, or a mark on one: without their marks, words of Hindi fall apart.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || !c.is_ascii() && (c.is_alphanumeric() || c.is_mark())
}

/// A word without the ending of a possessive: "Anna's" is "Anna".
pub(crate) fn without_possessive(word: &str) -> &str {
    word.trim_end_matches("'s").trim_end_matches("’s")
}

/// Whether two words are the same but for the case of their letters.
pub(crate) fn is_same_word(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

/// The parts of a name beside this one.
pub(crate) fn other_parts<'a>(name: &'a str, part: &str) -> impl Iterator<Item = &'a str> {
    let parts = name.split_whitespace();
    parts.filter(move |it| !is_same_word(it, part))
}

/// The search terms of a text, in order, repeats included.
#[must_use]
pub fn terms(text: &str) -> Vec<Term> {
    searched_words(text)
        .map(|word| hash(&stem(&word)))
        .collect()
}

/// The stems of a text's content words.
#[must_use]
pub fn stems(text: &str) -> BTreeSet<String> {
    searched_words(text).map(|word| stem(&word)).collect()
}

/// The content words of a text in any script, lower-cased, in order; hyphens split words. Of a run
/// without spaces these are pairs of neighbouring letters, and signs: where its words end is not
/// known.
pub(super) fn searched_words(text: &str) -> impl Iterator<Item = String> {
    display_words(text)
        .flat_map(|word| word.split('-'))
        .map(folded)
        .filter(|word| !word.is_empty() && is_content_word(word))
        .flat_map(|word| match has_pairs(&word) {
            true => pairs(&word),
            false => vec![word],
        })
}

/// A word with its letters in one form: lower case, no wide or narrow letters, marks joined.
fn folded(word: &str) -> String {
    match word.is_ascii() {
        true => word.to_lowercase(),
        false => word
            .to_lowercase()
            .nfkc()
            .map(|(c, _)| c)
            .collect::<String>()
            .replace('’', "'"),
    }
}

/// Whether a word stands in a list of words with a space between each.
///
/// Lists of a few words are asked for many times a sentence: this compares bytes in place and costs
/// a third of splitting the list.
pub(super) fn is_listed(list: &str, word: &str) -> bool {
    let (list, word) = (list.as_bytes(), word.as_bytes());
    let (Some(first), Some(last)) = (word.first(), list.len().checked_sub(word.len())) else {
        return false;
    };
    let mut at = 0;
    while at <= last {
        let end = at + word.len();
        let whole = || list.get(end).is_none_or(|next| *next == b' ');
        if list[at] == *first && whole() && &list[at..end] == word {
            return true;
        }
        while at <= last && list[at] != b' ' {
            at += 1;
        }
        at += 1;
    }
    false
}

/// The stem of a lower-cased word: irregular forms by table, then without plural, `-ing`, `-ed` and
/// a final `e`. Simple on purpose: words with the same meaning only need the same stem.
#[must_use]
pub fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word).trim_matches('\'');
    static LISTED: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let rows = NUMBERS.iter().chain(IRREGULAR);
        rows.copied().collect()
    });
    if let Some(stem) = LISTED.get(word) {
        return (*stem).to_owned();
    }
    if !word.is_ascii() {
        return stem_by_script(word).into_owned();
    }
    if word.len() <= 3 {
        return word.to_owned();
    }
    let singular = singular(word);
    let base = verb_base(&singular);
    base.strip_suffix('e')
        .filter(|rest| rest.len() >= 3)
        .unwrap_or(&base)
        .to_owned()
}

/// The singular of a lower-cased noun by its ending.
pub(super) fn singular(word: &str) -> String {
    if let Some(rest) = word.strip_suffix("ies").filter(|rest| rest.len() >= 2) {
        return format!("{rest}y");
    }
    for ending in ["sses", "ches", "shes", "xes", "zes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    let keeps = ["ss", "us", "is", "as"]
        .iter()
        .any(|ending| word.ends_with(ending));
    match word.strip_suffix('s') {
        Some(rest) if !keeps => rest.to_owned(),
        _ => word.to_owned(),
    }
}

fn verb_base(word: &str) -> String {
    for ending in ["ing", "ed"] {
        let Some(rest) = word.strip_suffix(ending) else {
            continue;
        };
        if rest.len() < 3 || !rest.contains(['a', 'e', 'i', 'o', 'u', 'y']) {
            continue;
        }
        let bytes = rest.as_bytes();
        let doubled = bytes[bytes.len() - 1] == bytes[bytes.len() - 2]
            && !matches!(bytes[bytes.len() - 1], b'l' | b's' | b'z' | b'e' | b'o');
        let base = if doubled {
            &rest[..rest.len() - 1]
        } else {
            rest
        };
        if let Some(root) = base.strip_suffix('i') {
            return format!("{root}y");
        }
        return base.to_owned();
    }
    word.to_owned()
}

/// Hashes of the distinct content words of a text, ascending: for counting the words two texts
/// share without tokenising them again.
#[must_use]
pub fn content_hashes(text: &str) -> Vec<u32> {
    let mut hashes: Vec<u32> = content_words(text).map(|word| hash(&word)).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// The 32-bit FNV-1a hash of a word.
pub(super) fn hash(word: &str) -> Term {
    word.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_words_follow_the_measure() {
        let words: Vec<_> = content_words("Who's feeding the Cat at 7, and why?").collect();
        assert_eq!(words, ["who's", "feeding", "cat", "7"]);
    }

    #[test]
    fn forms_of_one_word_share_a_stem() {
        for forms in [
            &["bake", "bakes", "baked", "baking"][..],
            &["plan", "plans", "planned", "planning"],
            &["city", "cities"],
            &["go", "went", "going"],
            &["leave", "left", "leaving"],
            &["box", "boxes"],
            &["study", "studied", "studies"],
            &["tell", "told"],
            &["7", "seven"],
            &["anna", "anna's"],
        ] {
            let stems: std::collections::HashSet<_> = forms.iter().map(|form| stem(form)).collect();
            assert_eq!(stems.len(), 1, "{forms:?} gave {stems:?}");
        }
    }

    #[test]
    fn words_of_other_meanings_keep_apart() {
        for (a, b) in [
            ("bus", "bu"),
            ("red", "r"),
            ("sing", "s"),
            ("need", "ne"),
            ("paris", "pari"),
        ] {
            assert_ne!(stem(a), b);
        }
        assert_ne!(stem("cat"), stem("car"));
    }

    #[test]
    fn other_scripts_pass_through() {
        assert_eq!(terms("Привет, мир").len(), 2);
        assert_eq!(terms("über-Ärger").len(), 2);
        // vowel signs of Hindi are no borders
        assert_eq!(display_words("मेरी बिल्ली").count(), 2);
        assert_eq!(
            display_words("東京タワーへ").collect::<Vec<_>>(),
            ["東京", "タワー", "へ"]
        );
        assert_eq!(terms("고양이는")[..2], terms("고양이")[..]);
        assert_eq!(terms("ＡＢＣ Cafe\u{301}"), terms("abc café"));
        assert_eq!(terms("I ❤\u{fe0f} it"), terms("I it"));
    }
}
