//! The days that a question names: "last Tuesday", "in May", "on 5 May 2023", "two weeks ago",
//! "between Monday and Friday". Weeks are those of calendars, from Monday to Sunday.
//!
//! Questions look back: a day or month without a year is the most recent one before the question,
//! and the next one where they ask for what will be. A day of the week may be either, unless the
//! question says which. The caller gives the day of the question, which is the day of its time
//! zone.

use super::asked::Asked;
use crate::answer::QuestionTime;
use crate::memory::Kind;
use crate::session::Session;
use crate::text::{date_of, display_words, in_words, month_named, weekday};
use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};
use std::ops::RangeInclusive;

const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// Where a question or a statement looks from its day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looks {
    Back,
    Either,
    Ahead,
}

impl Looks {
    fn of(question: &str) -> Self {
        match (Asked::is_past(question), Asked::asks_ahead(question)) {
            (true, _) => Self::Back,
            (false, true) => Self::Ahead,
            (false, false) => Self::Either,
        }
    }
}

/// An inclusive range of days.
pub(super) type Stretch = RangeInclusive<Date>;

/// The days that a question names: one stretch, or one of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Days {
    stretches: Vec<Stretch>,
    /// Whether they are counted from the end of talk that ended long before the question.
    of_talk: bool,
}

impl Days {
    pub(super) fn one(stretch: Stretch) -> Self {
        Self::any(vec![stretch])
    }

    fn any(stretches: Vec<Stretch>) -> Self {
        Self {
            stretches,
            of_talk: false,
        }
    }

    pub(super) fn contains(&self, day: &Date) -> bool {
        self.stretches.iter().any(|it| it.contains(day))
    }

    /// Whether a stretch has one of them.
    pub(super) fn meet(&self, stretch: &Stretch) -> bool {
        let meets = |it: &Stretch| it.start() <= stretch.end() && stretch.start() <= it.end();
        self.stretches.iter().any(meets)
    }

    /// The first day.
    pub(super) fn start(&self) -> Option<Date> {
        self.stretches.iter().map(|it| *it.start()).min()
    }

    /// Whether they are not what they seem, so that the day of each statement must be said.
    pub(super) fn are_of_talk(&self) -> bool {
        self.of_talk
    }
}

impl std::fmt::Display for Days {
    /// "on 3 May 2026", "from 4 May 2026 to 10 May 2026".
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, stretch) in self.stretches.iter().enumerate() {
            let or = if at == 0 { "" } else { " or " };
            let (start, end) = (in_words(*stretch.start()), in_words(*stretch.end()));
            match start == end {
                true => write!(f, "{or}on {start}")?,
                false => write!(f, "{or}from {start} to {end}")?,
            }
        }
        Ok(())
    }
}

/// Talk that ended so many days before the day in question has nothing near it.
const LONG_AGO_DAYS: i64 = 31;

/// Wall times of all that is held.
fn said_at(session: &Session) -> impl Iterator<Item = i64> {
    let units = session.tree().of_kind(Kind::Unit);
    let units = units.filter_map(|it| it.evidence.first()?.said_at_unix_ms);
    let raw = session.buffer().raw();
    units.chain(raw.filter_map(|it| it.said_at_unix_ms))
}

/// The days that a question names; `None` while no wall time is known of anything held.
pub(super) fn days_asked(session: &Session, question: &str, at: &QuestionTime) -> Option<Days> {
    let zone = at.time_zone();
    let now = session.now_unix_ms();
    let asked = match at.unix_ms {
        Some(asked) if now.is_some() || session.is_dated() => asked,
        _ => now?,
    };
    let looks = Looks::of(question);
    let days = days_named(question, date_of(asked, &zone)?, looks)?;
    let near = days.start()?.checked_sub(LONG_AGO_DAYS.days()).ok()?;
    let is_near = |unix_ms: i64| date_of(unix_ms, &zone).is_some_and(|day| day >= near);
    let last = now.filter(|now| !is_near(*now));
    // a clock that was set back tells nothing of what was said before
    let long_ago = last.filter(|_| !said_at(session).any(is_near));
    let long_ago = long_ago.and_then(|now| date_of(now, &zone));
    let then = long_ago.and_then(|last| days_named(question, last, looks));
    Some(then.map_or(days, |then| Days {
        of_talk: true,
        ..then
    }))
}

/// The days that a question of this day names; `None` when it names none, or when it asks for the
/// day itself.
fn days_named(question: &str, asked: Date, looks: Looks) -> Option<Days> {
    let words: Vec<String> = display_words(question).map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.first() == Some(&"when") {
        return None;
    }
    let at = |at: usize| {
        let days = between(&words[at..], asked).or_else(|| named(&words[at..], asked, looks))?;
        Some((at, days))
    };
    let (at, days) = (0..words.len()).find_map(at)?;
    // "before 3 May" names no day on which something was
    let before = at.checked_sub(1).map_or("", |before| words[before]);
    (!BESIDE.contains(&before)).then_some(days)
}

/// Behind these a day is a limit.
const BESIDE: [&str; 6] = ["before", "after", "since", "until", "till", "by"];

fn named(words: &[&str], asked: Date, looks: Looks) -> Option<Days> {
    let one = dated(words, asked, looks).or_else(|| relative(words, asked));
    one.map(Days::one)
        .or_else(|| on_weekday(words, asked, looks).map(Days::any))
}

/// "between Monday and Wednesday", "from 3 to 5 May".
fn between(words: &[&str], asked: Date) -> Option<Days> {
    let joins: &[&str] = match *words.first()? {
        "between" => &["and"],
        "from" => &["to", "until", "till"],
        _ => return None,
    };
    let at = words.iter().position(|it| joins.contains(it))?;
    let bare = |words: &[&str]| {
        let day = weekday(words.first()?)?;
        let last = match asked.weekday() == day {
            true => asked,
            false => asked.nth_weekday(-1, day).ok()?,
        };
        Some(last..=last)
    };
    let of = |words: &[&str]| {
        dated(words, asked, Looks::Back)
            .or_else(|| relative(words, asked))
            .or_else(|| bare(words))
    };
    let last = of(&words[at + 1..])?;
    // "between 3 and 5 May"
    let month = words[at + 1..].iter().find(|it| month_named(it).is_some());
    let first =
        of(&words[1..at]).or_else(|| dated(&[words.get(1)?, month?], asked, Looks::Back))?;
    // "from Saturday to Tuesday": the Saturday before that Tuesday
    let first = match first.start() <= last.end() {
        true => *first.start(),
        false => first.start().checked_sub(7.days()).ok()?,
    };
    (first <= *last.end()).then(|| Days::one(first..=*last.end()))
}

/// "on Friday": the last one or the next one, or both where the question does not say which.
fn on_weekday(words: &[&str], asked: Date, looks: Looks) -> Option<Vec<Stretch>> {
    let [on, day, ..] = words else { return None };
    let day = weekday(day)?;
    let nth = |n| asked.nth_weekday(n, day).ok().map(|day| day..=day);
    match *on {
        "last" => Some(vec![nth(-1)?]),
        "next" => Some(vec![nth(1)?]),
        "on" | "this" if looks == Looks::Back => Some(vec![nth(-1)?]),
        "on" | "this" if looks == Looks::Ahead => Some(vec![nth(1)?]),
        "on" | "this" => Some(vec![nth(-1)?, nth(1)?]),
        _ => None,
    }
}

/// The week of a day, from Monday to Sunday.
pub(super) fn week_of(day: Date) -> Option<Stretch> {
    let back = i64::from(day.weekday().to_monday_zero_offset());
    let monday = day.checked_sub(back.days()).ok()?;
    Some(monday..=monday.checked_add(6.days()).ok()?)
}

/// "5 May 2023", "May 5th", "May 2023", "in May", "in 2022".
pub(super) fn dated(words: &[&str], asked: Date, looks: Looks) -> Option<Stretch> {
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
        let other = |by: i16| Date::new(asked.year() + by, m, d).ok();
        let day = match looks {
            _ if y.is_some() => this,
            Looks::Ahead if this < asked => other(1)?,
            Looks::Back | Looks::Either if this > asked => other(-1)?,
            _ => this,
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
                let near = match looks {
                    Looks::Ahead => asked.year() + i16::from(m < asked.month()),
                    Looks::Back | Looks::Either => asked.year() - i16::from(m > asked.month()),
                };
                month_of(year(rest.first()).unwrap_or(near), m)
            }
            (None, Some(y)) => Some(Date::new(y, 1, 1).ok()?..=Date::new(y, 12, 31).ok()?),
            (None, None) => None,
        },
        _ => None,
    }
}

fn month_of(year: i16, month: i8) -> Option<Stretch> {
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

/// What people hold when they talk; no other forms, since "meet" is another word.
pub(super) const OCCASION: &[&str] = &[
    "conversation", "conversations", "discussion", "chat", "meeting",
];

/// Whether a question names the last time that people talked.
pub(super) fn is_of_last_talk(question: &str) -> bool {
    let words: Vec<String> = display_words(question).map(str::to_lowercase).collect();
    words.windows(2).any(|pair| {
        let of_talk = pair[1] == "time" || OCCASION.contains(&pair[1].as_str());
        ["last", "latest", "previous"].contains(&pair[0].as_str()) && of_talk
    })
}

/// Whether a lower-cased word can be part of the name of a day or of a stretch of time.
pub(super) fn is_of_time(word: &str) -> bool {
    const OF_TIME: [&str; 37] = [
        "minute", "minutes", "hour", "hours", "half", "day", "days", "week", "weeks", "weekend",
        "month", "months", "year", "years", "ago", "last", "past", "previous", "this", "today",
        "tonight", "yesterday", "morning", "afternoon", "evening", "night", "time", "far", "now",
        "since", "during", "recently", "earlier", "between", "from", "until", "till",
    ];
    OF_TIME.contains(&word)
        || number(word).is_some()
        || word.starts_with(|first: char| first.is_ascii_digit())
        || month_named(word).is_some()
        || weekday(word).is_some()
}

/// "yesterday", "last week", "tomorrow", "three days ago".
fn relative(words: &[&str], asked: Date) -> Option<Stretch> {
    let back = |span: Span| asked.checked_sub(span).ok();
    let one = |date: Option<Date>| date.map(|date| date..=date);
    match words {
        ["today" | "tonight", ..] | ["this", "morning" | "afternoon" | "evening", ..] => {
            one(Some(asked))
        }
        ["yesterday", ..] | ["last", "night", ..] => one(back(1.days())),
        ["day", "before", "yesterday", ..] => one(back(2.days())),
        ["tomorrow", ..] => one(asked.tomorrow().ok()),
        ["this", "week", ..] => week_of(asked),
        ["last", "week", ..] => week_of(back(7.days())?),
        ["next", "week", ..] => week_of(asked.checked_add(7.days()).ok()?),
        ["next", "month", ..] => {
            let month = asked.first_of_month().checked_add(1.month()).ok()?;
            month_of(month.year(), month.month())
        }
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
        let days = days_named(question, ASKED, Looks::of(question))?;
        let stretches = days
            .stretches
            .iter()
            .map(|it| format!("{} {}", it.start(), it.end()));
        Some(stretches.collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn days_that_questions_name() {
        for (question, expected) in [
            ("What did Ana say yesterday?", "2025-02-28 2025-02-28"),
            ("What did Ana say last Tuesday?", "2025-02-25 2025-02-25"),
            (
                "Who called on Friday?",
                "2025-02-28 2025-02-28, 2025-03-07 2025-03-07",
            ),
            ("What did he buy on Friday?", "2025-02-28 2025-02-28"),
            ("What did he buy in Aug 2023?", "2023-08-01 2023-08-31"),
            ("What did he buy on 3 Sept?", "2024-09-03 2024-09-03"),
            ("What is planned for tomorrow?", "2025-03-02 2025-03-02"),
            ("Who comes next week?", "2025-03-03 2025-03-09"),
            (
                "What did we do between Monday and Wednesday?",
                "2025-02-24 2025-02-26",
            ),
            (
                "What did we do from Saturday to Tuesday?",
                "2025-02-22 2025-02-25",
            ),
            ("What broke between 3 and 5 May?", "2024-05-03 2024-05-05"),
            ("What happened last night?", "2025-02-28 2025-02-28"),
            ("Who came three days ago?", "2025-02-26 2025-02-26"),
            ("Where was Tom two weeks ago?", "2025-02-12 2025-02-18"),
            ("What did we plan last month?", "2025-02-01 2025-02-28"),
            ("Where did Ana go in December?", "2024-12-01 2024-12-31"),
            ("Where did Ana go in May 2023?", "2023-05-01 2023-05-31"),
            ("What broke on 5 May 2023?", "2023-05-05 2023-05-05"),
            ("Where will Ana go in May?", "2025-05-01 2025-05-31"),
            ("Where will Ana be in January?", "2026-01-01 2026-01-31"),
            ("Who will come on Friday?", "2025-03-07 2025-03-07"),
            ("What shall we do on 2 February?", "2026-02-02 2026-02-02"),
            ("What broke on the 5th of May?", "2024-05-05 2024-05-05"),
            ("What broke on May 5th, 2023?", "2023-05-05 2023-05-05"),
            ("What did Bob buy in 2022?", "2022-01-01 2022-12-31"),
            ("What did they do last weekend?", "2025-02-22 2025-02-23"),
            ("What did Bob sell this week?", "2025-02-24 2025-03-02"),
            ("What did Bob sell last week?", "2025-02-17 2025-02-23"),
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
            "Where was Ana before 5 May?",
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
