//! Splits words like GLiNER's "whitespace" splitter: letters, digits and underscores, joined by
//! hyphens and underscores; every other visible character is its own word.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

// The reference is a regular expression of Python, whose \w has no combining marks and whose \s
// includes the four ASCII separators; this expression states the same in Unicode terms.
static WORD: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[\p{L}\p{N}_]+(?:[-_][\p{L}\p{N}_]+)*|[^\s\x1c-\x1f]").ok());

/// The byte range of each word of `text`, in order. O(bytes).
pub(super) fn words(text: &str) -> Vec<Range<usize>> {
    let Some(word) = WORD.as_ref() else {
        return Vec::new();
    };
    word.find_iter(text).map(|found| found.range()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        words(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn words_are_those_of_the_reference() {
        assert_eq!(
            split("Tom's twenty-one_b  boats -- 1,250.75€!"),
            [
                "Tom", "'", "s", "twenty-one_b", "boats", "-", "-", "1", ",", "250", ".", "75",
                "€", "!"
            ]
        );
        // Combining marks are not \w in Python, and U+001C is white space.
        assert_eq!(
            split("e\u{301}a\u{1c}b\u{200b}"),
            ["e", "\u{301}", "a", "b", "\u{200b}"]
        );
        assert_eq!(split("नमस्ते"), ["नमस", "\u{94d}", "त", "\u{947}"]);
        assert_eq!(split("今日は x_-y ½"), ["今日は", "x_-y", "½"]);
        assert!(split(" \u{a0}\n").is_empty());
    }
}
