//! Time zones by name, and what the clock of this machine shows.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use weir_core::answer::QuestionTime;

/// Speaking time per letter: about 160 words of English per minute.
pub(crate) const LETTER_MS: u64 = 65;

/// Why a text is no time or no time zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    /// No zone has this name.
    #[error("there is no time zone `{0}`; give an IANA name, such as Europe/Berlin or UTC")]
    Zone(String),
    /// It is no time.
    #[error(
        "`{0}` is no time; give one such as 2026-03-22T10:00, in the question's time zone, or \
         2026-03-22T10:00:00Z"
    )]
    Time(String),
}

/// The time zone of an IANA name.
///
/// # Errors
/// [`TimeError::Zone`].
pub fn zone_named(name: &str) -> Result<TimeZone, TimeError> {
    TimeZone::get(name).map_err(|_| TimeError::Zone(name.to_owned()))
}

/// The Unix time of a text: with an offset, or by the clocks of a zone.
///
/// # Errors
/// [`TimeError::Time`].
pub fn unix_ms(text: &str, zone: &TimeZone) -> Result<i64, TimeError> {
    let local = || text.parse::<DateTime>().ok()?.to_zoned(zone.clone()).ok();
    let time = text.parse::<Timestamp>().ok();
    let time = time.or_else(|| local().map(|it| it.timestamp()));
    let time = time.ok_or_else(|| TimeError::Time(text.to_owned()))?;
    Ok(time.as_millisecond())
}

/// A wall time as RFC 3339 in UTC, with milliseconds only if they are not 0.
///
/// `None` outside the years -9999 to 9999.
#[must_use]
pub fn rfc3339(unix_ms: i64) -> Option<String> {
    let time = Timestamp::from_millisecond(unix_ms).ok()?;
    Some(time.to_string())
}

/// The time zone of this machine.
#[must_use]
pub fn zone_here() -> TimeZone {
    Zoned::now().time_zone().clone()
}

/// A question that is asked now and here, as far as it does not say when and where.
#[must_use]
pub fn now_and_here(at: QuestionTime) -> QuestionTime {
    let now = Zoned::now();
    QuestionTime {
        unix_ms: at
            .unix_ms
            .or_else(|| Some(now.timestamp().as_millisecond())),
        zone: at.zone.or_else(|| Some(now.time_zone().clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_without_an_offset_is_of_the_zone() {
        let berlin = zone_named("Europe/Berlin").expect("there is one");
        let ms = |text| unix_ms(text, &berlin);
        assert_eq!(ms("2025-03-01T10:00"), ms("2025-03-01T09:00:00Z"));
        assert_eq!(ms("2025-07-01"), ms("2025-06-30T22:00:00Z"));
        // 02:30 does not exist on this day; the clocks show 03:30 then
        assert_eq!(ms("2025-03-30T02:30"), ms("2025-03-30T01:30:00Z"));
    }

    #[test]
    fn what_is_no_zone_or_time_is_named() {
        let zone = zone_named("Europe/Berln").expect_err("there is none");
        assert!(zone.to_string().contains("`Europe/Berln`"), "{zone}");
        let time = unix_ms("yesterday", &TimeZone::UTC).expect_err("it is none");
        assert!(time.to_string().contains("`yesterday`"), "{time}");
    }

    #[test]
    fn a_question_is_asked_now_unless_it_says_otherwise() {
        let said = QuestionTime {
            unix_ms: Some(7),
            zone: Some(TimeZone::UTC),
        };
        assert_eq!(now_and_here(said.clone()), said);
        let now = now_and_here(QuestionTime::default());
        assert!(now.unix_ms > Some(1_700_000_000_000) && now.zone.is_some());
    }
}
