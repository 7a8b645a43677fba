//! Resolves relative dates against the time of the utterance.
//!
//! The resolved date is added after the words, never in their place: "tomorrow" becomes "tomorrow
//! (2 March 2025)". What memory stores has dates in UTC; what a question shows has them in the
//! question's time zone.

use super::words::display_words;
use crate::analysis::ResolvedDate;
use jiff::civil::{Date, DateTime, Weekday};
use jiff::{Timestamp, ToSpan, tz::TimeZone};

const MONTHS: [&str; 12] = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
];

/// What clocks and calendars of a time zone show at a Unix time.
#[must_use]
pub fn local_time(unix_ms: i64, zone: &TimeZone) -> Option<DateTime> {
    Some(zone.to_datetime(Timestamp::from_millisecond(unix_ms).ok()?))
}

/// The date on which something was said, in a time zone.
#[must_use]
pub fn date_of(said_at_unix_ms: i64, zone: &TimeZone) -> Option<Date> {
    local_time(said_at_unix_ms, zone).map(DateTime::date)
}

/// The month that a lower-cased word names, in full or in short, from 1. "Jan", "Mar" and "Jun" are
/// people too, so they name no month.
pub(crate) fn month_named(word: &str) -> Option<i8> {
    const SHORT: [&str; 9] = [
        "feb", "apr", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
    ];
    let short = SHORT.contains(&word);
    let named = |name: &&str| {
        let begins = || name.get(..3).zip(word.get(..3));
        let begins = begins().is_some_and(|(name, word)| name.eq_ignore_ascii_case(word));
        name.eq_ignore_ascii_case(word) || short && begins
    };
    let at = MONTHS.iter().position(named)?;
    i8::try_from(at + 1).ok()
}

/// Formats a date: `2 March 2025`.
#[must_use]
pub fn in_words(date: Date) -> String {
    format!(
        "{} {} {}",
        date.day(),
        MONTHS[date.month() as usize - 1],
        date.year()
    )
}

/// The text with its first relative date resolved, or `None` when there is none.
#[must_use]
pub(crate) fn resolved(
    text: &str,
    said_at_unix_ms: Option<i64>,
    zone: &TimeZone,
) -> Option<String> {
    date_in(text, said_at_unix_ms, zone)?.shown_in(text)
}

/// The first relative date of a text, in words: "3 May 2026", "May 2026", "week of 3 May 2026".
#[must_use]
pub(crate) fn date_in_words(
    text: &str,
    said_at_unix_ms: Option<i64>,
    zone: &TimeZone,
) -> Option<String> {
    date_in(text, said_at_unix_ms, zone).map(|it| it.date)
}

/// The first relative date of a text, resolved.
#[must_use]
pub(super) fn date_in(
    text: &str,
    said_at_unix_ms: Option<i64>,
    zone: &TimeZone,
) -> Option<ResolvedDate> {
    // most statements have none: check without copying
    if !display_words(text).any(marks_relative) {
        return None;
    }
    let said = date_of(said_at_unix_ms?, zone)?;
    let words: Vec<&str> = display_words(text).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let past = tells_of_the_past(&lower);
    for at in 0..lower.len() {
        if let Some((length, date)) = relative(&lower[at..], said, past) {
            let last = words[at + length - 1];
            // words are slices of the text, so pointer distance gives the byte offset
            let end = last.as_ptr() as usize - text.as_ptr() as usize + last.len();
            let at = u32::try_from(end).ok()?;
            return Some(ResolvedDate { at, date });
        }
    }
    None
}

/// Whether a word is one that relative dates contain: see [`relative`].
fn marks_relative(word: &str) -> bool {
    const MARKS: [&str; 10] = [
        "tomorrow", "yesterday", "today", "tonight", "last", "past", "this", "next", "on", "ago",
    ];
    MARKS.iter().any(|mark| word.eq_ignore_ascii_case(mark))
}

/// Whether a statement is in the past tense only: then "on Friday" means the last Friday.
fn tells_of_the_past(words: &[String]) -> bool {
    const PAST: [&str; 22] = [
        "was", "were", "did", "had", "got", "went", "came", "saw", "met", "took", "made", "gave",
        "bought", "found", "felt", "won", "lost", "left", "ran", "told", "said", "didn't",
    ];
    const FUTURE: [&str; 10] = [
        "will", "i'll", "we'll", "he'll", "she'll", "they'll", "going", "gonna", "can't", "hope",
    ];
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let ended = |word: &String| word.len() > 4 && word.ends_with("ed");
    (has(&PAST) || words.iter().any(ended)) && !has(&FUTURE)
}

/// Parses a relative date at the start of the words: its number of words, and the date; `past` is
/// the result of [`tells_of_the_past`].
fn relative(words: &[String], said: Date, past: bool) -> Option<(usize, String)> {
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
        ("last" | "past", Some("weekend")) => two(weekend(said, -1)),
        ("this" | "next", Some("weekend")) if !past => two(weekend(said, 1)),
        ("last", Some(day)) => two(weekday(day).and_then(|day| nth(said, -1, day))),
        ("on", Some(day)) if past => two(weekday(day).and_then(|day| nth(said, -1, day))),
        ("next" | "on" | "this", Some(day)) => two(weekday(day).and_then(|day| nth(said, 1, day))),
        (count, Some("years" | "year")) if words.get(2).is_some_and(|word| word == "ago") => {
            small_number(count)
                .filter(|years| *years > 0)
                .map(|years| (3, (i64::from(said.year()) - years).to_string()))
        }
        (count, Some("months" | "month")) if words.get(2).is_some_and(|word| word == "ago") => {
            small_number(count)
                .and_then(|months| month(said, -months))
                .map(|meaning| (3, meaning))
        }
        (count, Some("days" | "day")) if words.get(2).is_some_and(|word| word == "ago") => {
            small_number(count)
                .and_then(|n| days(-n))
                .map(|meaning| (3, meaning))
        }
        (count, Some("weeks" | "week")) if words.get(2).is_some_and(|word| word == "ago") => {
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

/// The Saturday of the weekend before a day, or of the weekend on or after it.
fn weekend(said: Date, n: i32) -> Option<String> {
    // on a Sunday, "this weekend" is the current one, "last weekend" the one before
    let from = match (said.weekday(), n) {
        (Weekday::Sunday, -1) => said.yesterday().ok()?,
        (Weekday::Saturday | Weekday::Sunday, 1) => {
            return Some(format!("weekend of {}", in_words(said)));
        }
        _ => said,
    };
    let saturday = from.nth_weekday(n, Weekday::Saturday).ok()?;
    Some(format!("weekend of {}", in_words(saturday)))
}

fn month(said: Date, by: i64) -> Option<String> {
    let date = said.first_of_month().checked_add(by.months()).ok()?;
    Some(format!(
        "{} {}",
        MONTHS[date.month() as usize - 1],
        date.year()
    ))
}

/// The weekday that a lower-cased word names.
pub(crate) fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" => Weekday::Monday,
        "tuesday" | "tue" | "tues" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" | "thurs" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

fn small_number(word: &str) -> Option<i64> {
    const WORDS: [&str; 11] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    if ["a", "an"].contains(&word) {
        return Some(1);
    }
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
            ("We met on Friday.", "We met on Friday (28 February 2025)."),
            (
                "I was sick, so I'll come on Friday.",
                "I was sick, so I'll come on Friday (7 March 2025).",
            ),
            ("Last Fri I ran.", "Last Fri (28 February 2025) I ran."),
            (
                "It began three years ago.",
                "It began three years ago (2022).",
            ),
            (
                "A month ago it rained.",
                "A month ago (February 2025) it rained.",
            ),
            ("It was a year ago.", "It was a year ago (2024)."),
            (
                "We camped last weekend.",
                "We camped last weekend (weekend of 22 February 2025).",
            ),
            (
                "See you next weekend!",
                "See you next weekend (weekend of 1 March 2025)!",
            ),
        ] {
            assert_eq!(
                resolved(text, SAID, &TimeZone::UTC).as_deref(),
                Some(expected)
            );
        }
    }

    #[test]
    fn nothing_is_resolved_without_a_date_or_a_time() {
        let resolved = |text, at| resolved(text, at, &TimeZone::UTC);
        assert_eq!(resolved("We leave now.", SAID), None);
        assert_eq!(resolved("We leave tomorrow.", None), None);
        assert_eq!(resolved("on", SAID), None);
    }

    #[test]
    fn a_day_ends_at_midnight_of_its_zone() {
        // 28 February 2025, 23:30 UTC
        let late = 1_740_785_400_000;
        let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("it is a rule");
        let day = |zone: &TimeZone| date_of(late, zone).map(in_words);
        assert_eq!(day(&TimeZone::UTC).as_deref(), Some("28 February 2025"));
        assert_eq!(day(&berlin).as_deref(), Some("1 March 2025"));
        assert_eq!(
            resolved("We leave tomorrow.", Some(late), &berlin).as_deref(),
            Some("We leave tomorrow (2 March 2025).")
        );
        // on the day of the change the clock skips from 2 to 3: 30 March 2025, 00:30 and 01:30 UTC
        let clock = |unix_ms| local_time(unix_ms, &berlin).map(|it| it.hour());
        let half_past_midnight = 1_743_294_600_000;
        assert_eq!(clock(half_past_midnight), Some(1));
        assert_eq!(clock(half_past_midnight + 3_600_000), Some(3));
    }
}
