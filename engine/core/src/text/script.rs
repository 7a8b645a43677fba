//! What the script of a word says about it: whether words are separated, and how it is stemmed.

use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Letters of a run that is cut for its length: no text of any length is one word.
const RUN_LETTERS_MAX: usize = 16;

/// A script that is searched by pairs of letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Hiragana,
    Katakana,
    Han,
    /// Thai, Lao, Burmese and Khmer.
    SouthEastAsian,
    /// Korean puts spaces between words, and joins particles to them.
    Hangul,
}

impl Script {
    fn of(c: char) -> Option<Self> {
        match u32::from(c) {
            0x3041..=0x309f => Some(Self::Hiragana),
            0x30a0..=0x30ff | 0x31f0..=0x31ff | 0xff66..=0xff9f => Some(Self::Katakana),
            0x3005..=0x3007 | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff => {
                Some(Self::Han)
            }
            0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff => Some(Self::SouthEastAsian),
            0x1100..=0x11ff | 0x3130..=0x318f | 0xac00..=0xd7ff => Some(Self::Hangul),
            _ => None,
        }
    }
}

/// Whether a character is of a script that puts no spaces between words.
pub(super) fn is_unspaced(c: char) -> bool {
    Script::of(c).is_some_and(|script| script != Script::Hangul)
}

/// A word as runs of scripts without spaces, and of all other letters: "東京タワー" is "東京" and
/// "タワー". Nothing for an empty word.
pub(super) fn script_runs(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let first = Script::of(rest.chars().next()?);
        let unspaced = rest.starts_with(is_unspaced);
        let ends = |(nth, (_, c)): &(usize, (usize, char))| {
            let other = Script::of(*c) != first && (unspaced || is_unspaced(*c));
            other || unspaced && *nth == RUN_LETTERS_MAX
        };
        let end = rest.char_indices().enumerate().find(ends);
        let (run, after) = rest.split_at(end.map_or(rest.len(), |(_, (at, _))| at));
        rest = after;
        Some(run)
    })
}

/// Whether a word is searched by the pairs of its letters.
pub(super) fn has_pairs(word: &str) -> bool {
    word.chars().next().and_then(Script::of).is_some()
}

/// The pairs of neighbouring letters of a word; the letter itself if it is the only one, and signs
/// that are words of their own (Han).
pub(super) fn pairs(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let pairs = letters.windows(letters.len().clamp(1, 2));
    let signs = letters
        .iter()
        .filter(|c| letters.len() > 1 && Script::of(**c) == Some(Script::Han));
    let pairs = pairs.map(|pair| pair.iter().collect());
    pairs.chain(signs.map(char::to_string)).collect()
}

/// Whether a part of a question, as it is searched, tells what is asked. Hiragana writes endings
/// and particles beside words in other letters; pairs of signs are told by the signs.
pub(super) fn tells_alone(part: &str) -> bool {
    match part.chars().next().and_then(Script::of) {
        Some(Script::Hiragana) => false,
        Some(Script::Han) => part.chars().nth(1).is_none(),
        _ => true,
    }
}

/// A Korean word without its last syllable, which may be a particle; other words as they are.
pub(super) fn without_particle(word: &str) -> &str {
    let last = word.char_indices().last();
    match last.filter(|(_, c)| Script::of(*c) == Some(Script::Hangul)) {
        Some((at, _)) if at > 0 => &word[..at],
        _ => word,
    }
}

/// Whether a word is in Latin letters.
pub(super) fn is_latin(word: &str) -> bool {
    let mut letters = word.chars().filter(|c| c.is_alphabetic()).peekable();
    letters.peek().is_some() && letters.all(is_latin_letter)
}

/// Whether a character is a letter of a Latin alphabet, or stands below the first one of another.
pub(super) fn is_latin_letter(c: char) -> bool {
    matches!(u32::from(c), 0..=0x24f | 0x1e00..=0x1eff)
}

/// The stem of a word in Cyrillic or Arabic letters by the rules for Russian or Arabic, for which
/// "ё" is "е"; other words as they are. Latin letters do not tell which rules apply.
pub(super) fn stem_by_script(word: &str) -> Cow<'_, str> {
    static RUSSIAN: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::Russian));
    static ARABIC: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::Arabic));
    match word.chars().next().map_or(0, u32::from) {
        0x0400..=0x04ff if word.contains('ё') => {
            Cow::Owned(RUSSIAN.stem(&word.replace('ё', "е")).into_owned())
        }
        0x0400..=0x04ff => RUSSIAN.stem(word),
        0x0600..=0x06ff => ARABIC.stem(word),
        _ => Cow::Borrowed(word),
    }
}
