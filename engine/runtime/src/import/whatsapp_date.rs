//! The beginning of a message of WhatsApp: its date in the telephone's own form.
//!
//! Whether the day or the month comes first is decided from all dates of a file: by those that can
//! be read in one way alone, else by the order in which time goes on. Where neither decides, the
//! user is asked: a guess would date half of a chat wrongly.

use super::error::ImportProblem;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::str::FromStr;

/// What comes first in a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// 31/01/2024.
    DayFirst,
    /// 01/31/2024.
    MonthFirst,
}

impl FromStr for Order {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "day-first" => Ok(Self::DayFirst),
            "month-first" => Ok(Self::MonthFirst),
            _ => Err(format!(
                "`{name}` is no order of dates; give day-first or month-first"
            )),
        }
    }
}

/// The beginning of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head<'a> {
    /// The date as it is written.
    pub(super) date: &'a str,
    parts: [i16; 3],
    is_dotted: bool,
    time: [i8; 3],
    /// Whether it is an iPhone's.
    pub(super) is_bracketed: bool,
    /// What follows the time.
    pub(super) rest: &'a str,
}

impl Head<'_> {
    /// Year, month and day.
    fn civil(&self, order: Order) -> Option<DateTime> {
        let [a, b, c] = self.parts;
        let (year, month, day) = match order {
            _ if a > 31 => (a, b, c),
            Order::DayFirst => (c, b, a),
            Order::MonthFirst => (c, a, b),
        };
        let year = if year < 100 { year + 2_000 } else { year };
        let [hour, minute, second] = self.time;
        let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
        DateTime::new(year, month, day, hour, minute, second, 0).ok()
    }

    /// Its time by the clocks of a zone.
    pub(super) fn unix_ms(&self, order: Order, zone: &TimeZone) -> Option<i64> {
        let zoned = self.civil(order)?.to_zoned(zone.clone()).ok()?;
        Some(zoned.timestamp().as_millisecond())
    }
}

/// What comes first in the dates of a file; else what is wrong, and in which line.
pub(super) fn order(heads: &[(&Head<'_>, u64)]) -> Result<Order, (ImportProblem, Option<u64>)> {
    // dates with dots begin with the day wherever they are written, and years cannot be mistaken
    if heads
        .iter()
        .all(|(head, _)| head.is_dotted || head.parts[0] > 31)
    {
        return Ok(Order::DayFirst);
    }
    let wrong = |order| {
        heads
            .iter()
            .filter(|(head, _)| head.civil(order).is_none())
            .count()
    };
    let back = |order| {
        let times: Vec<_> = heads
            .iter()
            .filter_map(|(head, _)| head.civil(order))
            .collect();
        // days, since a clock may be set back
        times
            .windows(2)
            .filter(|two| two[1].date() < two[0].date())
            .count()
    };
    let [day, month] = [Order::DayFirst, Order::MonthFirst].map(|it| (wrong(it), back(it)));
    match day.cmp(&month) {
        std::cmp::Ordering::Less => Ok(Order::DayFirst),
        std::cmp::Ordering::Greater => Ok(Order::MonthFirst),
        // the same day and month everywhere, such as 1/1
        std::cmp::Ordering::Equal if heads.iter().all(|(it, _)| it.parts[0] == it.parts[1]) => {
            Ok(Order::DayFirst)
        }
        std::cmp::Ordering::Equal => {
            let doubtful = heads.iter().find(|(it, _)| it.parts[0] != it.parts[1]);
            let example = doubtful.map_or("", |(it, _)| it.date).to_owned();
            Err((
                ImportProblem::Dates { example },
                doubtful.map(|(_, line)| *line),
            ))
        }
    }
}

/// Reads along a line.
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    fn skip(&mut self, is: impl Fn(char) -> bool) -> &'a str {
        let end = self.0.find(|c| !is(c)).unwrap_or(self.0.len());
        let (skipped, rest) = self.0.split_at(end);
        self.0 = rest;
        skipped
    }

    fn blanks(&mut self) -> bool {
        !self
            .skip(|c| c.is_whitespace() || c == '\u{200e}' || c == '\u{200f}')
            .is_empty()
    }

    fn number(&mut self, most: usize) -> Option<i16> {
        let digits = self.skip(|c| c.is_ascii_digit());
        (1..=most)
            .contains(&digits.len())
            .then(|| digits.parse().ok())
            .flatten()
    }

    fn one_of(&mut self, all: &[char]) -> Option<char> {
        let c = self.0.chars().next().filter(|c| all.contains(c))?;
        self.0 = &self.0[c.len_utf8()..];
        Some(c)
    }
}

/// The beginning of a message, if a line is one.
pub(super) fn head(line: &str) -> Option<Head<'_>> {
    let mut at = Cursor(line);
    at.skip(|c| matches!(c, '\u{200e}' | '\u{200f}' | '\u{feff}'));
    let is_bracketed = at.one_of(&['[']).is_some();
    let start = at.0;
    let (parts, is_dotted) = date(&mut at)?;
    let date = &start[..start.len() - at.0.len()];
    at.one_of(&[',']);
    at.blanks();
    let time = time(&mut at)?;
    if is_bracketed {
        at.one_of(&[']'])?;
        at.skip(|c| c == ' ');
    } else {
        at.blanks();
        at.one_of(&['-', '–'])?;
        at.one_of(&[' '])?;
    }
    Some(Head {
        date: date.trim(),
        parts,
        is_dotted,
        time,
        is_bracketed,
        rest: at.0,
    })
}

/// Three numbers, and whether they are parted by dots.
fn date(at: &mut Cursor<'_>) -> Option<([i16; 3], bool)> {
    let first = at.number(4)?;
    let mark = at.one_of(&['/', '.', '-'])?;
    at.blanks();
    let second = at.number(2)?;
    at.one_of(&[mark])?;
    at.blanks();
    let third = at.number(4)?;
    at.one_of(&['.']);
    Some(([first, second, third], mark == '.'))
}

/// Hours, minutes and seconds, also of twelve hours: `10:03:05`, `10.03`, `10:03 p. m.`.
fn time(at: &mut Cursor<'_>) -> Option<[i8; 3]> {
    let mut hour = at.number(2)?;
    let mark = at.one_of(&[':', '.'])?;
    let minute = at.number(2)?;
    let second = match at.one_of(&[mark]) {
        Some(_) => at.number(2)?,
        None => 0,
    };
    let before = at.0;
    at.blanks();
    let half = at.one_of(&['a', 'p', 'A', 'P']);
    at.skip(|c| c == '.' || c.is_whitespace());
    match half.filter(|_| at.one_of(&['m', 'M']).is_some()) {
        Some(half) if (1..=12).contains(&hour) => {
            at.skip(|c| c == '.');
            hour = hour % 12
                + if half.eq_ignore_ascii_case(&'p') {
                    12
                } else {
                    0
                };
        }
        Some(_) => return None,
        None => at.0 = before,
    }
    let parts = [hour, minute, second].map(|it| i8::try_from(it).ok());
    let [hour, minute, second] = parts;
    Some([hour?, minute?, second?])
}
