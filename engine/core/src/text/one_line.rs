//! Text on one line and in one direction, for places where a line says who said it.

use std::borrow::Cow;

/// Whether a character ends a line, controls a terminal, or turns the direction of what follows.
#[must_use]
pub fn leaves_its_line(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Whether a character shows nothing, so that two names with and without it look alike. Joiners
/// (U+200C, U+200D) are letters' own in some scripts and in emoji.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}'
    ) || matches!(
        c,
        '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// Whether a character alone shows nothing: a blank, or a joiner.
#[must_use]
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200c}' | '\u{200d}')
}

/// The text with a blank in the place of such characters and of the blanks around them.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(leaves_its_line) {
        return Cow::Borrowed(text);
    }
    let parts = text.split(leaves_its_line).map(str::trim);
    let parts: Vec<&str> = parts.filter(|it| !it.is_empty()).collect();
    Cow::Owned(parts.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_stands_on_another_line() {
        for (text, line) in [
            ("as it is", "as it is"),
            ("one\ntwo", "one two"),
            ("one \r\n\n\t two\u{85}three", "one two three"),
            ("one\u{2028}two\u{2029}", "one two"),
            ("\u{1b}[31mred", "[31mred"),
            ("abc\u{202e}def\u{2066}", "abc def"),
            ("\n", ""),
        ] {
            assert_eq!(one_line(text), line);
        }
        assert!(matches!(one_line("as it is"), Cow::Borrowed(_)));
    }
}
