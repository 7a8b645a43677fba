//! The days that a question names: "last Tuesday", "in May", "on 5 May 2023", "two weeks ago".
//!
//! Questions look back: a day or month without a year is the most recent one before the question.
//! The caller gives the day of the question, which is the day of its time zone.

use crate::text::display_words;
use crate::text::{month_named, weekday};
use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};
use std::ops::RangeInclusive;

const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// An inclusive range of days.
pub(super) type Days = RangeInclusive<Date>;

/// The days that a question of this day names; `None` when it names none, or when it asks for the
/// day itself.
pub(super) fn days_named(question: &str, asked: Date) -> Option<Days> {
    let words: Vec<String> = display_words(question).map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.first() == Some(&"when") {
        return None;
    }
    (0..words.len())
        .find_map(|at| dated(&words[at..], asked).or_else(|| relative(&words[at..], asked)))
}

/// "5 May 2023", "May 5th", "May 2023", "in May", "in 2022".
fn dated(words: &[&str], asked: Date) -> Option<Days> {
    let year = |word: Option<&&str>| {
        word?
            .parse::<i16>()
            .ok()
            .filter(|y| (1900..2200).contains(y))
    };
    let day = |word: Option<&&str>| {
        let digits = word?.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        digits.parse::<i8>().ok().filter(|d| (1..=31).contains(d))
    };
    let on = |y: Option<i16>, m: i8, d: i8| {
        let this = Date::new(y.unwrap_or(asked.year()), m, d).ok()?;
        let last = || Date::new(asked.year() - 1, m, d).ok();
        let day = if y.is_none() && this > asked {
            last()?
        } else {
            this
        };
        Some(day..=day)
    };
    match words {
        [d, m, rest @ ..] if day(Some(d)).is_some() && month_named(m).is_some() => {
            on(year(rest.first()), month_named(m)?, day(Some(d))?)
        }
        [d, "of", m, rest @ ..] if day(Some(d)).is_some() && month_named(m).is_some() => {
            on(year(rest.first()), month_named(m)?, day(Some(d))?)
        }
        [m, d, rest @ ..] if month_named(m).is_some() && day(Some(d)).is_some() => {
            on(year(rest.first()), month_named(m)?, day(Some(d))?)
        }
        [m, rest @ ..] if month_named(m).is_some() && year(rest.first()).is_some() => {
            month_of(year(rest.first())?, month_named(m)?)
        }
        ["in", m, rest @ ..] => match (month_named(m), year(Some(m))) {
            (Some(m), _) => {
                let last = asked.year() - i16::from(m > asked.month());
                month_of(year(rest.first()).unwrap_or(last), m)
            }
            (None, Some(y)) => Some(Date::new(y, 1, 1).ok()?..=Date::new(y, 12, 31).ok()?),
            (None, None) => None,
        },
        _ => None,
    }
}

fn month_of(year: i16, month: i8) -> Option<Days> {
    let first = Date::new(year, month, 1).ok()?;
    Some(first..=first.last_of_month())
}

/// A number from 1 to 120, in words up to twelve.
fn number(word: &str) -> Option<i64> {
    let named = NUMBERS.iter().position(|name| *name == word);
    let named = named.map(|n| n as i64);
    let named = named.or_else(|| ["a", "an"].contains(&word).then_some(1));
    let number = named.or_else(|| word.parse().ok());
    number.filter(|n| (1..=120).contains(n))
}

/// The milliseconds before a question that it asks about: "in the last ten minutes", "in the past
/// hour".
pub(super) fn recent_ms(question: &str) -> Option<u64> {
    let words: Vec<String> = display_words(question).map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let minutes = (0..words.len()).find_map(|at| match words[at..] {
        ["last" | "past", "half", "hour", ..] | ["last" | "past", "half", "an", "hour", ..] => {
            Some(30)
        }
        ["last" | "past", "minute", ..] => Some(1),
        ["last" | "past", "hour", ..] => Some(60),
        ["last" | "past", n, "minutes", ..] => number(n),
        ["last" | "past", n, "hours", ..] => number(n).map(|n| n * 60),
        _ => None,
    })?;
    u64::try_from(minutes * 60_000).ok()
}

/// Whether a lower-cased word can be part of the name of a day or of a stretch of time.
pub(super) fn is_of_time(word: &str) -> bool {
    const OF_TIME: [&str; 33] = [
        "minute", "minutes", "hour", "hours", "half", "day", "days", "week", "weeks", "weekend",
        "month", "months", "year", "years", "ago", "last", "past", "previous", "this", "today",
        "tonight", "yesterday", "morning", "afternoon", "evening", "night", "time", "far", "now",
        "since", "during", "recently", "earlier",
    ];
    OF_TIME.contains(&word)
        || number(word).is_some()
        || word.starts_with(|first: char| first.is_ascii_digit())
        || month_named(word).is_some()
        || weekday(word).is_some()
}

/// "yesterday", "last week", "on Tuesday", "three days ago".
fn relative(words: &[&str], asked: Date) -> Option<Days> {
    let back = |span: Span| asked.checked_sub(span).ok();
    let one = |date: Option<Date>| date.map(|date| date..=date);
    match words {
        ["today" | "tonight", ..] | ["this", "morning" | "afternoon" | "evening", ..] => {
            one(Some(asked))
        }
        ["yesterday", ..] | ["last", "night", ..] => one(back(1.days())),
        ["this", "week", ..] => Some(back(7.days())?..=asked),
        ["last", "week", ..] => Some(back(14.days())?..=asked),
        ["last", "weekend", ..] => {
            let sunday = asked.nth_weekday(-1, Weekday::Sunday).ok()?;
            Some(sunday.checked_sub(1.day()).ok()?..=sunday)
        }
        ["this", "month", ..] => month_of(asked.year(), asked.month()),
        ["last", "month", ..] => {
            let month = asked.first_of_month().checked_sub(1.month()).ok()?;
            month_of(month.year(), month.month())
        }
        ["this" | "last", "year", ..] => {
            let year = asked.year() - i16::from(words[0] == "last");
            Some(Date::new(year, 1, 1).ok()?..=Date::new(year, 12, 31).ok()?)
        }
        ["last" | "on" | "this", day, ..] if weekday(day).is_some() => {
            one(asked.nth_weekday(-1, weekday(day)?).ok())
        }
        [n, unit, "ago", ..] => {
            let n = number(n)?;
            let (span, slack) = match *unit {
                "day" | "days" => (n.days(), 0.days()),
                "week" | "weeks" => (n.weeks(), 3.days()),
                "month" | "months" => (n.months(), 15.days()),
                "year" | "years" => (n.years(), 183.days()),
                _ => return None,
            };
            let date = back(span)?;
            Some(date.checked_sub(slack).ok()?..=date.checked_add(slack).ok()?)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Saturday.
    const ASKED: Date = jiff::civil::date(2025, 3, 1);

    fn days(question: &str) -> Option<String> {
        days_named(question, ASKED).map(|days| format!("{} {}", days.start(), days.end()))
    }

    #[test]
    fn days_that_questions_name() {
        for (question, expected) in [
            ("What did Ana say yesterday?", "2025-02-28 2025-02-28"),
            ("What did Ana say last Tuesday?", "2025-02-25 2025-02-25"),
            ("Who called on Friday?", "2025-02-28 2025-02-28"),
            ("What happened last night?", "2025-02-28 2025-02-28"),
            ("Who came three days ago?", "2025-02-26 2025-02-26"),
            ("Where was Tom two weeks ago?", "2025-02-12 2025-02-18"),
            ("What did we plan last month?", "2025-02-01 2025-02-28"),
            ("Where did Ana go in December?", "2024-12-01 2024-12-31"),
            ("Where did Ana go in May 2023?", "2023-05-01 2023-05-31"),
            ("What broke on 5 May 2023?", "2023-05-05 2023-05-05"),
            ("What broke on the 5th of May?", "2024-05-05 2024-05-05"),
            ("What broke on May 5th, 2023?", "2023-05-05 2023-05-05"),
            ("What did Bob buy in 2022?", "2022-01-01 2022-12-31"),
            ("What did they do last weekend?", "2025-02-22 2025-02-23"),
            ("What did Bob sell this week?", "2025-02-22 2025-03-01"),
            ("What did Bob sell last week?", "2025-02-15 2025-03-01"),
            ("Who called this morning?", "2025-03-01 2025-03-01"),
            ("What did I eat a day ago?", "2025-02-28 2025-02-28"),
        ] {
            assert_eq!(days(question).as_deref(), Some(expected), "{question}");
        }
    }

    #[test]
    fn questions_that_name_no_day() {
        for question in [
            "When did Ana move in May?",
            "Where does Ana live?",
            "May I ask who called?",
            "Who lives in Porto?",
            "",
        ] {
            assert_eq!(days(question), None, "{question}");
        }
    }

    #[test]
    fn minutes_and_hours_before_a_question() {
        let minutes = |question| recent_ms(question).map(|ms| ms / 60_000);
        assert_eq!(minutes("What was said in the last five minutes?"), Some(5));
        assert_eq!(minutes("Summarise the past 90 minutes."), Some(90));
        assert_eq!(minutes("What did I miss in the last half hour?"), Some(30));
        assert_eq!(minutes("Who spoke in the past hour?"), Some(60));
        assert_eq!(minutes("And in the last 2 hours?"), Some(120));
        assert_eq!(minutes("What did she say last year?"), None);
    }
}
