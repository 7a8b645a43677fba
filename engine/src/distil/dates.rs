//! Resolves relative dates against the time of speaking.
//!
//! A resolution is added beside the words, never in their place: "tomorrow" becomes "tomorrow
//! (2 March 2025)". Wall time is taken as UTC: a stream file says no zone, and a day is the finest
//! unit resolved.

use crate::text::display_words;
use jiff::civil::{Date, Weekday};
use jiff::{Timestamp, ToSpan, tz::TimeZone};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The date on which something was said.
#[must_use]
pub fn date_of(said_at_unix_ms: i64) -> Option<Date> {
    let timestamp = Timestamp::from_millisecond(said_at_unix_ms).ok()?;
    Some(timestamp.to_zoned(TimeZone::UTC).date())
}

/// The number of the month that a lower-cased word names, from 1.
pub(crate) fn month_named(word: &str) -> Option<i8> {
    let named = |name: &&str| name.eq_ignore_ascii_case(word);
    let at = MONTHS.iter().position(named)?;
    i8::try_from(at + 1).ok()
}

/// Writes a date as people say it: `2 March 2025`.
#[must_use]
pub fn in_words(date: Date) -> String {
    format!(
        "{} {} {}",
        date.day(),
        MONTHS[date.month() as usize - 1],
        date.year()
    )
}

/// The text with the first relative date in it resolved, or `None` when there is none.
#[must_use]
pub(crate) fn resolved(text: &str, said_at_unix_ms: Option<i64>) -> Option<String> {
    let said = date_of(said_at_unix_ms?)?;
    let words: Vec<&str> = display_words(text).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    for at in 0..lower.len() {
        if let Some((length, meaning)) = relative(&lower[at..], said) {
            let last = words[at + length - 1];
            // words are slices of the text, so their distance to its start is their place in it
            let end = last.as_ptr() as usize - text.as_ptr() as usize + last.len();
            return Some(format!("{} ({meaning}){}", &text[..end], &text[end..]));
        }
    }
    None
}

/// What the first words mean: how many of them, and the date.
fn relative(words: &[String], said: Date) -> Option<(usize, String)> {
    let first = words.first()?.as_str();
    let second = words.get(1).map(String::as_str);
    let days = |n: i64| said.checked_add(n.days()).ok().map(in_words);
    let one = |meaning: Option<String>| meaning.map(|meaning| (1, meaning));
    let two = |meaning: Option<String>| meaning.map(|meaning| (2, meaning));
    match (first, second) {
        ("tomorrow", _) => one(days(1)),
        ("yesterday", _) => one(days(-1)),
        ("today" | "tonight", _) => one(days(0)),
        ("last", Some("night")) => two(days(-1)),
        ("this", Some("morning" | "afternoon" | "evening")) => two(days(0)),
        ("last", Some("month")) => two(month(said, -1)),
        ("next", Some("month")) => two(month(said, 1)),
        ("last", Some("year")) => two(Some((said.year() - 1).to_string())),
        ("next", Some("year")) => two(Some((said.year() + 1).to_string())),
        ("last", Some("week")) => two(days(-7).map(|date| format!("week of {date}"))),
        ("next", Some("week")) => two(days(7).map(|date| format!("week of {date}"))),
        ("last", Some(day)) => two(weekday(day).and_then(|day| nth(said, -1, day))),
        ("next" | "on" | "this", Some(day)) => two(weekday(day).and_then(|day| nth(said, 1, day))),
        (count, Some("days")) if words.get(2).is_some_and(|word| word == "ago") => {
            small_number(count)
                .and_then(|n| days(-n))
                .map(|meaning| (3, meaning))
        }
        (count, Some("weeks")) if words.get(2).is_some_and(|word| word == "ago") => {
            small_number(count)
                .and_then(|n| days(-7 * n))
                .map(|meaning| (3, meaning))
        }
        _ => None,
    }
}

fn nth(said: Date, n: i32, day: Weekday) -> Option<String> {
    said.nth_weekday(n, day).ok().map(in_words)
}

fn month(said: Date, by: i64) -> Option<String> {
    let date = said.first_of_month().checked_add(by.months()).ok()?;
    Some(format!(
        "{} {}",
        MONTHS[date.month() as usize - 1],
        date.year()
    ))
}

/// The day of the week of a lower-cased word.
pub(crate) fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

fn small_number(word: &str) -> Option<i64> {
    const WORDS: [&str; 11] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    WORDS
        .iter()
        .position(|name| *name == word)
        .map(|n| n as i64)
        .or_else(|| word.parse().ok().filter(|n| (0..=60).contains(n)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Saturday, 1 March 2025, 10:00 UTC.
    const SAID: Option<i64> = Some(1_740_823_200_000);

    #[test]
    fn relative_dates_are_resolved_beside_their_words() {
        for (text, expected) in [
            ("We leave tomorrow.", "We leave tomorrow (2 March 2025)."),
            (
                "Yesterday I slept.",
                "Yesterday (28 February 2025) I slept.",
            ),
            ("See you on Friday!", "See you on Friday (7 March 2025)!"),
            (
                "It was last Saturday.",
                "It was last Saturday (22 February 2025).",
            ),
            (
                "We met three days ago.",
                "We met three days ago (26 February 2025).",
            ),
            ("I move next month.", "I move next month (April 2025)."),
            ("He came last year.", "He came last year (2024)."),
        ] {
            assert_eq!(resolved(text, SAID).as_deref(), Some(expected));
        }
    }

    #[test]
    fn nothing_is_resolved_without_a_date_or_a_time() {
        assert_eq!(resolved("We leave now.", SAID), None);
        assert_eq!(resolved("We leave tomorrow.", None), None);
        assert_eq!(resolved("on", SAID), None);
    }
}
