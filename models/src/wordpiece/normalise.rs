//! BERT's basic normalisation: clean, separate CJK, decompose, strip accents, lower-case.
//!
//! The character classes come from the crates that the reference tokenizer uses, with their older
//! Unicode tables: newer tables would give different results.

use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::UnicodeNormalization;

/// Passes the characters of the normalised `text` to `take`, in order.
pub(super) fn for_each_char(text: &str, mut take: impl FnMut(char)) {
    let spaced = text.chars().filter_map(clean).flat_map(set_cjk_apart);
    for (c, _) in spaced.nfd() {
        if c.is_ascii() {
            take(c.to_ascii_lowercase());
        } else if !c.is_mark_nonspacing() {
            c.to_lowercase().for_each(&mut take);
        }
    }
}

/// Whether `c` is a separate word.
pub(super) fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_punctuation()
    } else {
        c.is_punctuation()
    }
}

/// Drops control characters and converts every white space to a space.
fn clean(c: char) -> Option<char> {
    match c {
        '\t' | '\n' | '\r' => Some(' '),
        ' '..='~' => Some(c),
        '\0' | '\u{fffd}' => None,
        _ if c.is_other() => None,
        _ if c.is_whitespace() => Some(' '),
        _ => Some(c),
    }
}

/// Puts spaces around an ideograph, so that it is a separate word.
fn set_cjk_apart(c: char) -> impl Iterator<Item = char> {
    let blank = is_cjk(c).then_some(' ');
    blank.into_iter().chain(std::iter::once(c)).chain(blank)
}

/// The blocks that the reference treats as Chinese. Its fifth extension block starts at U+2B920,
/// 256 code points late; this is kept for equality with the reference.
fn is_cjk(c: char) -> bool {
    matches!(
        u32::from(c),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x20000..=0x2A6DF
            | 0x2A700..=0x2B73F
            | 0x2B740..=0x2B81F
            | 0x2B920..=0x2CEAF
            | 0xF900..=0xFAFF
            | 0x2F800..=0x2FA1F
    )
}
