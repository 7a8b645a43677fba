//! Text for the picture: nothing in it steers the terminal, and its width is that of its columns.
//!
//! What a terminal may draw wider or narrower than it is counted (joined emoji, marks without a
//! letter, characters that cannot be seen) is left out, so that columns stand still.

use crate::cli::terminal::is_unsafe;
use unicode_width::UnicodeWidthChar as _;

/// Characters of one text that are kept.
const CHARS_MAX: usize = 4_000;
/// Marks that one letter may carry.
const MARKS_MAX: usize = 2;

/// A text from outside, on one line and safe for the picture.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::new();
    let (mut marks, mut kept) = (MARKS_MAX, 0);
    for c in text.chars() {
        if kept == CHARS_MAX {
            out.push('…');
            break;
        }
        let c = match c {
            c if is_unsafe(c) || c.is_whitespace() => ' ',
            c if is_unseen(c) => continue,
            c => c,
        };
        match c.width() {
            None => continue,
            Some(0) if marks == MARKS_MAX => continue,
            Some(0) => marks += 1,
            Some(_) => marks = 0,
        }
        out.push(c);
        kept += 1;
    }
    out
}

/// Whether a character is not seen itself, but joins or changes its neighbours.
fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0000}'..='\u{e0fff}'
    )
}

fn columns_of(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The columns of a clean text.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// The beginning of a clean text that fits, with an ellipsis for the rest.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut room = columns.saturating_sub(1);
    for c in text.chars() {
        let Some(left) = room.checked_sub(columns_of(c)) else {
            break;
        };
        room = left;
        out.push(c);
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

/// The pieces of a line of text, each with its style.
pub(crate) type Pieces<S> = Vec<(String, S)>;

/// Clean texts with their styles, in lines of so many columns, broken between words where that is
/// possible; all lines but the first leave `indent` columns free. A space stands between two texts.
pub(crate) fn wrap<S: Copy + PartialEq>(
    texts: &[(&str, S)],
    indent: usize,
    columns: usize,
) -> Vec<Pieces<S>> {
    let room = |nth: usize| match nth {
        1 => columns.max(2),
        _ => columns.saturating_sub(indent).max(2),
    };
    let mut lines = vec![Pieces::new()];
    let mut used = 0;
    for (text, style) in texts {
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            if used > 0 && used + 1 + width(word) > room(lines.len()) {
                lines.push(Pieces::new());
                used = 0;
            }
            if used > 0 {
                add(&mut lines, ' ', *style);
                used += 1;
            }
            for c in word.chars() {
                if used + columns_of(c) > room(lines.len()) {
                    lines.push(Pieces::new());
                    used = 0;
                }
                add(&mut lines, c, *style);
                used += columns_of(c);
            }
        }
    }
    lines
}

/// Adds a character to the last line.
fn add<S: Copy + PartialEq>(lines: &mut [Pieces<S>], c: char, style: S) {
    let Some(line) = lines.last_mut() else {
        return;
    };
    match line.last_mut() {
        Some((text, known)) if *known == style => text.push(c),
        _ => line.push((c.to_string(), style)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_would_steer_or_widen_is_left_out() {
        assert_eq!(clean("a\u{1b}[31mb\u{202e}c\td\ne"), "a [31mb c d e");
        assert_eq!(clean("👩\u{200d}👩\u{200d}👧 ❤\u{fe0f} 👍🏽"), "👩👩👧 ❤ 👍");
        assert_eq!(
            clean("\u{301}e\u{301}\u{302}\u{303}\u{304}"),
            "e\u{301}\u{302}"
        );
        assert_eq!(clean("a\u{200b}b\u{feff}c\u{2028}d"), "abc d");
        assert_eq!(clean(&"x".repeat(9_000)).chars().count(), CHARS_MAX + 1);
    }

    #[test]
    fn lines_break_between_words_and_long_words_anywhere() {
        let lines = |text: &str, columns| {
            let lines = wrap(&[(text, ())], 0, columns).into_iter();
            let lines = lines.map(|line| line.into_iter().map(|it| it.0).collect::<String>());
            lines.collect::<Vec<_>>()
        };
        assert_eq!(lines("we meet at  eight", 8), ["we meet", "at eight"]);
        assert_eq!(lines("会議は八時です", 6), ["会議は", "八時で", "す"]);
        assert_eq!(lines("a verylongword b", 6), ["a", "verylo", "ngword", "b"]);
        assert_eq!(lines("", 6), [""]);
        let styled = wrap(&[("Ana:", 1), ("we meet at eight", 2)], 6, 11);
        assert_eq!(styled[0], [("Ana:".into(), 1), (" we".into(), 2)]);
        assert_eq!(styled[1], [("meet".into(), 2)]);
        assert_eq!(fit("会議は八時", 6), "会議…");
        assert_eq!(fit("abc", 0), "");
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_it_may_be(text in "\\PC{0,80}|.{0,80}", columns in 0_usize..50) {
            let clean = clean(&text);
            prop_assert!(!clean.chars().any(|c| is_unsafe(c) || is_unseen(c)));
            prop_assert!(width(&fit(&clean, columns)) <= columns);
            for line in wrap(&[(&*clean, 0)], 3, columns) {
                let wide: usize = line.iter().map(|(text, _)| width(text)).sum();
                prop_assert!(wide <= columns.max(2));
            }
        }
    }
}
