//! The days that statements tell of: "in June 2099", "on 3 May", and relative ones as they are
//! resolved.

use super::asked::Asked;
use super::when::{Looks, Stretch, dated, week_of};
use crate::text::{display_words, month_named};
use jiff::civil::Date;

/// The days that a statement tells of, by the first date in its words, said on this day: a month
/// without a year is the next one where the statement looks ahead, else the one before.
pub(super) fn days_told(said: &str, on: Date) -> Option<Stretch> {
    const BEGIN: [&str; 5] = ["from", "since", "until", "till", "by"];
    // most statements name none: look before anything is copied
    let names = |word: &str| month_named(word).is_some() || word.parse::<i16>().is_ok();
    if !display_words(said).any(names) {
        return None;
    }
    let words: Vec<String> = display_words(said).map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let looks = match Asked::tells_ahead(said) {
        true => Looks::Ahead,
        false => Looks::Back,
    };
    let month = |words: &[&str]| match words {
        [begin, month, ..] if BEGIN.contains(begin) => dated(&["in", month], on, looks),
        _ => None,
    };
    let at = |at: usize| dated(&words[at..], on, looks).or_else(|| month(&words[at..]));
    (0..words.len()).find_map(at)
}

/// The days of a date that a statement names, as [`crate::text::resolved`] writes it: "3 May 2026",
/// "May 2026", "2026", "week of 3 May 2026".
pub(super) fn days_of(resolved: &str) -> Option<Stretch> {
    let words: Vec<String> = resolved.split(' ').map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["week", "of", day @ ..] => week_of(*dated(day, Date::ZERO, Looks::Back)?.start()),
        ["weekend", "of", day @ ..] => {
            let from = *dated(day, Date::ZERO, Looks::Back)?.start();
            Some(from..=from.tomorrow().ok()?)
        }
        [year] => dated(&["in", year], Date::ZERO, Looks::Back),
        of_month => dated(of_month, Date::ZERO, Looks::Back),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_statements_tell_of() {
        let of = |said| {
            days_told(said, jiff::civil::date(2025, 3, 1))
                .map(|it| format!("{} {}", it.start(), it.end()))
        };
        for (said, expected) in [
            (
                "I will teach there in June 2099.",
                Some("2099-06-01 2099-06-30"),
            ),
            (
                "The cellar will be dry from May on.",
                Some("2025-05-01 2025-05-31"),
            ),
            ("We moved in May.", Some("2024-05-01 2024-05-31")),
            ("The fair was on 3 January.", Some("2025-01-03 2025-01-03")),
            ("It may rain, I will stay.", None),
        ] {
            assert_eq!(of(said).as_deref(), expected, "{said}");
        }
    }

    #[test]
    fn days_that_statements_name() {
        let of = |resolved| days_of(resolved).map(|it| format!("{} {}", it.start(), it.end()));
        for (resolved, expected) in [
            ("3 May 2026", "2026-05-03 2026-05-03"),
            ("May 2026", "2026-05-01 2026-05-31"),
            ("2026", "2026-01-01 2026-12-31"),
            ("week of 7 May 2026", "2026-05-04 2026-05-10"),
            ("weekend of 9 May 2026", "2026-05-09 2026-05-10"),
        ] {
            assert_eq!(of(resolved).as_deref(), Some(expected), "{resolved}");
        }
    }
}
